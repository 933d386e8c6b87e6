package history

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"relais/geo"
	"relais/internal/errtest"
	"relais/internal/store/storetest"
	"relais/market"
	"relais/site"
)

// said is what a test compares of an outage.
func said(operator, code string, first, last site.Date, days int, gaps []Span, services []string, reasons []string, before,
	after bool) string {
	return fmt.Sprint(operator, " ", code, " ", first, " to ", last, " on ", days, " but ", gaps, " ", services, " ", reasons, " ",
		before, " ", after)
}

// A plain is the answer to a query by brute force over the rows of the files.
type plain struct {
	outages []string
	tallies map[string]string
}

// bruteForce looks at each day of each site.
func bruteForce(lists map[site.Date][]feature, q Query) plain {
	type key struct{ operator, station string }
	seen := map[key]map[site.Date]feature{}
	read := map[string]map[site.Date]bool{}
	for day, rows := range lists {
		for _, f := range rows {
			k := key{names[f.operator], f.station}
			if read[k.operator] == nil {
				read[k.operator] = map[site.Date]bool{}
			}
			read[k.operator][day] = true
			if q.Operators != nil && !slices.Contains(q.Operators, k.operator) ||
				q.Areas != nil && !slices.Contains(q.Areas, f.department) ||
				q.Box != nil && (!f.placed || !q.Box.Contains(geo.Point{Lat: f.lat, Lng: f.lng})) {
				continue
			}
			if seen[k] == nil {
				seen[k] = map[site.Date]feature{}
			}
			seen[k][day] = f
		}
	}
	paris, _ := time.LoadLocation("Europe/Paris")
	p := plain{tallies: map[string]string{}}
	siteDays, withOutage := map[string]int{}, map[string]map[site.Date]bool{}
	for k, days := range seen {
		var run []site.Date
		flush := func() {
			var in []site.Date
			var services, reasons []string
			for _, d := range run {
				if d >= q.From && d <= q.To {
					in = append(in, d)
					services = append(services, days[d].down...)
					if !slices.Contains(reasons, days[d].reason) {
						reasons = append(reasons, days[d].reason)
					}
				}
			}
			if len(in) > 0 {
				var gaps []Span
				for i := 1; i < len(in); i++ {
					if in[i] > in[i-1]+1 {
						gaps = append(gaps, Span{in[i-1] + 1, in[i] - 1})
					}
				}
				slices.Sort(services)
				p.outages = append(p.outages, said(k.operator, k.station, in[0], in[len(in)-1], len(in), gaps,
					slices.Compact(services), reasons, run[0] < in[0], run[len(run)-1] > in[len(in)-1]))
			}
			run = nil
		}
		for day := site.DateOf(2025, 1, 1); day < site.DateOf(2027, 1, 1); day++ {
			f, out := days[day]
			switch {
			case !read[k.operator][day]:
				continue
			case out && len(run) > 0 && run[len(run)-1] != day-1:
				start, err := time.ParseInLocation("2006-01-02 15:04:05", f.start, paris)
				if err != nil || !start.Before(time.Date(1, 1, int(run[len(run)-1])+1, 0, 0, 0, 0, paris)) {
					flush()
				}
			case !out:
				flush()
			}
			if !out {
				continue
			}
			if run = append(run, day); day >= q.From && day <= q.To {
				if withOutage[k.operator] == nil {
					withOutage[k.operator] = map[site.Date]bool{}
				}
				withOutage[k.operator][day] = true
				siteDays[k.operator]++
			}
		}
		flush()
	}
	for operator, days := range read {
		n := 0
		for day := range days {
			if day >= q.From && day <= q.To {
				n++
			}
		}
		if q.Operators == nil || slices.Contains(q.Operators, operator) {
			p.tallies[operator] = fmt.Sprint(n, " read, ", len(withOutage[operator]), " with, ", siteDays[operator])
		}
	}
	slices.Sort(p.outages)
	return p
}

// answer returns what the store finds, in the same form.
func answer(t *testing.T, s *Store, q Query) plain {
	t.Helper()
	q.Limit = 1 << 20
	found, err := s.Find(context.Background(), q)
	errtest.Must(t, err)
	p := plain{tallies: map[string]string{}}
	for _, e := range found.Episodes {
		var services []string
		for name, status := range map[string]any{"voix4g": e.Services.Voice4G, "data5g": e.Services.Data5G,
			"voix2g": e.Services.Voice2G, "data2g": e.Services.Data2G} {
			if fmt.Sprint(status) == "HS" {
				services = append(services, name)
			}
		}
		slices.Sort(services)
		p.outages = append(p.outages, said(e.Operator, e.Code, e.First, e.Last, e.Days, e.Gaps, services, e.Reasons, e.Before, e.After))
	}
	if !slices.IsSortedFunc(found.Episodes, func(a, b Episode) int { return cmp.Compare(b.Last, a.Last) }) {
		t.Error("what was seen last does not come first")
	}
	for _, tally := range found.Tallies {
		p.tallies[tally.Operator] = fmt.Sprint(tally.Read, " read, ", tally.Days, " with, ", tally.SiteDays)
		read := tally.Read
		for _, gap := range tally.Gaps {
			read += int(gap.Last-gap.First) + 1
		}
		if read != int(q.To-q.From)+1 {
			t.Errorf("%s: days read and gaps are %d days of %d", tally.Operator, read, q.To-q.From+1)
		}
	}
	slices.Sort(p.outages)
	return p
}

// Days in any order, some of them missing and some read twice with other rows, are answered as by a look at each row
// of the files.
func TestFind(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	first := site.DateOf(2025, 12, 20)
	lists := randomDays(rng, first, 75, 60)
	for day := range lists {
		if rng.IntN(5) == 0 {
			delete(lists, day) // a gap
		}
		if rng.IntN(9) == 0 { // of one operator the list says nothing
			lists[day] = slices.DeleteFunc(lists[day], func(f feature) bool { return f.operator == "SFR" })
		}
	}
	s := Open(storetest.New(t, Buckets...))
	var days []site.Date
	for day := range lists {
		if len(lists[day]) == 0 {
			delete(lists, day)
			continue
		}
		days = append(days, day)
	}
	rng.Shuffle(len(days), func(i, j int) { days[i], days[j] = days[j], days[i] })
	for _, day := range days {
		if rng.IntN(4) == 0 { // first with the rows of another day
			_, err := s.Add(DayList{Day: day, List: listOf(t, lists[days[rng.IntN(len(days))]])})
			errtest.Must(t, err)
		}
		_, err := s.Add(DayList{Day: day, Force: true, List: listOf(t, lists[day])})
		errtest.Must(t, err)
	}
	box := &geo.Box{South: 48.10105, North: 48.10505, West: -2, East: -1}
	for range 60 {
		q := Query{Market: market.FR, From: first - 3 + site.Date(rng.IntN(60))}
		q.To = q.From + site.Date(rng.IntN(40))
		if rng.IntN(2) == 0 {
			q.Operators = []string{"ORANGE", "SFR"}[:1+rng.IntN(2)]
		}
		switch rng.IntN(3) {
		case 0:
			q.Areas = []string{"35"}
		case 1:
			q.Box = box
		}
		got, want := answer(t, s, q), bruteForce(lists, q)
		if !slices.Equal(got.outages, want.outages) || fmt.Sprint(got.tallies) != fmt.Sprint(want.tallies) {
			t.Fatalf("%v to %v, %v, %v, %v: got\n%s\n%v, want\n%s\n%v", q.From, q.To, q.Operators, q.Areas, q.Box,
				strings.Join(got.outages, "\n"), got.tallies, strings.Join(want.outages, "\n"), want.tallies)
		}
	}
}

// What Add did is said, and a day that is read again with the same rows changes nothing.
func TestAdd(t *testing.T) {
	s := Open(storetest.New(t, Buckets...))
	f := feature{operator: "Orange", station: "35000001", reason: "INT", department: "35", lat: 48.1, lng: -1.6, placed: true}
	g := f
	g.operator = "SFR"
	day := site.DateOf(2026, 11, 26)
	for i, tt := range []struct {
		rows []feature
		want Added
	}{
		{[]feature{f, g}, Added{}}, {[]feature{g, f}, Added{Unchanged: true}}, {[]feature{f}, Added{Replaced: true}},
		{[]feature{f}, Added{Unchanged: true}},
	} {
		got, err := s.Add(DayList{Day: day, List: listOf(t, tt.rows)})
		if err != nil || !slices.Equal(got, []Added{tt.want}) {
			t.Errorf("%d: got %+v, %v, want %+v", i, got, err, tt.want)
		}
	}
	found, err := s.Find(context.Background(), Query{Market: market.FR, From: day, To: day, Limit: 9})
	if err != nil || found.Total != 1 || found.Episodes[0].Code != "0035000001" || len(found.Tallies) != 1 ||
		found.Tallies[0].Operator != "ORANGE" {
		t.Errorf("got %+v, %v, want the one of ORANGE, and SFR as if it was never read", found, err)
	}
	if days, rows, err := Check(s.db); days != 1 || rows != 1 || err != nil {
		t.Errorf("Check: got %d, %d, %v, want 1 day and 1 row", days, rows, err)
	}
}

// A list that may be cut does not replace its day, and does not stop the other lists.
func TestAddFewer(t *testing.T) {
	s := Open(storetest.New(t, Buckets...))
	day := site.DateOf(2026, 11, 26)
	var rows []feature
	for i := range 400 {
		rows = append(rows, feature{operator: "Orange", station: fmt.Sprint(35000001 + i), reason: "INT", department: "35"})
	}
	for _, tt := range []struct {
		name                    string
		rows                    int
		force, synthetic, fewer bool
		want                    int // sites of the day afterwards
	}{
		{"a demonstration", 400, false, true, false, 400},
		{"published, and smaller", 300, false, false, false, 300},
		{"larger", 400, false, false, false, 400},
		{"95 %", 380, false, false, false, 380},
		{"94 %", 357, false, false, true, 380},
		{"cut", 20, false, false, true, 380},
		{"cut, with force", 20, true, false, false, 20},
		{"ten fewer", 10, false, false, false, 10},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := listOf(t, rows[:tt.rows])
			l.Synthetic = tt.synthetic
			got, err := s.Add(DayList{Day: day, Force: tt.force, List: l}, DayList{Day: day + 1, Force: true, List: l})
			errtest.Must(t, err)
			if (got[0].Fewer != "") != tt.fewer || got[1].Fewer != "" || tt.fewer && !strings.Contains(got[0].Fewer, "--force") {
				t.Errorf("got %+v, want one that is refused: %v", got, tt.fewer)
			}
			for at, want := range map[site.Date]int{day: tt.want, day + 1: tt.rows} {
				found, err := s.Find(context.Background(), Query{Market: market.FR, From: at, To: at, Limit: 1})
				if err != nil || found.Total != want {
					t.Errorf("%v: %d sites, %v, want %d", at, found.Total, err, want)
				}
			}
		})
	}
}

// A month that is damaged is an error, never a month without outages.
func TestDamaged(t *testing.T) {
	db := storetest.New(t, Buckets...)
	s, day := Open(db), site.DateOf(2026, 11, 26)
	_, err := s.Add(DayList{Day: day, List: listOf(t, randomDays(rand.New(rand.NewPCG(1, 1)), day, 5, 20)[day+1])})
	errtest.Must(t, err)
	key := string(keyOf(market.FR, day))
	packed := storetest.Set(t, db, bucket, key, []byte("x"))
	for n := range packed {
		for _, text := range [][]byte{packed[:n], append(slices.Clone(packed[:n]), packed[n]^1)} {
			storetest.Set(t, db, bucket, key, text)
			_, err := s.Find(context.Background(), Query{Market: market.FR, From: day, To: day, Limit: 9})
			_, _, checked := Check(db)
			if err == nil || checked == nil || !strings.Contains(err.Error(), "2026-11") || !strings.Contains(checked.Error(), "2026-11") {
				t.Fatalf("cut or changed at %d of %d: got %v, %v, want an error that names the month", n, len(packed), err, checked)
			}
		}
	}
}
