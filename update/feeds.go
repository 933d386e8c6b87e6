package update

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"relais/folder"
	"relais/market"
	"relais/outage"
)

// Feeds takes news of the operators' feeds of a market where the stores are open, and
// returns every feed of the market; without news it only tells how they are. See
// outage.Store.Take.
type Feeds func(ctx context.Context, code market.Code, news ...outage.News) ([]outage.Outcome, error)

// feeds are where the operators' files of a market go, each by itself.
type feeds struct {
	market market.Code
	are    map[string]outage.Outcome // by operator, as they were before
}

func (t *feeds) markets() []market.Code { return []market.Code{t.market} }
func (t *feeds) beside() bool           { return false }

func (t *feeds) statePath(dir folder.Dir) string {
	return filepath.Join(dir.Sources(string(t.market)), folder.FeedsName)
}

// look forgets what was good of feeds that were read by hand, cleared or restored.
func (t *feeds) look(ctx context.Context, s *source) (found []string, err error) {
	if err := t.tell(ctx, s); err != nil {
		return nil, err
	}
	for _, file := range s.files {
		r := s.state.Files[file.Name]
		if r.Good == nil || r.Read == readAt(t.are[file.Operator]) {
			continue
		}
		r.Good, r.Read = nil, ""
		s.state.set(file.Name, r)
		found = append(found, fmt.Sprintf("%s %s: its feed is another than the last update left", t.market,
			file.Operator))
	}
	return found, nil
}

// tell tells the stores the news, and remembers how the feeds are then.
func (t *feeds) tell(ctx context.Context, s *source, news ...outage.News) error {
	all, err := s.Feeds(ctx, t.market, news...)
	if err != nil {
		return fmt.Errorf("the operators' feeds: %w", err)
	}
	t.are, s.report.Feeds = map[string]outage.Outcome{}, []outage.Outcome{}
	for _, o := range all {
		t.are[o.Operator] = o
		if slices.ContainsFunc(s.files, func(f *File) bool { return f.Operator == o.Operator }) {
			s.report.Feeds = append(s.report.Feeds, o)
		}
	}
	return nil
}

// readAt is when a feed was read last, in RFC 3339; "" for never.
func readAt(o outage.Outcome) string {
	if o.ReadAt == nil {
		return ""
	}
	return o.ReadAt.Format(time.RFC3339)
}

// take has the files that came read, and marks the feeds failed whose files could not be
// had. What is unchanged is no news, but for a feed that had failed.
func (t *feeds) take(ctx context.Context, s *source) {
	came := map[string]*fresh{}
	for _, f := range s.fresh {
		good := s.state.Files[f.report.Name].Good
		if good == nil || s.Force {
			good = &version{}
		}
		// Of themselves, the files state no date.
		if err := checkNotOlder(f.version.LastModified, good.LastModified); err != nil {
			s.reject(f, err)
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
		case t.are[file.Operator].State != outage.Failed:
			continue
		}
		news = append(news, n)
	}
	if len(news) == 0 {
		return
	}
	if err := t.tell(ctx, s, news...); err != nil {
		s.fail(err)
		for _, f := range came { // they stay for the next run
			f.report.fail(err)
		}
		return
	}
	for _, file := range s.files {
		t.settle(s, file, came[file.Name])
	}
}

// absolute is a path as a server elsewhere finds it.
func absolute(path string) string {
	if full, err := filepath.Abs(path); err == nil {
		return full
	}
	return path
}

// settle notes what became of an operator's file; f is nil when none came.
func (t *feeds) settle(s *source, file *File, f *fresh) {
	o := t.are[file.Operator]
	switch {
	case f == nil && o.Error != "":
		s.fail(fmt.Errorf("%s: %s", file.Name, o.Error))
	case f == nil:
	case o.Refused != "":
		s.reject(f, errors.New(o.Refused))
	case o.Error != "": // it stays for the next run
		f.report.fail(errors.New(o.Error))
	default:
		s.accept(f, readAt(o))
	}
}
