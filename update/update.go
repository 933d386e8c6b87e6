// Package update fetches the authorities' files and has them ingested: the address
// found where it changes, nothing asked for that did not change, a cut transfer
// gone on with, and what cannot be the file refused before ingest sees it. What
// the files say, and whether it may replace what is there, is the business of
// ingest.
package update

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"relais/folder"
	"relais/ingest"
	"relais/market"
	"relais/outage"
)

// Options say what to update.
type Options struct {
	Dir     folder.Dir
	Table   *Table
	Markets []market.Code // none: all of the table
	// Force fetches what is known, too, and overrides the guards of ingest that
	// compare with the present snapshot.
	Force   bool
	Version string // of the program
	Limits  Limits
	// Fetching and Reading, which may be nil, are called with the bytes to come (-1
	// when that is not known); what they return is called with the bytes that came.
	Fetching func(name string, total int64) func(n int)
	Reading  func(total int64) func(n int)
	// Ingested, which may be nil, is called with the report of each ingest that
	// succeeded, to which it may add.
	Ingested func(context.Context, *ingest.Report)
	// Feeds takes what becomes of the operators' files of unavailable sites; nil leaves
	// those out.
	Feeds Feeds
	// Done, which may be nil, is called with each source's report when it is done.
	Done func(*SourceReport)
}

// A Status says what became of a file or a source.
type Status string

// What became of it.
const (
	Fetched   Status = "fetched"   // a file came and was ingested
	Updated   Status = "updated"   // a source was ingested
	Unchanged Status = "unchanged" // nothing new
	Failed    Status = "failed"    // what was there goes on
)

// A Report says what an update did.
type Report struct {
	Seconds float64         `json:"seconds"`
	Sources []*SourceReport `json:"sources"`
	Notes   []string        `json:"notes,omitempty"`
}

// A SourceReport says what became of an authority's files, or of those of the operators
// of a market.
type SourceReport struct {
	Markets []market.Code    `json:"markets"`
	Status  Status           `json:"status"`
	Files   []*FileReport    `json:"files"`
	Ingests []*ingest.Report `json:"ingests,omitempty"`
	// Feeds are those of the operators, as they are then; nil for an authority's files.
	Feeds []outage.Outcome `json:"feeds,omitempty"`
	Notes []string         `json:"notes,omitempty"`
	Error string           `json:"error,omitempty"` // that is no file's own
	feeds bool
}

// A FileReport says what became of a file.
type FileReport struct {
	Name         string `json:"name"`
	Status       Status `json:"status"`
	URL          string `json:"url,omitempty"`
	Licence      string `json:"licence,omitempty"`
	Bytes        int64  `json:"bytes"`             // that came now
	Resumed      int64  `json:"resumed,omitempty"` // that an earlier run had fetched
	ETag         string `json:"etag,omitempty"`
	LastModified string `json:"lastModified,omitempty"`
	Error        string `json:"error,omitempty"`
}

// Failed tells whether anything failed.
func (r *Report) Failed() bool {
	return slices.ContainsFunc(r.Sources, func(s *SourceReport) bool { return s.Status == Failed })
}

// Problem is what failed, in one line of at most a thousand bytes; "" when nothing did.
func (s *SourceReport) Problem() string {
	text := s.Error
	for _, f := range s.Files {
		if f.Error != "" {
			if text != "" {
				text += "; "
			}
			text += f.Name + ": " + f.Error
		}
	}
	return brief(text, maxProblem)
}

// ErrNothing says that a table has nothing to update.
var ErrNothing = errors.New("the table of sources has no file that this version of relais reads: there is nothing to update")

// Run updates. What fails for one source is in its report, and the others go on. An
// error says that nothing was done, or that ctx ended: the report then has what was
// done before.
func Run(ctx context.Context, o Options) (*Report, error) {
	start := time.Now()
	r := &Report{Sources: []*SourceReport{}}
	groups, err := r.group(o)
	if err != nil {
		return nil, err
	}
	lock, err := lock(o.Dir)
	if err != nil {
		return nil, err
	}
	defer lock.Unlock()
	if err := o.Table.sweep(o.Dir); err != nil {
		return nil, fmt.Errorf("what earlier updates left cannot be put in order: %w", err)
	}
	c := newClient("relais/"+o.Version, o.Limits, o.Table.hosts())
	defer c.close()
	for _, g := range groups {
		s := &source{Options: o, client: c, group: g,
			report: &SourceReport{Markets: g.target.markets(), Files: []*FileReport{}}}
		s.report.feeds = isFeeds(g.target)
		s.run(ctx)
		r.Sources = append(r.Sources, s.report)
		if ctx.Err() != nil {
			break
		}
		if o.Done != nil {
			o.Done(s.report)
		}
	}
	r.Seconds = time.Since(start).Seconds()
	return r, ctx.Err()
}

// A RunningError says that another update of the folder runs.
type RunningError struct{ Dir folder.Dir }

func (e *RunningError) Error() string {
	return fmt.Sprintf("another update of the folder %s runs: relais update, or relais serve --update-every", e.Dir)
}

// lock holds other updates off, and writes nothing where nothing is to be updated.
func lock(dir folder.Dir) (*folder.Holder, error) {
	lock, err := dir.LockQuietly("update")
	if _, held := errors.AsType[*folder.HeldError](err); held {
		return nil, &RunningError{dir}
	}
	return lock, err
}

// Markets lists the markets that the table has files for, as far as this program can
// read them.
func (t *Table) Markets() (codes []market.Code) {
	for _, to := range targets() {
		if len(t.filesOf(to)) == 0 {
			continue
		}
		for _, code := range to.markets() {
			if !slices.Contains(codes, code) {
				codes = append(codes, code)
			}
		}
	}
	return codes
}

// targets are all that there are, in the order in which they are updated.
func targets() (all []target) {
	for _, src := range ingest.Sources {
		all = append(all, register{src})
	}
	for _, m := range market.All {
		if m.FeedZone != "" {
			all = append(all, &feeds{market: m.Code})
		}
	}
	return all
}

// goes tells whether the file goes there.
func (f *File) goes(to target) bool {
	return isFeeds(to) == (f.Operator != "") && slices.Contains(to.markets(), f.Market)
}

func isFeeds(to target) bool {
	_, is := to.(*feeds)
	return is
}

func (t *Table) filesOf(to target) (files []*File) {
	for _, f := range t.Files {
		if f.goes(to) {
			files = append(files, f)
		}
	}
	return files
}

// A group is the files that go to one target.
type group struct {
	target target
	files  []*File
}

// group picks the files of the markets.
func (r *Report) group(o Options) ([]group, error) {
	readable := o.Table.Markets()
	for _, code := range o.Markets {
		if !slices.Contains(readable, code) {
			return nil, fmt.Errorf(
				"%s cannot be updated: the table of sources has no file for it that this version of relais reads", code)
		}
	}
	var groups []group
	for _, to := range targets() {
		if isFeeds(to) && o.Feeds == nil {
			continue
		}
		asked := len(o.Markets) == 0 ||
			slices.ContainsFunc(to.markets(), func(c market.Code) bool { return slices.Contains(o.Markets, c) })
		if files := o.Table.filesOf(to); asked && len(files) > 0 {
			groups = append(groups, group{to, files})
		}
	}
	for _, f := range o.Table.Files {
		if !slices.ContainsFunc(targets(), f.goes) {
			r.Notes = append(r.Notes,
				fmt.Sprintf("%s was left out: this version of relais has no parser for the sources of %s", f.Name,
					f.Market))
		}
	}
	if len(groups) == 0 {
		return nil, ErrNothing
	}
	return groups, nil
}
