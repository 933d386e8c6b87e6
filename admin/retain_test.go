package admin

import (
	"bytes"
	"context"
	"errors"
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

// An aged folder has ten speedtests and two outage reports.
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
		must(t, errorOf(NewCommands(s).Do(ctx, importing(speedtests(t, 11, 1)))))
		a.report(s, "SFR")
		a.report(s, "FREE")
	})
	return a
}

// report files a report of an outage.
func (a *aged) report(s *Stores, operator string) {
	a.t.Helper()
	n := community.NewReport{Market: market.FR, Operator: operator, At: geo.Point{Lat: 48.8585, Lng: 2.2946}, User: "one"}
	if _, err := NewCommands(s).Do(context.Background(), ReportOutage{n}); err != nil {
		a.t.Fatal(err)
	}
}

// start opens the folder as a server that starts does, and closes it.
func (a *aged) start(while func(s *Stores)) {
	a.t.Helper()
	s, err := openAt(a.dir, Node{}, "test", slog.New(slog.NewTextHandler(&a.logs, nil)), func() time.Time { return a.time })
	must(a.t, err)
	while(s)
	must(a.t, s.Close())
}

// retain runs what deletes at a start and then regularly, and fails when it leaves
// another number of speedtests and reports.
func (a *aged) retain(s *Stores, speedtests, reports int) {
	a.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	NewJobs(s, s.log).RetainMeasures(ctx, 365*oneDay)
	if err := s.compactDeleted(); err != nil {
		a.t.Error(err)
	}
	m, err := s.Measures()
	must(a.t, err)
	list, err := NewCommands(s).Do(ctx, ListOutages{Page: Page{Limit: 10}})
	must(a.t, err)
	if n, r := m.Count(market.FR, measure.Speedtest), list.(OutageList).Total; n != speedtests || r != reports {
		a.t.Errorf("at %s: %d speedtests and %d reports, want %d and %d", a.time, n, r, speedtests, reports)
	}
}

// A clock that is far ahead deletes nothing, at any start.
func TestWrongClock(t *testing.T) {
	a := newAged(t)
	right := a.time
	for _, tt := range []struct {
		name string
		time time.Time
	}{
		{"400 days ahead", right.Add(400 * oneDay)},
		{"10 years ahead", right.AddDate(10, 0, 0)},
		{"74 years ahead", right.AddDate(74, 0, 0)},
		{"1970", time.Unix(0, 0)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a.t, a.time = t, tt.time
			for range 2 {
				a.logs.Reset()
				a.start(func(s *Stores) { a.retain(s, 10, 2) })
			}
			const why = "the system clock is far ahead of the newest data"
			if got, want := strings.Contains(a.logs.String(), why), tt.time.After(right); got != want {
				t.Errorf("log: got %s, want %q: %v", &a.logs, why, want)
			}
		})
	}
	a.t, a.time = t, right.Add(oneDay)
	a.start(func(s *Stores) { a.retain(s, 10, 2) })
}

// The clock is not doubted in a new folder, which has no data to compare it with.
func TestClockOfAnEmptyFolder(t *testing.T) {
	a := &aged{t: t, dir: folder.Dir(t.TempDir()), time: time.Now()}
	a.start(func(s *Stores) { a.retain(s, 0, 0) })
	if text := a.logs.String(); strings.Contains(text, "old records") {
		t.Errorf("log: got %s, want nothing about old records", text)
	}
}

// A folder that rested for 400 days loses what is too old when new data has come. What is removed is in the log.
func TestRestedFolder(t *testing.T) {
	a := newAged(t)
	a.time = a.time.Add(400 * oneDay)
	a.start(func(s *Stores) {
		a.retain(s, 10, 2)
		a.report(s, "ORANGE")
		err := s.compactDeleted()
		if _, n, err2 := s.Community.Reports(community.ReportFilter{}, 0, 0); errors.Join(err, err2) != nil || n != 3 {
			t.Errorf("in the same process: got %d reports, %v; want all 3", n, errors.Join(err, err2))
		}
	})
	a.logs.Reset()
	a.start(func(s *Stores) { a.retain(s, 0, 1) })
	for _, want := range []string{"measures=10", "outageReports=2"} {
		if text := a.logs.String(); strings.Count(text, want) != 1 {
			t.Errorf("log: got %s, want %s once", text, want)
		}
	}
}
