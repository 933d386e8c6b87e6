//go:build lossfs

package e2e

import (
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"
	"time"

	"relais/test/e2e/lossfs"
)

// An error while the folder of measurements, or its parent, is synced loses no
// speedtest, whatever is on the disk when the server is killed then: all that were
// acknowledged exist.
func TestLossMeasures(t *testing.T) {
	t.Parallel()
	f := newLossFolder(t)
	met := 0
	for _, place := range []string{`measures$`, `measures\.db$`} {
		for skip := range 3 {
			disk, dir, unmount := f.mounted(t)
			f.ledger = newLedger()
			w := f.serve(t, dir)
			for range 5 {
				if err := w.speedtest(f.number.Add(1)); err != nil {
					t.Fatalf("without an error: %v", err)
				}
			}
			op := lossfs.SyncDir
			if place == `measures\.db$` {
				op = lossfs.Sync
			}
			fault := &lossfs.Fault{Op: op, Path: regexp.MustCompile(place), Errno: syscall.EIO, Skip: skip, Count: 1}
			disk.Inject(fault)
			for range 3 {
				w.speedtest(f.number.Add(1)) // acknowledged or not
			}
			met += disk.Hits(fault)
			w.s.kill()
			for mode, name := range map[lossfs.Mode]string{lossfs.Live: "live", lossfs.Strict: "strict"} {
				image := filepath.Join(t.TempDir(), "data")
				must(t, disk.Image(mode, filepath.Dir(image)))
				f.serve(t, image).s.kill() // a start sweeps
				f.ledger.holdsAll(t, image, fmt.Sprintf("%s of %s after %d, %s", op, place, skip, name))
			}
			unmount()
		}
	}
	if met < 3 {
		t.Errorf("errors that were met: got %d, want 3 or more", met)
	}
}

// ending is the end of a log.
func ending(log string) string { return log[max(0, len(log)-1000):] }

// A store whose pages could not be read for a while is used again without a restart.
func TestLossUnreadable(t *testing.T) {
	t.Parallel()
	f := newLossFolder(t)
	disk, dir, unmount := f.mounted(t)
	defer unmount()
	w := f.serve(t, dir)
	for _, tt := range []struct {
		name  string
		write func(int64) error
	}{
		{"community.db", w.report},
		{"users.db", w.account},
		{"photos.db", w.photo},
	} {
		t.Run(tt.name, func(t *testing.T) {
			must(t, tt.write(f.number.Add(1)))
			fault := &lossfs.Fault{Op: lossfs.Read, Path: regexp.MustCompile(regexp.QuoteMeta(tt.name) + "$"),
				Errno: syscall.EIO, Count: -1}
			disk.Inject(fault)
			disk.DropCaches()
			if !waitFor(func() bool { return tt.write(f.number.Add(1)) != nil && disk.Hits(fault) > 0 }) {
				t.Errorf("got %d failed reads and no failed write, want both", disk.Hits(fault))
			}
			if err := w.s.succeeds("/external/v1/antennas?limit=1"); err != nil {
				t.Errorf("meanwhile: %v", err)
			}
			disk.Clear()
			if !waitFor(func() bool { return tt.write(f.number.Add(1)) == nil }) {
				t.Errorf("got no write after the errors, want one: %s", ending(w.s.log.String()))
			}
		})
	}
	w.s.stop()
	f.ledger.holdsAll(t, dir, "after the errors")
}

// The first answer of a signed request that was acknowledged is kept when a power cut
// tears what was not synced: the same request again makes no second photo.
func TestLossOfAnswers(t *testing.T) {
	t.Parallel()
	f := newLossFolder(t)
	signing := createClient(t, f.dir, ofBackend("signing", "photos:read,photos:write,antennas:read", "--partner",
		"--require-signature")...)
	images := max(8, *cutCount/5)
	for done := 0; done < images; {
		disk, dir, unmount := f.mounted(t)
		w := f.serve(t, dir)
		var sent []*signedPhoto
		end := w.counted(f.photographer, f.assistant, signing.APIKey)
		for range 4 {
			p := newSignedPhoto(t, signing, int(f.number.Add(1)))
			up := p.send(t, w.s)
			if up.status != http.StatusCreated {
				t.Fatalf("signed: got %+v, want 201", up)
			}
			p.id = up.Data.ID
			sent = append(sent, p)
			f.pause(100*time.Millisecond, 1200*time.Millisecond) // counts are written, and not synced yet
			image := filepath.Join(t.TempDir(), "data")
			must(t, disk.Image(lossfs.Random, filepath.Dir(image)))
			s := f.serve(t, image)
			for i, p := range sent {
				if up := p.send(t, s.s); up.Data.ID != p.id {
					t.Errorf("image %d: photo %d again: got %+v, want %s", done, i, up, p.id)
				}
			}
			s.s.kill()
			done++
		}
		w.s.kill()
		end()
		unmount()
	}
}

// counted asks with several keys until its function is called, so that counts are
// written all the time.
func (w *writing) counted(keys ...string) (end func()) {
	var requests load
	for _, key := range keys {
		requests.add(func() error {
			time.Sleep(20 * time.Millisecond)
			used(w.s, key) // the server may be dead
			return nil
		})
	}
	return func() { requests.stop() }
}

// A signedPhoto is an upload with its signature, which can be sent again as it is.
type signedPhoto struct {
	body    []byte
	headers []string
	id      string // of the first answer
}

func newSignedPhoto(t *testing.T, i issued, n int) *signedPhoto {
	t.Helper()
	body, contentType, err := photoForm(picture(16+n%16, 12), nil)
	must(t, err)
	sign := signatureOf(i.SigningSecret, http.MethodPost, photoPath, body)
	return &signedPhoto{body: body,
		headers: []string{"Content-Type", contentType, "X-API-Key", i.APIKey, "X-Sq-Signature", sign}}
}

func (p *signedPhoto) send(t *testing.T, s *server) *sent {
	t.Helper()
	up, err := postPhoto(s, p.body, p.headers...)
	must(t, err)
	return up
}
