package measure

import (
	"context"
	"errors"
	"slices"
	"time"

	"relais/ingest/cells"
	"relais/ingest/source"
	"relais/market"
)

// A Log says what ReadLog read.
type Log struct {
	Tables []string // the kinds of its tables
	Rows   int
	Served int  // rows with a cell of 4G or 5G that served the phone
	Cut    bool // there is more than was read, or what follows is broken
}

// A RefusedError reports a table that is known, and that nothing here reads.
type RefusedError struct{ Table string }

func (e *RefusedError) Error() string { return "no cells are read from a table of the kind " + e.Table }

// ErrNoLog is the error of a file without a table that states cells.
var ErrNoLog = errors.New("the file is not a table of cells or measurements")

// mostLogFiles is how many members of an archive ReadLog looks at. NeoStumbler's have three.
const mostLogFiles = 16

// ReadLog calls do with the cells of the tables that Import and ingest/cells read, in a file that is in memory. It
// reads at most rows rows and most bytes, see source.InMemory, keeps nothing, and has no use for times. now is when it
// is read. Errors: ErrNoLog, a RefusedError, the context's.
func ReadLog(ctx context.Context, data []byte, most int64, rows int, now time.Time,
	do func(cells.Row)) (log Log, err error) {
	inputs, err := source.InMemory(ctx, data, most)
	if err != nil || len(inputs) > mostLogFiles {
		return log, ErrNoLog
	}
	err = ErrNoLog
	for _, in := range inputs {
		if log.Rows == rows {
			log.Cut = true
			break
		}
		found, bad := source.Detect(in, logKinds())
		if errors.Is(bad, source.ErrUnpacked) {
			log.Cut = true
			break
		}
		if bad != nil || found.Kind == nil {
			continue
		}
		if found.Refusal() != nil {
			err = &RefusedError{found.Kind.Name}
			continue
		}
		before := log.Rows
		if bad := log.read(&found, rows, now, do); bad != nil && log.Rows == before {
			continue
		}
		log.Tables = append(log.Tables, found.Kind.Name)
	}
	switch {
	case ctx.Err() != nil:
		err = ctx.Err()
	case log.Tables != nil:
		err = nil
	}
	return log, err
}

// logKinds returns the kinds of tables that are read, and those that are refused.
func logKinds() []*source.Kind {
	all := slices.Clone(cells.Kinds)
	for i := range formats {
		if k := formats[i].kind; !slices.ContainsFunc(all, func(o *source.Kind) bool { return o.Name == k.Name }) {
			all = append(all, k)
		}
	}
	return append(all, cells.Refused...)
}

// read reads a table.
func (l *Log) read(f *source.Found, rows int, now time.Time, do func(cells.Row)) error {
	give := func(r cells.Row) { l.Served++; do(r) }
	read := cells.ReadLog
	if !slices.Contains(cells.Kinds, f.Kind) {
		read = func(f *source.Found, most int, do func(cells.Row)) (*source.Report, error) {
			return readLog(f, most, now, do)
		}
	}
	report, err := read(f, rows-l.Rows, give)
	if report != nil {
		l.Rows += report.Rows
	}
	l.Cut = l.Cut || err != nil
	return err
}

// readLog reads a table that only this package knows. The first market that takes a row has it.
func readLog(f *source.Found, most int, now time.Time, do func(cells.Row)) (*source.Report, error) {
	in, err := f.Read(nil)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	in.Most = most
	readers := logReaders(in, f.Kind, now)
	for in.NextRow() {
		for i := range readers {
			r := &readers[i]
			if m, reason := r.readRow(); reason == "" {
				r.log(&m, do)
				break
			}
		}
	}
	if _, err = in.Done(); err != nil {
		return in.Report, err
	}
	return in.Report, nil
}

// logReaders returns a reader for each market with an inventory.
func logReaders(in *source.Reader, k *source.Kind, now time.Time) (list []rowReader) {
	f := &formats[slices.IndexFunc(formats, func(f format) bool { return f.kind == k })]
	kind := f.kinds[0]
	if slices.Contains(f.kinds, Coverage) {
		kind = Coverage
	}
	for _, m := range market.All {
		if !m.HasInventory() {
			continue
		}
		r := rowReader{Reader: in, format: f, kind: kind, market: m, countries: countries(m), zone: zoneOf(m), now: now,
			networks: map[network]network{}, builder: newBuilder(meta{Market: m.Code, Kind: kind})}
		r.first, r.second = f.positions()
		list = append(list, r)
	}
	return list
}

// log calls do with the cells of a row of an operator of the market.
func (r *rowReader) log(m *row, do func(cells.Row)) {
	operator := r.builder.Networks[m.network].operator(r.market)
	if operator < 0 {
		return
	}
	at := m.position()
	for _, c := range m.cells(operator) {
		if c.ID != 0 || c.Node != 0 {
			do(cells.Row{PLMN: r.market.Operators[operator].PLMNs[0], Market: r.market, Cell: c, Position: &at})
		}
	}
}
