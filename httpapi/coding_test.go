package httpapi

import (
	"compress/gzip"
	"context"
	"io"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"relais/api/endpoint"
	"relais/market"
)

// unpack decodes a body, gzip with the standard library.
func unpack(t *testing.T, w *httptest.ResponseRecorder) string {
	t.Helper()
	var in io.Reader = w.Body
	switch w.Header().Get("Content-Encoding") {
	case "gzip":
		z, err := gzip.NewReader(w.Body)
		must(t, err)
		z.Multistream(false) // curl and Chromium read the first member only
		in = z
	case "zstd":
		z, err := zstd.NewReader(w.Body)
		must(t, err)
		defer z.Close()
		in = z
	}
	text, err := io.ReadAll(in)
	must(t, err)
	return string(text)
}

// What is compressed, prepared or kept is what is sent as it is.
func TestCodings(t *testing.T) {
	s := newServer(t)
	tiles := []string{"/tiles/FR/5/16/11.mvt", "/tiles/FR/9/0/0.mvt", // a large and an empty one
		tileNear(market.FR, parisCentre, 5) + "?operator=FREE&band=3500&status=projet"}
	check := func(when string) {
		for _, target := range slices.Concat(targets, tiles) {
			plain := get(t, s, target, "X-Request-Id", "same")
			want := plain.Body.String()
			for _, coding := range []string{"gzip", "zstd"} {
				for range 2 { // the second answer may come from the cache
					w := get(t, s, target, "X-Request-Id", "same", "Accept-Encoding", coding)
					if n := w.Header().Get("Content-Length"); n != "" && n != strconv.Itoa(w.Body.Len()) {
						t.Errorf("%s %s %s: got Content-Length %s, want %d", when, target, coding, n, w.Body.Len())
					}
					if used := w.Header().Get("Content-Encoding"); used != coding && len(want) > 2000 {
						t.Errorf("%s %s: coding %q, want %s", when, target, used, coding)
					}
					if got := unpack(t, w); got != want || w.Code != plain.Code {
						t.Errorf("%s %s %s: status %d, %d bytes, want %d and %d", when, target, coding, w.Code, len(got),
							plain.Code, len(want))
					}
					for _, name := range []string{"Content-Type", "Etag", "Cache-Control", "Vary"} {
						if got := w.Header().Get(name); got != plain.Header().Get(name) {
							t.Errorf("%s %s %s: %s is %q, want %q", when, target, coding, name, got, plain.Header().Get(name))
						}
					}
				}
			}
		}
	}
	check("at first")
	set, err := country()
	must(t, err)
	must(t, s.Prepare(context.Background(), set))
	exports := 0
	for key := range *s.prepared.Load() {
		if strings.HasPrefix(key.question, "antennas.export") {
			exports++
		}
	}
	if exports != 8 { // two markets, two formats, two codings
		t.Errorf("%d exports are prepared, want 8", exports)
	}
	check("prepared")
}

// An answer that is too large to hold is compressed while it is sent.
func TestStreamedCodings(t *testing.T) {
	body := `{"data":"` + strings.Repeat("héllo ", 100000) + `"`
	for _, c := range codings {
		w := httptest.NewRecorder()
		w.Header().Set("Content-Encoding", c.name)
		must(t, c.stream(w, endpoint.Encoded([]byte(body)), []byte(`,"requestId":"1"}`)))
		if got := unpack(t, w); got != body+`,"requestId":"1"}` {
			t.Errorf("%s: got %.100q of %d bytes, want the body whole", c.name, got, len(got))
		}
	}
}

func TestNegotiate(t *testing.T) {
	for _, tt := range []struct{ header, want string }{
		{"identity;q=1, gzip;q=0.1", ""},
		{"identity;q=0.5, gzip", "gzip"},
		{"identity, gzip", "gzip"},
		{"gzip;level=0", "gzip"},
		{"gzip;level=0;q=0", ""},
		{"*, identity;q=1", "zstd"},
		{"", ""},
		{"identity", ""},
		{"gzip", "gzip"},
		{"zstd", "zstd"},
		{"gzip, zstd", "zstd"},
		{"gzip;q=1, zstd;q=0.5", "gzip"},
		{"zstd;q=0, gzip", "gzip"},
		{"gzip;q=0", ""},
		{"*", "zstd"},
		{"*;q=0", ""},
		{"zstd;q=0, *", "gzip"},
		{"br, deflate", ""},
		{"GZIP", "gzip"},
		{"x-gzip", "gzip"},
		{"gzip;q=nonsense", ""},
		{"gzip;q=NaN", ""},
		{"gzip ; q=0.1", "gzip"},
		{",,;,q=", ""},
		{"gzip, deflate, br, zstd", "zstd"},
	} {
		t.Run(tt.header, func(t *testing.T) {
			var lines []string
			if tt.header != "" {
				lines = []string{tt.header}
			}
			got := ""
			if c := negotiate(lines); c != nil {
				got = c.name
			}
			if got != tt.want {
				t.Errorf("Accept-Encoding %q: %q, want %q", tt.header, got, tt.want)
			}
		})
	}
}
