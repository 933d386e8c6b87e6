package archive

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"relais/geo"
	"relais/ingest/anfr/column"
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
			operator: []string{"ORANGE", "SFR"}[rng.IntN(2)],
			system:   []string{"LTE 800", "GSM 900", "5G NR 3500"}[rng.IntN(3)],
			station:  fmt.Sprintf("00322900%02d", rng.IntN(20)),
			status:   []string{"Projet approuvé", "En service"}[rng.IntN(2)],
			date:     "2020-01-01", address: "rue", support: 1 + rng.IntN(19),
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

// rowsOf returns the rows of a support by key, all of those of support 0.
func rowsOf(week []planted, support int) map[string]planted {
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
	was, is := rowsOf(weeks[i], support), rowsOf(weeks[j], support)
	list := []string{}
	for k, r := range was {
		now, ok := is[k]
		switch {
		case !ok && wentElsewhere(weeks, support, k, i, j):
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
	for name, differs := range map[string]bool{"statut": a.status != b.status, "emr_dt": a.date != b.date,
		"adr_lb_add1": a.address != b.address} {
		if differs {
			names = append(names, name)
		}
	}
	return sortedJoin(names)
}

// wentElsewhere reports whether a key moved to another support when it last left this one.
func wentElsewhere(weeks [][]planted, support int, key string, i, j int) (elsewhere bool) {
	for v := i + 1; v <= j; v++ {
		_, had := rowsOf(weeks[v-1], support)[key]
		if _, has := rowsOf(weeks[v], support)[key]; had && !has {
			_, elsewhere = rowsOf(weeks[v], 0)[key]
		}
	}
	return elsewhere
}

// came tells how a key came to the support that had it not.
func came(weeks [][]planted, support int, key string, i, j int) (kind string) {
	for v := i + 1; v <= j; v++ {
		was, known := rowsOf(weeks[v-1], 0)[key]
		now, has := rowsOf(weeks[v], support)[key]
		switch _, had := rowsOf(weeks[v-1], support)[key]; {
		case !has:
		case had && kind == "Changed" && was.planned() && !now.planned():
			kind = "Activated"
		case had:
		case !known && len(rowsOf(weeks[i], support)) > 0:
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

var kindNames = map[Kind]string{New: "New", Added: "Added", Activated: "Activated", Deleted: "Deleted",
	Changed: "Changed"}

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
				names = append(names, column.Names[c])
			}
			text = sortedJoin(names)
		}
		out = append(out, fmt.Sprintf("%s|%s|%s %s: %s", r.Values[1], r.Values[3], r.Values[9], kindNames[d.Kind],
			text))
	}
	slices.Sort(out)
	return out
}

// lineOf writes a record as planted.line does.
func lineOf(r *Record) string {
	v := r.Values
	return fmt.Sprintf("%s;%s;%s;%s;%s;%s;%s;%%s;%s;%s;\"%s\";%s;%s;%s;%s;%s;%s;%s;\"%s\";%s;%s",
		v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[9], v[10], v[11], v[12], v[13], v[14], v[15], v[16], v[17], v[18],
		v[19], v[20], v[21])
}

// briefsOf are the supports of a week in a box, by number.
func briefsOf(week []planted, box geo.Box) (list []string) {
	for support := 1; support < 20; support++ {
		at, ok := position(support)
		operators, systems, statuses := map[string]bool{}, map[string]bool{}, map[string]bool{}
		for _, r := range rowsOf(week, support) {
			operators[r.operator], systems[r.system], statuses[r.status] = true, true, true
		}
		in := at.Lat >= box.South && at.Lat <= box.North &&
			(at.Lng >= box.West && at.Lng <= box.East ||
				box.West > box.East && (at.Lng >= box.West || at.Lng <= box.East))
		if ok && in && len(operators) > 0 {
			list = append(list,
				fmt.Sprintf("%d %v %s %q %q %q", support, at, insees(support), slices.Sorted(maps.Keys(operators)),
					slices.Sorted(maps.Keys(systems)), slices.Sorted(maps.Keys(statuses))))
		}
	}
	return list
}
