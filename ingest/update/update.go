// Package update downloads the authorities' files and has them ingested. It finds
// addresses that change, downloads only what changed, resumes cut transfers, and refuses
// what cannot be the file. It does not read the files: ingest does, and decides whether
// they may replace the present data.
package update

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"relais/ingest"
	"relais/internal/folder"
	"relais/market"
	"relais/outage"
)

// Options say what to update.
type Options struct {
	Dir     folder.Dir
	Table   *Table
	Markets []market.Code // empty: all of the table
	// Force downloads known files too, and overrides the guards of ingest that compare
	// with the present snapshot.
	Force   bool
	Version string // of the program
	Limits  Limits
	// Fetching and Reading, which may be nil, are called with the number of bytes to
	// expect (-1: unknown). The functions that they return are called with each number
	// of bytes received or read.
	Fetching func(name string, total int64) func(n int)
	Reading  func(total int64) func(n int)
	// Asked, which may be nil, is called when a file has been asked for. Its status is still empty if it
	// was downloaded and waits to be ingested.
	Asked func(*FileReport)
	// Retrying, which may be nil, is called before the wait for another try.
	Retrying func(name string, err error, wait time.Duration)
	// Ingested, which may be nil, is called with the report of each successful ingest,
	// and may add to it.
	Ingested func(context.Context, *ingest.Report)
	// Publisher and Archive are those of ingest.Options.
	Publisher ingest.Publisher
	Archive   *ingest.Archive
	// Feeds receives the operators' files of unavailable sites. If it is nil, they are
	// left out.
	Feeds Feeds
	// Done, which may be nil, is called with each source's report when it is done.
	Done func(*SourceReport)
}

// A Status is the result for a file or a source.
type Status string

// The results.
const (
	Fetched   Status = "fetched"   // a file was downloaded and ingested
	Updated   Status = "updated"   // a source was ingested
	Unchanged Status = "unchanged" // nothing new
	Failed    Status = "failed"    // the present data stays
)

// A Report describes an update.
type Report struct {
	Seconds float64         `json:"seconds"`
	Sources []*SourceReport `json:"sources"`
	Notes   []string        `json:"notes,omitempty"`
	// Offline means that no host could be found, and no file was asked for.
	Offline bool `json:"offline,omitempty"`
}

// A SourceReport is the result for the files of an authority, or of the operators of a
// market.
type SourceReport struct {
	Markets []market.Code    `json:"markets"`
	Status  Status           `json:"status"`
	Files   []*FileReport    `json:"files"`
	Ingests []*ingest.Report `json:"ingests,omitempty"`
	// Feeds are the operators' feeds after the update; nil for an authority's files.
	Feeds []outage.Outcome `json:"feeds,omitempty"`
	Notes []string         `json:"notes,omitempty"`
	Error string           `json:"error,omitempty"` // of the source, not of a single file
	feeds bool
}

// A FileReport is the result for a file.
type FileReport struct {
	Name         string `json:"name"`
	Status       Status `json:"status"`
	URL          string `json:"url,omitempty"`
	Licence      string `json:"licence,omitempty"`
	Bytes        int64  `json:"bytes"`             // received by this run
	Resumed      int64  `json:"resumed,omitempty"` // received by earlier runs
	ETag         string `json:"etag,omitempty"`
	LastModified string `json:"lastModified,omitempty"`
	Error        string `json:"error,omitempty"`
}

// Failed reports whether anything failed.
func (r *Report) Failed() bool {
	return slices.ContainsFunc(r.Sources, func(s *SourceReport) bool { return s.Status == Failed })
}

// Problem returns the errors in one line of at most a thousand bytes; "" if nothing failed.
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
	return truncate(text, maxProblem)
}

// ErrNothing is returned for a table that has nothing to update.
var ErrNothing = errors.New("the table of sources has no file that this version of relais reads: there is nothing to update")

// Run updates the markets. A failure of one source is in its report and does not stop the
// others. Errors: nothing was done, or ctx ended; then the report has what was done before.
func Run(ctx context.Context, o Options) (*Report, error) {
	start := time.Now()
	r := &Report{Sources: []*SourceReport{}}
	groups, err := r.groupFiles(o)
	if err != nil {
		return nil, err
	}
	lock, err := lock(o.Dir)
	if err != nil {
		return nil, err
	}
	defer lock.Unlock()
	if err := o.Table.sweep(o.Dir); err != nil {
		return nil, fmt.Errorf("cleaning up earlier downloads: %w", err)
	}
	c := newClient("relais/"+o.Version, o.Limits, o.Table.ownHosts())
	defer c.close()
	if c.offline = c.checkNetwork(ctx, addresses(groups)); c.offline != nil && ctx.Err() == nil {
		r.Offline = true
	}
	for i, g := range groups {
		s := &source{Options: o, client: c, group: g,
			report: &SourceReport{Markets: g.target.markets(), Files: []*FileReport{}}}
		s.report.feeds = isFeeds(g.target)
		s.run(ctx)
		r.Sources = append(r.Sources, s.report)
		if ctx.Err() != nil {
			if rest := fileNames(groups[i+1:]); len(rest) > 0 {
				r.Notes = append(r.Notes, "not tried: "+strings.Join(rest, ", "))
			}
			break
		}
		if o.Done != nil {
			o.Done(s.report)
		}
	}
	r.Seconds = time.Since(start).Seconds()
	return r, ctx.Err()
}

// A runningError reports that another update of the folder is running.
type runningError struct{ Dir folder.Dir }

func (e *runningError) Error() string {
	return fmt.Sprintf("another update of the folder %s is running (relais update or relais serve --update-every)",
		e.Dir)
}

// lock excludes other updates of the folder. It does not write to the folder's log.
func lock(dir folder.Dir) (*folder.Holder, error) {
	lock, err := dir.LockQuietly("update")
	if _, held := errors.AsType[*folder.HeldError](err); held {
		return nil, &runningError{dir}
	}
	return lock, err
}

// Markets lists the markets of the table's files that this version of relais can read.
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

// targets returns all targets in the order of updating.
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

// goesTo reports whether the target receives the file.
func (f *File) goesTo(to target) bool {
	return isFeeds(to) == (f.Operator != "") && slices.Contains(to.markets(), f.Market)
}

func isFeeds(to target) bool {
	_, ok := to.(*feeds)
	return ok
}

func (t *Table) filesOf(to target) (files []*File) {
	for _, f := range t.Files {
		if f.goesTo(to) {
			files = append(files, f)
		}
	}
	return files
}

// A group is a target with its files.
type group struct {
	target target
	files  []*File
}

// groupFiles groups the files of the markets by target.
func (r *Report) groupFiles(o Options) ([]group, error) {
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
		if !slices.ContainsFunc(targets(), f.goesTo) {
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
