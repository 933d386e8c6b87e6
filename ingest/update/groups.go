package update

import (
	"errors"
	"fmt"
	"slices"

	"relais/ingest"
	"relais/market"
)

// ErrNothing is returned for a table that has nothing to update.
var ErrNothing = errors.New("the table of sources has no file that this version of relais reads: there is nothing to update")

// A group is a target with its files.
type group struct {
	target target
	feeds  bool // the files are operators'
	files  []*File
}

// groups returns the table's files by target, in the order of updating.
func (t *Table) groups() (all []group) {
	add := func(to target, feeds bool) {
		g := group{target: to, feeds: feeds}
		for _, f := range t.Files {
			if feeds == (f.Operator != "") && slices.Contains(to.markets(), f.Market) {
				g.files = append(g.files, f)
			}
		}
		if len(g.files) > 0 {
			all = append(all, g)
		}
	}
	for _, src := range ingest.Sources {
		add(register{src}, false)
	}
	for _, m := range market.All {
		if m.FeedZone != "" {
			add(&feeds{market: m.Code}, true)
		}
	}
	return all
}

// Markets lists the markets of the table's files that this version of relais can read.
func (t *Table) Markets() (codes []market.Code) {
	for _, g := range t.groups() {
		for _, code := range g.target.markets() {
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
		if !slices.Contains(readable, code) {
			return nil, fmt.Errorf(
				"%s cannot be updated: the table of sources has no file for it that this version of relais reads", code)
		}
	}
	for _, g := range o.Table.groups() {
		asked := len(o.Markets) == 0 ||
			slices.ContainsFunc(g.target.markets(), func(c market.Code) bool { return slices.Contains(o.Markets, c) })
		if asked && (o.Feeds != nil || !g.feeds) {
			groups = append(groups, g)
		}
	}
	if len(groups) == 0 {
		return nil, ErrNothing
	}
	return groups, nil
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
