package change

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"relais/geo"
	"relais/site"
)

// A List is the differences between two states, in the order of the sites' ids as texts; of a site
// first those of the site itself, then by operator and technology. It takes about 12 bytes for each
// difference and 50 for each site that has some. It does not change; several goroutines may use it.
type List struct {
	texts  texts
	sites  []siteRow
	places []placeRow // of sites before they moved
	rows   []row
	shown  int
}

// A row is a difference of the site whose rows it is among.
type row struct {
	kind                 Kind
	was, now             site.Generation
	operator, technology uint16
	before, after        uint16 // statuses
}

// Len returns the number of records.
func (l *List) Len() int { return l.shown }

// Bytes returns about how much memory the list takes.
func (l *List) Bytes() (n int) {
	n = 200 + 64*len(l.sites) + 12*(len(l.places)+len(l.rows)) // 48 bytes and the id for each site
	for _, t := range l.texts.list {
		n += 16 + len(t)
	}
	return n
}

// A Record is one change.
type Record struct {
	Kind Kind
	Site string // id
	// Place is where the site is after the change. Of a removed site it is where it was.
	Place
	// Operator is the key in the market's table, "" where the record is about the whole site.
	Operator string
	// Technology is as published, "" where the record is about an operator or a site, or the register
	// states none. Generation is 0 likewise.
	Technology    string
	Generation    site.Generation
	Before, After Side
}

// A Side is the part of a record that is of one edition: the status of a system that was added,
// removed or changed, and the position of a site that moved.
type Side struct {
	Status   string    // as published, "" where none is stated
	Position geo.Point // of Moved only
}

// rowsOf returns the rows of site i.
func (l *List) rowsOf(i int) []row {
	end := uint32(len(l.rows))
	if i+1 < len(l.sites) {
		end = l.sites[i+1].first
	}
	return l.rows[l.sites[i].first:end]
}

func (l *List) record(at *siteRow, r *row) Record {
	rec := Record{Kind: r.kind, Site: at.id, Place: l.texts.placeOf(at.place), Operator: l.texts.list[r.operator],
		Technology: l.texts.list[r.technology], Generation: r.now,
		Before: Side{Status: l.texts.list[r.before]}, After: Side{Status: l.texts.list[r.after]}}
	if r.kind == SystemRemoved {
		rec.Generation = r.was
	}
	if r.kind == Moved {
		rec.Before.Position, rec.After.Position = l.oldPlace(at).Point(), rec.Point()
	}
	return rec
}

// oldPlace returns where a site was before.
func (l *List) oldPlace(at *siteRow) Place {
	if at.old == 0 {
		return l.texts.placeOf(at.place)
	}
	return l.texts.placeOf(l.places[at.old-1])
}

// Records yields the records that a filter selects, nil for all of them.
func (l *List) Records(f *Filter) iter.Seq[Record] {
	return func(yield func(Record) bool) {
		var s selector
		s.compile(f, l)
		for i := range l.sites {
			at := &l.sites[i]
			if !s.site(l, at) {
				continue
			}
			for k, rows := 0, l.rowsOf(i); k < len(rows); k++ {
				if s.row(&rows[k]) && !yield(l.record(at, &rows[k])) {
					return
				}
			}
		}
	}
}

// A Tally is numbers of records by kind.
type Tally [Kinds]int

// Sum returns the number of all records.
func (t Tally) Sum() (n int) {
	for _, k := range t {
		n += k
	}
	return n
}

// Tally counts the records that a filter selects, nil for all of them. It takes less time than Records.
func (l *List) Tally(f *Filter) (n Tally) {
	var s selector
	s.compile(f, l)
	for i := range l.sites {
		if !s.site(l, &l.sites[i]) {
			continue
		}
		for k, rows := 0, l.rowsOf(i); k < len(rows); k++ {
			if s.row(&rows[k]) {
				n[rows[k].kind]++
			}
		}
	}
	return n
}

// A delta is a difference with its texts. Of a removed thing after is empty, of an added one before.
type delta struct {
	level                level
	operator, technology string
	before, after        value
}

// A value is what one edition says at a level.
type value struct {
	there      bool
	place      Place
	generation site.Generation
	status     string
}

func (d *delta) compare(o *delta) int {
	return cmp.Or(strings.Compare(d.operator, o.operator), cmp.Compare(d.level, o.level),
		strings.Compare(d.technology, o.technology))
}

// kind returns the kind of a delta, and whether there is any difference.
func (d *delta) kind() (Kind, bool) {
	k := Kind(2 * d.level) // that something was added; the next kind is that it was removed
	switch {
	case d.before == d.after:
		return 0, false
	case !d.before.there:
		return k, true
	case !d.after.there:
		return k + 1, true
	case d.level == siteLevel:
		return moved(d.before.place, d.after.place)
	case d.before.status != d.after.status:
		return StatusChanged, true
	}
	return regenerated, true
}

// deltas appends the differences of site i.
func (l *List) deltas(i int, all []delta) []delta {
	at := &l.sites[i]
	for _, r := range l.rowsOf(i) {
		d := delta{level: r.kind.level(), operator: l.texts.list[r.operator], technology: l.texts.list[r.technology]}
		d.before.there, d.after.there = !r.kind.added(), !r.kind.removed()
		switch d.level {
		case siteLevel:
			if d.before.there {
				d.before.place = l.oldPlace(at)
			}
			if d.after.there {
				d.after.place = l.texts.placeOf(at.place)
			}
		case systemLevel:
			if d.before.there {
				d.before.generation, d.before.status = r.was, l.texts.list[r.before]
			}
			if d.after.there {
				d.after.generation, d.after.status = r.now, l.texts.list[r.after]
			}
		}
		all = append(all, d)
	}
	return all
}

// A Builder makes a List.
type Builder struct {
	list   List
	deltas []delta
}

// NewBuilder returns a builder of an empty list.
func NewBuilder() *Builder { return &Builder{list: List{texts: newTexts()}} }

// add adds the differences of a site, which is at a place, or was if it is gone. Sites come in any
// order, each once.
func (b *Builder) add(id string, at Place, deltas []delta) {
	l := &b.list
	slices.SortFunc(deltas, func(x, y delta) int { return x.compare(&y) })
	s := siteRow{id: id, place: l.texts.place(at), first: uint32(len(l.rows))}
	for i := range deltas {
		d := &deltas[i]
		kind, differs := d.kind()
		if !differs {
			continue
		}
		l.rows = append(l.rows, row{kind: kind, was: d.before.generation, now: d.after.generation,
			operator: l.texts.add(d.operator), technology: l.texts.add(d.technology),
			before: l.texts.add(d.before.status), after: l.texts.add(d.after.status)})
		if kind == Moved || kind == placed {
			l.places = append(l.places, l.texts.place(d.before.place))
			s.old = uint32(len(l.places))
		}
		if kind.shown() {
			l.shown++
		}
	}
	if int(s.first) < len(l.rows) {
		s.id = strings.Clone(id)
		l.sites = append(l.sites, s)
	}
}

// List returns the list. Errors: a site that was added twice, more texts than fit.
func (b *Builder) List() (*List, error) {
	l := &b.list
	if !slices.IsSortedFunc(l.sites, compareIDs) {
		b.sort()
	}
	if err := l.texts.done(); err != nil {
		return nil, err
	}
	if err := l.check(); err != nil {
		return nil, fmt.Errorf("a site was added twice: %w", err)
	}
	l.sites, l.places, l.rows = slices.Clip(l.sites), slices.Clip(l.places), slices.Clip(l.rows)
	return l, nil
}

func compareIDs(a, b siteRow) int { return strings.Compare(a.id, b.id) }

// sort brings the sites, and with them their rows, in the order of the ids.
func (b *Builder) sort() {
	l := &b.list
	type part struct {
		siteRow
		rows []row
	}
	parts := make([]part, len(l.sites))
	for i := range l.sites {
		parts[i] = part{l.sites[i], l.rowsOf(i)}
	}
	slices.SortFunc(parts, func(x, y part) int { return compareIDs(x.siteRow, y.siteRow) })
	rows := make([]row, 0, len(l.rows))
	for i, p := range parts {
		p.first = uint32(len(rows))
		rows, l.sites[i] = append(rows, p.rows...), p.siteRow
	}
	l.rows = rows
}
