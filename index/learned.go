package index

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"
	"sort"

	"github.com/cespare/xxhash/v2"

	"relais/geo"
	"relais/site"
	"relais/site/observation"
)

// learned has the radio identifiers that observations assign to sites, and no source does.
type learned struct {
	from    string // name of the observations
	version string // of the identifiers, "" without any
	ids     []learnedID
	radio   radio // the same by value
}

// learnedIDs are ordered by site, then by operator, kind and value.
type learnedID struct {
	value    uint64
	site     uint32
	operator uint8
	kind     site.RadioKind
}

// Learn returns the market with what sightings teach: cells, base stations and PCIs of
// sites to which no source gives them. The rule is that of package sighting, the same as
// for the files of cells that an ingest reads. A cell is of the only site of its operator
// within observation.Radius of where it was seen. One that was seen near several sites is
// none's, and no majority decides: how often it was seen where tells how often phones were
// there, not where it stands. What the sources give to another site stays there.
//
// from names the sightings; see LearnedFrom. After an error, which tells of too many
// different identifiers, the market that is returned has learned nothing from them.
func (m *Market) Learn(from string, seen iter.Seq2[observation.Cell, geo.Point]) (*Market, error) {
	learnt := *m
	learnt.learned = &learned{from: from}
	if m.Public != nil {
		var err error
		if learnt.Public, err = m.Public.Learn(from, seen); err != nil {
			return &learnt, err
		}
	}
	var observed *observation.Observations // most markets need none
	for c, p := range seen {
		if observed == nil {
			observed = observation.NewObservations(m.Snap, len(m.Table.Operators))
		}
		observed.Add(&c, p)
	}
	if observed == nil {
		return &learnt, nil
	}
	if err := observed.Finish(); err != nil {
		return &learnt, fmt.Errorf("nothing is learned from measures of %s: %w", m.Table.Code, err)
	}
	for at, id := range observed.Assignments() {
		if !m.isStated(at, id) {
			learnt.learned.ids = append(learnt.learned.ids, learnedID{id.Value, at, uint8(id.Operator), id.Kind})
		}
	}
	learnt.learned.index()
	return &learnt, nil
}

// isStated reports whether a source assigns the identifier to site i.
func (m *Market) isStated(i uint32, id site.RadioID) (stated bool) {
	m.Snap.RadioIDs(int(i), func(s site.RadioID) {
		stated = stated || s.Kind == id.Kind && s.Operator == id.Operator && s.Value == id.Value
	})
	return stated
}

// index sorts the identifiers and indexes them by value.
func (l *learned) index() {
	slices.SortFunc(l.ids, func(a, b learnedID) int {
		return cmp.Or(cmp.Compare(a.site, b.site), cmp.Compare(a.operator, b.operator), cmp.Compare(a.kind, b.kind),
			cmp.Compare(a.value, b.value))
	})
	l.ids = slices.Clip(slices.Compact(l.ids)) // PCIs repeat
	if len(l.ids) == 0 {
		return
	}
	content := xxhash.New()
	for _, id := range l.ids {
		l.radio[id.kind] = append(l.radio[id.kind], radioRow{id.value, id.site, id.operator, 0})
		content.Write(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, id.value),
			uint64(id.site)<<16|uint64(id.operator)<<8|uint64(id.kind)))
	}
	for kind, rows := range l.radio {
		l.radio[kind] = sortedByValue(rows)
	}
	l.version = fmt.Sprintf("%016x", content.Sum64())
}

// LearnedFrom returns the name of the observations that the market learned from, "" if it has
// learned nothing.
func (m *Market) LearnedFrom() string {
	if m.learned == nil {
		return ""
	}
	return m.learned.from
}

// LearnedIDs returns the number of learned identifiers.
func (m *Market) LearnedIDs() int {
	if m.learned == nil {
		return 0
	}
	return len(m.learned.ids)
}

// AppendLearned appends the learned radio identifiers of site i to dst. Those that sources
// state are in Site.
func (m *Market) AppendLearned(dst []site.RadioID, i uint32) []site.RadioID {
	if m.learned == nil {
		return dst
	}
	ids := m.learned.ids
	for at := sort.Search(len(ids), func(k int) bool { return ids[k].site >= i }); at < len(ids) &&
		ids[at].site == i; at++ {
		dst = append(dst, site.RadioID{Kind: ids[at].kind, Operator: int(ids[at].operator), Value: ids[at].value,
			Learned: true})
	}
	return dst
}
