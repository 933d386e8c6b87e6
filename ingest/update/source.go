package update

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"relais/internal/folder"
	"relais/market"
)

// A target is the destination of the files of a group.
type target interface {
	markets() []market.Code // the first names the folder of the downloads
	statePath(dir folder.Dir) string
	// forgetStale forgets good versions whose result was replaced or lost, and says why.
	forgetStale(ctx context.Context, s *source) (found []string, err error)
	// retriesRefused reports whether a refused file may become good with a new one.
	retriesRefused() bool
	// apply processes the new files and the results of the others.
	apply(ctx context.Context, s *source)
}

// A source is an update of one group.
type source struct {
	Options
	client *client
	group
	report *SourceReport
	state  state
	fresh  []*fresh
}

// A fresh file waits to be ingested.
type fresh struct {
	report  *FileReport
	path    string
	version version
	waited  bool // since an earlier run
}

func (s *source) run(ctx context.Context) {
	path := s.target.statePath(s.Dir)
	was := readState(path)
	s.state = was.clone()
	found, err := s.target.forgetStale(ctx, s)
	for _, text := range found {
		s.report.Notes = append(s.report.Notes, text+"; the files are fetched again")
	}
	if err != nil {
		s.fail(err)
		return
	}
	good := !s.Force
	var again []int
	for i, f := range s.files {
		report := &FileReport{Name: f.Name, Licence: f.Licence}
		s.report.Files = append(s.report.Files, report)
		if s.ask(ctx, f, report, good, !s.Force) {
			again = append(again, i)
		}
	}
	if s.target.retriesRefused() && slices.ContainsFunc(s.fresh, func(f *fresh) bool { return !f.waited }) {
		for _, i := range again {
			*s.report.Files[i] = FileReport{Name: s.files[i].Name, Licence: s.files[i].Licence}
			s.ask(ctx, s.files[i], s.report.Files[i], good, false)
		}
	}
	if ctx.Err() != nil { // downloaded files wait in downloads/
		for _, f := range s.report.Files {
			if f.Status == "" {
				f.fail(errStopped)
			}
		}
		s.conclude()
		return
	}
	s.target.apply(ctx, s)
	s.conclude()
	if err := s.state.write(path, was); err != nil {
		s.fail(fmt.Errorf("saving the state of the update: %w", err))
	}
	removeEmpty(s.downloads())
	removeEmpty(s.Dir.Downloads())
}

func (s *source) downloads() string { return downloadsOf(s.Dir, s.target.markets()[0]) }

func (s *source) fail(err error) {
	s.report.Status = Failed
	if s.report.Error != "" {
		s.report.Error += "; "
	}
	s.report.Error += truncate(err.Error(), maxError)
}

func (r *FileReport) fail(err error) {
	if errors.Is(err, context.Canceled) {
		err = errStopped
	}
	r.Status, r.Error = Failed, truncate(err.Error(), maxError)
}

// conclude sets the status of the source.
func (s *source) conclude() {
	any := func(status Status) bool {
		return slices.ContainsFunc(s.report.Files, func(f *FileReport) bool { return f.Status == status })
	}
	switch {
	case s.report.Error != "" || any(Failed):
		s.report.Status = Failed
	case any(Fetched):
		s.report.Status = Updated
	default:
		s.report.Status = Unchanged
	}
}

// ask is fetch, and tells the watchers of the update what happens.
func (s *source) ask(ctx context.Context, f *File, report *FileReport, good, refused bool) (again bool) {
	if ctx.Err() != nil {
		return false
	}
	if s.Retrying != nil {
		s.client.retrying = func(err error, wait time.Duration) { s.Retrying(f.Name, err, wait) }
	}
	again = s.fetch(ctx, f, report, good, refused)
	if s.Asked != nil {
		s.Asked(report)
	}
	return again
}

// fetch downloads one file. good and refused say whether the last good version and the
// refused version are not downloaded again. again reports that the file is the refused
// version.
func (s *source) fetch(ctx context.Context, f *File, report *FileReport, good, refused bool) (again bool) {
	r, err := s.client.find(ctx, f)
	if err != nil {
		report.fail(err)
		return false
	}
	report.URL = redacted(r.URL)
	k := s.knownVersions(f, r, good, refused)
	d := s.download(f, r, k)
	path, err := "", errUnchanged
	if !k.good.knownBySum() && !k.refused.knownBySum() {
		path, err = d.run(ctx, s.Force)
	}
	report.Bytes, report.Resumed = d.came, d.resumed
	report.ETag, report.LastModified = d.part.ETag, d.part.LastModified
	switch {
	case err == nil:
		return s.arrived(d, report, k, path)
	case errors.Is(err, errUnchanged):
		return s.notSent(f, d, report, k)
	}
	s.failed(d, report, err)
	return false
}

// known is the record of a file, without the versions that this fetch must ignore.
type known struct {
	record
	good, refused *version // versions of the record that need not be sent again
}

func (s *source) knownVersions(f *File, r remote, good, refused bool) known {
	k := known{record: s.state.Files[f.Name]}
	if !good {
		k.Good = nil
	}
	if !refused || k.By != s.Version {
		k.Refused = nil
	}
	if k.Good.matches(r) {
		k.good = k.Good
	}
	fits := k.Limit > 0 && f.limit() > k.Limit // its size is allowed now
	if k.Refused.matches(r) && !fits {
		k.refused = k.Refused
	}
	return k
}

func (s *source) download(f *File, r remote, k known) *download {
	d := &download{client: s.client, dir: filepath.Join(s.downloads(), f.Name), remote: r, limit: f.limit()}
	if s.Fetching != nil {
		d.progress = func(total int64) func(int) { return s.Fetching(f.Name, total) }
	}
	for _, v := range []*version{k.refused, k.good} {
		if v != nil {
			d.known = append(d.known, v)
		}
	}
	return d
}

// arrived compares a downloaded file with the known versions.
func (s *source) arrived(d *download, report *FileReport, k known, path string) (again bool) {
	v := d.part.version
	switch {
	case k.Refused != nil && k.Refused.SHA256 == v.SHA256 && !k.Refused.Misfit:
		return s.refusedBefore(d, report, k.record, v)
	case k.Good != nil && k.Good.SHA256 == v.SHA256:
		s.unchanged(d, report, v)
	default:
		s.fresh = append(s.fresh, &fresh{report, path, v, d.waited})
	}
	return false
}

// notSent finds out which known version the server still has.
func (s *source) notSent(f *File, d *download, report *FileReport, k known) (again bool) {
	switch {
	case k.refused != nil && (k.good == nil || k.refused.describedBy(d.tag, d.changed)):
		return s.refusedBefore(d, report, k.record, *k.refused)
	case k.good == nil:
		report.fail(errors.New("the server says that nothing changed, but it was not asked"))
		return false
	}
	if f.Operator != "" {
		if err := checkNotOlder(d.changed, k.good.LastModified); err != nil {
			report.fail(err)
			return false
		}
	}
	s.unchanged(d, report, *k.good)
	return false
}

// failed remembers a useless file, so that it is not downloaded again.
func (s *source) failed(d *download, report *FileReport, err error) {
	report.fail(err)
	if _, ok := errors.AsType[unusable](err); ok {
		var limit int64
		if _, ok := errors.AsType[oversize](err); ok {
			limit = d.limit
		}
		s.rememberRefused(report.Name, d.part.version, report.Error, limit)
	} else if _, ok := errors.AsType[damaged](err); ok {
		s.noteDamaged(report.Name, d.part.version, report.Error)
	}
}

// matches reports whether the version has the address and checksum that the authority
// states now.
func (v *version) matches(r remote) bool {
	return v != nil && v.Address == hashOf(r.URL) && v.Published == r.Sum
}

// knownBySum reports whether the catalogue's checksum alone proves that nothing changed:
// the server states neither tag nor date.
func (v *version) knownBySum() bool {
	return v != nil && v.Published.Type != "" && v.ETag == "" && v.LastModified == ""
}

// unchanged notes that the file is the last good one.
func (s *source) unchanged(d *download, report *FileReport, v version) {
	report.Status, report.ETag, report.LastModified = Unchanged, v.ETag, v.LastModified
	s.state.set(report.Name, record{Good: &v, Read: s.state.Files[report.Name].Read})
	s.remove(d.dir)
}

// refusedBefore notes that the file is one that was refused.
func (s *source) refusedBefore(d *download, report *FileReport, last record, v version) bool {
	report.ETag, report.LastModified = v.ETag, v.LastModified
	report.fail(errors.New(truncate(last.Reason,
		maxError-100) + " (refused before, and the file has not changed since; --force tries again)"))
	s.rememberRefused(report.Name, v, last.Reason, last.Limit)
	s.remove(d.dir)
	return !v.Misfit
}

func (s *source) remove(dir string) {
	if err := os.RemoveAll(dir); err != nil {
		s.fail(err)
	}
}

// rememberRefused remembers a useless version, if anything identifies it. A file that was
// joined from several transfers without a checksum may be damaged at the joint: only its
// bytes identify it, and it is downloaded again.
func (s *source) rememberRefused(name string, v version, reason string, limit int64) {
	if v.Joined && v.Published.Type == "" {
		v = version{SHA256: v.SHA256, Bytes: v.Bytes}
	}
	r := s.state.Files[name]
	r.Refused, r.Reason, r.By, r.Limit = nil, "", "", 0
	if v.ETag != "" || v.LastModified != "" || v.SHA256 != "" {
		r.Refused, r.Reason, r.By, r.Limit = &v, reason, s.Version, limit
	}
	s.state.set(name, r)
}

// noteDamaged remembers a damaged download. One damaged transfer proves nothing about the
// file. But the same bytes twice, with the same published checksum, are the server's file,
// and the catalogue is of another day: the file is refused until either changes. Without
// a tag or date the server cannot say whether it changed, and the file is downloaded again.
func (s *source) noteDamaged(name string, v version, reason string) {
	last := s.state.Files[name].Refused
	again := last != nil && last.Misfit && last.SHA256 == v.SHA256 && last.Published == v.Published
	switch {
	case !v.Misfit:
		v = version{}
	case !again || v.ETag == "" && v.LastModified == "":
		v = version{SHA256: v.SHA256, Bytes: v.Bytes, Published: v.Published, Misfit: true}
	}
	s.rememberRefused(name, v, reason, 0)
}

// reject remembers that a file was refused.
func (s *source) reject(f *fresh, err error) {
	f.report.fail(err)
	s.rememberRefused(f.report.Name, f.version, f.report.Error, 0)
	s.remove(filepath.Dir(f.path))
}

// accept remembers that a file was ingested; read is when its feed was read.
func (s *source) accept(f *fresh, read string) {
	f.report.Status = Fetched
	s.state.set(f.report.Name, record{Good: &f.version, Read: read})
	s.remove(filepath.Dir(f.path))
}

var errStopped = errors.New("stopped before it was done")
