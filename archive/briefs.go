package archive

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
	"sync"

	"relais/geo"
	"relais/ingest/anfr/column"
)

// A Brief is a support of an overview.
type Brief struct {
	ID    string    // sup_id
	Point geo.Point // of its first row
	Insee string    // code of the commune, of its first row; "" where none is stated
	// The distinct texts of its rows, in order.
	Operators, Systems, Statuses []string
}

// briefs are the supports of all publications that were asked for. Most supports stay the same from
// week to week. Each difference makes a state, which has a number and takes about 64 bytes.
type briefs struct {
	mu     sync.RWMutex
	points []geo.Point  // of the first row of each state
	south  []statePoint // the points by latitude, as far as they were sorted
	states []briefState
	newest map[uint32]uint32 // by support, its newest state and 1
	labels []label
	codeOf map[label]uint32
	sets   [][]uint32 // of labels, ascending
	setOf  map[string]uint32
	bytes  int
}

type briefState struct {
	support uint32
	insee   uint32 // label
	set     uint32
	older   uint32 // another state of the support, and 1; 0 for none
}

// A statePoint is the position of a state.
type statePoint struct {
	geo.Point
	state uint32
}

// A label is a text that many supports have in a column.
type label struct {
	column int
	text   string
}

func newBriefs() *briefs {
	return &briefs{newest: map[uint32]uint32{}, codeOf: map[label]uint32{}, setOf: map[string]uint32{}}
}

// state returns the number of a state.
func (b *briefs) state(support uint32, at geo.Point, insee string, rows []label) uint32 {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := briefState{support: support, insee: b.code(label{column.Insee, insee}), set: b.set(rows)}
	s.older = b.newest[support]
	for n := s.older; n > 0; n = b.states[n-1].older {
		old := b.states[n-1]
		if old.older = s.older; old == s && b.points[n-1] == at {
			return n - 1
		}
	}
	b.states, b.points = append(b.states, s), append(b.points, at)
	b.bytes += 80
	b.newest[support] = uint32(len(b.states))
	return uint32(len(b.states)) - 1
}

func (b *briefs) code(l label) uint32 {
	code, ok := b.codeOf[l]
	if !ok {
		l.text = strings.Clone(l.text) // a text keeps its whole block
		code = uint32(len(b.labels))
		b.labels, b.codeOf[l] = append(b.labels, l), code
		b.bytes += 100 + len(l.text)
	}
	return code
}

// set returns the number of a set of labels.
func (b *briefs) set(rows []label) uint32 {
	var codes []uint32
	for _, l := range rows {
		codes = append(codes, b.code(l))
	}
	slices.Sort(codes)
	codes = slices.Compact(codes)
	var packed []byte
	for _, code := range codes {
		packed = binary.AppendUvarint(packed, uint64(code))
	}
	n, ok := b.setOf[string(packed)]
	if !ok {
		n = uint32(len(b.sets))
		b.sets, b.setOf[string(packed)] = append(b.sets, slices.Clip(codes)), n
		b.bytes += 100 + len(packed) + 4*len(codes)
	}
	return n
}

// sort sorts all points into south.
func (b *briefs) sort() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for n := len(b.south); n < len(b.points); n++ {
		b.south = append(b.south, statePoint{b.points[n], uint32(n)})
	}
	slices.SortFunc(b.south, func(x, y statePoint) int { return cmp.Compare(x.Lat, y.Lat) })
}

// inBox returns a bit for each state, set if the state is in the box.
func (b *briefs) inBox(box geo.Box) []uint64 {
	set := make([]uint64, (len(b.points)+63)/64)
	from, _ := slices.BinarySearchFunc(b.south, box.South,
		func(s statePoint, lat float64) int { return cmp.Compare(s.Lat, lat) })
	for _, s := range b.south[from:] {
		if s.Lat > box.North {
			break
		}
		if box.Contains(s.Point) {
			set[s.state>>6] |= 1 << (s.state & 63)
		}
	}
	return set
}

// brief returns the state n as a Brief.
func (b *briefs) brief(n uint32) Brief {
	s := &b.states[n]
	v := Brief{ID: decimal(s.support), Point: b.points[n], Insee: b.labels[s.insee].text}
	for _, code := range b.sets[s.set] {
		switch l := b.labels[code]; l.column {
		case column.Operator:
			v.Operators = append(v.Operators, l.text)
		case column.System:
			v.Systems = append(v.Systems, l.text)
		case column.Status:
			v.Statuses = append(v.Statuses, l.text)
		}
	}
	slices.Sort(v.Operators)
	slices.Sort(v.Systems)
	slices.Sort(v.Statuses)
	return v
}
