package measure

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"relais/ingest/source"
	"relais/market"
)

// Options say how to import files.
type Options struct {
	Kind  Kind         // Sniffed: each file has the kind that its content says
	Force bool         // a campaign may have far fewer measurements than the one that is there
	Watch source.Watch // gets the number of bytes as they are read; may be nil
}

// A FileError says what is wrong with a file of an import. Other errors say nothing about the files: the same import
// may succeed later.
type FileError struct{ error }

// Unwrap returns the error.
func (e *FileError) Unwrap() error { return e.error }

// readError returns the error of reading a file: a FileError, unless the system could not read it or the reading was
// stopped.
func readError(err error) error {
	_, system := errors.AsType[*fs.PathError](err)
	if err == nil || system || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &FileError{err}
}

// Import imports files, folders and zip archives of measurements of a market, and returns a
// report on each file. A row that equals one of the store or of the import is rejected as a
// duplicate. Either all files count when Import returns, or none; without an error they are on
// disk. The measurements of files whose names say that they are synthetic say so in their
// OperatorName. The files of a campaign give all of its kinds, and replace the campaign if the store has it with other
// rows; see ErrFewer. Errors: a FileError; ErrReadOnly; those of ctx, of the disk and of the database.
func (s *Store) Import(ctx context.Context, code market.Code, o Options, paths ...string) ([]*source.Report, error) {
	m := market.Get(code)
	if m == nil {
		return nil, fmt.Errorf("unknown market %q", code)
	}
	if s.readOnly {
		return nil, ErrReadOnly
	}
	files, err := detect(o.Kind, paths)
	if err != nil {
		return nil, readError(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	// Reading may take minutes, and would be for nothing if the cluster's database is away or has rows that
	// this node does not know.
	if err := s.db.Fresh(ctx); err != nil {
		return nil, err
	}
	var reports []*source.Report
	err = s.retried(func() (err error) {
		reports, err = s.importOnce(m, files, Options{Force: o.Force, Watch: func(n int) error {
			if err := ctx.Err(); err != nil || o.Watch == nil {
				return err
			}
			return o.Watch(n)
		}})
		return err
	})
	return reports, err
}

// importOnce imports files. Error: errMoved.
func (s *Store) importOnce(m *market.Market, files []detectedFile, o Options) ([]*source.Report, error) {
	base := s.view()
	i := importRun{Store: s, market: m, base: base, segments: slices.Clone(base.segments), newSegments: map[string]*segment{},
		Options: o, campaigns: map[string]*campaignRun{}}
	for _, f := range files {
		if err := i.file(f); err != nil {
			return nil, s.abandon(err, i.newSegments)
		}
	}
	if err := i.endCampaigns(); err != nil {
		return nil, s.abandon(err, i.newSegments)
	}
	if len(i.newSegments) == 0 {
		return i.reports, nil
	}
	i.change.adds = true
	if err := s.replace(&i.change, base, i.newSegments); err != nil {
		return nil, err
	}
	_ = i.clean() // the import counts; what stays is tried again after the next change
	return i.reports, nil
}

// A detectedFile is a file with its format and the kind of its rows.
type detectedFile struct {
	source.Found
	format *format
	kind   Kind
}

// detect detects the formats of files.
func detect(kind Kind, paths []string) ([]detectedFile, error) {
	inputs, err := source.Expand(paths)
	if err != nil {
		return nil, err
	}
	var files []detectedFile
	for _, in := range inputs {
		found, err := source.Detect(in, sourceKinds())
		if err != nil {
			return nil, err
		}
		if err := found.Refusal(); err != nil {
			return nil, err
		}
		if found.Kind == nil {
			return nil, fmt.Errorf("%s:1: unknown table of measurements", in.Name())
		}
		f := &formats[slices.IndexFunc(formats, func(f format) bool { return f.kind.Name == found.Kind.Name })]
		is := f.kinds[0]
		if kind != Sniffed {
			is = kind
		}
		if !slices.Contains(f.kinds, is) {
			return nil, fmt.Errorf("%s:1: a table of the kind %s, which has no %s", in.Name(), found.Kind.Name,
				plural[kind])
		}
		if f.published == nil {
			files = append(files, detectedFile{found, f, is})
			continue
		}
		for _, is := range f.kinds {
			files = append(files, detectedFile{found, f, is})
		}
	}
	return files, nil
}

var plural = map[Kind]string{Speedtest: "speedtests", Coverage: "coverage points"}

// An importRun is an import that has not ended.
type importRun struct {
	*Store
	Options
	market      *market.Market
	change      change
	base        *view
	campaigns   map[string]*campaignRun // by id
	segments    []*segment              // that a row may be in already, including newSegments
	newSegments map[string]*segment
	reports     []*source.Report
	builder     *builder // of the previous file, nil for none
}

// builderOf returns a builder without rows. It may have the memory of the previous file, so that its
// columns need not grow step by step again.
func (i *importRun) builderOf(m meta) *builder {
	if i.builder == nil || i.builder.Kind != m.Kind {
		i.builder = newBuilder(m)
	}
	i.builder.meta = m
	return i.builder
}

func (i *importRun) file(f detectedFile) error {
	in, err := f.Read(i.Watch)
	if err != nil {
		return readError(err)
	}
	defer in.Close()
	now := i.now()
	b := i.builderOf(meta{Market: i.market.Code, Kind: f.kind, Imported: now.Unix(), Synthetic: f.Synthetic()})
	r := rowReader{Reader: in, format: f.format, kind: f.kind, market: i.market, countries: countries(i.market),
		zone: zoneOf(i.market), now: now,
		networks: map[network]network{}, builder: b}
	r.first, r.second = f.format.positions()
	duplicates, last, inTrains := 0, uint32(0), false
	flush := func() error {
		if f.format.published != nil && b.Campaign.ID == "" {
			b.Campaign = f.format.published.campaign(f.Name(), b.Synthetic, inTrains, last)
		}
		return i.flush(b, &duplicates)
	}
	for in.NextRow() {
		m, reason := r.readRow()
		if reason != "" {
			in.Reject(reason)
			continue
		}
		last, inTrains = max(last, m.time), inTrains || r.inTrain()
		b.add(&m)
		if len(b.entries) == i.rowLimit { // bounds the memory, however large the file is
			if err := flush(); err != nil {
				return err
			}
		}
	}
	report, err := in.Done()
	if err != nil {
		return readError(err)
	}
	if err := flush(); err != nil { // the last rows; before the report, which counts duplicates
		return err
	}
	if r.badIDs > 0 {
		report.Warn(fmt.Sprintf("identifiers of %d rows are out of range or contradict each other, and were left out; the "+
			"first is on line %d", r.badIDs, r.firstBadID))
	}
	report.RejectMany(duplicates, "duplicate")
	report.CountServed()
	f.warnOfColumns(report)
	if f.format.published != nil {
		report.Kind += " (" + plural[f.kind] + ")"
		i.campaign(b.Campaign).reports = append(i.campaign(b.Campaign).reports, report)
	}
	i.reports = append(i.reports, report)
	return nil
}

// warnOfColumns warns of unknown columns of the file, and of those that are read and that it lacks or has empty.
func (f *detectedFile) warnOfColumns(report *source.Report) {
	report.WarnOfForeign()
	var without []string
	for _, c := range f.Found.Kind.Columns {
		_, first := f.format.roles[c.Name]
		_, second := f.format.more[c.Name]
		if (first || second) && !f.Found.Kind.Has(report.Columns.Filled, c.Name) {
			without = append(without, c.Name)
		}
	}
	report.WarnOfColumns("columns without a value", without)
}

// flush writes the rows of the builder, without duplicates, as a segment.
func (i *importRun) flush(b *builder, duplicates *int) error {
	*duplicates += b.sort(i.others(b))
	if len(b.entries) > 0 {
		row, s, err := i.write(b)
		if err != nil {
			return err
		}
		i.change.put = append(i.change.put, row)
		i.segments, i.newSegments[row.File] = append(i.segments, s), s
	}
	b.reset()
	return nil
}

// zoneOf returns the time zone of a market, nil if it has several.
func zoneOf(m *market.Market) *time.Location {
	if m.Zone == "" {
		return nil
	}
	zone, err := time.LoadLocation(m.Zone)
	if err != nil { // an unknown name
		return nil
	}
	return zone
}
