package update

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"

	"relais/ingest"
	"relais/internal/folder"
)

// A register is the target of an authority's files, which are ingested together.
type register struct{ *ingest.Source }

func (r register) forgetStale(_ context.Context, s *source) ([]string, error) {
	return s.state.forgetStale(s.Dir, r.Source), nil
}

func (register) fetch(ctx context.Context, s *source, f *File, report *FileReport) {
	s.fetch(ctx, f, report)
}

func (r register) apply(ctx context.Context, s *source) {
	r.ingest(ctx, s)
	if len(s.report.Ingests) > 0 {
		if err := s.state.noteSnapshots(s.Dir, r.Source); err != nil {
			s.fail(err)
		}
	}
}

// ingest ingests all new files together. If that is refused it ingests them one by one,
// so that a bad file does not keep a good one out. A refused file may be good once
// another is ingested: the rest is tried again until no file is accepted.
func (r register) ingest(ctx context.Context, s *source) {
	if len(s.fresh) == 0 {
		return
	}
	err := r.ingestFiles(ctx, s, s.fresh...)
	if err == nil || isEnvironmentError(err) {
		return
	}
	left, errs := s.fresh, map[*fresh]error{s.fresh[0]: err}
	for accepted := len(left) > 1; accepted; {
		accepted = false
		var refused []*fresh
		for _, f := range left {
			switch err := r.ingestFiles(ctx, s, f); {
			case err == nil:
				accepted = true
			case !isEnvironmentError(err):
				refused, errs[f] = append(refused, f), err
			}
		}
		left, accepted = refused, accepted && len(refused) > 0
	}
	for _, f := range left {
		s.refuse(f.report, f.version, errs[f])
	}
}

func (r register) ingestFiles(ctx context.Context, s *source, files ...*fresh) error {
	o := ingest.Options{Dir: s.Dir, Markets: r.Markets, Force: s.Force, Now: time.Now(), Progress: s.Reading,
		Publisher: s.Publisher, Archive: s.Archive}
	for _, f := range files {
		o.Paths = append(o.Paths, f.path)
	}
	report, err := ingest.Run(ctx, o)
	if err != nil {
		if isEnvironmentError(err) { // it says nothing about the files
			for _, f := range files {
				f.report.fail(err)
			}
		}
		return err
	}
	if s.Ingested != nil {
		s.Ingested(ctx, report)
	}
	s.report.Ingests = append(s.report.Ingests, report)
	for name, record := range s.state.Files { // refused files may be good now
		record.Refused, record.Reason = version{}, ""
		s.state.set(name, record)
	}
	for _, f := range files {
		s.accept(f, "")
	}
	return nil
}

// isEnvironmentError reports whether an ingest failed for a reason outside the files: the
// folder is in use, the disk is full, or the program is stopping.
func isEnvironmentError(err error) bool {
	_, held := errors.AsType[*folder.HeldError](err)
	_, path := errors.AsType[*fs.PathError](err)
	_, link := errors.AsType[*os.LinkError](err)
	_, number := errors.AsType[syscall.Errno](err)
	return held || path || link || number || errors.Is(err, context.Canceled) ||
		errors.Is(err, context.DeadlineExceeded)
}
