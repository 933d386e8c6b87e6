// Package update downloads the authorities' files and has them ingested. It does not read
// the files: ingest does, and decides whether they may replace the present data.
//
// # Rules
//
// A file is asked for whole, with one GET. If a version of it is known, the request has its
// ETag in If-None-Match or, without an ETag, its date in If-Modified-Since. If the server
// states neither, an equal checksum in the catalogue says that nothing changed.
//
// The answer goes into a temporary file below downloads/, which only the owner can read.
// What is there is removed when its source is done and when the next run begins: a transfer
// that broke begins again.
//
// An answer is bounded in bytes by the limit of the table, packed and unpacked, in time by
// Limits, and by the room on the disk. A stated length must be right.
//
// After a failure of the network, and when the server says that it is busy, relais tries
// again after a pause, or when Retry-After says; see Limits. Other statuses than 200 and 304
// are final. So are redirects away from https and addresses that are not public, except
// those of hosts in the user's own table.
//
// Bytes with another checksum than the catalogue states are fetched again. If the same bytes
// come, the file is refused.
//
// What was refused (by the ingest, as a page, for its size or its checksum) stays refused
// until its ETag, date or bytes change; until its address, its limit or the catalogue's
// checksum is another; until another file of the same authority was ingested, or the
// snapshots are others; or until another version of relais runs.
//
// What was ingested is fetched again when the snapshots, or the operators' feeds, are not
// those that the last run left.
//
// The new files of an authority are ingested together. If that is refused, each is ingested
// alone. A source that fails keeps its present data, and the others go on. Days and maps are
// taken one by one: one that the server does not give, or that is refused, keeps no other out.
//
// The state of a source is one file: what was ingested last and what was refused, by
// validators and SHA-256, and the SHA-256 of the snapshots. It is replaced as a whole after
// the ingest, or when the update was stopped, if it changed. If it is missing or unreadable, everything is fetched once more.
package update

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"relais/ingest"
	input "relais/ingest/source"
	"relais/internal/folder"
	"relais/market"
	"relais/outage"
)

// Options say what to update.
type Options struct {
	Dir     folder.Dir
	Table   *Table
	Markets []market.Code // empty: all of the table
	// Force downloads known files too, and overrides the guards that compare them with what is there.
	Force   bool
	Version string // of the program
	Limits  Limits
	// Fetching and Reading, which may be nil, are called with the number of bytes to
	// expect (-1: unknown). The functions that they return are called with each number
	// of bytes received or read.
	Fetching func(name string, total int64) func(n int)
	Reading  func(total int64) func(n int)
	// Asked, which may be nil, is called when a file has been asked for. Its status is still empty if it
	// was downloaded and is to be ingested.
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
	// Measures and Days receive files of measurements, and daily files of unavailable sites. If one is nil, its files
	// are left out.
	Measures Measures
	Days     Days
	// Choice, which may be nil, replaces the one that the folder remembers.
	Choice *Choice
	// Planned, which may be nil, is called with the files that were asked for by a word, before anything is
	// downloaded, and the free bytes of the folder's disk.
	Planned func(files []*File, free uint64)
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
	Absent    Status = "absent"    // the authority does not have an optional file
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
	// Imports are reports on the rows of files of measurements and of daily files.
	Imports []*input.Report `json:"imports,omitempty"`
	Notes   []string        `json:"notes,omitempty"`
	Error   string          `json:"error,omitempty"` // of the source, not of a single file
	state   string          // see group
}

// of returns what the files of a source are, for logs and hooks: registers; outages, the operators' lists of unavailable
// sites; outage-days, the daily lists of all operators; measures; or
// coverage, official coverage maps.
func (s *SourceReport) of() string {
	switch s.state {
	case folder.FeedsName:
		return "outages"
	case folder.DaysName:
		return "outage-days"
	case folder.MeasuresName:
		return "measures"
	case folder.MapsName:
		return "coverage"
	}
	return "registers"
}

// A FileReport is the result for a file.
type FileReport struct {
	Name         string `json:"name"`
	Status       Status `json:"status"`
	URL          string `json:"url,omitempty"`
	Licence      string `json:"licence,omitempty"`
	Bytes        int64  `json:"bytes"` // received
	ETag         string `json:"etag,omitempty"`
	LastModified string `json:"lastModified,omitempty"`
	Error        string `json:"error,omitempty"`
	// Days are the days of a daily list that were read, and Gaps those that the authority does not have.
	Days []string `json:"days,omitempty"`
	Gaps []string `json:"gaps,omitempty"`
	// Maps are the coverage maps that were imported.
	Maps []string `json:"maps,omitempty"`
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

// Run updates the markets. A failure of one source is in its report and does not stop the
// others. Errors: nothing was done, or ctx ended; then the report has what was done before.
func Run(ctx context.Context, o Options) (*Report, error) {
	start := time.Now()
	if err := o.readChoice(); err != nil {
		return nil, err
	}
	groups, err := o.groups()
	if err != nil {
		return nil, err
	}
	lock, err := lock(o.Dir)
	if err != nil {
		return nil, err
	}
	defer lock.Unlock()
	if err := clearDownloads(o.Dir); err != nil {
		return nil, fmt.Errorf("cleaning up earlier downloads: %w", err)
	}
	if err := o.keepChoice(); err != nil {
		return nil, err
	}
	o.plan(groups)
	c := newClient("relais/"+o.Version, o.Limits, o.Table.ownHosts())
	defer c.close()
	c.offline = c.checkNetwork(ctx, filesOf(groups))
	r := &Report{Sources: []*SourceReport{}, Notes: o.Table.unread(), Offline: c.offline != nil && ctx.Err() == nil}
	for i, g := range groups {
		s := &source{Options: o, client: c, group: g,
			report: &SourceReport{Markets: g.markets, Files: []*FileReport{}, state: g.state}}
		s.run(ctx)
		r.Sources = append(r.Sources, s.report)
		if ctx.Err() != nil {
			if rest := namesOf(groups[i+1:]); len(rest) > 0 {
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
