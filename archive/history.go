package archive

import (
	"cmp"
	"slices"

	"relais/ingest/anfr/column"
	"relais/internal/fold"
)

// A Version is the changes of a support in a publication.
type Version struct {
	Date        string
	Differences []Difference // by operator, system and station
}

// A Difference describes how a row of a support changed between two publications. Its records have
// no id: the number of the row in the file changes from week to week.
type Difference struct {
	Kind   Kind    // New, Added, Activated, Deleted or Changed
	Before *Record // nil for a new or added row
	After  *Record // nil for a deleted row
	// Columns are the positions in column.Names of the values that differ between Before and After.
	// A Changed or Activated row that has only one of the two came from another support or moved to
	// one, or occurs more often in one of the files.
	Columns []int
}

// History returns every publication that changed something of a support, oldest first. In the
// oldest publication all rows are new. The list is empty for a support that never existed. Errors:
// ErrNoArchive for an invalid sup_id, errDamaged.
func (s *Store) History(support string) (versions []Version, err error) {
	err = s.ask(support, func(a *supportQuery) error {
		for i := range a.all {
			changes, err := a.versionOf(i)
			if err != nil {
				return err
			}
			if list := a.pair(&a.all[max(0, i-1)], &a.all[i], changes); len(list) > 0 {
				versions = append(versions, Version{a.all[i].Date, list})
			}
		}
		return nil
	})
	return versions, err
}

// versionOf returns the changes of the support in publication i.
func (a *supportQuery) versionOf(i int) (changes []rowChange, err error) {
	if i > 0 {
		return a.changes(&a.all[i])
	}
	items, err := a.rowsAt(&a.all[0])
	for _, it := range items {
		changes = append(changes, rowChange{ref: it.ref, kind: New})
	}
	return changes, err
}

// A Comparison is a support in two publications.
type Comparison struct {
	Before, After int          // rows
	Differences   []Difference // by operator, system and station
}

// CompareSite returns the differences of a support from one date to a later one. Errors:
// ErrNoArchive for an invalid sup_id and an unknown date, errDamaged.
func (s *Store) CompareSite(support, from, to string) (*Comparison, error) {
	var c *Comparison
	err := s.ask(support, func(a *supportQuery) error {
		i, err := a.publicationOn(from)
		if err != nil {
			return err
		}
		j, err := a.publicationOn(to)
		if err != nil {
			return err
		}
		c, err = a.compare(i, j)
		return err
	})
	if err == nil && c == nil { // the file of archives is missing
		err = ErrNoArchive
	}
	return c, err
}

// compare compares the publications i and j.
func (a *supportQuery) compare(i, j int) (*Comparison, error) {
	before, err := a.rowsAt(&a.all[i])
	if err != nil {
		return nil, err
	}
	after, err := a.rowsAt(&a.all[j])
	if err != nil {
		return nil, err
	}
	moves, err := a.moves(i, j)
	if err != nil {
		return nil, err
	}
	old, now := contentsOf(before), contentsOf(after)
	var changes []rowChange
	for _, it := range before {
		if c := it.content(); !now.contents[c] {
			kind := moves.left[keyOf(&c)]
			if kind != Replaced {
				kind = Deleted
			}
			if now.keys[keyOf(&c)] {
				kind = Replaced
			}
			changes = append(changes, rowChange{ref: it.ref, kind: kind})
		}
	}
	for _, it := range after {
		if c := it.content(); !old.contents[c] {
			changes = append(changes, rowChange{ref: it.ref, kind: old.kindOf(&c, moves.came[keyOf(&c)])})
		}
	}
	return &Comparison{len(before), len(after), a.pair(&a.all[i], &a.all[j], changes)}, nil
}

// A key identifies a row: station, operator and system.
type key [3]string

func keyOf(c *content) key { return key{c[inStation], c[inOperator], c[inSystem]} }

// contents are the rows of a support in a publication.
type contents struct {
	contents map[content]bool
	keys     map[key]bool
	running  map[key]bool // has a row that is not a project
}

func contentsOf(items []item) contents {
	all := contents{map[content]bool{}, map[key]bool{}, map[key]bool{}}
	for _, it := range items {
		c := it.content()
		all.contents[c], all.keys[keyOf(&c)] = true, true
		if !isProject(&c) {
			all.running[keyOf(&c)] = true
		}
	}
	return all
}

func isProject(c *content) bool { return fold.Equal(c[inStatus], project) }

// kindOf returns the kind of a row that old does not have. came is how its key came to the support
// since then, or Unchanged if that is unknown.
func (old *contents) kindOf(c *content, came Kind) Kind {
	switch k := keyOf(c); {
	case old.keys[k] && !old.running[k] && !isProject(c):
		return Activated
	case old.keys[k]:
		return Changed
	case came == Changed || came == Activated:
		return came // from another support, where it was known
	case len(old.contents) > 0:
		return Added
	}
	return New
}

// moves says for each key how it left a support and how it came to it.
type moves struct{ left, came map[key]Kind }

// moves follows the keys from the publication i to j.
func (a *supportQuery) moves(i, j int) (moves, error) {
	m := moves{map[key]Kind{}, map[key]Kind{}}
	for v := i + 1; v <= j; v++ {
		changes, err := a.changes(&a.all[v])
		if err != nil {
			return m, err
		}
		had := map[key]bool{}
		for _, old := range []bool{true, false} {
			for _, ch := range changes {
				if ch.kind.old() != old {
					continue
				}
				it := a.rows[ch.ref]
				c := it.content()
				switch k := keyOf(&c); {
				case old:
					had[k], m.left[k] = true, ch.kind
				case !had[k]:
					m.came[k] = ch.kind
				case ch.kind == Activated && m.came[k] == Changed:
					m.came[k] = Activated
				}
			}
		}
	}
	return m, nil
}

// pair makes differences of changes: it joins the old and the new row of each key.
func (a *supportQuery) pair(before, after *Publication, changes []rowChange) (list []Difference) {
	olds := map[key][]rowChange{}
	for _, ch := range changes {
		if ch.kind.old() {
			k := a.key(ch)
			olds[k] = append(olds[k], ch)
		}
	}
	for _, ch := range changes {
		if ch.kind.old() {
			continue
		}
		it, k := a.rows[ch.ref], a.key(ch)
		now := it.record(ch.kind, after)
		d := Difference{Kind: ch.kind, After: &now}
		if old := olds[k]; len(old) > 0 {
			olds[k] = old[1:]
			was := a.rows[old[0].ref]
			r := was.record(Replaced, before)
			d.Before = &r
			d.Columns = differing(&r, &now, was.content()[inUpdated] == it.content()[inUpdated])
			d.Columns = slices.DeleteFunc(d.Columns, func(c int) bool { return !before.HasColumn(c) || !after.HasColumn(c) })
			if len(d.Columns) == 0 && now.Kind == Changed {
				continue // only in columns that one of the two lacks, or that nobody knows
			}
		}
		list = append(list, d)
	}
	for _, ch := range changes {
		if !slices.Contains(olds[a.key(ch)], ch) {
			continue
		}
		it := a.rows[ch.ref]
		was, kind := it.record(ch.kind, before), Deleted
		if ch.kind == Replaced {
			kind = Changed
		}
		list = append(list, Difference{Kind: kind, Before: &was})
	}
	slices.SortStableFunc(list, func(x, y Difference) int { return slices.Compare(x.key(), y.key()) })
	return list
}

func (a *supportQuery) key(ch rowChange) key {
	it := a.rows[ch.ref]
	c := it.content()
	return keyOf(&c)
}

// key returns operator, system and station.
func (d *Difference) key() []string {
	v := &cmp.Or(d.After, d.Before).Values
	return []string{v[column.Operator], v[column.System], v[column.Station]}
}

// differing returns the columns in which two rows differ. sameUpdated reports that both have the
// date_maj of their publication, or the same one.
func differing(a, b *Record, sameUpdated bool) (columns []int) {
	for c := range a.Values {
		if a.Values[c] != b.Values[c] && c != column.ID && !(c == column.Updated && sameUpdated) {
			columns = append(columns, c)
		}
	}
	return columns
}
