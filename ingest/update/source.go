package update

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// A source is an update of one group.
type source struct {
	Options
	client *client
	group
	report *SourceReport
	state  state
	fresh  []*fresh
}

// A fresh file was downloaded and is to be ingested.
type fresh struct {
	report  *FileReport
	path    string
	version version
}

func (s *source) run(ctx context.Context) {
	began := time.Now()
	path := filepath.Join(s.Dir.Sources(string(s.markets[0])), s.group.state)
	s.state = readState(path, s.Version)
	found, err := s.target.forgetStale(ctx, s)
	for _, text := range found {
		s.report.Notes = append(s.report.Notes, text+"; the files are fetched again")
	}
	if err != nil {
		s.fail(err)
		return
	}
	for _, f := range s.files {
		report := &FileReport{Name: f.Name, Licence: f.Licence}
		s.report.Files = append(s.report.Files, report)
		if ctx.Err() == nil {
			s.ask(ctx, f, report)
		}
	}
	if ctx.Err() == nil {
		s.target.apply(ctx, s)
	}
	// After an interruption too: days and maps were imported one by one.
	if err := s.state.write(path); err != nil {
		s.fail(fmt.Errorf("saving the state of the update: %w", err))
	}
	s.dropParts(began)
	if err := clearDownloads(s.Dir); err != nil {
		s.fail(err)
	}
	s.conclude()
}

// dropParts removes the items of walks that were done in this run, and lack nothing.
func (s *source) dropParts(began time.Time) {
	for _, f := range s.files {
		r := s.state.Files[f.Name]
		if f.Find == byWalk && (r.Good.gatheredAfter(began) || r.Refused.gatheredAfter(began)) {
			os.Remove(partOf(s.Dir, f.Name)) // if it stays, the next walk finds its items too old
		}
	}
}

func (s *source) fail(err error) {
	s.report.Status = Failed
	if s.report.Error != "" {
		s.report.Error += "; "
	}
	s.report.Error += truncate(err.Error(), maxError)
}

func (r *FileReport) fail(err error) {
	if errors.Is(err, context.Canceled) {
		err = errors.New("stopped before it was done")
	}
	r.Status, r.Error = Failed, truncate(err.Error(), maxError)
}

// failPart notes that a part of a file failed, such as a day or a map. Parts before it stay in the error, as far as there is
// room.
func (r *FileReport) failPart(name string, err error) {
	before := r.Error
	if before != "" {
		before += "; "
	}
	r.fail(fmt.Errorf("%s%s: %w", before, name, err))
}

// conclude sets the status of the source. A file without a status was not processed.
func (s *source) conclude() {
	has := func(status Status) bool {
		return slices.ContainsFunc(s.report.Files, func(f *FileReport) bool { return f.Status == status })
	}
	for _, f := range s.report.Files {
		if f.Status == "" {
			f.fail(context.Canceled)
		}
	}
	switch {
	case s.report.Error != "" || has(Failed):
		s.report.Status = Failed
	case has(Fetched):
		s.report.Status = Updated
	default:
		s.report.Status = Unchanged
	}
}

// ask has the target fetch a file, and tells the watchers of the update what happens.
func (s *source) ask(ctx context.Context, f *File, report *FileReport) {
	if s.Retrying != nil {
		s.client.retrying = func(err error, wait time.Duration) { s.Retrying(f.Name, err, wait) }
	}
	s.target.fetch(ctx, s, f, report)
	if s.Asked != nil {
		s.Asked(report)
	}
}

// fetch downloads one file unless it is the version that was seen last.
func (s *source) fetch(ctx context.Context, f *File, report *FileReport) {
	last := s.state.Files[f.Name]
	if s.Force {
		last = record{}
	}
	at, err := s.client.find(ctx, f)
	if err == nil {
		err = last.checkRank(f, at)
	}
	switch {
	case f.Optional && errors.Is(err, errNoMatch):
		report.Status = Absent
		return
	case err != nil:
		report.fail(err)
		return
	}
	u, _ := parseAddress(at.URL) // it was checked
	report.URL = redacted(u)
	if v := last.known(asked(at, f.limit())); v.gatheredAfter(time.Now().Add(-askAgain)) {
		s.repeat(report, last)
		return
	}
	d := s.download(f, at, last)
	err = d.run(ctx)
	seen := d.got
	if d.missing > 0 {
		s.report.Notes = append(s.report.Notes, fmt.Sprintf("%s: the server does not have all pages of %d items; they are null, "+
			"and the next update asks for them again", f.Name, d.missing))
	}
	report.Bytes, report.ETag, report.LastModified = d.received, seen.ETag, seen.LastModified
	_, useless := errors.AsType[unusable](err)
	switch {
	case useless:
		s.refuse(report, seen, err)
	case err != nil:
		report.fail(err)
	case seen.is(last.Refused):
		report.fail(last.refusal())
	case seen.is(last.Good):
		report.Status = Unchanged
		s.state.set(f.Name, record{Good: seen, Read: last.Read})
	default:
		s.fresh = append(s.fresh, &fresh{report, d.path, seen})
	}
}

// repeat reports what became of a file that was gathered not long ago.
func (s *source) repeat(report *FileReport, last record) {
	if last.Refused != (version{}) {
		report.fail(last.refusal())
		return
	}
	report.Status = Unchanged
}

// noteRefusal notes that one of the many parts of a file was refused before. It is a failure only the first time: most
// likely it stays so for ever.
func (s *source) noteRefusal(f *File, part string, last record) {
	s.report.Notes = append(s.report.Notes, fmt.Sprintf("%s: %s: %v", f.Name, part, last.refusal()))
}

func (s *source) download(f *File, at remote, last record) *download {
	d := &download{client: s.client, remote: at, limit: f.limit(), known: last.known(asked(at, f.limit())),
		dir: filepath.Join(s.Dir.Downloads(), string(s.markets[0]), f.Name), name: f.Name}
	switch f.Find {
	case bySPARQL:
		d.write = s.client.query(f)
	case byWalk:
		d.write = s.client.walk(f, partOf(s.Dir, f.Name))
	}
	if s.Fetching != nil {
		d.progress = func(total int64) func(int) { return s.Fetching(f.Name, total) }
	}
	return d
}

// refuse remembers a version that cannot be used, if anything identifies it.
func (s *source) refuse(report *FileReport, v version, err error) {
	report.fail(err)
	s.state.refuse(report.Name, v, report.Error)
}

// accept remembers that a file was ingested; see record for read.
func (s *source) accept(f *fresh, read string) {
	f.report.Status = Fetched
	s.state.set(f.report.Name, record{Good: f.version, Read: read})
}
