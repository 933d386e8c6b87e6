package archive

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"relais/geo"
)

// Every support of weeks that are made up, against what can be told from their rows.
func TestSupports(t *testing.T) {
	for seed := range uint64(6) {
		const n = 6
		s, weeks := plant(t, rand.New(rand.NewPCG(seed, 1)), n)
		for support := 1; support <= 20; support++ {
			id := fmt.Sprint(support)
			for i := range n {
				mustStand(t, s, weeks, support, i)
				for j := i + 1; j < n; j++ {
					c, err := s.CompareSite(id, dateOfWeek(i), dateOfWeek(j))
					must(t, err)
					if got, want := toldOf(c.Differences), differences(weeks, support, i, j); !slices.Equal(got, want) {
						t.Fatalf("seed %d, support %d, %d to %d:\n%s\nwant\n%s", seed, support, i,
							j, strings.Join(got, "\n"), strings.Join(want, "\n"))
					}
					if c.Before != len(rowsOf(weeks[i], support)) || c.After != len(rowsOf(weeks[j], support)) {
						t.Errorf("%d and %d rows, want %d and %d", c.Before, c.After, len(rowsOf(weeks[i], support)),
							len(rowsOf(weeks[j], support)))
					}
				}
			}
			mustHaveBeen(t, s, weeks, support)
		}
	}
}

// mustStand compares a support with its rows of a week.
func mustStand(t *testing.T, s *Store, weeks [][]planted, support, week int) {
	t.Helper()
	site, err := s.SiteAt(fmt.Sprint(support), dateOfWeek(week))
	must(t, err)
	var before map[string]planted
	if week > 0 {
		before = rowsOf(weeks[week-1], support)
	}
	rows := rowsOf(weeks[week], support)
	if site.ID != fmt.Sprint(support) || len(site.Records) != len(rows) {
		t.Fatalf("support %d has %d rows, want %d", support, len(site.Records), len(rows))
	}
	for _, r := range site.Records {
		k := r.Values[1] + "|" + r.Values[3] + "|" + r.Values[9]
		if lineOf(&r) != rows[k].line() || r.Values[8] != dateOfWeek(week) {
			t.Errorf("%s of %s, want %s", lineOf(&r), r.Values[8], rows[k].line())
		}
		if was, ok := before[k]; (r.Kind == Unchanged) != (ok && was == rows[k]) {
			t.Errorf("%s: got kind %d, want it unchanged: %v", k, r.Kind, ok && was == rows[k])
		}
	}
	if !slices.IsSortedFunc(site.Records, func(a, b Record) int {
		return slices.Compare([]string{a.Values[1], a.Values[3], a.Values[9]},
			[]string{b.Values[1], b.Values[3], b.Values[9]})
	}) {
		t.Error("rows are not in order")
	}
}

// mustHaveBeen compares the history of a support with the weeks.
func mustHaveBeen(t *testing.T, s *Store, weeks [][]planted, support int) {
	t.Helper()
	var want []string
	for i := range weeks {
		list := []string{}
		if i > 0 {
			list = differences(weeks, support, i-1, i)
		} else {
			for k, r := range rowsOf(weeks[0], support) {
				list = append(list, k+" New: only after "+r.line())
			}
			slices.Sort(list)
		}
		if len(list) > 0 {
			want = append(want, dateOfWeek(i)+"\n"+strings.Join(list, "\n"))
		}
	}
	versions, err := s.History(fmt.Sprint(support))
	must(t, err)
	var got []string
	for _, v := range versions {
		got = append(got, v.Date+"\n"+strings.Join(toldOf(v.Differences), "\n"))
	}
	if !slices.Equal(got, want) {
		t.Fatalf("history of %d:\n%s\nwant\n%s", support, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Boxes of an overview against the rows, asked by many at once.
func TestOverview(t *testing.T) {
	s, weeks := plant(t, rand.New(rand.NewPCG(9, 9)), 3)
	boxes := []geo.Box{{South: -90, West: -180, North: 90, East: 180}, {South: 45.1, West: 3.1, North: 45.3, East: 3.2},
		{South: 45, West: 3.3, North: 46, East: 3}, {South: 46, West: 3, North: 47, East: 4}}
	var asking sync.WaitGroup
	for i := range 24 {
		asking.Go(func() {
			week, box := i%3, boxes[i%4]
			o, err := s.Overview(context.Background(), dateOfWeek(week))
			if err != nil {
				t.Error(err)
				return
			}
			want := briefsOf(weeks[week], box)
			for offset := 0; offset <= len(want); offset += 3 {
				page, total := o.InBox(box, offset, 3)
				var got []string
				for _, b := range page {
					got = append(got,
						fmt.Sprintf("%s %v %s %q %q %q", b.ID, b.Point, b.Insee, b.Operators, b.Systems, b.Statuses))
				}
				if w := want[offset:min(offset+3, len(want))]; total != len(want) || !slices.Equal(got, w) {
					t.Errorf("%d:\n%s\nwant\n%s", total, strings.Join(got, "\n"), strings.Join(w, "\n"))
				}
			}
		})
	}
	asking.Wait()
	if n := len(s.memory.briefs.states); n == 0 ||
		n > len(rowsOf(weeks[0], 0))+len(rowsOf(weeks[1], 0))+len(rowsOf(weeks[2], 0)) {
		t.Errorf("%d states are kept, want some, at most one for each row", n)
	}
	first, _ := s.Overview(context.Background(), dateOfWeek(0))
	s.memory.briefs.bytes = mostBriefs + 1
	mustAdd(t, s, publication(t, "2026-10-01", weeks[0][0].line()), Options{Force: true})
	o, err := s.Overview(context.Background(), "2026-10-01")
	again, _ := s.Overview(context.Background(), "2026-10-01")
	if n, _ := s.memory.overviews.Usage(); err != nil || o != again || n != 1 {
		t.Errorf("%d overviews are kept: %v, o %v, want 1, no error and o = %v", n, err, o, again)
	}
	again, err = s.Overview(context.Background(), dateOfWeek(0))
	must(t, err)
	old, total := first.InBox(boxes[0], 0, 100)
	if now, n := again.InBox(boxes[0], 0, 100); again == first || n != total || fmt.Sprint(now) != fmt.Sprint(old) {
		t.Errorf("got %v, %v, again %v, n %v, want %v, again other than %v and n = %v", now, old, again, n, old,
			first, total)
	}
	if _, err := s.Overview(context.Background(), "2026-01-01"); !errors.Is(err, ErrNoArchive) {
		t.Error(err)
	}
	none := Open(nil, november)
	if _, err := none.Overview(context.Background(), "2026-01-01"); !errors.Is(err, ErrNoArchive) {
		t.Error(err)
	}
	if _, err := none.SiteAt("1", "2026-01-01"); !errors.Is(err, ErrNoArchive) {
		t.Error(err)
	}
	if _, err := none.CompareSite("1", "2026-01-01", "2026-01-08"); !errors.Is(err, ErrNoArchive) {
		t.Error(err)
	}
}

// A repeated row is not a difference as long as one of them is there; a key of
// rows that differ is paired as far as it goes.
func TestRepeatedRows(t *testing.T) {
	s, _ := opened(t)
	one := planted{"SFR", "LTE 800", "0032700001", "En service", "2020-01-01", "rue", 10}
	other := one
	other.date = "2020-01-02"
	mustAdd(t, s, publication(t, "2026-08-06", one.line(), one.line()), Options{})
	mustAdd(t, s, publication(t, "2026-08-13", one.line(), other.line()), Options{})
	mustAdd(t, s, publication(t, "2026-08-20", other.line()), Options{})
	for _, tt := range []struct{ from, to, want string }{
		{"2026-08-13", "2026-08-20", "SFR|LTE 800|0032700001 Changed: only before " + one.line()},
		{"2026-08-06", "2026-08-20",
			"SFR|LTE 800|0032700001 Changed: emr_dt; SFR|LTE 800|0032700001 Changed: only before " + one.line()},
		{"2026-08-06", "2026-08-06", ""},
	} {
		c, err := s.CompareSite("10", tt.from, tt.to)
		must(t, err)
		if got := strings.Join(toldOf(c.Differences), "; "); got != tt.want {
			t.Errorf("%s to %s: %s\nwant %s", tt.from, tt.to, got, tt.want)
		}
	}
	if site, err := s.SiteAt("10", "2026-08-06"); err != nil || len(site.Records) != 2 {
		t.Errorf("got %+v, %v, want no error and len(site.Records) = 2", site, err)
	}
}

// Who asks while a publication is replaced is told the one or the other.
func TestSupportsBesideAdd(t *testing.T) {
	s, _ := opened(t)
	one := planted{"SFR", "LTE 800", "0032700001", "Projet approuvé", "2020-01-01", "rue", 10}
	other, more := one, one
	other.status, more.system = "En service", "GSM 900"
	first := publication(t, "2026-08-06", one.line())
	paths := []string{publication(t, "2026-08-13", one.line(), more.line()), publication(t, "2026-08-13", other.line())}
	mustAdd(t, s, first, Options{})
	mustAdd(t, s, paths[0], Options{})
	done := make(chan bool)
	var asking sync.WaitGroup
	for range 3 {
		asking.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					mustBeEither(t, s)
				}
			}
		})
	}
	for i := range 20 {
		mustAdd(t, s, paths[(i+1)%2], Options{Force: true})
	}
	close(done)
	asking.Wait()
}

// mustBeEither looks at the support of TestSupportsBesideAdd.
func mustBeEither(t *testing.T, s *Store) {
	t.Helper()
	site, err := s.SiteAt("10", "2026-08-13")
	if err != nil || len(site.Records) != 2 && !(len(site.Records) == 1 && site.Records[0].Kind == Activated) {
		t.Errorf("got %+v, %v, want both records or the activated one", site, err)
	}
	c, err := s.CompareSite("10", "2026-08-06", "2026-08-13")
	if err != nil || len(c.Differences) != 1 || c.Differences[0].Kind != Activated && c.Differences[0].Kind != Added {
		t.Errorf("got %+v, %v, want one difference, activated or added", c, err)
	}
	if versions, err := s.History("10"); err != nil || len(versions) != 2 {
		t.Errorf("got %+v, %v, want no error and len(versions) = 2", versions, err)
	}
	o, err := s.Overview(context.Background(), "2026-08-13")
	if errors.Is(err, errReplaced) { // three times on end
		return
	}
	if err != nil {
		t.Error(err)
		return
	}
	box := geo.Box{South: -90, West: -180, North: 90, East: 180}
	page, _ := o.InBox(box, 0, 2)
	if got := fmt.Sprintf("%q %q", page[0].Systems,
		page[0].Statuses); got != `["GSM 900" "LTE 800"] ["Projet approuvé"]` && got != `["LTE 800"] ["En service"]` {
		t.Errorf("got %s, want the state before or after", got)
	}
}
