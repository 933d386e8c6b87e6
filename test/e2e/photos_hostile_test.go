package e2e

import (
	"bytes"
	bin "encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
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
	if err := png.Encode(&plain, image.NewGray(image.Rect(0, 0, 9, 9))); err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{
		"png 60000²": header(60000, 60000), "png 10000² of 16 bits": header(10000, 10000),
		"svg of uses": []byte(use.String()), "half a png": plain.Bytes()[:plain.Len()/2],
		"nothing": {}, "html": []byte("<!DOCTYPE html><p>a page</p>"), "zeros": make([]byte, 1<<20),
	}
	files, _ := filepath.Glob("../../../shared/data/images/made/*bomb*")
	more, _ := filepath.Glob("../../../shared/data/images/heic/*clusterfuzz*")
	for _, f := range append(files, more...) {
		if all[filepath.Base(f)], _ = os.ReadFile(f); len(all[filepath.Base(f)]) == 0 {
			t.Errorf("%s cannot be read", f)
		}
	}
	return all
}

// Bombs kill only their workers.
func TestPhotoBombs(t *testing.T) {
	c := makeCountry(t, 300)
	s := serve(t, nil, "serve", "--data", c.dir)
	isReady(t, s)
	key := photographer(t, c.dir).APIKey
	var wg sync.WaitGroup
	stop := make(chan struct{})
	var slowest []time.Duration
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
			}
			start := time.Now()
			a, err := s.fetch("/external/v1/antennas?limit=20&q=rue")
			if err != nil || a.StatusCode != 200 {
				t.Errorf("request during bombs: %v, %v", a, err)
				return
			}
			io.Copy(io.Discard, a.Body)
			a.Body.Close()
			slowest = append(slowest, time.Since(start))
		}
	})
	var sending sync.WaitGroup
	turns := make(chan struct{}, 2)
	for name, file := range bombs(t) {
		sending.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			start := time.Now()
			up, err := sendPhoto(s, key, file, nil)
			took := time.Since(start)
			if err != nil || up.status != 400 || up.Code != "UNSUPPORTED_IMAGE_FORMAT" &&
				up.Code != "IMAGE_TOO_LARGE" && up.Code != "HEIC_CONVERSION_FAILED" {
				t.Errorf("%s: %+v, %v", name, up, err)
			}
			t.Logf("%s: %s after %.1f s", name, up.Code, took.Seconds())
			if took > 25*time.Second {
				t.Errorf("%s: %s", name, took)
			}
		})
	}
	sending.Wait()
	close(stop)
	wg.Wait()
	t.Logf("%d requests during bombs: %s", len(slowest), quantiles(slowest))
	if up, err := sendPhoto(s, key, picture(640, 480), nil); err != nil || up.status != 201 {
		t.Errorf("afterwards: %+v, %v", up, err)
	}
	if peak := peakMemory(t, s.cmd.Process.Pid); peak > 300<<20 {
		t.Errorf("the server had %d MB at most", peak>>20)
	} else {
		t.Logf("the server had %d MB at most", peak>>20)
	}
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "relais-body-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// Whatever was acknowledged is whole after a kill, and nothing else is shown.
func TestPhotosSurviveKill(t *testing.T) {
	t.Parallel()
	c := makeCountry(t, 50)
	key := photographer(t, c.dir).APIKey
	file := picture(320, 240)
	acknowledged := map[string]*sent{}
	rounds := 12
	if testing.Short() {
		rounds = 3
	}
	for round := range rounds {
		s := serve(t, nil, "serve", "--data", c.dir)
		isReady(t, s)
		var mu sync.Mutex
		var wg sync.WaitGroup
		before := len(acknowledged)
		for range 4 {
			wg.Go(func() {
				for {
					up, err := sendPhoto(s, key, file, nil)
					if err != nil { // the server is gone
						return
					}
					if up.status != 201 {
						t.Errorf("wrong answer to the upload: %+v", up)
						return
					}
					mu.Lock()
					acknowledged[up.Data.ID] = up
					mu.Unlock()
				}
			})
		}
		// A busy machine takes longer for the first photo than an idle one for many.
		waitFor(func() bool {
			mu.Lock()
			defer mu.Unlock()
			return len(acknowledged) > before
		})
		time.Sleep(time.Duration(137*round%700) * time.Millisecond)
		s.cmd.Process.Kill()
		s.cmd.Wait()
		wg.Wait()
	}
	s := serve(t, nil, "serve", "--data", c.dir)
	isReady(t, s)
	seen := 0
	for offset := 0; ; offset += 100 {
		list := s.ask(fmt.Sprintf("/sites/90000010/photos?limit=100&offset=%d", offset))["data"].([]any)
		for _, p := range list {
			p := p.(object)
			seen++
			delete(acknowledged, p["id"].(string))
			for _, name := range []string{"imageUrl", "thumbnailUrl", "ogImageUrl"} {
				url := s.base + strings.TrimPrefix(p[name].(string),
					p[name].(string)[:strings.Index(p[name].(string), "/media")])
				if status, _, size, err := fetchImage(url); status != 200 || err != nil || size.X == 0 {
					t.Errorf("%s: %d, %v", url, status, err)
				}
			}
		}
		if len(list) == 0 {
			break
		}
	}
	for id := range acknowledged {
		t.Errorf("photo %s was acknowledged and is gone", id)
	}
	t.Logf("%d photos after %d kills", seen, rounds)
	if seen == 0 {
		t.Error("no round was long enough for a photo")
	}
	if out, errs, code := relais(t, "check", "--data", c.dir); code != 0 {
		t.Errorf("check: %d %s%s", code, out, errs)
	}
}
