package measure

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"relais/ingest/source"
	"relais/ingest/table"
	"relais/market"
)

// maxGrown is the most rows of a segment that speedtests are added to: it is written
// again for each of them, in a quarter of a megabyte.
const maxGrown = 4096

// ErrRejected is wrapped by the errors of Add about a speedtest that an import would
// reject.
var ErrRejected = errors.New("the speedtest cannot be used")

// Add adds one speedtest, as an import of a file with this one row would: fields are those
// of the project's own table of speedtests, by their names there; what is not stated is
// absent. It is on disk and shown when it returns. added is false for one that is there
// already. Those that are added are in segments of their own, each of which is written
// again until it is full. Errors: ErrRejected with an import's reason, ErrReadOnly, those
// of writing.
func (s *Store) Add(code market.Code, fields map[string]string) (t Test, added bool, err error) {
	m := market.Get(code)
	if m == nil {
		return t, false, fmt.Errorf("%q is no market", code)
	}
	if s.readOnly {
		return t, false, ErrReadOnly
	}
	one, err := s.one(m, fields)
	if err != nil {
		return t, false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	held := s.view()
	defer runtime.KeepAlive(held)
	t = one.test()
	if one.sort(held.segments) > 0 {
		return t, false, nil
	}
	next := s.manifest
	next.Segments = slices.Clone(s.manifest.Segments)
	row, seg, err := one.grown(s.growing(code)).write(s.dir, next.name())
	if err != nil {
		return t, false, s.abandon(err)
	}
	if old := s.growing(code); old != nil {
		next.Segments = slices.DeleteFunc(next.Segments, func(r Segment) bool { return r.File == old.file })
	}
	next.Segments = append(next.Segments, row)
	if err := s.replace(next, map[string]*segment{row.File: seg}); err != nil {
		return t, false, s.abandon(err)
	}
	return t, true, s.manifest.sweep(s.dir)
}

// one reads a speedtest as the row of a table.
func (s *Store) one(m *market.Market, fields map[string]string) (*builder, error) {
	f := &formats[slices.IndexFunc(formats, func(f format) bool { return f.kind == plainSpeedtests })]
	text, err := tableOf(f.kind, fields)
	if err != nil {
		return nil, err
	}
	in, err := table.NewReader(bytes.NewReader(text), f.kind.Name, f.kind.Options)
	if err == nil {
		err = in.Bind(f.kind.Columns)
	}
	if err != nil {
		return nil, err
	}
	now := s.now()
	b := newBuilder(meta{Market: m.Code, Kind: Speedtest, Imported: now.Unix(), Added: true})
	r := reading{Reader: &source.Reader{Reader: in}, format: f, kind: Speedtest, market: m, countries: countries(m), zone: zoneOf(m), now: now,
		networks: map[network]network{}, builder: b}
	r.first, r.second = f.at()
	if !in.Next() {
		return nil, errors.Join(errors.New("a speedtest that is no row"), in.Err())
	}
	if broken := in.Broken(); broken != "" {
		return nil, fmt.Errorf("%w: %s", ErrRejected, broken)
	}
	row, reason := r.row()
	if reason != "" {
		return nil, fmt.Errorf("%w: %s", ErrRejected, reason)
	}
	b.add(&row)
	return b, nil
}

// tableOf writes a table of one row.
func tableOf(k *source.Kind, fields map[string]string) ([]byte, error) {
	names, values := make([]string, len(k.Columns)), make([]string, len(k.Columns))
	known := 0
	for i, c := range k.Columns {
		names[i] = c.Name
		if v, ok := fields[c.Name]; ok {
			values[i] = v
			known++
		}
	}
	if known != len(fields) {
		return nil, fmt.Errorf("a field that is none of %v", names)
	}
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	err := w.WriteAll([][]string{names, values})
	return b.Bytes(), err
}

// growing is the segment of a market that speedtests are added to, nil when a new one
// begins.
func (s *Store) growing(code market.Code) *segment {
	for _, seg := range slices.Backward(s.view().segments) {
		if seg.Added && seg.Market == code && seg.rows < min(maxGrown, s.most) {
			return seg
		}
	}
	return nil
}

// grown is a builder's rows with those of a segment.
func (b *builder) grown(old *segment) *builder {
	if old == nil {
		return b
	}
	all := newBuilder(b.meta)
	all.Networks = nil
	for _, from := range []struct {
		rows     int
		columns  *columns
		networks []network
	}{{old.rows, &old.columns, old.Networks}, {1, &b.columns, b.Networks}} {
		for i := range from.rows {
			r := from.columns.row(Speedtest, uint32(i))
			r.network, _ = all.number(from.networks[r.network]) // no more than rows
			all.add(&r)
		}
	}
	all.sort(nil)
	return all
}

// test is the speedtest of a builder that has one.
func (b *builder) test() Test {
	table := market.Get(b.Market)
	s := &segment{meta: b.meta, columns: b.columns, rows: 1, table: table}
	for i := range s.Networks {
		s.operators = append(s.operators, s.Networks[i].operator(table))
	}
	return s.test(0)
}
