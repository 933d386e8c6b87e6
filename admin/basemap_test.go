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
	"relais/market"
	"relais/site"
	"relais/snapshot"
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
		modified := time.Unix(1e9, 0)
		if tag := s.tag.Load().(string); tag != "" {
			w.Header().Set("Etag", tag)
		} else {
			modified = time.Time{}
		}
		http.ServeContent(&breaking{w, s}, r, "", modified, strings.NewReader(string(archive)))
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
	plan, err = j.Fetch(ctx, BasemapSource{From: s.URL, Version: src.Version.String(), Source: src})
	return plan, s.sent.Load(), err
}

// stop runs a job that is stopped after some bytes, and returns its error.
func (s *streetServer) stop(t *testing.T, j BasemapJob, after int64) error {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	j.Planned = func(*pmtiles.Plan, int64, uint64) func(int) {
		read := int64(0)
		return func(n int) {
			if read += int64(n); read >= after {
				cancel()
			}
		}
	}
	_, _, err := s.fetch(ctx, j)
	if err == nil {
		t.Fatal("want it stopped")
	}
	if old, err := os.ReadFile(j.Dir.Basemap()); err != nil || string(old) != "old" {
		t.Errorf("the file is %.20q, %v; want the old one", old, err)
	}
	return err
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
	var already int64
	job.Planned = func(_ *pmtiles.Plan, done int64, free uint64) func(int) {
		already = done
		if noted := UnfinishedBasemap(job.Dir) != ""; noted != (done > 0) || free == 0 {
			t.Errorf("there is a note: %t, of %d bytes; %d are free", noted, done, free)
		}
		return nil
	}
	var kept partState
	for _, after := range []int64{plan.Read/2 + 1, plan.Read} { // the second in the last check
		before := kept.Done
		if err := s.stop(t, job, after); !strings.Contains(err.Error(), "stopped; ") ||
			!strings.Contains(err.Error(), "are kept") {
			t.Errorf("got %v, want what is kept", err)
		}
		errtest.Must(t, folder.ReadJSON(job.Dir.Basemap()+partSuffix+stateSuffix, &kept))
		if sent := s.sent.Load(); kept.Done < after || before > 0 && sent != first+plan.Read-before {
			t.Errorf("%d bytes were kept and %d are sent again, of %d and %d of directories; now %d are kept", before, sent,
				plan.Read, first, kept.Done)
		}
	}
	_, sent, err := s.fetch(t.Context(), job)
	errtest.Must(t, err)
	if already != plan.Read || sent != first {
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
}

// What an earlier run has left of something else, or of what nobody can know again, is not used.
func TestBasemapBeginsAgain(t *testing.T) {
	for _, tt := range []struct {
		name, tag, then string
		change          func(s *partState)
	}{
		{"another archive", `"one"`, `"two"`, func(*partState) {}},
		{"another layout", `"one"`, `"one"`, func(s *partState) { s.Layout = "of other directories" }},
		{"more than there is", `"one"`, `"one"`, func(s *partState) { s.Done = s.Read + 1 }},
		{"no validator", "", "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newStreetServer(t)
			s.tag.Store(tt.tag)
			job := BasemapJob{Dir: folder.Dir(t.TempDir()), Area: brittany, MaxZoom: 10}
			errtest.Must(t, os.WriteFile(job.Dir.Basemap(), []byte("old"), 0o600))
			stopped := s.stop(t, job, 1000)
			if note := job.Dir.Basemap() + partSuffix + stateSuffix; tt.change == nil {
				if left, err := os.ReadDir(string(job.Dir)); err != nil || len(left) != 1 ||
					!strings.Contains(stopped.Error(), "nothing is kept") {
					t.Errorf("%v; the folder has %v, %v; want the old file alone", stopped, left, err)
				}
			} else {
				var state partState
				errtest.Must(t, folder.ReadJSON(note, &state))
				tt.change(&state)
				errtest.Must(t, folder.ReplaceJSON(note, state))
			}
			s.tag.Store(tt.then)
			already := int64(-1)
			job.Planned = func(_ *pmtiles.Plan, done int64, _ uint64) func(int) {
				if already = done; UnfinishedBasemap(job.Dir) != "" {
					t.Error("the note of the earlier run is still there")
				}
				return nil
			}
			if _, _, err := s.fetch(t.Context(), job); err != nil || already != 0 {
				t.Errorf("%d bytes are kept, %v; want none", already, err)
			}
		})
	}
}

// What breaks in an answer is asked for again, from where it broke.
func TestBasemapOfBreakingServer(t *testing.T) {
	s := newStreetServer(t)
	job := BasemapJob{Dir: folder.Dir(t.TempDir()), Area: brittany, MaxZoom: 10}
	_, all, err := s.fetch(t.Context(), job)
	errtest.Must(t, err)
	s.left.Store(all - 100)
	s.tag.Store(`"` + strings.Repeat("x", 400) + `"`) // too long to keep, not to go on
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
		{"another range", "was asked for the bytes 0 to 0", func(w http.ResponseWriter, _ *http.Request) {
			part(w, "bytes 5-5/9000", 206)
		}},
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

// Boxes come from the table, or from the sites without the few that are far from all others.
func TestAreaBoxes(t *testing.T) {
	dir := folder.Dir(t.TempDir())
	fr := market.Get(market.FR)
	for _, spec := range []PackSpec{{Market: market.FR}, {Market: market.FR, Areas: []string{"35"}}} {
		boxes, err := AreaBoxes(dir, spec)
		if spec.Areas != nil { // the folder has no register yet
			if err == nil || !strings.Contains(err.Error(), "relais update") {
				t.Errorf("got %v, want what to do first", err)
			}
			continue
		}
		if err != nil || len(boxes) != 1 || boxes[0] != fr.Box {
			t.Errorf("got %v, %v, want the box of the market", boxes, err)
		}
	}
	if boxes, err := AreaBoxes(dir, PackSpec{Market: market.DROM}); err != nil || len(boxes) != len(market.Get(market.DROM).Areas) {
		t.Errorf("got %v, %v, want a box for each island", boxes, err)
	}
	area, ok := fr.Area("35")
	if !ok {
		t.Fatal("FR has no area 35")
	}
	var statuses []string
	for _, s := range fr.Statuses {
		statuses = append(statuses, s.Name)
	}
	b := snapshot.NewBuilder(fr, statuses)
	b.SourceDate, b.UpdatedAt = "2026-01-01", "2026-01-01T00:00:00"
	for i := range 1000 {
		at := geo.Point{Lat: 48 + float64(i%100)/200, Lng: -2 + float64(i)/1000}
		if i == 500 {
			at = geo.Point{Lat: 43, Lng: 7} // wrong in the register
		}
		id := fmt.Sprint(i)
		must(t, b.Add(&site.Site{ID: id, SourceCode: id, Area: area, Height: site.Unknown, AntennaHeight: site.Unknown,
			Position: at, Stations: []site.Station{{Code: id}},
			Emissions: []site.Emission{{System: "LTE 800", Generation: site.G4}}}))
	}
	_, err := b.Write(dir.Snapshot("FR"))
	must(t, err)
	boxes, err := AreaBoxes(dir, PackSpec{Market: market.FR, Areas: []string{"35"}})
	errtest.Must(t, err)
	got := boxes[0]
	if len(boxes) != 1 || got.South > 47.95 || got.South < 47.85 || got.North < 48.5 || got.North > 48.6 || got.West > -2.1 ||
		got.West < -2.2 || got.East < -0.95 || got.East > -0.8 {
		t.Errorf("got %+v, want 48 to 48.5 and -2 to -1, and ten kilometres around", boxes)
	}
}

// A pack has the streets of its area, whether the folder is served or not.
func TestPackedStreets(t *testing.T) {
	dir := folder.Dir(t.TempDir())
	register(t, dir, market.BE, "2026-01-01", nil, "a", "b")
	spec := PackSpec{Disc: &geo.Disc{Center: geo.Point{Lat: 50.8, Lng: 4.3}, Radius: 30_000}, Basemap: true}
	if _, err := Pack(t.Context(), dir, spec, folder.Dir(t.TempDir()), quiet); err == nil ||
		!strings.Contains(err.Error(), "relais basemap") {
		t.Fatalf("without streets: got %v, want what to do", err)
	}
	archive, err := os.ReadFile(foreignStreets)
	errtest.Must(t, err)
	errtest.Must(t, os.WriteFile(dir.Basemap(), archive, 0o600))
	for _, served := range []bool{false, true} {
		t.Run(fmt.Sprint("served ", served), func(t *testing.T) {
			if served {
				_, stop := serve(t, dir)
				defer stop()
			}
			to := folder.Dir(t.TempDir())
			r, err := Pack(t.Context(), dir, spec, to, quiet)
			errtest.Must(t, err)
			h, err := ReadBasemap(t.Context(), to.Basemap())
			errtest.Must(t, err)
			// Columns and rows of Brussels, of the zooms 0 to 10, with one neighbour more or less.
			if h.Tiles < 11 || h.Tiles > 60 || h.MaxZoom != 10 || r.Streets == 0 || r.Streets > int64(len(archive))/4 {
				t.Errorf("%d tiles up to zoom %d in %d bytes, want those around Brussels", h.Tiles, h.MaxZoom, r.Streets)
			}
		})
	}
}
