package update

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"relais/internal/folder"
	"relais/market"
)

func TestKeeper(t *testing.T) {
	k := weeklyKit(t)
	keeper := &Keeper{Options: k.options(), Every: 30 * time.Millisecond, Log: slog.New(slog.DiscardHandler)}
	var told atomic.Int64
	keeper.Failed = func(markets []market.Code, feeds bool) {
		if !slices.Equal(markets, []market.Code{market.FR, market.DROM}) || feeds {
			t.Errorf("told of %v, feeds %v", markets, feeds)
		}
		told.Add(1)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { keeper.Run(ctx); close(ended) }()
	wait := func(what string, ok func(s KeeperState) bool) {
		t.Helper()
		for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
			if ok(keeper.State()) {
				return
			}
		}
		t.Fatalf("waited for %s in vain: got %+v", what, keeper.State())
	}
	wait("a success", func(s KeeperState) bool {
		return !s.Success[market.FR].IsZero() && !s.Success[market.DROM].IsZero() && !s.Last.IsZero() &&
			len(s.Problems) == 0
	})
	k.behave(weekly, func(w http.ResponseWriter, r *http.Request, _ int) bool { w.WriteHeader(404); return true })
	wait("a problem", func(s KeeperState) bool { return s.Problems[market.FR] != "" && s.Failures[market.DROM] > 3 })
	if n := told.Load(); n != 1 {
		t.Errorf("told %d times of one problem, want once", n)
	}
	k.behave(weekly, nil)
	wait("its end", func(s KeeperState) bool { return len(s.Problems) == 0 })
	cancel()
	<-ended
	if k.date() != "2026-01-15" {
		t.Error("not ingested")
	}
}

// Another process that updates is not a failure.
func TestKeeperWhileAnotherRuns(t *testing.T) {
	k := weeklyKit(t)
	lock, err := k.dir.LockQuietly("update")
	if err != nil {
		t.Fatal(err)
	}
	keeper := &Keeper{Options: k.options(), Every: time.Hour, Log: slog.New(slog.DiscardHandler)}
	keeper.state = KeeperState{problems: map[subject]string{}, Success: map[market.Code]time.Time{},
		Failures: map[market.Code]int{}}
	ran := keeper.runOnce(context.Background(), nil)
	if s := keeper.State(); ran || len(s.Problems) > 0 || len(s.Failures) > 0 || s.Running || !s.Last.IsZero() ||
		len(k.asked()) > 0 {
		t.Errorf("ran = %v, s = %+v; want !ran, len(s.Problems) = 0, len(s.Failures) = 0, !s.Running, "+
			"s.Last.IsZero(), len(k.asked()) = 0", ran, s)
	}
	lock.Unlock()
	ran = keeper.runOnce(context.Background(), nil)
	if s := keeper.State(); !ran || len(s.Problems) > 0 || s.Success[market.FR].IsZero() || k.date() == "" {
		t.Errorf(`ran = %v, s = %+v; want ran, len(s.Problems) = 0, !s.Success[market.FR].IsZero(), k.date() != ""`,
			ran, s)
	}
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
	k.run()
	snap := k.dir.Snapshot("FR")
	for _, tt := range []struct {
		age  time.Duration
		soon bool
	}{{time.Hour, false}, {23 * time.Hour, false}, {25 * time.Hour, true}, {-100 * time.Hour, true}} {
		t.Run(tt.age.String(), func(t *testing.T) {
			for _, path := range []string{snap, k.dir.Snapshot("DROM")} {
				if err := os.Chtimes(path, now, now.Add(-tt.age)); err != nil {
					t.Fatal(err)
				}
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
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Unlock()
	if err := Writable(dir); err != nil {
		t.Error(err)
	}
}
