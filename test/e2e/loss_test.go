//go:build lossfs

package e2e

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"relais/test/e2e/lossfs"
	"relais/test/relaistest"
)

// How long the tests of loss run: the figures of CI, and others with make loss-long.
var (
	cutCount   = flag.Int("cuts", 50, "images of power cuts that TestLossPowerCuts makes")
	killCount  = flag.Int("kills", 5, "times that TestLossKills kills the server")
	errorCount = flag.Int("errors", 8, "single errors that TestLossErrors injects")
	lossSeed   = flag.Uint64("seed", rand.Uint64(), "seed of what these tests choose")
)

// A lossFolder is a data folder that rounds begin with.
type lossFolder struct {
	dir, files              string
	photographer, assistant string // keys
	ledger                  *ledger
	number                  atomic.Int64
	random                  *rand.Rand
}

func newLossFolder(t *testing.T) *lossFolder {
	t.Helper()
	t.Logf("-seed %d", *lossSeed)
	c := makeCountry(t, 40)
	return &lossFolder{dir: c.dir, files: t.TempDir(), photographer: photographer(t, c.dir).APIKey,
		assistant: newAssistant(t, c.dir).APIKey, ledger: newLedger(), random: rand.New(rand.NewPCG(*lossSeed, 0))}
}

// mounted copies the folder to a file system that loses what is not synced.
func (f *lossFolder) mounted(t *testing.T) (disk *lossfs.FS, dir string, unmount func()) {
	t.Helper()
	at := t.TempDir()
	disk, err := lossfs.Mount(at, f.random.Uint64())
	must(t, err)
	dir = filepath.Join(at, "data")
	must(t, os.CopyFS(dir, os.DirFS(f.dir)))
	disk.Sync()
	return disk, dir, func() {
		if err := disk.Unmount(); err != nil {
			t.Errorf("unmount: %v", err)
		}
	}
}

// serve serves a folder for writers.
func (f *lossFolder) serve(t *testing.T, dir string) *writing {
	t.Helper()
	s := start(t, nil, "serve", "--data", dir, "--mcp-minute", "1000000")
	s.key = f.photographer
	s.waitUntil("the key is let in to the data", func() bool {
		return s.succeeds("/external/v1/antennas?limit=1") == nil
	})
	return &writing{t: t, ledger: f.ledger, s: s, dir: dir, loss: f, number: &f.number}
}

// pause waits for a random time.
func (f *lossFolder) pause(least, most time.Duration) {
	time.Sleep(least + time.Duration(f.random.Int64N(int64(most-least))))
}

// Whatever was acknowledged is there after a power cut, and the folder is sound.
func TestLossPowerCuts(t *testing.T) {
	t.Parallel()
	f := newLossFolder(t)
	modes := []lossfs.Mode{lossfs.Strict, lossfs.Names, lossfs.Random, lossfs.Random, lossfs.Random}
	for done := 0; done < *cutCount; {
		disk, dir, unmount := f.mounted(t)
		f.ledger = newLedger()
		w := f.serve(t, dir)
		end := w.begin()
		type cut struct {
			ledger *ledger
			dir    string
			mode   lossfs.Mode
		}
		var list []cut
		for range min(5, *cutCount-done) {
			f.pause(50*time.Millisecond, 600*time.Millisecond)
			c := cut{f.ledger.snapshot(), filepath.Join(t.TempDir(), "data"), modes[done%len(modes)]}
			must(t, disk.Image(c.mode, filepath.Dir(c.dir)))
			list = append(list, c)
			done++
		}
		w.s.kill()
		end()
		unmount()
		for i, c := range list {
			c.ledger.holdsAll(t, c.dir, fmt.Sprintf("image %d, mode %d", done-len(list)+i, c.mode))
		}
		t.Logf("%d images: %s", done, f.ledger)
	}
}

// Whatever was acknowledged is there when the server is killed at any moment, each time.
func TestLossKills(t *testing.T) {
	t.Parallel()
	f := newLossFolder(t)
	for round := range *killCount {
		w := f.serve(t, f.dir)
		end := w.begin()
		f.pause(50*time.Millisecond, 1500*time.Millisecond)
		w.s.kill()
		end()
		f.ledger.holdsAll(t, f.dir, fmt.Sprint("round ", round))
	}
	t.Log(f.ledger)
}

// faults are the errors that a disk may answer while writers write: by operation, and
// where.
var faults = []struct {
	op     lossfs.Op
	errno  syscall.Errno
	places []string
}{
	{lossfs.Sync, syscall.EIO, append(stores, `quota\.db$`, `measures/.`)},
	{lossfs.Write, syscall.ENOSPC, append(stores, `quota\.db$`, `measures/.`)},
	{lossfs.Read, syscall.EIO, stores},
	{lossfs.Create, syscall.EIO, []string{`measures/.`}},
	{lossfs.SyncDir, syscall.EIO, []string{`measures$`}},
}

// stores are the files of stores that writers write to.
var stores = []string{`clients\.db$`, `users\.db$`, `community\.db$`, `photos\.db$`, `photos/.*\.db$`, `archives\.db$`,
	`measures\.db$`}

// fault chooses an error.
func (f *lossFolder) fault() *lossfs.Fault {
	kind := faults[f.random.IntN(len(faults))]
	place := kind.places[f.random.IntN(len(kind.places))]
	return &lossfs.Fault{Op: kind.op, Errno: kind.errno, Path: regexp.MustCompile(place), Skip: f.random.IntN(4),
		Count: 1}
}

// One error at any moment loses nothing that was acknowledged, also with a kill or a
// power cut after it, and the server goes on by itself.
func TestLossErrors(t *testing.T) {
	t.Parallel()
	f := newLossFolder(t)
	hit := 0
	for round := 0; round < *errorCount; round++ {
		disk, dir, unmount := f.mounted(t)
		f.ledger = newLedger()
		w := f.serve(t, dir)
		end := w.begin()
		f.pause(50*time.Millisecond, 300*time.Millisecond)
		fault := f.fault()
		disk.Inject(fault)
		relaistest.WaitAtMost(3*time.Second, func() bool {
			if fault.Op == lossfs.Read {
				disk.DropCaches()
			}
			return disk.Hits(fault) > 0
		})
		hit += disk.Hits(fault)
		where := fmt.Sprintf("round %d, %s of %s: %v, %d hits", round, fault.Op, fault.Path, fault.Errno,
			disk.Hits(fault))
		disk.Clear()
		f.pause(100*time.Millisecond, 400*time.Millisecond)
		modes := []lossfs.Mode{lossfs.Live, lossfs.Live, lossfs.Random, lossfs.Strict}
		mode := modes[f.random.IntN(len(modes))]
		image := filepath.Join(t.TempDir(), "data")
		if mode == lossfs.Live { // the processes end, the machine goes on
			w.s.kill()
			end()
		}
		known := f.ledger.snapshot()
		must(t, disk.Image(mode, filepath.Dir(image)))
		if mode != lossfs.Live {
			w.s.kill()
			end()
		}
		unmount()
		known.holdsAll(t, image, fmt.Sprintf("%s, mode %d", where, mode))
	}
	t.Logf("%d of %d errors were met", hit, *errorCount)
	if hit < *errorCount/2 {
		t.Error("half of the errors were not met: this proves little")
	}
}
