//go:build linux

package e2e

import (
	"bytes"
	bin "encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"relais/internal/filetest"
	"relais/internal/tier"
)

// bombs are files that would take all memory or all time, and others that are no
// images.
func bombs(t *testing.T) map[string][]byte {
	header := func(width, height uint32) []byte {
		ihdr := bin.BigEndian.AppendUint32(bin.BigEndian.AppendUint32([]byte("IHDR"), width), height)
		ihdr = append(ihdr, 16, 6, 0, 0, 0)
		b := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), ihdr...)
		return bin.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(ihdr))
	}
	var use strings.Builder
	use.WriteString(`<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"><defs><g id="a0"><rect width="9" height="9"/></g>`)
	for i := range 12 {
		fmt.Fprintf(&use, `<g id="a%d">%s</g>`, i+1, strings.Repeat(fmt.Sprintf(`<use xlink:href="#a%d"/>`, i), 10))
	}
	use.WriteString(`</defs><use xlink:href="#a12"/></svg>`)
	var plain bytes.Buffer
	must(t, png.Encode(&plain, image.NewGray(image.Rect(0, 0, 9, 9))))
	all := map[string][]byte{
		"png 60000²": header(60000, 60000), "png 10000² of 16 bits": header(10000, 10000),
		"svg of uses": []byte(use.String()), "half a png": plain.Bytes()[:plain.Len()/2],
		"nothing": {}, "html": []byte("<!DOCTYPE html><p>a page</p>"), "zeros": make([]byte, 1<<20),
	}
	files, _ := filepath.Glob("../../../shared/data/images/made/*bomb*")
	more, _ := filepath.Glob("../../../shared/data/images/heic/*clusterfuzz*")
	for _, f := range append(files, more...) {
		all[filepath.Base(f)] = filetest.Read(t, f)
	}
	return all
}

// Bombs kill only their workers.
func TestPhotoBombs(t *testing.T) {
	c := makeCountry(t, 300)
	s := serve(t, c.dir)
	key := photographer(t, c.dir).APIKey
	var requests load
	var took []time.Duration
	requests.add(func() error {
		time.Sleep(5 * time.Millisecond)
		began := time.Now()
		defer func() { took = append(took, time.Since(began)) }()
		return s.succeeds("/external/v1/antennas?limit=20&q=rue")
	})
	refusals := []string{"UNSUPPORTED_IMAGE_FORMAT", "IMAGE_TOO_LARGE", "HEIC_CONVERSION_FAILED"}
	var sending sync.WaitGroup
	turns := make(chan struct{}, 2)
	for name, file := range bombs(t) {
		sending.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			began := time.Now()
			up, err := sendPhoto(s, key, file, nil)
			if err != nil || up.status != 400 || !slices.Contains(refusals, up.Code) {
				t.Errorf("%s: got %+v, %v; want 400 and one of %q", name, up, err, refusals)
			}
			t.Logf("%s: %s after %.1f s", name, up.Code, time.Since(began).Seconds())
		})
	}
	sending.Wait()
	if err := requests.stop(); err != nil {
		t.Errorf("during bombs: %v", err)
	}
	slices.Sort(took)
	t.Logf("%d requests during bombs, half of them within %s, all within %s", len(took), took[len(took)/2],
		took[len(took)-1])
	mustSendPhoto(t, s, key, picture(640, 480), nil)
	if peak := peakMemory(t, s.cmd.Process.Pid) >> 20; peak > 300 {
		t.Errorf("memory of the server: got %d MB, want at most 300", peak)
	}
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "relais-body-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// peakMemory is the most resident memory that a process has had, in bytes.
func peakMemory(t *testing.T, pid int) int64 {
	t.Helper()
	for line := range strings.Lines(string(filetest.Read(t, fmt.Sprintf("/proc/%d/status", pid)))) {
		var kb int64
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kb); n == 1 {
			return kb << 10
		}
	}
	t.Fatal("the system does not say it")
	return 0
}

// Whatever was acknowledged is whole after a kill, and nothing else is shown.
func TestPhotosSurviveKill(t *testing.T) {
	t.Parallel()
	c := makeCountry(t, 50)
	key, file := photographer(t, c.dir).APIKey, picture(320, 240)
	rounds := 12
	if !tier.Full() {
		rounds = 3
	}
	var mu sync.Mutex
	acknowledged := map[string]bool{}
	count := func() int {
		mu.Lock()
		defer mu.Unlock()
		return len(acknowledged)
	}
	for round := range rounds {
		s, before := serve(t, c.dir), count()
		var uploads load
		for range 4 {
			uploads.add(func() error {
				up, err := sendPhoto(s, key, file, nil)
				if err != nil { // the server is gone
					return err
				}
				if up.status != 201 {
					t.Errorf("upload: got %+v, want 201", up)
				}
				mu.Lock()
				defer mu.Unlock()
				acknowledged[up.Data.ID] = true
				return nil
			})
		}
		// A busy machine takes longer for the first photo than an idle one for many.
		waitFor(func() bool { return count() > before })
		time.Sleep(time.Duration(137*round%700) * time.Millisecond)
		s.kill()
		uploads.stop()
	}
	s := serve(t, c.dir)
	seen := s.allPhotos()
	for id := range acknowledged {
		if !seen[id] {
			t.Errorf("photo %s was acknowledged and is gone", id)
		}
	}
	t.Logf("%d photos after %d kills", len(seen), rounds)
	if len(seen) == 0 {
		t.Error("no round was long enough for a photo")
	}
	s.stop()
	sound(t, c.dir)
}

// allPhotos are the ids of the photos of the first site, whose images must all be there.
func (s *server) allPhotos() map[string]bool {
	s.t.Helper()
	seen := map[string]bool{}
	for {
		list := s.list(fmt.Sprintf("/sites/90000010/photos?limit=100&offset=%d", len(seen)))
		if len(list) == 0 {
			return seen
		}
		for _, p := range list {
			p := p.(object)
			seen[p["id"].(string)] = true
			for _, name := range []string{"imageUrl", "thumbnailUrl", "ogImageUrl"} {
				at := p[name].(string)
				at = s.base + at[strings.Index(at, "/media"):]
				if a, size := fetchImage(s.t, at); a.status != 200 || size.X == 0 {
					s.t.Errorf("%s: got %d and the size %v, want 200 and an image", at, a.status, size)
				}
			}
		}
	}
}
