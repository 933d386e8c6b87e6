package web

import (
	"bytes"
	"encoding/binary"
	"image/png"
	"strings"
	"testing"
)

// The icon is one that browsers have read for ever: a directory of images.
func TestFavicon(t *testing.T) {
	p, _ := pagesOf(t)
	w := ask(p, "GET", "/favicon.ico")
	icon := w.Body.Bytes()
	if w.Code != 200 || len(icon) < 6 || binary.LittleEndian.Uint16(icon[2:]) != 1 {
		t.Fatalf("status %d, %d bytes; want 200 with an icon", w.Code, len(icon))
	}
	for i := range int(binary.LittleEndian.Uint16(icon[4:])) {
		entry := icon[6+16*i:]
		size, at := binary.LittleEndian.Uint32(entry[8:]), binary.LittleEndian.Uint32(entry[12:])
		picture, err := png.Decode(bytes.NewReader(icon[at : at+size]))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := picture.Bounds().Dx(), []int{16, 32}[i]; got != want || int(entry[0]) != want {
			t.Errorf("image %d: %d pixels wide, its entry says %d, want %d", i, got, entry[0], want)
		}
	}
}

// Search engines stay out of what has no end, and may read pages of sites.
func TestRobots(t *testing.T) {
	p, _ := pagesOf(t)
	w := ask(p, "GET", "/robots.txt")
	var closed []string
	for line := range strings.Lines(w.Body.String()) {
		if path, ok := strings.CutPrefix(line, "Disallow: "); ok {
			closed = append(closed, strings.TrimSpace(path))
		}
	}
	for path, want := range map[string]bool{"/site/fr-1": true, "/docs": true, "/": true, "/search?q=a": false,
		"/near?lat=1&lng=2": false, "/at/1,2": false, "/go?enb=1": false, "/log": false, "/external/v1/antennas": false,
		"/map/tiles/FR.json":     false,
		"/feeds/FR.atom?lang=fr": true, "/feeds/CA.json": true, "/feeds/FR?kind=moved": false} {
		open := true
		for _, prefix := range closed {
			open = open && !strings.HasPrefix(path, prefix)
		}
		if open != want {
			t.Errorf("%s: open is %v, want %v", path, open, want)
		}
	}
}
