package measure

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"

	"relais/ingest/source"
	"relais/ingest/table"
	"relais/market"
)

// ErrRejected is wrapped by errors of Add for speedtests that an import would reject.
var ErrRejected = errors.New("the speedtest cannot be used")

// Add adds one speedtest, like the import of a file with one row. The fields are those of the
// project's own table of speedtests, by name; those that are not stated are absent. When Add
// returns, the speedtest is on disk and visible. added is false if it was there already. Each
// speedtest is a segment until Merge merges them. Errors: ErrRejected with the reason of an
// import, ErrReadOnly, those of writing.
func (s *Store) Add(code market.Code, fields map[string]string) (t Test, added bool, err error) {
	m := market.Get(code)
	if m == nil {
		return t, false, fmt.Errorf("unknown market %q", code)
	}
	if s.readOnly {
		return t, false, ErrReadOnly
	}
	one, err := s.readOne(m, fields) // without mu: a wrong speedtest need not wait for an import
	if err != nil {
		return t, false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t = one.test()
	err = s.retried(func() (err error) {
		added, err = s.addOnce(one)
		return err
	})
	return t, added, err
}

// addOnce adds a speedtest unless it is there. Error: errMoved.
func (s *Store) addOnce(one *builder) (added bool, err error) {
	base := s.view()
	if one.sort(base.segments) > 0 {
		return false, nil
	}
	row, seg, err := s.write(one)
	if err != nil {
		return false, err
	}
	err = s.replace(&change{put: []SegmentInfo{row}}, base, map[string]*segment{row.File: seg})
	return err == nil, err
}

// readOne reads a speedtest as the row of a table, so that it has the rules and the id of an imported one.
func (s *Store) readOne(m *market.Market, fields map[string]string) (*builder, error) {
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
	r := rowReader{format: f, kind: Speedtest, market: m, countries: countries(m), zone: zoneOf(m), now: now,
		networks: map[network]network{}, builder: b}
	r.first, r.second = f.positions()
	if !in.Next() {
		return nil, errors.Join(errors.New("the speedtest is not a row of a table"), in.Err())
	}
	if broken := in.Broken(); broken != "" {
		return nil, fmt.Errorf("%w: %s", ErrRejected, broken)
	}
	r.Reader = source.At(in)
	row, reason := r.readRow()
	if reason != "" {
		return nil, fmt.Errorf("%w: %s", ErrRejected, reason)
	}
	b.add(&row)
	return b, nil
}

// tableOf returns a CSV table with one row.
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
		return nil, fmt.Errorf("a field is unknown: the known ones are %v", names)
	}
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	err := w.WriteAll([][]string{names, values})
	return b.Bytes(), err
}

// test returns the speedtest of a builder with one row.
func (b *builder) test() Test {
	table := market.Get(b.Market)
	s := &segment{meta: b.meta, columns: b.columns, rows: 1, table: table}
	for i := range s.Networks {
		s.operators = append(s.operators, s.Networks[i].operator(table))
	}
	return s.test(0)
}
