package web

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// archiveOf returns a PMTiles file of vector tiles with so many bytes of tiles.
func archiveOf(tiles int, change func(h []byte)) []byte {
	h := make([]byte, 127+25+10)
	copy(h, "PMTiles\x03")
	for i, section := range [][2]uint64{{127, 25}, {152, 10}, {162, 0}, {162, uint64(tiles)}} {
		binary.LittleEndian.PutUint64(h[8+16*i:], section[0])
		binary.LittleEndian.PutUint64(h[16+16*i:], section[1])
	}
	h[97], h[98], h[99], h[100], h[101] = 2, 2, 1, 0, 14
	if change != nil {
		change(h)
	}
	for i := range tiles {
		h = append(h, byte(i%251))
	}
	return h
}

func fileOf(t *testing.T, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "streets.pmtiles")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOpenBasemap(t *testing.T) {
	whole := archiveOf(1000, nil)
	changed := func(at int, value byte) []byte { return archiveOf(1000, func(h []byte) { h[at] = value }) }
	for _, tt := range []struct {
		name string
		data []byte
		want string // in the error; "" for none
	}{
		{"a whole file", whole, ""},
		{"without compression", archiveOf(9, func(h []byte) { h[97], h[98] = 1, 1 }), ""},
		{"empty", nil, "not a PMTiles file"},
		{"of another kind", []byte(strings.Repeat("<html>", 100)), "not a PMTiles file"},
		{"MBTiles", []byte("SQLite format 3\x00" + strings.Repeat("\x00", 200)), "not a PMTiles file"},
		{"cut off in the magic", whole[:5], "not a PMTiles file"},
		{"cut off in the header", whole[:100], "cut off"},
		{"cut off in the tiles", whole[:len(whole)-1], "cut off"},
		{"version 2", changed(7, 2), "version 2"},
		{"a root directory at the end of the world", changed(15, 255), "cut off"},
		{"tiles of 2^63 bytes", changed(71, 128), "cut off"},
		{"a root directory in the header", changed(8, 9), "damaged"},
		{"an empty root directory", changed(16, 0), "damaged"},
		{"pictures", changed(99, 2), "pictures"},
		{"brotli", changed(97, 3), "gzip"},
		{"zstd", changed(98, 4), "gzip"},
		{"zooms the wrong way", changed(100, 15), "zooms"},
		{"too many zooms", changed(101, 31), "zooms"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := OpenBasemap(fileOf(t, tt.data))
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
	for _, path := range []string{t.TempDir(), "/dev/zero", filepath.Join(t.TempDir(), "none")} {
		if _, err := OpenBasemap(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v, want one with the name", path, err)
		}
	}
}

// streets are pages with a basemap.
func streets(t *testing.T, path string) *Pages {
	t.Helper()
	p, _ := pagesOf(t)
	b, err := OpenBasemap(path)
	if err != nil {
		t.Fatal(err)
	}
	p.Basemap = b
	return p
}

func TestBasemapRanges(t *testing.T) {
	data := archiveOf(3<<20, nil)
	p := streets(t, fileOf(t, data))
	size := len(data)
	tag := ask(p, "HEAD", BasemapPath).Header().Get("Etag")
	for _, tt := range []struct {
		name, method string
		headers      []string
		status       int
		from, to     int // of the body
	}{
		{"the header", "GET", []string{"Range", "bytes=0-126"}, 206, 0, 127},
		{"as much as may be", "GET", []string{"Range", "bytes=5-1048580"}, 206, 5, 1048581},
		{"a byte too many", "GET", []string{"Range", "bytes=5-1048581"}, 416, 0, 0},
		{"over the end", "GET", []string{"Range", fmt.Sprintf("bytes=%d-99999999999", size-9)}, 206, size - 9, size},
		{"to the end", "GET", []string{"Range", fmt.Sprintf("bytes=%d-", size-100)}, 206, size - 100, size},
		{"all that follows", "GET", []string{"Range", "bytes=0-"}, 416, 0, 0},
		{"the last bytes", "GET", []string{"Range", "bytes=-100"}, 206, size - 100, size},
		{"too many last bytes", "GET", []string{"Range", "bytes=-1048577"}, 416, 0, 0},
		{"beyond the end", "GET", []string{"Range", fmt.Sprintf("bytes=%d-%d", size, size+5)}, 416, 0, 0},
		{"the wrong way", "GET", []string{"Range", "bytes=9-5"}, 416, 0, 0},
		{"several", "GET", []string{"Range", "bytes=0-1,5-9"}, 416, 0, 0},
		{"of another unit", "GET", []string{"Range", "tiles=0-1"}, 416, 0, 0},
		{"not numbers", "GET", []string{"Range", "bytes=a-b"}, 416, 0, 0},
		{"no end of digits", "GET", []string{"Range", "bytes=0-" + strings.Repeat("9", 40)}, 416, 0, 0},
		{"the whole file", "GET", nil, 416, 0, 0},
		{"of this file", "GET", []string{"Range", "bytes=0-9", "If-Range", tag}, 206, 0, 10},
		{"of another file", "GET", []string{"Range", "bytes=0-9", "If-Range", `"x"`}, 416, 0, 0},
		{"of an older file", "GET", []string{"Range", "bytes=0-9", "If-Range", "Mon, 02 Jan 2006 15:04:05 GMT"}, 416, 0, 0},
		{"known", "GET", []string{"Range", "bytes=0-9", "If-None-Match", tag}, 304, 0, 0},
		{"HEAD", "HEAD", nil, 200, 0, 0},
		{"POST", "POST", []string{"Range", "bytes=0-9"}, 405, 0, 0},
		{"of our page", "GET", []string{"Range", "bytes=0-9", "Sec-Fetch-Site", "same-origin"}, 206, 0, 10},
		{"of a sister site", "GET", []string{"Range", "bytes=0-9", "Sec-Fetch-Site", "same-site"}, 403, 0, 0},
		{"of another site", "GET", []string{"Range", "bytes=0-9", "Sec-Fetch-Site", "cross-site"}, 403, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := ask(p, tt.method, BasemapPath, tt.headers...)
			if w.Code != tt.status {
				t.Fatalf("status: got %d, want %d: %.200s", w.Code, tt.status, w.Body)
			}
			if tt.status == 206 && !bytes.Equal(w.Body.Bytes(), data[tt.from:tt.to]) {
				t.Errorf("%d bytes, want bytes %d to %d of the file", w.Body.Len(), tt.from, tt.to)
			}
			if w.Body.Len() > maxRange {
				t.Errorf("an answer of %d bytes, want at most %d", w.Body.Len(), maxRange)
			}
			if got := w.Header().Get("Cross-Origin-Resource-Policy"); got != "same-origin" && tt.status != 405 {
				t.Errorf("Cross-Origin-Resource-Policy: got %q, want same-origin", got)
			}
			if got := w.Header().Get("Access-Control-Allow-Origin"); got != "" {
				t.Errorf("Access-Control-Allow-Origin: got %q, want none", got)
			}
		})
	}
}

// A file that changes, grows to twenty gigabytes or goes away while it is served is answered or
// missing, and leaves nothing open.
func TestBasemapThatChanges(t *testing.T) {
	path := fileOf(t, archiveOf(5000, nil))
	p := streets(t, path)
	first := ask(p, "GET", BasemapPath, "Range", "bytes=0-126")
	replace := func(data []byte) func() error {
		return func() error {
			if err := os.WriteFile(path+".new", data, 0o600); err != nil {
				return err
			}
			return os.Rename(path+".new", path)
		}
	}
	for _, tt := range []struct {
		name   string
		change func() error
		status int
	}{
		{"replaced", replace(archiveOf(6000, nil)), 206},
		{"replaced by another kind", replace([]byte("hello")), 404},
		{"twenty gigabytes", func() error {
			if err := replace(archiveOf(0, func(h []byte) { binary.LittleEndian.PutUint64(h[64:], 20<<30-162) }))(); err != nil {
				return err
			}
			return os.Truncate(path, 20<<30)
		}, 206},
		{"cut off", func() error { return os.Truncate(path, 200) }, 404},
		{"removed", func() error { return os.Remove(path) }, 404},
		{"a folder", func() error { return os.Mkdir(path, 0o700) }, 404},
		{"a loop of links", func() error { return replaceByLink(path) }, 404},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := tt.change(); err != nil {
				t.Fatal(err)
			}
			before := openFiles(t)
			for range 50 {
				w := ask(p, "GET", BasemapPath, "Range", "bytes=0-126")
				if w.Code != tt.status {
					t.Fatalf("status %d, want %d", w.Code, tt.status)
				}
				if w.Code == http.StatusPartialContent && w.Header().Get("Etag") == first.Header().Get("Etag") {
					t.Errorf("the entity tag of the file before")
				}
				if strings.Contains(w.Body.String(), path) {
					t.Errorf("the answer names the file: %s", w.Body)
				}
			}
			if after := openFiles(t); after > before {
				t.Errorf("%d open files, want %d", after, before)
			}
		})
	}
}

func replaceByLink(path string) error {
	if err := os.Remove(path); err != nil {
		return err
	}
	return os.Symlink(path, path)
}

// openFiles counts the open files of the process.
func openFiles(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("no list of open files")
	}
	return len(list)
}

// Only the map's page and its scripts may read from the origin of a style.
func TestStyleOfTheMap(t *testing.T) {
	p, key := pagesOf(t)
	p.Style, p.StyleOrigin = "https://maps.example/a.json?x=1", "https://maps.example"
	p.Basemap = nil
	for _, path := range []string{"/", "/map", p.assetURL("maplibre-gl-worker.mjs")} {
		w := ask(p, "GET", path)
		csp := w.Header().Get("Content-Security-Policy")
		for _, want := range []string{"connect-src 'self' https://maps.example;", "img-src 'self' data: blob: https://maps.example;",
			"script-src 'self';"} {
			if !strings.Contains(csp, want) {
				t.Errorf("%s: Content-Security-Policy %q, want %q in it", path, csp, want)
			}
		}
	}
	if w := ask(p, "GET", "/"); !strings.Contains(w.Body.String(), `"style":"https://maps.example/a.json?x=1"`) {
		t.Error("the page does not have the address of the style")
	}
	for _, path := range []string{"/site/" + key, "/site/none"} {
		if csp := ask(p, "GET", path).Header().Get("Content-Security-Policy"); strings.Contains(csp, "maps.example") {
			t.Errorf("%s: Content-Security-Policy %q names the origin of the style", path, csp)
		}
	}
	if w := ask(p, "GET", BasemapPath, "Range", "bytes=0-9"); w.Code != 404 {
		t.Errorf("without a basemap: status %d, want 404", w.Code)
	}
}

// The page of a map with streets has the address of the file, and the scripts that read and style it.
func TestStreetsOfTheMap(t *testing.T) {
	p := streets(t, fileOf(t, archiveOf(10, nil)))
	_, text, _ := strings.Cut(ask(p, "GET", "/").Body.String(), `id="config">`)
	text, _, _ = strings.Cut(text, "</script>")
	var config struct {
		Basemap, Style string
		Assets         struct{ Ranges, Streets string }
	}
	if err := json.Unmarshal([]byte(text), &config); err != nil {
		t.Fatal(err)
	}
	if config.Basemap != BasemapPath || config.Style != "" {
		t.Errorf("basemap %q, style %q, want %q and none", config.Basemap, config.Style, BasemapPath)
	}
	for _, path := range []string{config.Assets.Ranges, config.Assets.Streets} {
		w := ask(p, "GET", path)
		if got := w.Header().Get("Content-Type"); w.Code != 200 || got != "text/javascript; charset=utf-8" || w.Body.Len() < 10_000 {
			t.Errorf("%s: status %d, %q, %d bytes, want a script", path, w.Code, got, w.Body.Len())
		}
	}
}
