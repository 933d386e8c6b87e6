package measure

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"relais/internal/folder"
	"relais/internal/store/logtest"
	"relais/market"
)

// A cellar is blobs in memory, with what is pending.
type cellar struct {
	mu      sync.Mutex
	all     map[string][]byte
	pending map[string]bool
}

// A way is how a peer reaches the cellar.
type way struct {
	*cellar
	before func(step string) error // may be nil
	slow   bool                    // for commits
}

func (w *way) step(what string) error {
	if w.before == nil {
		return nil
	}
	return w.before(what)
}

func (w *way) Put(_ context.Context, name string, body io.ReadSeeker, size int64) error {
	if err := w.step("put"); err != nil {
		return err
	}
	text, err := io.ReadAll(body)
	if err != nil || int64(len(text)) != size {
		return fmt.Errorf("%d bytes, %v, want %d", len(text), err, size)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all[name], w.pending[name] = text, true
	return nil
}

func (w *way) Get(ctx context.Context, name string) (io.ReadCloser, error) {
	if err := w.step("get " + name); err != nil {
		return nil, err
	}
	if end, ok := ctx.Deadline(); w.slow && ok && time.Until(end) <= fetchTime {
		return nil, context.DeadlineExceeded
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	text, ok := w.all[name]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return io.NopCloser(bytes.NewReader(text)), nil
}

func (w *way) Pend(_ context.Context, names ...string) error {
	if err := w.step("pend"); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, name := range names {
		w.pending[name] = true
	}
	return nil
}

// A peer is measures that share a log and a cellar with other peers.
type peer struct {
	*Store
	way *way
	log *logtest.Log
	dir string
}

// peers returns peers without measures.
func peers(t testing.TB, n int) (list []*peer) {
	t.Helper()
	log, c := logtest.New(), &cellar{all: map[string][]byte{}, pending: map[string]bool{}}
	for range n {
		p := &peer{way: &way{cellar: c}, log: log, dir: t.TempDir()}
		p.start(t)
		list = append(list, p)
	}
	return list
}

// start opens a peer, again if it was open.
func (p *peer) start(t testing.TB) {
	t.Helper()
	closeStore(t, p.dir)
	db, err := OpenDatabase(folder.Dir(p.dir), false)
	must(t, err)
	must(t, db.Share(t.Context(), p.log))
	p.Store, err = NewShared(t.Context(), folder.Dir(p.dir), db, clockOf(now), p.way)
	must(t, err)
	openStores.Store(p.dir, p.Store)
	t.Cleanup(func() { closeStore(t, p.dir) })
}

// pull brings a peer to the state of the log, as following does.
func (p *peer) pull(t testing.TB) {
	t.Helper()
	must(t, p.db.Pull(t.Context()))
}

// sweep deletes what is pending and unused, as the keeper of the cluster does.
func (p *peer) sweep(t testing.TB) {
	t.Helper()
	unused, err := p.Unused(t.Context(), slices.Sorted(maps.Keys(p.way.pending)))
	must(t, err)
	for _, name := range unused {
		delete(p.way.all, name)
	}
	clear(p.way.pending)
}

// wantSame fails unless all peers have the same measures, each just once, and the files of these
// alone.
func wantSame(t testing.TB, all []*peer, want []string) {
	t.Helper()
	for i, p := range all {
		p.pull(t)
		if got := contentOf(t, p.Store); !slices.Equal(got, want) {
			t.Errorf("peer %d has %d measures, want %d, and the same", i, len(got), len(want))
		}
		if p.Version() != all[0].Version() {
			t.Errorf("peer %d has the version %s, want %s", i, p.Version(), all[0].Version())
		}
		if n, err := sound(p.Store); n != len(want) || err != nil || len(p.Problems()) > 0 {
			t.Errorf("peer %d: %d rows, %v, problems %q; want %d", i, n, err, p.Problems(), len(want))
		}
		if got := segmentsIn(t, p.dir); len(got) != len(p.Segments()) {
			t.Errorf("peer %d: %d files, want those of %d segments", i, len(got), len(p.Segments()))
		}
	}
	all[0].sweep(t)
	if got := len(all[0].way.all); got != len(all[0].Segments()) {
		t.Errorf("%d blobs, want those of %d segments", got, len(all[0].Segments()))
	}
}

// atOnce calls f for each peer, all at once.
func atOnce(all []*peer, f func(i int, p *peer)) {
	var running sync.WaitGroup
	for i, p := range all {
		running.Go(func() { f(i, p) })
	}
	running.Wait()
}

// alone returns what a store that shares nothing has after the same additions.
func alone(t testing.TB, fill func(s *Store)) []string {
	t.Helper()
	s := openStore(t, t.TempDir())
	fill(s)
	return contentOf(t, s)
}

// What one peer adds, the others have, also those that come later.
func TestPeers(t *testing.T) {
	all := peers(t, 2)
	list := random(rand0(), 300)
	coverage, tests := write(t, "a.csv", coverageOf(list)), write(t, "b.csv", testsOf(list[:100]))
	want := alone(t, func(s *Store) {
		imported(t, s, market.FR, coverage, tests)
		added(t, s, fieldsOf(1))
		added(t, s, fieldsOf(2))
	})
	imported(t, all[0].Store, market.FR, coverage)
	imported(t, all[1].Store, market.FR, tests)
	added(t, all[0].Store, fieldsOf(1))
	added(t, all[1].Store, fieldsOf(2))
	wantSame(t, all, want)
	puts := 0
	all[0].way.before = func(step string) error {
		if step == "put" {
			puts++
		}
		return nil
	}
	more := write(t, "c.csv", testsOf(random(rand0(), 320)[300:]))
	imported(t, all[1].Store, market.FR, more)
	if r := imported(t, all[0].Store, market.FR, more)[0]; r.Served != 0 || puts != 0 {
		t.Errorf("served = %d, segments = %d, want none of what another peer has", r.Served, puts)
	}
	want = contentOf(t, all[1].Store)
	later := &peer{way: &way{cellar: all[0].way.cellar}, log: all[0].log, dir: t.TempDir()}
	later.start(t)
	wantSame(t, append(all, later), want)
	if test, isNew, err := later.Add(market.FR, fieldsOf(1)); isNew || err != nil || test.Download != 123.457 {
		t.Errorf("Add() again = %+v, %v, %v; want it there already", test, isNew, err)
	}
}

// Speedtests that several peers get at once count once, and none is lost.
func TestAddOnPeers(t *testing.T) {
	all := peers(t, 3)
	const tests = 12
	var mu sync.Mutex
	news := map[int]int{}
	atOnce(all, func(i int, p *peer) {
		for k := range tests {
			_, isNew, err := p.Add(market.FR, fieldsOf((k+i*5)%tests))
			mu.Lock()
			if err != nil {
				t.Error(err)
			}
			if isNew {
				news[(k+i*5)%tests]++
			}
			mu.Unlock()
		}
	})
	for k := range tests {
		if news[k] != 1 {
			t.Errorf("speedtest %d was added %d times, want once", k, news[k])
		}
	}
	wantSame(t, all, alone(t, func(s *Store) {
		for k := range tests {
			added(t, s, fieldsOf(k))
		}
	}))
}

// Imports of overlapping files at once, with an addition of one of their rows, make each row count
// once.
func TestImportAtOnce(t *testing.T) {
	all := peers(t, 3)
	text := testsOf(random(rand0(), 90))
	files := []string{part(t, text, 0, 60), part(t, text, 30, 90), part(t, text, 0, 90)}
	atOnce(all, func(i int, p *peer) {
		if _, err := p.Import(t.Context(), market.FR, Options{Kind: Speedtest}, files[i]); err != nil {
			t.Error(err)
		}
	})
	wantSame(t, all, alone(t, func(s *Store) { imported(t, s, market.FR, files[2]) }))
}

// A change that was prepared on rows that others have changed since is prepared again: see that
// the others come in between.
func TestPreparedAgain(t *testing.T) {
	for _, tt := range []struct {
		name     string
		between  func(p *peer) error // what the other does
		do       func(p *peer) error
		attempts int // of the first
	}{
		{"equal speedtest", addOf(1), addOf(1), 1},
		{"other speedtest", addOf(2), addOf(1), 1},
		{"equal import", importOf(t, 0, 40), importOf(t, 0, 40), 1},
		{"overlapping import", importOf(t, 30, 60), importOf(t, 0, 40), 2},
		{"other import", importOf(t, 40, 60), importOf(t, 0, 40), 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			all := peers(t, 2)
			first, second := all[0], all[1]
			puts := 0
			first.way.before = func(step string) error {
				if step != "put" {
					return nil
				}
				if puts++; puts > 1 {
					return nil
				}
				return tt.between(second)
			}
			must(t, tt.do(first))
			if puts != tt.attempts {
				t.Errorf("prepared %d times, want %d", puts, tt.attempts)
			}
			wantSame(t, all, alone(t, func(s *Store) {
				p := &peer{Store: s}
				must(t, errors.Join(tt.between(p), tt.do(p)))
			}))
		})
	}
}

func addOf(minute int) func(p *peer) error {
	return func(p *peer) error {
		_, _, err := p.Add(market.FR, fieldsOf(minute))
		return err
	}
}

// importOf imports some of the same speedtests.
func importOf(t testing.TB, from, to int) func(p *peer) error {
	return func(p *peer) error {
		_, err := p.Import(context.Background(), market.FR, Options{Kind: Speedtest},
			part(t, testsOf(random(rand0(), 60)), from, to))
		return err
	}
}

// part is a file with some of the rows of a table.
func part(t testing.TB, text string, from, to int) string {
	t.Helper()
	lines := strings.SplitAfter(text, "\n")
	return write(t, "part.csv", lines[0]+strings.Join(lines[1+from:1+to], ""))
}
