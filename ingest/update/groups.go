package update

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"relais/ingest"
	"relais/internal/folder"
	"relais/market"
)

// ErrNothing is returned for a table that has nothing to update.
var ErrNothing = errors.New("the table of sources has no file that this version of relais reads: there is nothing to update")

// A target is the destination of the files of a group.
type target interface {
	// forgetStale forgets versions whose result was replaced or lost, and says why.
	forgetStale(ctx context.Context, s *source) (found []string, err error)
	// fetch downloads what is new of a file, mostly by source.fetch.
	fetch(ctx context.Context, s *source, f *File, report *FileReport)
	// apply processes the new files and the results of the others.
	apply(ctx context.Context, s *source)
}

// A group is a target with its files.
type group struct {
	target  target
	markets []market.Code // the first names the folders of the downloads and of the state
	state   string        // name of the file with the state; it tells the targets of a market apart
	files   []*File
}

// groups returns the table's files by target, in the order of updating.
func (t *Table) groups() (all []group) {
	for _, src := range ingest.Sources {
		all = append(all, group{target: register{src}, markets: src.Markets, state: folder.UpdateName})
	}
	for _, m := range market.All {
		own := []market.Code{m.Code}
		// The list of all operators comes first: where it has an operator, that operator's own file adds nothing.
		all = append(all, group{target: days{m.Code}, markets: own, state: folder.DaysName},
			group{target: &feeds{market: m.Code}, markets: own, state: folder.FeedsName},
			group{target: measures{m.Code}, markets: own, state: folder.MeasuresName},
			group{target: coverageMaps{m.Code}, markets: own, state: folder.MapsName})
	}
	for i := range all {
		for _, f := range t.Files {
			if g := &all[i]; g.state == f.state() && slices.Contains(g.markets, f.Market) {
				g.files = append(g.files, f)
			}
		}
	}
	return slices.DeleteFunc(all, func(g group) bool { return len(g.files) == 0 })
}

// Markets lists the markets of the table's files that this version of relais can read.
func (t *Table) Markets() (codes []market.Code) {
	for _, g := range t.groups() {
		for _, code := range g.markets {
			if !slices.Contains(codes, code) {
				codes = append(codes, code)
			}
		}
	}
	return codes
}

// unread returns notes about files that this version of relais cannot read.
func (t *Table) unread() (notes []string) {
	readable := filesOf(t.groups())
	for _, f := range t.Files {
		if !slices.Contains(readable, f) {
			notes = append(notes, fmt.Sprintf(
				"%s was left out: this version of relais has no parser for the sources of %s", f.Name, f.Market))
		}
	}
	return notes
}

// groups returns the groups of the markets.
func (o *Options) groups() (groups []group, err error) {
	readable := o.Table.Markets()
	for _, code := range o.Markets {
		if m := market.Get(code); !m.HasInventory() {
			return nil, fmt.Errorf("%s publishes no register that a program can read: %s", m.Label,
				strings.TrimSuffix(m.UnavailableReason, "."))
		}
		if !slices.Contains(readable, code) {
			return nil, fmt.Errorf(
				"%s cannot be updated: the table of sources has no file for it that this version of relais reads", code)
		}
	}
	for _, g := range o.Table.groups() {
		asked := len(o.Markets) == 0 ||
			slices.ContainsFunc(g.markets, func(c market.Code) bool { return slices.Contains(o.Markets, c) })
		g.files = slices.DeleteFunc(g.files, func(f *File) bool { return !o.Choice.includes(f) })
		if asked && o.takes(g.state) && len(g.files) > 0 {
			groups = append(groups, g)
		}
	}
	if len(groups) == 0 {
		return nil, ErrNothing
	}
	return groups, nil
}

// takes reports whether somebody takes the files of a group.
func (o *Options) takes(state string) bool {
	switch state {
	case folder.FeedsName:
		return o.Feeds != nil
	case folder.DaysName:
		return o.Days != nil
	case folder.MeasuresName:
		return o.Measures != nil
	}
	return true
}

func filesOf(groups []group) (files []*File) {
	for _, g := range groups {
		files = append(files, g.files...)
	}
	return files
}

func namesOf(groups []group) (names []string) {
	for _, f := range filesOf(groups) {
		names = append(names, f.Name)
	}
	return names
}
