package photos

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"relais/community/audit"
	"relais/internal/errtest"
	"relais/internal/folder"
	"relais/internal/store/storetest"
)

// must ends the test on an error of what it needs.
var must = errtest.Must

// A clock is the time of a test.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time { c.mu.Lock(); defer c.mu.Unlock(); return c.at }

func (c *clock) set(at time.Time) { c.mu.Lock(); defer c.mu.Unlock(); c.at = at }

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// opened opens the photos of a folder until the test ends or stop is called.
func opened(t testing.TB, dir folder.Dir, now func() time.Time) (s *Store, stop func()) {
	t.Helper()
	db := storetest.Open(t, filepath.Join(string(dir), "photos.db"), Buckets...)
	s = Open(db, dir, now)
	stop = sync.OnceFunc(func() {
		if err := errors.Join(s.Close(), db.Close()); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	return s, stop
}

func fresh(t testing.TB) (*Store, *clock) {
	t.Helper()
	c := &clock{at: noon}
	s, _ := opened(t, folder.Dir(t.TempDir()), c.now)
	return s, c
}

// imagesOf returns images with different bytes for each photo number.
func imagesOf(n int) map[Size][]byte {
	m := map[Size][]byte{}
	for i, size := range Sizes {
		m[size] = bytes.Repeat(fmt.Appendf(nil, "%s of photo %d. ", size, n), 500/(i+1)+n%50)
	}
	return m
}

func wantImage(t *testing.T, s *Store, id string, size Size, want map[Size][]byte) {
	t.Helper()
	if image, err := s.Image(id, size); err != nil || !bytes.Equal(image, want[size]) {
		t.Errorf("image %s of %s: got %d bytes, %v, want the %d sent", size, id, len(image), err, len(want[size]))
	}
}

func newOf(site, operator string, n int) New {
	return New{SiteKey: site, Operator: operator, Caption: fmt.Sprint(n), ClientID: "c1", AuthorName: "Web map",
		Images: imagesOf(n)}
}

func add(t testing.TB, s *Store, n New) *Photo {
	t.Helper()
	p, err := s.Add(context.Background(), n)
	must(t, err)
	return p
}

// operators is a list of an operator, nil for "".
func operators(key string) []string {
	if key == "" {
		return nil
	}
	return []string{key}
}

func list(t testing.TB, s *Store, site, operator string, limit, offset int) (captions []string, total int) {
	t.Helper()
	l, total, err := s.List(site, operators(operator), limit, offset)
	must(t, err)
	for _, p := range l {
		captions = append(captions, p.Caption)
	}
	return captions, total
}

// mustBeWhole fails if a check finds a problem.
func mustBeWhole(t testing.TB, s *Store, want int) {
	t.Helper()
	n, _, err := s.CheckRecords()
	months, err2 := Months(s.dir)
	images := 0
	for _, m := range months {
		db, err := s.Month(m)
		must(t, err)
		n, err := s.CheckMonth(m)
		if err := errors.Join(err, db.Check()); err != nil {
			t.Error(err)
		}
		images += n
	}
	if err := errors.Join(err, err2); err != nil || n != want || images != want {
		t.Errorf("records = %d, photos with images = %d, %v; want %d", n, images, err, want)
	}
}

func ptr[T any](v T) *T { return &v }

func TestAddAndGet(t *testing.T) {
	dir := folder.Dir(t.TempDir())
	s, stop := opened(t, dir, (&clock{at: noon.Add(1234567 * time.Nanosecond)}).now)
	n := newOf("fr-23444", "ORANGE", 7)
	n.ENB, n.Metadata = "12345", Metadata{CameraModel: ptr("Pixel 8"), DistanceToSiteMeters: ptr(12.5),
		TakenDate: ptr("2026-11-20")}
	p := add(t, s, n)
	stop()
	s, _ = opened(t, dir, time.Now)
	got, err := s.get(p.ID)
	must(t, err)
	if got.SiteKey != "fr-23444" || got.Operator != "ORANGE" || got.Caption != "7" || got.AuthorName != "Web map" ||
		got.ClientID != "c1" || got.ENB != "12345" ||
		got.UploadedAt.Format(time.RFC3339Nano) != "2026-11-21T12:00:00.001Z" || got.Month != "2026-11" ||
		got.Hidden != nil {
		t.Errorf("got photo %+v, want the members sent, and not hidden", got)
	}
	if m := got.Metadata; *m.CameraModel != "Pixel 8" || *m.DistanceToSiteMeters != 12.5 ||
		*m.TakenDate != "2026-11-20" || m.TakenMonth != nil || m.OrientationDegrees != nil {
		t.Errorf("wrong metadata %+v, want CameraModel = Pixel 8, DistanceToSiteMeters = 12.5, TakenDate = "+
			"2026-11-20, no TakenMonth and no OrientationDegrees", m)
	}
	for size, want := range imagesOf(7) {
		image, err := s.Image(p.ID, size)
		if err != nil || !bytes.Equal(image, want) || got.Images[size].Bytes != len(want) {
			t.Errorf("image %s: got %d bytes, %v, want the %d sent, and their number", size, len(image), err,
				len(want))
		}
	}
	for _, id := range []string{"", "x", "00000000-0000-7000-8000-000000000000", "urn:uuid:" + p.ID, "{" + p.ID + "}",
		p.ID + "\n"} {
		if _, err := s.Image(id, Main); !errors.Is(err, ErrNoPhoto) {
			t.Errorf("id %q: error = %v, want ErrNoPhoto", id, err)
		}
	}
	if _, err := s.Image(p.ID, "huge"); err == nil {
		t.Error("an image of an unknown size was returned, want an error")
	}
	mustBeWhole(t, s, 1)
}

func TestAddRefuses(t *testing.T) {
	s, _ := fresh(t)
	for _, tt := range []struct {
		name  string
		spoil func(n *New)
	}{
		{"no site", func(n *New) { n.SiteKey = "" }},
		{"no client", func(n *New) { n.ClientID = "" }},
		{"no author", func(n *New) { n.AuthorName = "" }},
		{"NUL", func(n *New) { n.SiteKey = "a\x00b" }},
		{"no thumb", func(n *New) { delete(n.Images, Thumb) }},
		{"empty", func(n *New) { n.Images[OG] = nil }},
		{"other size", func(n *New) { delete(n.Images, OG); n.Images["x"] = []byte("x") }},
		{"no UTF-8", func(n *New) { n.Caption = "\xff" }},
		{"long", func(n *New) { n.Caption = string(make([]byte, maxText+1)) }},
		{"no number", func(n *New) { n.Metadata.DistanceToSiteMeters = ptr(0 / zero) }},
		{"huge number", func(n *New) { n.Metadata.DistanceToSiteMeters = ptr(1 / zero) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n := newOf("fr-1", "", 1)
			tt.spoil(&n)
			if p, err := s.Add(context.Background(), n); err == nil {
				t.Errorf("%s: %+v, %v, want an error", tt.name, p, err)
			}
		})
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Add(ctx, newOf("fr-1", "", 1)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if got, total := list(t, s, "fr-1", "", 10, 0); len(got) != 0 || total != 0 {
		t.Errorf("wrong list %v of %d, want none and 0", got, total)
	}
	if err := s.Sweep(); err != nil {
		t.Error(err)
	}
	mustBeWhole(t, s, 0)
}

var zero float64

// Pages agree with those of a plain list after photos are shown, hidden or deleted.
func TestListAgainstAPlainList(t *testing.T) {
	s, c := fresh(t)
	type entry struct {
		*Photo
		hidden bool
	}
	sites, operators := []string{"fr-1", "fr-10", "fr-1\x01", "ca-1"}, []string{"", "A", "B"}
	var all []entry
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 150 {
		c.set(noon.Add(time.Duration(i) * time.Hour))
		all = slices.Insert(all, 0, entry{add(t, s, newOf(sites[r.IntN(4)], operators[r.IntN(3)], i)), false})
		at := r.IntN(len(all))
		var err error
		switch r.IntN(5) {
		case 0:
			_, err = s.Hide(all[at].ID, audit.Decision{Why: "why"})
			all[at].hidden = true
		case 1:
			_, err = s.Show(all[at].ID, audit.Decision{})
			all[at].hidden = false
		case 2:
			_, err = s.Delete(all[at].ID, audit.Decision{})
			all = slices.Delete(all, at, at+1)
		}
		must(t, err)
	}
	want := func(keep func(e entry) bool, limit, offset int) (captions []string, total int) {
		for _, e := range all {
			if keep(e) {
				if total++; total > offset && len(captions) < limit {
					captions = append(captions, e.Caption)
				}
			}
		}
		return captions, total
	}
	for range 300 {
		site, operator, limit, offset, hiddenOnly := sites[r.IntN(4)], operators[r.IntN(3)], r.IntN(20), r.IntN(30),
			r.IntN(2) == 0
		got, total := list(t, s, site, operator, limit, offset)
		wanted, n := want(func(e entry) bool {
			return !e.hidden && e.SiteKey == site && (operator == "" || e.Operator == operator)
		}, limit, offset)
		if !slices.Equal(got, wanted) || total != n {
			t.Fatalf("%q %q: %v of %d, want %v of %d", site, operator, got, total, wanted, n)
		}
		if r.IntN(2) == 0 {
			site = ""
		}
		moderated, total, err := s.All(Filter{SiteKey: site, Hidden: hiddenOnly}, limit, offset)
		got = nil
		for _, p := range moderated {
			got = append(got, p.Caption)
		}
		wanted, n = want(func(e entry) bool { return (site == "" || e.SiteKey == site) && (e.hidden || !hiddenOnly) },
			limit, offset)
		if err != nil || !slices.Equal(got, wanted) || total != n {
			t.Fatalf("all of %q, hidden %v: %v of %d, want %v of %d, %v", site, hiddenOnly, got, total, wanted, n, err)
		}
	}
	mustBeWhole(t, s, len(all))
}

func TestMonths(t *testing.T) {
	s, c := fresh(t)
	var ids []string
	for i, at := range []time.Time{noon, time.Date(2026, 11, 30, 23, 59, 59, 999e6, time.UTC),
		time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC), time.Date(2027, 1, 1, 0, 30, 0, 0, time.FixedZone("", 3600))} {
		c.set(at)
		ids = append(ids, add(t, s, newOf("fr-1", "", i)).ID)
	}
	months, err := Months(s.dir)
	if err != nil || !slices.Equal(months, []string{"2026-11", "2026-12"}) {
		t.Errorf("wrong months %v, %v, want %v and no error", months, err, []string{"2026-11", "2026-12"})
	}
	for i, id := range ids {
		wantImage(t, s, id, OG, imagesOf(i))
	}
	for _, tt := range []struct{ path, want string }{
		{"photos/2026-11.db", "2026-11"},
		{"photos.db", ""},
		{"photos/2026-13.db", ""},
		{"photos/2026-1.db", ""},
		{"2026-11.db", ""},
		{"photos/../2026-11.db", ""},
		{"photos/.2026-11.db.tmp-1", ""},
	} {
		t.Run(tt.path, func(t *testing.T) {
			if got := MonthOf(tt.path); got != tt.want {
				t.Errorf("MonthOf(%s) = %q, want %q", tt.path, got, tt.want)
			}
		})
	}
	mustBeWhole(t, s, 4)
}

// The version changes with the shown photos, and never repeats that of another opening.
func TestVersion(t *testing.T) {
	dir := folder.Dir(t.TempDir())
	seen := map[string]bool{}
	look := func(s *Store, when string) {
		t.Helper()
		if v := s.Version(); seen[v] {
			t.Errorf("%s: the version is %s again", when, v)
		} else {
			seen[v] = true
		}
	}
	for range 2 {
		s, stop := opened(t, dir, time.Now)
		look(s, "opened")
		p := add(t, s, newOf("fr-1", "", 1))
		look(s, "added")
		if _, err := s.Hide(p.ID, audit.Decision{}); err != nil {
			t.Fatal(err)
		}
		look(s, "hidden")
		if v := s.Version(); v != s.Version() || !seen[v] {
			t.Errorf("got version %s after %s, want it unchanged", s.Version(), v)
		}
		stop()
	}
}
