package web

import (
	"bytes"
	"context"
	"fmt"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/mmcdole/gofeed"

	"relais/api"
	"relais/archive"
	"relais/geo"
	"relais/index"
	"relais/index/indextest"
	"relais/internal/store/storetest"
	"relais/market"
	"relais/site"
)

// newArchives returns archives without editions.
func newArchives(t *testing.T) *archive.Store {
	t.Helper()
	db := storetest.New(t, archive.Buckets...)
	return archive.Open(db, func() time.Time { return time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC) })
}

// note adds an edition of a market.
func note(t *testing.T, s *archive.Store, date string, m *index.Market) {
	t.Helper()
	m.Snap.SourceDate, m.Snap.Version = date, date
	if _, err := s.Note(context.Background(), m.Snap); err != nil {
		t.Fatal(err)
	}
}

// weekOf is the edition of a week: site i is there from week i%weeks on, and those of week 0 get a second
// operator in week 5.
func weekOf(t *testing.T, week, sites int) *index.Market {
	t.Helper()
	var list []site.Site
	for i := range sites {
		if i%weeks > week {
			continue
		}
		s := newSite(fmt.Sprint("s", i), geo.Point{Lat: 46 + float64(i)*0.005, Lng: 7 + float64(i%7)*0.1})
		if i%weeks > 0 || week < 5 {
			s.Stations, s.Emissions = s.Stations[:1], s.Emissions[:1]
		}
		list = append(list, s)
	}
	return indextest.Market(t, market.CH, list...)
}

const weeks = 10

func dateOf(week int) string {
	return time.Date(2026, 6, 4, 0, 0, 0, 0, time.UTC).AddDate(0, 0, 7*week).Format(time.DateOnly)
}

// swissWeeks returns pages about the first n of ten weeks.
func swissWeeks(t *testing.T, sites, n int) *Pages {
	t.Helper()
	s := newArchives(t)
	for week := range n {
		note(t, s, dateOf(week), weekOf(t, week, sites))
	}
	return pagesWith(s, weekOf(t, weeks-1, sites))
}

// pagesWith returns pages with archives.
func pagesWith(s *archive.Store, markets ...*index.Market) *Pages {
	p := pagesAbout(true, markets...)
	env := p.Env
	p.Env = func() *api.Env {
		e := env()
		e.Archives = s
		return e
	}
	return p
}

func parseFeed(t *testing.T, w *httptest.ResponseRecorder) *gofeed.Feed {
	t.Helper()
	f, err := gofeed.NewParser().Parse(bytes.NewReader(w.Body.Bytes()))
	if err != nil || w.Code != 200 {
		t.Fatalf("status %d, %v: %.300s", w.Code, err, w.Body)
	}
	return f
}
