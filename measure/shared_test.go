package measure

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"relais/internal/filetest"
	"relais/internal/store"
	"relais/market"
)

// small adds speedtests and imports that can be merged, and returns the content.
func small(t *testing.T, all []*peer) []string {
	t.Helper()
	for i := range 20 {
		added(t, all[i%len(all)].Store, fieldsOf(i*24*60))
	}
	return alone(t, func(s *Store) {
		for i := range 20 {
			added(t, s, fieldsOf(i*24*60))
		}
	})
}

// Merging on several peers at once, with additions, loses and doubles nothing.
func TestMergeAtOnce(t *testing.T) {
	all := peers(t, 3)
	want := small(t, all)
	want = slices.Sorted(slices.Values(append(want, alone(t, func(s *Store) {
		added(t, s, fieldsOf(5))
		added(t, s, fieldsOf(6))
	})...)))
	atOnce(all, func(i int, p *peer) {
		if i == 2 {
			if err := errors.Join(addOf(5)(p), addOf(6)(p)); err != nil {
				t.Error(err)
			}
		}
		if err := p.MergeAll(); err != nil {
			t.Error(err)
		}
	})
	wantSame(t, all, want)
	if n := len(all[0].Segments()); n > 7 {
		t.Errorf("segments = %d, want them merged", n)
	}
}

// A merge whose inputs another peer merged or removed meanwhile is given up.
func TestMergeMoved(t *testing.T) {
	for _, tt := range []struct {
		name    string
		between func(p *peer) error
	}{
		{"merged", func(p *peer) error { return p.MergeAll() }},
		{"removed", func(p *peer) error { _, err := p.Retain(30 * time.Hour); return err }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			all := peers(t, 2)
			small(t, all)
			all[0].pull(t)
			all[1].pull(t)
			var puts int
			all[0].way.before = func(step string) error {
				if puts++; step == "pend" && puts == 1 {
					return tt.between(all[1])
				}
				return nil
			}
			must(t, all[0].MergeAll())
			wantSame(t, all, contentOf(t, all[1].Store))
			if n := all[1].Count(market.FR, Speedtest); tt.name == "merged" && n != 20 || tt.name == "removed" && n != 2 {
				t.Errorf("speedtests = %d, want 20 after a merge, 2 after retention", n)
			}
		})
	}
}

// Retention on two peers at once removes what is old, in files of all peers too.
func TestRetainAtOnce(t *testing.T) {
	all := peers(t, 2)
	list := random(rand0(), 400)
	imported(t, all[0].Store, market.FR, write(t, "a.csv", testsOf(list)))
	small(t, all)
	const keep = 100*24*time.Hour + 30*time.Minute
	hold := all[1].Hold()
	hold.Resume()
	atOnce(all, func(_ int, p *peer) {
		if _, err := p.Retain(keep); err != nil {
			t.Error(err)
		}
	})
	for _, name := range hold.Files {
		filetest.Read(t, filepath.Join(all[1].dir, name)) // which fails if it is gone
	}
	hold.Release()
	wantSame(t, all, alone(t, func(s *Store) {
		imported(t, s, market.FR, write(t, "a.csv", testsOf(list)))
		for i := range 20 {
			added(t, s, fieldsOf(i*24*60))
		}
		if _, err := s.Retain(keep); err != nil {
			t.Fatal(err)
		}
	}))
}

// A copy has the files of its database, whatever another peer does meanwhile.
func TestHoldOfPeers(t *testing.T) {
	all := peers(t, 2)
	small(t, all)
	all[1].pull(t)
	hold := all[1].Hold()
	must(t, all[0].MergeAll())
	all[1].pull(t)
	rows, err := readRows(all[1].db)
	hold.Resume()
	if err != nil || len(rows) == 20 {
		t.Fatalf("rows = %d, %v; want them merged", len(rows), err)
	}
	for _, row := range rows {
		if !slices.Contains(hold.Files, "measures/"+row.File) {
			t.Errorf("%s is not held, want it held", row.File)
		}
	}
	for _, name := range hold.Files {
		filetest.Read(t, filepath.Join(all[1].dir, name))
	}
	hold.Release()
	wantSame(t, all, contentOf(t, all[0].Store))
}

var errAway = errors.New("the blobs do not answer")

// A file that cannot be fetched is a problem, and is shown when it comes. Until then nothing changes.
func TestFilesOfOthers(t *testing.T) {
	for _, tt := range []struct {
		name        string
		spoil, mend func(p *peer, blob string)
		shows       int  // speedtests meanwhile, of 20 that another peer merged and one that it added
		adds        bool // meanwhile
	}{
		{"away", func(p *peer, _ string) {
			p.way.before = func(step string) error {
				if strings.HasPrefix(step, "get ") {
					return errAway
				}
				return nil
			}
		}, func(p *peer, _ string) { p.way.before = nil }, 20, false},
		{"damaged elsewhere", func(p *peer, blob string) {
			p.way.before = func(step string) error {
				if step == "get "+blob {
					return fmt.Errorf("%w: %w", store.ErrAway, store.ErrDamaged)
				}
				return nil
			}
		}, func(p *peer, _ string) { p.way.before = nil }, 1, true},
		{"missing", hide, restore, 1, true},
		{"damaged", func(p *peer, blob string) {
			hide(p, blob)
			p.way.all[blob] = bytes.ToUpper(p.way.all["hidden"])
		}, restore, 1, true},
		{"longer", func(p *peer, blob string) {
			hide(p, blob)
			p.way.all[blob] = append(bytes.Clone(p.way.all["hidden"]), 'x')
		}, restore, 1, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			all := peers(t, 2)
			a, b := all[0], all[1]
			small(t, all)
			a.pull(t)
			b.pull(t)
			must(t, a.MergeAll())
			merged := a.Segments()[0]
			added(t, a.Store, fieldsOf(5))
			content := contentOf(t, a.Store)
			tt.spoil(b, BlobName(merged.File))
			b.pull(t)
			if n := b.Count(market.FR, Speedtest); n != tt.shows {
				t.Errorf("speedtests = %d, want %d", n, tt.shows)
			}
			if len(b.Problems()) == 0 {
				t.Error("no problem, want one")
			}
			var want error
			if !tt.adds {
				want = store.ErrAway
			}
			if _, isNew, err := b.Add(market.FR, fieldsOf(5)); isNew || !errors.Is(err, want) {
				t.Errorf("Add() of what is there = %v, %v; want false, %v", isNew, err, want)
			}
			if merged, err := b.Merge(); merged || err != nil {
				t.Errorf("Merge() = %v, %v; want nothing to merge: it does not count any more", merged, err)
			}
			if _, err := os.Stat(filepath.Join(b.Store.dir, merged.File)); err == nil {
				t.Error("a file of other bytes stays, want none")
			}
			if err := b.Fetch(t.Context()); err == nil {
				t.Error("Fetch() = nil, want an error")
			}
			tt.mend(b, BlobName(merged.File))
			if err := b.Fetch(t.Context()); err != nil {
				t.Error(err)
			}
			wantSame(t, all, content)
		})
	}
}

func hide(p *peer, blob string) {
	p.way.all["hidden"] = p.way.all[blob]
	delete(p.way.all, blob)
}

func restore(p *peer, blob string) {
	p.way.all[blob] = p.way.all["hidden"]
	delete(p.way.all, "hidden")
}

// A peer that starts while the blobs are away serves what it has.
func TestStartWithoutBlobs(t *testing.T) {
	all := peers(t, 2)
	want := small(t, all)
	files := all[1].Segments()[3:5]
	wantSame(t, all, want)
	closeStore(t, all[1].dir)
	for _, row := range files {
		must(t, os.Remove(filepath.Join(all[1].dir, "measures", row.File)))
	}
	gets := 0
	all[1].way.before = func(string) error { gets++; return errAway }
	all[1].start(t)
	if n := all[1].Count(market.FR, Speedtest); n != 18 || len(all[1].Problems()) != 2 {
		t.Errorf("speedtests = %d, problems %q; want 18 and two", n, all[1].Problems())
	}
	if gets != 3 { // the commit that is loaded asks for both, in all for a bounded time
		t.Errorf("blobs were asked for %d times, want 3", gets)
	}
	all[1].way.before = nil
	if err := all[1].Fetch(t.Context()); err != nil {
		t.Error(err)
	}
	wantSame(t, all, want)
}

// A peer that joins may take its time to get all files, and so may Fetch.
func TestSlowBlobs(t *testing.T) {
	all := peers(t, 2)
	small(t, all)
	added(t, all[0].Store, fieldsOf(7))
	want := contentOf(t, all[0].Store)
	all[1].way.slow = true
	all[1].pull(t)
	if n := all[1].Count(market.FR, Speedtest); n != 20 {
		t.Errorf("speedtests = %d, want those before, without waiting for slow blobs", n)
	}
	if err := all[1].Fetch(t.Context()); err != nil {
		t.Error(err)
	}
	later := &peer{way: all[1].way, log: all[0].log, dir: t.TempDir()}
	later.start(t)
	wantSame(t, append(all, later), want)
}

// What a peer wrote before it was killed, and what others removed meanwhile, goes when it starts.
func TestStartSweeps(t *testing.T) {
	all := peers(t, 2)
	want := small(t, all)
	wantSame(t, all, want)
	one, err := all[1].readOne(market.Get(market.FR), fieldsOf(7))
	must(t, err)
	if _, _, err := all[1].write(one); err != nil {
		t.Fatal(err)
	}
	closeStore(t, all[1].dir)
	must(t, all[0].MergeAll())
	all[1].start(t)
	wantSame(t, all, want)
}

// Whatever step of an addition fails, it counts or not on all peers, and leaves nothing else.
func TestAddFaults(t *testing.T) {
	for _, tt := range []struct {
		name  string
		fault func(p *peer)
		want  int
	}{
		{"bytes", func(*peer) {}, 0},
		{"commit", func(p *peer) { p.log.SetAway(true) }, 0},
		{"answer", func(p *peer) { p.log.LoseAnswer() }, 1},
		{"sleep", func(p *peer) { p.now = clockOf(now.Add(store.UnusedAfter)) }, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			all := peers(t, 2)
			all[0].way.before = func(step string) error {
				if step != "put" {
					return nil
				}
				tt.fault(all[0])
				if tt.name == "bytes" {
					return errAway
				}
				return nil
			}
			if _, isNew, err := all[0].Add(market.FR, fieldsOf(1)); isNew || err == nil {
				t.Errorf("Add() = %v, %v; want an error", isNew, err)
			}
			all[0].way.before = nil
			all[0].log.SetAway(false)
			all[0].start(t)
			wantSame(t, all, alone(t, func(s *Store) {
				for i := range tt.want {
					added(t, s, fieldsOf(1+i))
				}
			}))
			if err := addOf(1)(all[0]); err != nil { // it can be tried again
				t.Error(err)
			}
			wantSame(t, all, alone(t, func(s *Store) { added(t, s, fieldsOf(1)) }))
		})
	}
}

// A log that lost commits takes them back on all peers, with their files.
func TestRewoundMeasures(t *testing.T) {
	all := peers(t, 2)
	added(t, all[0].Store, fieldsOf(1))
	added(t, all[0].Store, fieldsOf(2))
	all[1].pull(t)
	all[0].log.Rewind(1)
	all[1].pull(t)
	added(t, all[1].Store, fieldsOf(3))
	wantSame(t, all, alone(t, func(s *Store) {
		added(t, s, fieldsOf(1))
		added(t, s, fieldsOf(3))
	}))
}

// A file that counts again is not removed.
func TestCleanKeepsWhatCounts(t *testing.T) {
	all := peers(t, 1)
	added(t, all[0].Store, fieldsOf(1))
	all[0].addRemovable(all[0].Segments()[0].File)
	if err := all[0].clean(); err != nil {
		t.Error(err)
	}
	wantSame(t, all, alone(t, func(s *Store) { added(t, s, fieldsOf(1)) }))
}

// Without the log reads go on, and changes are refused.
func TestLogAway(t *testing.T) {
	all := peers(t, 1)
	added(t, all[0].Store, fieldsOf(1))
	all[0].log.SetAway(true)
	for name, do := range map[string]func(p *peer) error{"add": addOf(2), "import": importOf(t, 0, 3)} {
		if err := do(all[0]); !errors.Is(err, store.ErrAway) {
			t.Errorf("%s: error = %v, want ErrAway", name, err)
		}
	}
	if n := all[0].Count(market.FR, Speedtest); n != 1 {
		t.Errorf("speedtests = %d, want 1", n)
	}
}

// Unused judges only names of segments.
func TestUnusedSegments(t *testing.T) {
	all := peers(t, 2)
	added(t, all[0].Store, fieldsOf(1))
	none := "segment/0123456789abcdef.seg"
	got, err := all[1].Unused(t.Context(), []string{"segment/" + all[0].Segments()[0].File, none, "segment/x",
		"photo/0123456789abcdef.seg", ""})
	if err != nil || !slices.Equal(got, []string{none}) {
		t.Errorf("Unused() = %q, %v; want %q", got, err, none)
	}
}
