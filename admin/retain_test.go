package admin

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"relais/community"
	"relais/geo"
	"relais/internal/folder"
	"relais/market"
	"relais/measure"
)

const oneDay = 24 * time.Hour

// An aged folder has ten speedtests and two outage reports, and its clock is trusted.
type aged struct {
	t    *testing.T
	dir  folder.Dir
	time time.Time // that its clock says
	logs bytes.Buffer
}

func newAged(t *testing.T) *aged {
	t.Helper()
	a := &aged{t: t, dir: folder.Dir(t.TempDir()), time: time.Now()}
	a.start(func(s *Stores) {
		ctx := context.Background()
		if _, err := s.do(ctx, importing(speedtests(t, 11, 1))); err != nil {
			t.Fatal(err)
		}
		for _, operator := range []string{"SFR", "FREE"} {
			n := community.NewReport{Market: market.FR, Operator: operator, At: geo.Point{Lat: 48.8585, Lng: 2.2946},
				User: "one"}
			if _, err := s.do(ctx, ReportOutage{n}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.do(ctx, Accept{}); err != nil {
			t.Fatal(err)
		}
	})
	return a
}

// start opens the folder as a server that starts does, and closes it.
func (a *aged) start(while func(s *Stores)) {
	a.t.Helper()
	s, err := openAt(a.dir, Node{}, "test", slog.New(slog.NewTextHandler(&a.logs, nil)), func() time.Time { return a.time })
	if err != nil {
		a.t.Fatal(err)
	}
	while(s)
	if err := s.Close(); err != nil {
		a.t.Fatal(err)
	}
}

// retain runs what deletes at a start and then regularly, and fails when it leaves
// another number of speedtests and reports.
func (a *aged) retain(s *Stores, speedtests, reports int) {
	a.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s.RetainMeasures(ctx, 365*oneDay, s.log)
	if err := s.compactDeleted(); err != nil {
		a.t.Error(err)
	}
	m, err := s.Measures()
	if err != nil {
		a.t.Fatal(err)
	}
	list, err := s.do(ctx, ListOutages{Page: Page{Limit: 10}})
	if err != nil {
		a.t.Fatal(err)
	}
	if n, r := m.Count(market.FR, measure.Speedtest), list.(OutageList).Total; n != speedtests || r != reports {
		a.t.Errorf("at %s: %d speedtests and %d reports, want %d and %d", a.time, n, r, speedtests, reports)
	}
}

// A clock that is far from the last data deletes nothing, at any start.
func TestWrongClock(t *testing.T) {
	a := newAged(t)
	right := a.time
	for _, wrong := range []time.Time{right.Add(400 * oneDay), right.AddDate(10, 0, 0),
		time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC), time.Unix(0, 0)} {
		a.time = wrong
		a.logs.Reset()
		a.start(func(s *Stores) {
			a.retain(s, 10, 2)
			if w := s.Warnings(); len(w) != 1 || !strings.Contains(w[0], "--accept") {
				t.Errorf("at %s: got warnings %q, want one with --accept", wrong, w)
			}
		})
		if text := a.logs.String(); strings.Count(text, "level=WARN") != 3 { // at the start, of measures, of reports
			t.Errorf("at %s: got log %s, want 3 warnings", wrong, text)
		}
	}
	a.time = right.Add(oneDay)
	a.start(func(s *Stores) {
		a.retain(s, 10, 2)
		if w := s.Warnings(); len(w) != 0 {
			t.Errorf("the clock is right again: %q, want none", w)
		}
	})
}

// A clock that is right, after a year of rest: it goes on for a week after new data, or
// is accepted. What is removed is in the log.
func TestClockGoesOn(t *testing.T) {
	for _, accept := range []bool{false, true} {
		a := newAged(t)
		a.time = a.time.Add(400 * oneDay)
		a.start(func(s *Stores) {
			a.retain(s, 10, 2)
			if accept {
				if _, err := s.do(context.Background(), Accept{}); err != nil {
					t.Fatal(err)
				}
				return
			}
			if _, err := s.do(context.Background(), Received{}); err != nil {
				t.Fatal(err)
			}
			a.retain(s, 10, 2)
		})
		for range 7 {
			if !accept {
				a.start(func(s *Stores) { a.retain(s, 10, 2) })
				a.time = a.time.Add(oneDay)
			}
		}
		a.logs.Reset()
		a.start(func(s *Stores) { a.retain(s, 0, 0) })
		for _, want := range []string{"measures=10", "outageReports=2"} {
			if text := a.logs.String(); strings.Count(text, want) != 1 {
				t.Errorf("accepted %v: got log %s, want %s once", accept, text, want)
			}
		}
	}
}

// A clock that is wrong at each start, when data comes, and is set right afterwards.
func TestClockThatIsSetLate(t *testing.T) {
	a := newAged(t)
	right := a.time
	for i := range 4 {
		passed := time.Duration(i) * 8 * oneDay
		a.time = right.Add(400*oneDay + passed)
		a.start(func(s *Stores) {
			a.retain(s, 10, 2)
			if _, err := s.do(context.Background(), Received{}); err != nil {
				t.Fatal(err)
			}
			a.time = right.Add(passed)
			a.retain(s, 10, 2)
		})
	}
}
