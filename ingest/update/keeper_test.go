package update

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"relais/internal/folder"
	"relais/market"
	"relais/outage"
)

// The server is outside of the bubble: its clock stands still while a request waits.
func TestKeeper(t *testing.T) {
	k := weeklyKit(t)
	table := k.options()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)))
		keeper := &Keeper{Options: table, Every: 24 * time.Hour, Log: slog.New(slog.DiscardHandler)}
		told := 0
		keeper.Failed = func(markets []market.Code, files string) {
			if !slices.Equal(markets, []market.Code{market.FR, market.DROM}) || files != "registers" {
				t.Errorf("told of %s of %v, want registers of FR and DROM", files, markets)
			}
			told++
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { keeper.Run(ctx); close(ended) }()
		pass := func(d time.Duration) KeeperState {
			time.Sleep(d)
			synctest.Wait()
			return keeper.State()
		}
		s := pass(6 * time.Minute)
		if s.Success[market.FR].IsZero() || s.Success[market.DROM].IsZero() || s.Last.IsZero() || len(s.Problems) > 0 {
			t.Errorf("after six minutes: %+v, want a success", s)
		}
		if wait := s.Next.Sub(s.Last); wait < 23*time.Hour || wait > 24*time.Hour {
			t.Errorf("the next run is after %s, want a day", wait)
		}
		k.behave(weekly, answering(404, ""))
		if s = pass(29 * time.Hour); s.Failures[market.DROM] < 4 || !strings.Contains(s.Problems[market.FR], "404") {
			t.Errorf("after a day and five hours: %+v, want a failure each hour", s)
		}
		if told != 1 {
			t.Errorf("told %d times of one problem, want once", told)
		}
		k.behave(weekly, nil)
		if s = pass(time.Hour); len(s.Problems) > 0 {
			t.Errorf("an hour later: %+v, want no problem", s)
		}
		cancel()
		<-ended
	})
	k.wantDate("2026-01-15")
}

// What failed is told by its name.
func TestKeeperTells(t *testing.T) {
	k := newKit(t)
	lines := []string{k.file("a", "url", "/gone", ""),
		strings.Replace(k.file("b", "url", "/gone", ""), `"licence"`, `"operator":"SFR","licence"`, 1),
		strings.Replace(k.file("c", "listing", "/gone", "(x)"), `"licence"`, `"for":"unavailable-sites","licence"`, 1),
		strings.Replace(k.file("d", "url", "/gone", ""), `"licence"`, `"for":"measures","licence"`, 1),
		strings.Replace(k.file("e", "url", "/gone", ""), `"licence"`, `"for":"coverage","licence"`, 1)}
	k.use(lines...)
	keeper := &Keeper{Options: k.options(), Every: 24 * time.Hour, Log: slog.New(slog.DiscardHandler)}
	keeper.Feeds = func(context.Context, market.Code, ...outage.News) ([]outage.Outcome, error) { return nil, nil }
	keeper.Days = func(context.Context, market.Code, ...DayFile) (Taken, error) { return Taken{}, nil }
	keeper.Measures = func(context.Context, market.Code, string, bool) (Taken, error) { return Taken{}, nil }
	var told []string
	keeper.Failed = func(_ []market.Code, files string) { told = append(told, files) }
	keeper.start()
	keeper.runOnce(t.Context(), nil)
	if want := []string{"registers", "outage-days", "outages", "measures", "coverage"}; !slices.Equal(told, want) {
		t.Errorf("told of %q, want %q", told, want)
	}
	// Each alone is in the state, and a reason to try again soon.
	for _, g := range keeper.Table.groups() {
		keeper.start()
		keeper.noteSource(&SourceReport{Markets: g.markets, state: g.state, Status: Failed, Error: g.files[0].Name})
		next, _ := keeper.nextRun(november, november.Add(24*time.Hour), true, false)
		if got := keeper.State().Problems[market.FR]; got != g.files[0].Name || next.Sub(november) != time.Hour {
			t.Errorf("%s: problem %q, next run after %s, want it after an hour", g.files[0].Name, got, next.Sub(november))
		}
	}
}

// Another process that updates is not a failure. A folder that cannot be used is one of all.
func TestKeeperOfFolder(t *testing.T) {
	k := weeklyKit(t)
	lock, err := k.dir.LockQuietly("update")
	must(t, err)
	keeper := &Keeper{Options: k.options(), Every: time.Hour, Log: slog.New(slog.DiscardHandler)}
	keeper.start()
	ran := keeper.runOnce(t.Context(), nil)
	if s := keeper.State(); ran || len(s.Problems) > 0 || s.Failures[market.FR] > 0 || s.Running || !s.Last.IsZero() {
		t.Errorf("ran %v, %+v; want no run", ran, s)
	}
	k.wantAsked()
	lock.Unlock()
	keeper.Dir = folder.Dir(k.dir.Snapshot("a/b") + "/file")
	must(t, errors.Join(os.MkdirAll(k.dir.Snapshots(), 0o755), os.MkdirAll(k.dir.Snapshots()+"/a", 0o755),
		os.WriteFile(k.dir.Snapshot("a/b"), nil, 0o644)))
	ran = keeper.runOnce(t.Context(), nil)
	if s := keeper.State(); !ran || !strings.Contains(s.Problems[market.DROM], "not a directory") ||
		s.Failures[market.FR] != 1 || s.Last.IsZero() {
		t.Errorf("ran %v, %+v; want a failure of all markets", ran, s)
	}
	keeper.Dir = k.dir
	ran = keeper.runOnce(t.Context(), nil)
	if s := keeper.State(); !ran || len(s.Problems) > 0 || s.Success[market.FR].IsZero() {
		t.Errorf("ran %v, %+v; want a success", ran, s)
	}
	k.wantDate("2026-01-15")
}

// The first run is soon, unless the snapshot is young.
func TestFirstRun(t *testing.T) {
	k := weeklyKit(t)
	keeper := &Keeper{Options: k.options(), Every: 24 * time.Hour}
	now := time.Now()
	for range 100 {
		if at := keeper.firstRun(now); at.Before(now) || at.After(now.Add(5*time.Minute+1)) {
			t.Fatalf("an empty folder: got the first run after %s, want it within five minutes", at.Sub(now))
		}
	}
	must(t, os.MkdirAll(k.dir.Snapshots(), 0o755))
	for _, tt := range []struct {
		age  time.Duration
		soon bool
	}{{time.Hour, false}, {23 * time.Hour, false}, {25 * time.Hour, true}, {-100 * time.Hour, true}} {
		t.Run(tt.age.String(), func(t *testing.T) {
			for _, path := range []string{k.dir.Snapshot("FR"), k.dir.Snapshot("DROM")} {
				must(t, errors.Join(os.WriteFile(path, nil, 0o644), os.Chtimes(path, now, now.Add(-tt.age))))
			}
			at := keeper.firstRun(now)
			if tt.soon != at.Before(now.Add(6*time.Minute)) || !tt.soon && !at.Equal(now.Add(24*time.Hour-tt.age)) {
				t.Errorf("got the first run after %s, want it soon: %v, or at an age of 24 hours", at.Sub(now), tt.soon)
			}
		})
	}
}

func TestWritable(t *testing.T) {
	dir := folder.Dir(t.TempDir())
	if err := Writable(dir); err != nil {
		t.Error(err)
	}
	lock, err := dir.Lock("update", "relais update", time.Now())
	must(t, err)
	defer lock.Unlock()
	if err := Writable(dir); err != nil {
		t.Error(err)
	}
}
