package admin

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"relais/geo"
	"relais/ingest/update"
	"relais/internal/errtest"
	"relais/internal/folder"
	"relais/tiles/pmtiles"
)

// foreignStreets is an archive that go-pmtiles made; see package pmtiles.
const foreignStreets = "../tiles/pmtiles/testdata/foreign.pmtiles"

// A streetServer sends ranges of an archive, and counts their bytes. It breaks off the answer in which left bytes end.
type streetServer struct {
	*httptest.Server
	sent, left atomic.Int64
	tag        atomic.Value
}

func newStreetServer(t *testing.T) *streetServer {
	t.Helper()
	archive, err := os.ReadFile(foreignStreets)
	errtest.Must(t, err)
	s := &streetServer{}
	s.left.Store(1 << 40)
	s.tag.Store(`"one"`)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Etag", s.tag.Load().(string))
		http.ServeContent(&breaking{w, s}, r, "", time.Unix(1e9, 0), strings.NewReader(string(archive)))
	}))
	t.Cleanup(s.Close)
	return s
}

type breaking struct {
	http.ResponseWriter
	s *streetServer
}

func (b *breaking) Write(p []byte) (int, error) {
	n := min(int64(len(p)), max(b.s.left.Load(), 0))
	b.s.left.Add(-n)
	b.s.sent.Add(n)
	m, err := b.ResponseWriter.Write(p[:n])
	if err == nil && n < int64(len(p)) {
		b.s.left.Store(1 << 40)
		http.NewResponseController(b.ResponseWriter).Flush()
		panic(http.ErrAbortHandler)
	}
	return m, err
}

// fetch runs a job, and returns what the server sent for it.
func (s *streetServer) fetch(ctx context.Context, j BasemapJob) (plan *pmtiles.Plan, sent int64, err error) {
	s.sent.Store(0)
	src, err := update.RangesOf(ctx, s.URL+"/20260921.pmtiles", "test", nil)
	if err != nil {
		return nil, s.sent.Load(), err
	}
	defer src.Close()
	plan, err = j.Fetch(ctx, BasemapSource{From: s.URL, Version: fmt.Sprint(src.Version), Source: src})
	return plan, s.sent.Load(), err
}

var brittany = []geo.Box{{South: 47, West: -5.2, North: 49, East: -1}}

// A run that is stopped leaves what it has, and the next one asks for the rest alone, unless the archive is another.
func TestBasemapGoesOn(t *testing.T) {
	s := newStreetServer(t)
	whole := BasemapJob{Dir: folder.Dir(t.TempDir()), Area: brittany, MaxZoom: 10}
	plan, all, err := s.fetch(t.Context(), whole)
	errtest.Must(t, err)
	want, err := os.ReadFile(whole.Dir.Basemap())
	errtest.Must(t, err)
	first := all - plan.Read // header, directories and metadata

	job := whole
	job.Dir = folder.Dir(t.TempDir())
	errtest.Must(t, os.WriteFile(job.Dir.Basemap(), []byte("old"), 0o600))
	stop := func() {
		ctx, cancel := context.WithCancel(t.Context())
		j := job
		j.Planned = func(*pmtiles.Plan, int64, uint64) func(int) {
			read := 0
			return func(n int) {
				if read += n; read > int(plan.Read)/2 {
					cancel()
				}
			}
		}
		if _, _, err := s.fetch(ctx, j); err == nil || !strings.Contains(err.Error(), "are kept") {
			t.Fatalf("got %v, want it stopped", err)
		}
		if old, err := os.ReadFile(job.Dir.Basemap()); err != nil || string(old) != "old" {
			t.Errorf("the file is %.20q, %v; want the old one", old, err)
		}
	}
	stop()
	var already int64
	job.Planned = func(_ *pmtiles.Plan, done int64, free uint64) func(int) {
		already = done
		if free == 0 {
			t.Error("want the free room of the disk")
		}
		return nil
	}
	_, sent, err := s.fetch(t.Context(), job)
	errtest.Must(t, err)
	if already <= plan.Read/2 || sent != first+plan.Read-already {
		t.Errorf("%d bytes are kept and %d are sent again, of %d and %d of directories", already, sent, plan.Read, first)
	}
	got, err := os.ReadFile(job.Dir.Basemap())
	errtest.Must(t, err)
	if string(got) != string(want) {
		t.Error("the file is not what one run makes")
	}
	if left, err := os.ReadDir(string(job.Dir)); err != nil || len(left) != 1 {
		t.Errorf("the folder has %v, %v; want the file alone", left, err)
	}

	errtest.Must(t, os.WriteFile(job.Dir.Basemap(), []byte("old"), 0o600))
	stop()
	s.tag.Store(`"two"`)
	if _, sent, err = s.fetch(t.Context(), job); err != nil || already != 0 || sent != all {
		t.Errorf("of another archive %d bytes are kept and %d sent, %v; want all %d sent", already, sent, err, all)
	}
}

// What breaks in an answer is asked for again, from where it broke.
func TestBasemapOfBreakingServer(t *testing.T) {
	s := newStreetServer(t)
	job := BasemapJob{Dir: folder.Dir(t.TempDir()), Area: brittany, MaxZoom: 10}
	_, all, err := s.fetch(t.Context(), job)
	errtest.Must(t, err)
	s.left.Store(all - 100)
	_, sent, err := s.fetch(t.Context(), job)
	if err != nil || sent != all {
		t.Errorf("%d bytes were sent, %v; want %d", sent, err, all)
	}
}

func TestBasemapRefused(t *testing.T) {
	archive, err := os.ReadFile(foreignStreets)
	errtest.Must(t, err)
	part := func(w http.ResponseWriter, text string, status int) {
		w.Header().Set("Content-Range", text)
		w.WriteHeader(status)
		_, _ = w.Write(archive[:min(127, len(archive))])
	}
	for _, tt := range []struct {
		name, want string
		answer     http.HandlerFunc
	}{
		{"no ranges", "does not send parts", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(archive) }},
		{"another range", "was asked for the bytes 0 to 0", func(w http.ResponseWriter, _ *http.Request) { part(w, "bytes 5-5/9000", 206) }},
		{"no range", `answers ""`, func(w http.ResponseWriter, _ *http.Request) { part(w, "", 206) }},
		{"not there", "404 Not Found", http.NotFound},
		{"another place", "want https", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://maps.example/x", http.StatusFound)
		}},
		{"changes", "changed on the server", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Etag", `"`+r.Header.Get("Range")+`"`)
			r.Header.Del("If-Match")
			http.ServeContent(w, r, "", time.Time{}, strings.NewReader(string(archive)))
		}},
		{"changes, and says so", "changed on the server", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Etag", `"`+r.Header.Get("Range")+`"`)
			http.ServeContent(w, r, "", time.Time{}, strings.NewReader(string(archive)))
		}},
		{"not an archive", "does not begin with PMTiles", func(w http.ResponseWriter, r *http.Request) {
			http.ServeContent(w, r, "", time.Time{}, strings.NewReader(strings.Repeat("<html>", 99)))
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &streetServer{Server: httptest.NewServer(tt.answer)}
			defer s.Close()
			dir := folder.Dir(t.TempDir())
			_, _, err := s.fetch(t.Context(), BasemapJob{Dir: dir, Area: brittany, MaxZoom: 10})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if left, err := os.ReadDir(string(dir)); err != nil || len(left) != 0 {
				t.Errorf("the folder has %v, %v; want nothing", left, err)
			}
		})
	}
	for _, address := range []string{"http://maps.example/x.pmtiles", "ftp://maps.example/x", "https://u:p@maps.example/"} {
		if _, err := update.RangesOf(t.Context(), address, "test", nil); err == nil {
			t.Errorf("%s: got no error", address)
		}
	}
}
