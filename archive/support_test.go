package archive

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"relais/geo"
)

// A planted is a row of the publications that these tests make up.
type planted struct {
	operator, system, station, status, date, address string
	support                                          int
}

func (p planted) key() string { return p.operator + "|" + p.system + "|" + p.station }

func (p planted) planned() bool { return p.status == "Projet approuvé" }

// position is where a support stands: on a grid, the even ones; 18 and 19 nowhere.
func position(support int) (geo.Point, bool) {
	return geo.Point{Lat: 45 + float64(support%5)/10, Lng: 3 + float64(support/5)/10}, support < 18
}

func insees(support int) string { return fmt.Sprintf("%05d", 3001+support%3) }

// line is the row as line makes it.
func (p planted) line() string {
	coordonnees := ""
	if at, ok := position(p.support); ok {
		coordonnees = fmt.Sprintf("%v , %v", at.Lat, at.Lng)
	}
	return fmt.Sprintf("%s;%d;%s;%s;003;%s;4G;%%s;%s;23;\"27,2\";72;LIEU;%s;;;03110;03258;\"%s\";x;%s",
		p.operator, p.support, p.system, p.date, insees(p.support), p.station, p.address, coordonnees, p.status)
}

// next is a week later: each row may change in every way that there is.
func next(rng *rand.Rand, rows []planted) (week []planted) {
	taken := map[string]bool{}
	for _, r := range rows {
		switch rng.IntN(10) {
		case 0:
			continue
		case 1, 2:
			r.status = []string{"Projet approuvé", "En service", "Techniquement opérationnel"}[rng.IntN(3)]
		case 3:
			r.date = fmt.Sprintf("2020-01-%02d", 1+rng.IntN(9))
		case 4, 5:
			r.support = 1 + rng.IntN(19)
		case 6:
			r.address = fmt.Sprint("rue ", rng.IntN(3))
		}
		taken[r.key()] = true
		week = append(week, r)
	}
	for range 8 {
		r := planted{
			operator: []string{"ORANGE", "SFR"}[rng.IntN(2)], system: []string{"LTE 800", "GSM 900", "5G NR 3500"}[rng.IntN(3)],
			station: fmt.Sprintf("00322900%02d", rng.IntN(20)), status: []string{"Projet approuvé", "En service"}[rng.IntN(2)],
			date: "2020-01-01", address: "rue", support: 1 + rng.IntN(19),
		}
		if !taken[r.key()] {
			taken[r.key()] = true
			week = append(week, r)
		}
	}
	rng.Shuffle(len(week), func(i, j int) { week[i], week[j] = week[j], week[i] })
	return week
}

func dateOfWeek(i int) string { return fmt.Sprintf("2026-08-%02d", 1+7*i/2) }

// plant adds weeks in any order, some twice.
func plant(t *testing.T, rng *rand.Rand, n int) (*Store, [][]planted) {
	t.Helper()
	s, _ := opened(t)
	weeks := [][]planted{next(rng, nil)}
	for len(weeks) < n {
		weeks = append(weeks, next(rng, weeks[len(weeks)-1]))
	}
	for _, i := range append(rng.Perm(n), rng.Perm(n)[:2]...) {
		var lines []string
		for _, r := range weeks[i] {
			lines = append(lines, r.line())
		}
		mustAdd(t, s, publication(t, dateOfWeek(i), lines...), Options{Force: true})
	}
	mustBeWhole(t, s, n)
	return s, weeks
}

// on are the rows of a support by key, all of those of support 0.
func on(week []planted, support int) map[string]planted {
	rows := map[string]planted{}
	for _, r := range week {
		if support == 0 || r.support == support {
			rows[r.key()] = r
		}
	}
	return rows
}

// differences of a support from week i to j, from the rows as they were planted.
func differences(weeks [][]planted, support, i, j int) []string {
	was, is := on(weeks[i], support), on(weeks[j], support)
	list := []string{}
	for k, r := range was {
		now, ok := is[k]
		switch {
		case !ok && left(weeks, support, k, i, j):
			list = append(list, k+" Changed: only before "+r.line())
		case !ok:
			list = append(list, k+" Deleted: only before "+r.line())
		case r != now:
			kind := "Changed"
			if r.planned() && !now.planned() {
				kind = "Activated"
			}
			list = append(list, k+" "+kind+": "+columns(r, now))
		}
	}
	for k, r := range is {
		if _, ok := was[k]; !ok {
			list = append(list, k+" "+came(weeks, support, k, i, j)+": only after "+r.line())
		}
	}
	slices.Sort(list)
	return list
}

func columns(a, b planted) string {
	var names []string
	for name, differs := range map[string]bool{"statut": a.status != b.status, "emr_dt": a.date != b.date, "adr_lb_add1": a.address != b.address} {
		if differs {
			names = append(names, name)
		}
	}
	return sortedJoin(names)
}

// left tells whether a key went elsewhere when it last left the support.
func left(weeks [][]planted, support int, key string, i, j int) (elsewhere bool) {
	for v := i + 1; v <= j; v++ {
		_, had := on(weeks[v-1], support)[key]
		if _, has := on(weeks[v], support)[key]; had && !has {
			_, elsewhere = on(weeks[v], 0)[key]
		}
	}
	return elsewhere
}

// came tells how a key came to the support that had it not.
func came(weeks [][]planted, support int, key string, i, j int) (kind string) {
	for v := i + 1; v <= j; v++ {
		was, known := on(weeks[v-1], 0)[key]
		now, has := on(weeks[v], support)[key]
		switch _, had := on(weeks[v-1], support)[key]; {
		case !has:
		case had && kind == "Changed" && was.planned() && !now.planned():
			kind = "Activated"
		case had:
		case !known && len(on(weeks[i], support)) > 0:
			kind = "Added"
		case !known:
			kind = "New"
		case was.planned() && !now.planned():
			kind = "Activated"
		default:
			kind = "Changed"
		}
	}
	return kind
}

var kindNames = map[Kind]string{New: "New", Added: "Added", Activated: "Activated", Deleted: "Deleted", Changed: "Changed"}

// toldOf writes differences as the function differences does.
func toldOf(list []Difference) []string {
	out := []string{}
	for _, d := range list {
		r, text := d.After, ""
		if r == nil {
			r = d.Before
		}
		switch {
		case d.Before == nil:
			text = "only after " + lineOf(r)
		case d.After == nil:
			text = "only before " + lineOf(r)
		default:
			var names []string
			for _, c := range d.Columns {
				names = append(names, Columns[c])
			}
			text = sortedJoin(names)
		}
		out = append(out, fmt.Sprintf("%s|%s|%s %s: %s", r.Values[1], r.Values[3], r.Values[9], kindNames[d.Kind], text))
	}
	slices.Sort(out)
	return out
}

// lineOf writes a record as planted.line does.
func lineOf(r *Record) string {
	v := r.Values
	return fmt.Sprintf("%s;%s;%s;%s;%s;%s;%s;%%s;%s;%s;\"%s\";%s;%s;%s;%s;%s;%s;%s;\"%s\";%s;%s",
		v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[9], v[10], v[11], v[12], v[13], v[14], v[15], v[16], v[17], v[18], v[19], v[20], v[21])
}

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
					if err != nil {
						t.Fatal(err)
					}
					if got, want := toldOf(c.Differences), differences(weeks, support, i, j); !slices.Equal(got, want) {
						t.Fatalf("seed %d, support %d, %d to %d:\n%s\nwant\n%s", seed, support, i, j, strings.Join(got, "\n"), strings.Join(want, "\n"))
					}
					if c.Before != len(on(weeks[i], support)) || c.After != len(on(weeks[j], support)) {
						t.Errorf("%d and %d rows", c.Before, c.After)
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
	if err != nil {
		t.Fatal(err)
	}
	var before map[string]planted
	if week > 0 {
		before = on(weeks[week-1], support)
	}
	rows := on(weeks[week], support)
	if site.ID != fmt.Sprint(support) || len(site.Records) != len(rows) {
		t.Fatalf("support %d has %d rows, want %d", support, len(site.Records), len(rows))
	}
	for _, r := range site.Records {
		k := r.Values[1] + "|" + r.Values[3] + "|" + r.Values[9]
		if lineOf(&r) != rows[k].line() || r.Values[8] != dateOfWeek(week) {
			t.Errorf("%s of %s, want %s", lineOf(&r), r.Values[8], rows[k].line())
		}
		if was, ok := before[k]; (r.Kind == Unchanged) != (ok && was == rows[k]) {
			t.Errorf("%s: kind %d", k, r.Kind)
		}
	}
	if !slices.IsSortedFunc(site.Records, func(a, b Record) int {
		return slices.Compare([]string{a.Values[1], a.Values[3], a.Values[9]}, []string{b.Values[1], b.Values[3], b.Values[9]})
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
			for k, r := range on(weeks[0], support) {
				list = append(list, k+" New: only after "+r.line())
			}
			slices.Sort(list)
		}
		if len(list) > 0 {
			want = append(want, dateOfWeek(i)+"\n"+strings.Join(list, "\n"))
		}
	}
	versions, err := s.History(fmt.Sprint(support))
	if err != nil {
		t.Fatal(err)
	}
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
	boxes := []geo.Box{{South: -90, West: -180, North: 90, East: 180}, {South: 45.1, West: 3.1, North: 45.3, East: 3.2}, {South: 45, West: 3.3, North: 46, East: 3}, {South: 46, West: 3, North: 47, East: 4}}
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
				page, total := o.In(box, offset, 3)
				var got []string
				for _, b := range page {
					got = append(got, fmt.Sprintf("%s %v %s %q %q %q", b.ID, b.Point, b.Insee, b.Operators, b.Systems, b.Statuses))
				}
				if w := want[offset:min(offset+3, len(want))]; total != len(want) || !slices.Equal(got, w) {
					t.Errorf("%d:\n%s\nwant\n%s", total, strings.Join(got, "\n"), strings.Join(w, "\n"))
				}
			}
		})
	}
	asking.Wait()
	if n := len(s.memory.briefs.states); n == 0 || n > len(on(weeks[0], 0))+len(on(weeks[1], 0))+len(on(weeks[2], 0)) {
		t.Errorf("%d states", n)
	}
	first, _ := s.Overview(context.Background(), dateOfWeek(0))
	s.memory.briefs.bytes = mostBriefs + 1
	mustAdd(t, s, publication(t, "2026-10-01", weeks[0][0].line()), Options{Force: true})
	o, err := s.Overview(context.Background(), "2026-10-01")
	if again, _ := s.Overview(context.Background(), "2026-10-01"); err != nil || o != again || s.memory.overviews.lru.Len() != 1 {
		t.Errorf("%d overviews are kept: %v", s.memory.overviews.lru.Len(), err)
	}
	again, err := s.Overview(context.Background(), dateOfWeek(0))
	if err != nil {
		t.Fatal(err)
	}
	old, total := first.In(boxes[0], 0, 100)
	if now, n := again.In(boxes[0], 0, 100); again == first || n != total || fmt.Sprint(now) != fmt.Sprint(old) {
		t.Errorf("%v, %v", now, old)
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

// briefsOf are the supports of a week in a box, by number.
func briefsOf(week []planted, box geo.Box) (list []string) {
	for support := 1; support < 20; support++ {
		at, ok := position(support)
		operators, systems, statuses := map[string]bool{}, map[string]bool{}, map[string]bool{}
		for _, r := range on(week, support) {
			operators[r.operator], systems[r.system], statuses[r.status] = true, true, true
		}
		in := at.Lat >= box.South && at.Lat <= box.North && (at.Lng >= box.West && at.Lng <= box.East || box.West > box.East && (at.Lng >= box.West || at.Lng <= box.East))
		if ok && in && len(operators) > 0 {
			list = append(list, fmt.Sprintf("%d %v %s %q %q %q", support, at, insees(support), slices.Sorted(maps.Keys(operators)), slices.Sorted(maps.Keys(systems)), slices.Sorted(maps.Keys(statuses))))
		}
	}
	return list
}

// A row that a file repeats is no difference as long as one of them is there; a key of
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
		{"2026-08-06", "2026-08-20", "SFR|LTE 800|0032700001 Changed: emr_dt; SFR|LTE 800|0032700001 Changed: only before " + one.line()},
		{"2026-08-06", "2026-08-06", ""},
	} {
		c, err := s.CompareSite("10", tt.from, tt.to)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(toldOf(c.Differences), "; "); got != tt.want {
			t.Errorf("%s to %s: %s\nwant %s", tt.from, tt.to, got, tt.want)
		}
	}
	if site, err := s.SiteAt("10", "2026-08-06"); err != nil || len(site.Records) != 2 {
		t.Errorf("%+v, %v", site, err)
	}
}

// What is kept is made once for all who ask at once, an error not at all, and what was
// not asked for longest goes first.
func TestKept(t *testing.T) {
	k := kept[int]{most: 100}
	calls := 0
	var asking sync.WaitGroup
	for range 20 {
		asking.Go(func() {
			if v, err := k.get(context.Background(), 1, func() (int, int, error) { calls++; return 7, 40, nil }); v != 7 || err != nil {
				t.Error(v, err)
			}
		})
	}
	asking.Wait()
	put := func(name uint64, size int) (made bool) {
		k.get(context.Background(), name, func() (int, int, error) { made = true; return 0, size, nil })
		return made
	}
	if calls != 1 || !put(2, 40) || put(1, 0) || !put(3, 40) || put(1, 0) || !put(2, 40) || k.bytes > 100 {
		t.Errorf("%d calls, %d bytes", calls, k.bytes)
	}
	failed := errors.New("failed")
	for range 2 {
		if _, err := k.get(context.Background(), 9, func() (int, int, error) { return 0, 50, failed }); err != failed {
			t.Error(err)
		}
	}
	if !put(9, 500) || k.lru.Len() != 1 || k.bytes != 500 || !put(1, 10) || k.bytes != 10 {
		t.Errorf("%d values of %d bytes", k.lru.Len(), k.bytes)
	}
	ended, end := context.WithCancel(context.Background())
	end()
	entered, leave := make(chan bool), make(chan bool)
	go k.get(context.Background(), 10, func() (int, int, error) { entered <- true; <-leave; return 0, 0, nil })
	<-entered
	if _, err := k.get(ended, 10, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	close(leave)
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
	site, err := s.SiteAt("10", "2026-08-13")
	if err != nil || len(site.Records) != 2 && !(len(site.Records) == 1 && site.Records[0].Kind == Activated) {
		t.Errorf("%+v, %v", site, err)
	}
	c, err := s.CompareSite("10", "2026-08-06", "2026-08-13")
	if err != nil || len(c.Differences) != 1 || c.Differences[0].Kind != Activated && c.Differences[0].Kind != Added {
		t.Errorf("%+v, %v", c, err)
	}
	if versions, err := s.History("10"); err != nil || len(versions) != 2 {
		t.Errorf("%+v, %v", versions, err)
	}
	o, err := s.Overview(context.Background(), "2026-08-13")
	if errors.Is(err, ErrReplaced) { // three times on end
		return
	}
	if err != nil {
		t.Error(err)
		return
	}
	box := geo.Box{South: -90, West: -180, North: 90, East: 180}
	page, _ := o.In(box, 0, 2)
	if got := fmt.Sprintf("%q %q", page[0].Systems, page[0].Statuses); got != `["GSM 900" "LTE 800"] ["Projet approuvé"]` && got != `["LTE 800"] ["En service"]` {
		t.Error(got)
	}
}
