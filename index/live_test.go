package index

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"relais/internal/folder"
	"relais/market"
)

// newLive is a Live over an empty data folder.
func newLive(t *testing.T, changed func(*Set)) (*Live, folder.Dir) {
	t.Helper()
	dir := folder.Dir(t.TempDir())
	must(t, os.Mkdir(dir.Snapshots(), 0o755))
	return NewLive(dir, idEncoder, slog.New(slog.DiscardHandler), changed), dir
}

func TestRefresh(t *testing.T) {
	var announced *Set
	live, dir := newLive(t, func(s *Set) { announced = s })
	fr, drom := dir.Snapshot("FR"), dir.Snapshot("DROM")
	aside := filepath.Join(t.TempDir(), "aside")
	must := func(err error) {
		must(t, err)
	}
	for _, step := range []struct {
		name    string
		change  func()
		sites   [2]int // of FR and DROM; 0 when it is not loaded
		same    bool   // FR is the very market that it was
		problem string // of FR
	}{
		{"empty folder", func() {}, [2]int{}, true, ""},
		{"first", func() { write(t, fr, market.FR, register(market.FR, 10, 1)) }, [2]int{10, 0}, false, ""},
		{"nothing new", func() {}, [2]int{10, 0}, true, ""},
		{"another market", func() { write(t, drom, market.DROM, register(market.DROM, 7, 1)) }, [2]int{10, 7}, true,
			""},
		{"replaced", func() { write(t, fr, market.FR, register(market.FR, 20, 1)) }, [2]int{20, 7}, false, ""},
		{"the same again", func() { write(t, fr, market.FR, register(market.FR, 20, 1)) }, [2]int{20, 7}, true, ""},
		{"gone", func() { must(os.Rename(fr, aside)) }, [2]int{20, 7}, true, "gone"},
		{"back", func() { must(os.Rename(aside, fr)) }, [2]int{20, 7}, true, ""},
		{"damaged", func() { must(os.WriteFile(fr, []byte("no snapshot"), 0o644)) }, [2]int{20, 7}, true,
			"not a relais snapshot"},
		{"still damaged", func() {}, [2]int{20, 7}, true, "not a relais snapshot"},
		{"of another market", func() { write(t, fr, market.DROM, register(market.DROM, 7, 1)) }, [2]int{20, 7}, true,
			"holds the market DROM"},
		{"good again", func() { write(t, fr, market.FR, register(market.FR, 30, 1)) }, [2]int{30, 7}, false, ""},
	} {
		before := announced
		step.change()
		live.Refresh()
		set := announced
		var sites [2]int
		for m := range set.Loaded() {
			sites[map[market.Code]int{market.FR: 0, market.DROM: 1}[m.Table.Code]] = m.Len()
		}
		problem := set.Problems[market.FR]
		if sites != step.sites || !strings.Contains(problem, step.problem) || (problem == "") != (step.problem == "") {
			t.Errorf("%s: sites = %v, want %v; problem = %q, want %q", step.name, sites, step.sites, problem,
				step.problem)
		}
		if before != nil && (before.Market(market.FR) == set.Market(market.FR)) != step.same {
			t.Errorf("%s: FR was kept: %t, want %t", step.name, !step.same, step.same)
		}
		if quiet := step.name == "nothing new" || step.name == "still damaged" ||
			step.name == "the same again"; (before == set) != quiet {
			t.Errorf("%s: a new set was announced: %t, want %t", step.name, before != set, before == set)
		}
	}
}

// A snapshot of a market that was not asked for is as good as missing.
func TestOnly(t *testing.T) {
	for _, tt := range []struct {
		name      string
		only      []market.Code
		want      string
		wantEmpty bool
	}{
		{"all", nil, "FR DROM", false},
		{"one", []market.Code{market.DROM}, "DROM", false},
		{"both", []market.Code{market.DROM, market.FR}, "FR DROM", false},
		{"one without a snapshot", []market.Code{market.BE}, "", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var set *Set
			live, dir := newLive(t, func(s *Set) { set = s })
			write(t, dir.Snapshot("FR"), market.FR, register(market.FR, 10, 1))
			write(t, dir.Snapshot("DROM"), market.DROM, register(market.DROM, 7, 1))
			live.Only(tt.only)
			live.Refresh()
			var loaded []string
			for m := range set.Loaded() {
				loaded = append(loaded, string(m.Table.Code))
			}
			if got := strings.Join(loaded, " "); got != tt.want || live.Empty() != tt.wantEmpty {
				t.Errorf("loaded: got %q, empty %t; want %q, %t", got, live.Empty(), tt.want, tt.wantEmpty)
			}
			if len(set.Problems) > 0 {
				t.Errorf("got problems %v, want none", set.Problems)
			}
		})
	}
}

// TestFollow replaces two snapshots with a while between them, as an ingest does.
func TestFollow(t *testing.T) {
	var loads atomic.Int32
	var set atomic.Pointer[Set]
	live, dir := newLive(t, func(s *Set) {
		set.Store(s)
		loads.Add(1)
	})
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		go live.Follow(ctx, time.Second)
		defer synctest.Wait()
		defer cancel()
		wait := func(d time.Duration) {
			time.Sleep(d)
			synctest.Wait()
		}
		wait(500 * time.Millisecond)
		for round := range 2 {
			sites := 10 + round
			write(t, dir.Snapshot("FR"), market.FR, register(market.FR, sites, 1))
			wait(time.Second)
			write(t, dir.Snapshot("DROM"), market.DROM, register(market.DROM, sites, 1))
			wait(time.Second)
			if int(loads.Load()) != round {
				t.Fatalf("round %d: loaded while the folder changed, want no load", round)
			}
			wait(10 * time.Second)
			if int(loads.Load()) != round+1 {
				t.Fatalf("round %d: loaded %d times, want once a round", round, loads.Load())
			}
			for m := range set.Load().Loaded() {
				if m.Len() != sites {
					t.Errorf("round %d: %s has %d sites, want those of this round", round, m.Table.Code, m.Len())
				}
			}
		}
	})
}
