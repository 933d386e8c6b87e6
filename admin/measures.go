package admin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"relais/folder"
	"relais/ingest/source"
	"relais/market"
	"relais/measure"
)

// ImportMeasures imports files of speedtests or coverage points, all of them or none.
type ImportMeasures struct {
	Market market.Code  `json:"market"`
	Kind   measure.Kind `json:"kind"`
	Paths  []string     `json:"paths"` // absolute: a server is elsewhere
	// Progress, which may be nil, is called once with the bytes to come, and what it
	// returns with the bytes as they are read. It does not reach a server: see Import.
	Progress func(total int64) func(n int) `json:"-"`
}

// Import has the files imported, by the folder's server when one runs, else here, and
// tells c.Progress in both cases. Errors: those of Call and of measure.Store.Import.
func Import(ctx context.Context, dir folder.Dir, c ImportMeasures, log *slog.Logger) (r Imported, err error) {
	following, stop := context.WithCancel(ctx)
	var ended sync.WaitGroup
	if c.Progress != nil {
		ended.Go(func() { followImport(following, dir, c.Progress) })
	}
	err = Call(ctx, dir, c, &r, log)
	stop()
	ended.Wait()
	return r, err
}

// askEvery is how often a server is asked how far its import is.
const askEvery = 200 * time.Millisecond

// followImport tells how far the import of a server is, until ctx ends or no server
// answers.
func followImport(ctx context.Context, dir folder.Dir, progress func(total int64) func(n int)) {
	var add func(n int)
	for told := int64(0); ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(askEvery):
		}
		var p Importing
		text, err := call(ctx, dir, ImportProgress{})
		if err != nil || json.Unmarshal(text, &p) != nil {
			return // it is told where it runs, or not at all
		}
		if add == nil && p.Total > 0 {
			add = progress(p.Total)
		}
		if add != nil && p.Read > told {
			add(int(p.Read - told))
			told = p.Read
		}
	}
}

// Importing is the answer of ImportProgress: bytes of the import that began last.
type Importing struct {
	Total int64 `json:"total"`
	Read  int64 `json:"read"`
}

// ImportProgress asks how far an import is.
type ImportProgress struct{}

func (ImportProgress) run(_ context.Context, s *Stores) (any, error) {
	return Importing{s.importing.total.Load(), s.importing.read.Load()}, nil
}

// Imported is the answer of ImportMeasures.
type Imported struct {
	Seconds float64          `json:"seconds"`
	Files   []*source.Report `json:"files"`
	Market  market.Code      `json:"market"`
	Kind    measure.Kind     `json:"kind"`
	Total   int              `json:"total"` // that the market has of the kind now
}

func (c ImportMeasures) run(ctx context.Context, s *Stores) (any, error) {
	start := time.Now()
	m, err := s.Measures()
	if err != nil {
		return nil, err
	}
	watch, err := c.watch(s)
	if err != nil {
		return nil, err
	}
	reports, err := m.Import(ctx, c.Market, c.Kind, watch, c.Paths...)
	if err != nil {
		return nil, err
	}
	return Imported{time.Since(start).Seconds(), reports, c.Market, c.Kind, m.Count(c.Market, c.Kind)}, nil
}

func (c *ImportMeasures) watch(s *Stores) (source.Watch, error) {
	inputs, err := source.Expand(c.Paths)
	if err != nil {
		return nil, err
	}
	var total int64
	for _, in := range inputs {
		total += in.Size
	}
	s.importing.total.Store(total)
	s.importing.read.Store(0)
	add := func(int) {}
	if c.Progress != nil {
		add = c.Progress(total)
	}
	return func(n int) error {
		s.importing.read.Add(int64(n))
		add(n)
		return nil
	}, nil
}

// retainEvery is how often measures are looked through for those that are too old.
const retainEvery = 6 * time.Hour

// RetainMeasures removes the measures that are older than keep, at once and then
// regularly, until ctx ends; keep 0 keeps them all.
func (s *Stores) RetainMeasures(ctx context.Context, keep time.Duration, log *slog.Logger) {
	m, err := s.Measures()
	if err != nil || keep <= 0 {
		return // whoever opens them first says so
	}
	tick := time.NewTicker(retainEvery)
	defer tick.Stop()
	for {
		removed, err := m.Retain(keep)
		switch {
		case errors.Is(err, measure.ErrReadOnly):
			return
		case err != nil:
			log.Error("measures that are too old are still there", "error", err)
		case removed > 0:
			log.Info("measures that were too old are removed", "rows", removed, "olderThan", keep)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// measureFiles says what a check found of segments.
func measureFiles(list []measure.Checked) (files []File) {
	names := map[measure.Kind]string{measure.Speedtest: "speedtest", measure.Coverage: "coverage point"}
	for _, c := range list {
		f := File{Path: measure.Dir + "/" + c.File, Bytes: c.Bytes, Kind: "measures", Detail: fmt.Sprintf("%s of %s", Number(c.Rows, names[c.Segment.Kind]), c.Market)}
		if c.Err != nil {
			f.Detail, f.Problem = "", oneLine(c.Err)+": it counts for nothing; import its files again"
		}
		files = append(files, f)
	}
	return files
}

// noMeasures says that measures cannot be read at all.
func noMeasures(err error) File {
	return File{Path: measure.Dir + "/" + measure.ManifestName, Kind: "measures", Problem: oneLine(err) + ": restore the folder " + measure.Dir + " from a backup, or move it away and import again"}
}
