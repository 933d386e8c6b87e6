package admin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"relais/ingest/source"
	"relais/internal/folder"
	"relais/market"
	"relais/measure"
)

// ImportMeasures imports files of speedtests or coverage points, all of them or none.
type ImportMeasures struct {
	Market market.Code  `json:"market"`
	Kind   measure.Kind `json:"kind"`
	Paths  []string     `json:"paths"` // absolute: a server is elsewhere
	Force  bool         `json:"force,omitempty"`
	// Progress, which may be nil, is called once with the number of bytes to read. The function
	// that it returns is called with the bytes as they are read. A server cannot call it: see
	// Import.
	Progress func(total int64) func(n int) `json:"-"`
}

// Import has the folder's server import the files, or imports them here if none runs. It calls
// c.Progress in both cases. Errors: those of Call and of measure.Store.Import.
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

// askEvery is how often a server is asked about the progress of its import.
const askEvery = 200 * time.Millisecond

// followImport reports the progress of a server's import until ctx ends or no server answers. It asks over the socket
// again and again, because the answer of a command comes at its end.
func followImport(ctx context.Context, dir folder.Dir, progress func(total int64) func(n int)) {
	var add func(n int)
	for reported := int64(0); ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(askEvery):
		}
		var p importedBytes
		text, err := call(ctx, dir, ImportProgress{})
		if err != nil || json.Unmarshal(text, &p) != nil {
			return // no server runs the import, or it has ended
		}
		if add == nil && p.Total > 0 {
			add = progress(p.Total)
		}
		if add != nil && p.Read > reported {
			add(int(p.Read - reported))
			reported = p.Read
		}
	}
}

// importedBytes is the answer of ImportProgress: the bytes of the latest import.
type importedBytes struct {
	Total int64 `json:"total"`
	Read  int64 `json:"read"`
}

// ImportProgress asks for the progress of an import.
type ImportProgress struct{}

func (ImportProgress) run(_ context.Context, s *Stores) (any, error) {
	return importedBytes{s.importing.total.Load(), s.importing.read.Load()}, nil
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
	o := measure.Options{Kind: c.Kind, Force: c.Force, Watch: c.watch(s)}
	reports, err := m.Import(ctx, c.Market, o, c.Paths...)
	if err != nil {
		return nil, err
	}
	if !s.merges.Load() { // no server runs, whose job would do it
		// The import counts even if merging fails: the next import merges again.
		if err := m.MergeAll(); err != nil {
			s.log.Warn("merging small files of measures failed", "error", err)
		}
	}
	debug.FreeOSMemory() // reading and sorting needed much once, which a server would keep
	return Imported{time.Since(start).Seconds(), reports, c.Market, c.Kind, m.Count(c.Market, c.Kind)}, nil
}

// mergeAgain is the time after an error until merging is tried again.
const mergeAgain = time.Minute

// MergeMeasures merges small files of measurements as they come, until ctx ends. While it runs, imports leave merging to
// it.
func (j *Jobs) MergeMeasures(ctx context.Context) {
	m, err := j.stores.Measures()
	if err != nil {
		return // the first caller that opens them reports the error
	}
	j.stores.merges.Store(true)
	defer j.stores.merges.Store(false)
	for {
		merged, err := m.Merge()
		var again <-chan time.Time
		if err != nil {
			j.log.Error("merging small files of measures failed", "error", err)
			again = time.After(mergeAgain)
		}
		if merged && ctx.Err() == nil {
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-again:
		case <-m.Grew():
		}
	}
}

// watch returns a function that counts the bytes as they are read, for ImportProgress and for c.Progress.
func (c *ImportMeasures) watch(s *Stores) source.Watch {
	inputs, _ := source.Expand(c.Paths) // the import finds the same error
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
	}
}

// measureFiles returns what a check found about segments.
func measureFiles(list []measure.Checked) (files []File) {
	names := map[measure.Kind]string{measure.Speedtest: "speedtest", measure.Coverage: "coverage point"}
	for _, c := range list {
		f := File{Path: measure.Dir + "/" + c.File, Bytes: c.Bytes, Kind: "measures",
			Detail: fmt.Sprintf("%s of %s", Number(c.Rows, names[c.SegmentInfo.Kind]), c.Market)}
		if id := c.Campaign.ID; id != "" {
			f.Detail += ", " + id
		}
		if c.Err != nil {
			f.Detail, f.Problem = "", oneLine(c.Err)+": it counts for nothing; import its files again"
		}
		files = append(files, f)
	}
	return files
}

// noMeasures adds that measurements cannot be read at all, unless files says so already.
func noMeasures(files []File, err error) []File {
	for _, f := range files {
		if f.Path == measure.DatabaseName && f.Problem != "" {
			return files
		}
	}
	f := File{Path: measure.DatabaseName, Kind: "measures"}
	f.Problem = oneLine(err) + measuresAdvice(err)
	return append(files, f)
}

// measuresAdvice says what to do if it is unknown which files of measurements count.
func measuresAdvice(err error) string {
	if errors.Is(err, measure.ErrNewer) {
		return ""
	}
	return "; no file of measures is removed meanwhile: relais check --repair measures makes " + measure.DatabaseName +
		" again from them"
}

// RepairMeasures rebuilds the list of the files of measurements that count, in a folder that is not
// served. See measure.Repair.
func RepairMeasures(dir folder.Dir) (r measure.Repaired, err error) {
	if _, err := os.Stat(string(dir)); err != nil { // taking the lock would make the folder
		return r, fmt.Errorf("the data folder: %w", err)
	}
	lock, err := dir.Lock("serve", "relais check --repair measures", time.Now())
	if held, ok := errors.AsType[*folder.HeldError](err); ok {
		return r, fmt.Errorf("%w: stop it first", held)
	}
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	if r, err = measure.Repair(dir, time.Now); err != nil {
		return r, err
	}
	return r, forget(dir, measure.DatabaseName)
}
