package update

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"relais/market"
	"relais/outage"
)

// Feeds passes news of the operators' feeds of a market to the process that has the
// stores open, and returns all feeds of the market. Without news it only returns them.
// See outage.Store.Take.
type Feeds func(ctx context.Context, code market.Code, news ...outage.News) ([]outage.Outcome, error)

// feeds is the target of the operators' files of a market.
type feeds struct {
	market   market.Code
	outcomes map[string]outage.Outcome // by operator
}

// forgetStale forgets the good version of feeds that were imported by hand, cleared or
// restored.
func (t *feeds) forgetStale(ctx context.Context, s *source) (found []string, err error) {
	if err := t.sendNews(ctx, s); err != nil {
		return nil, err
	}
	for _, file := range s.files {
		r := s.state.Files[file.Name]
		if r.Good == (version{}) || r.Read == readAt(t.outcomes[file.Operator]) || t.listed(file) {
			continue
		}
		r.Good, r.Read = version{}, ""
		s.state.set(file.Name, r)
		found = append(found, fmt.Sprintf("%s %s: its feed is not the one of the last update", t.market,
			file.Operator))
	}
	return found, nil
}

// sendNews passes the news to the stores and remembers the resulting feeds.
func (t *feeds) sendNews(ctx context.Context, s *source, news ...outage.News) error {
	all, err := s.Feeds(ctx, t.market, news...)
	if err != nil {
		return fmt.Errorf("updating the operators' feeds: %w", err)
	}
	t.outcomes, s.report.Feeds = map[string]outage.Outcome{}, []outage.Outcome{}
	for _, o := range all {
		t.outcomes[o.Operator] = o
		if slices.ContainsFunc(s.files, func(f *File) bool { return f.Operator == o.Operator }) {
			s.report.Feeds = append(s.report.Feeds, o)
		}
	}
	return nil
}

// readAt returns when a feed was last read, in RFC 3339; "" for never.
func readAt(o outage.Outcome) string {
	if o.ReadAt == nil {
		return ""
	}
	return o.ReadAt.Format(time.RFC3339)
}

// listed reports whether an operator's file is not needed, because the list of all operators has it.
func (t *feeds) listed(f *File) bool {
	o := t.outcomes[f.Operator]
	return o.Listed(time.Now())
}

func (t *feeds) fetch(ctx context.Context, s *source, f *File, report *FileReport) {
	if t.listed(f) && !s.Force {
		report.Status = Unchanged
		return
	}
	s.fetch(ctx, f, report)
}

// apply has the new files read, and marks a feed as failed if its file could not be
// downloaded. An unchanged file is news only if its feed had failed.
func (t *feeds) apply(ctx context.Context, s *source) {
	came := map[string]*fresh{}
	for _, f := range s.fresh {
		// The files do not state a date themselves.
		good := s.state.Files[f.report.Name].Good
		if err := checkNotOlder(f.version.LastModified, good.LastModified); err != nil && !s.Force {
			s.refuse(f.report, f.version, err)
		} else {
			came[f.report.Name] = f
		}
	}
	var news []outage.News
	for i, file := range s.files {
		n, report := outage.News{Operator: file.Operator}, s.report.Files[i]
		switch f := came[file.Name]; {
		case f != nil:
			n.File = absolute(f.path)
		case report.Status == Failed:
			n.Failed = strings.ReplaceAll(report.Error, string(s.Dir), "the folder")
		case t.outcomes[file.Operator].State != outage.Failed:
			continue
		}
		news = append(news, n)
	}
	if len(news) == 0 {
		return
	}
	if err := t.sendNews(ctx, s, news...); err != nil {
		s.fail(err)
		for _, f := range came {
			f.report.fail(err)
		}
		return
	}
	for _, file := range s.files {
		t.noteFile(s, file, came[file.Name])
	}
}

// checkNotOlder returns an error if a file's Last-Modified is before that of the file that
// was read: a mirror may be outdated.
func checkNotOlder(changed, read string) error {
	got, err := http.ParseTime(changed)
	last, err2 := http.ParseTime(read)
	if err != nil || err2 != nil || !got.Before(last) {
		return nil
	}
	return fmt.Errorf("it is of %s, older than the one of %s that was read; --force reads it",
		got.UTC().Format(time.RFC3339), last.UTC().Format(time.RFC3339))
}

// absolute returns a path that is valid in another process.
func absolute(path string) string {
	if full, err := filepath.Abs(path); err == nil {
		return full
	}
	return path
}

// noteFile records the result for an operator's file; f is nil if no new one came.
func (t *feeds) noteFile(s *source, file *File, f *fresh) {
	o := t.outcomes[file.Operator]
	switch {
	case f == nil && o.Error != "":
		s.fail(fmt.Errorf("%s: %s", file.Name, o.Error))
	case f == nil:
	case o.Refused != "":
		s.refuse(f.report, f.version, errors.New(o.Refused))
	case o.Error != "": // it says nothing about the file
		f.report.fail(errors.New(o.Error))
	default:
		s.accept(f, readAt(o))
	}
}
