package catalog

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"relais/archive"
	"relais/archive/change"
	"relais/index"
	"relais/internal/fold"
	"relais/market"
)

// A ChangeSelection is a part of the changes in the register of a market.
type ChangeSelection struct {
	Market *market.Market
	// Filter is what changes must satisfy. What it says about systems and registers is replaced.
	Filter change.Filter
	// Technologies and Bands are systems, without regard to case and accents; nil for any. One that the market does not
	// have is an error if its register is loaded, and else selects nothing.
	Technologies, Bands []string
}

// setFilter completes the filter. known are the systems that the market has or had. If they are all that it has, an
// unknown one is an error; else nothing matches it: without the register, a system is known only from its changes.
func (s *ChangeSelection) setFilter(c *Catalog, known []string, all bool) error {
	s.Filter.Without, s.Filter.Technologies, s.Filter.Bands = c.withheld(s.Market), nil, nil
	for _, want := range s.Technologies {
		i := slices.IndexFunc(known, func(name string) bool { return fold.Equal(name, want) })
		switch {
		case i >= 0:
			want = known[i]
		case all:
			return &UnknownError{Filter: Technology, Value: want, Market: s.Market, Known: known}
		}
		s.Filter.Technologies = append(s.Filter.Technologies, want)
	}
	bands := bandsOf(known)
	for _, want := range s.Bands {
		band, err := strconv.Atoi(want)
		switch {
		case all && (err != nil || !slices.Contains(bands, want)):
			return &UnknownError{Filter: Band, Value: want, Market: s.Market, Known: bands}
		case err != nil || band <= 0:
			return &UnknownError{Filter: Band, Value: want, Market: s.Market, Form: "whole numbers of MHz, such as 3500"}
		}
		s.Filter.Bands = append(s.Filter.Bands, band)
	}
	return nil
}

// bandsOf lists the bands of systems, the lowest first.
func bandsOf(systems []string) []string {
	list := parts(nil, systems, bandOf)
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
	return list
}

// systemsOf adds the systems of the register of a market, which may be nil, and of changes that the caller may have to a
// list.
func (c *Catalog) systemsOf(list []string, m *market.Market, loaded *index.Market, span *archive.Span) []string {
	f := &change.Filter{Without: c.withheld(m)}
	if loaded != nil {
		list = parts(list, loaded.Snap.Systems, wholeName)
	}
	for _, l := range span.Lists {
		list = parts(list, l.Technologies(f), wholeName)
	}
	return list
}
