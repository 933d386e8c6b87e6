package e2e

import (
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// checkArchive compares both views of a date with the file and the differences.
func checkArchive(t *testing.T, s *server, p, before *publication) {
	t.Helper()
	want, kinds := p.changed(before)
	answer := s.ask("/anfr/archive/" + p.date)
	if got := bySupport(shownRecords(t, answer)); !reflect.DeepEqual(got, bySupport(want)) {
		t.Errorf("%s: changes %v, want %v", p.date, counted(shownRecords(t, answer)), counted(want))
	}
	meta := answer["meta"].(object)
	previous := any(nil)
	if before != nil {
		previous = before.date
	}
	if meta["date"] != p.date || meta["view"] != "changes" || meta["previous"] != previous {
		t.Errorf("%s: %v", p.date, meta)
	}
	want = nil
	for i, row := range p.rows {
		want = append(want, p.record(i, kinds[keyOf(row)]))
	}
	answer = s.ask("/anfr/archive/" + p.date + "?view=full")
	if got := bySupport(shownRecords(t, answer)); !reflect.DeepEqual(got, bySupport(want)) {
		t.Errorf("%s: the full view has %d supports, the file %d", p.date, len(got), len(bySupport(want)))
	}
}

// shownRecords returns the records of an answer. Every value must be a text and every
// site under its own number.
func shownRecords(t *testing.T, answer object) (list []object) {
	t.Helper()
	for id, site := range answer["data"].(object) {
		info := site.(object)["info"].(object)
		first := true
		for _, a := range site.(object)["antennas"].([]any) {
			r := a.(object)
			for name, value := range r {
				if _, ok := value.(string); !ok {
					t.Errorf("%s of %s is %v", name, id, value)
				}
			}
			if r["type"] != "deleted" && first {
				first = false
				for _, name := range []string{"coordonnees", "lat", "lon", "city"} {
					if info[name] != r[name] {
						t.Errorf("info of %s: %v, its first row %v", id, info, r)
					}
				}
			}
			if r["sup_id"] != id || info["sup_id"] != id {
				t.Errorf("under %s: %v, %v", id, info, r)
			}
			list = append(list, r)
		}
	}
	return list
}

// An addedArchive is a part of what relais archive add --json prints.
type addedArchive struct {
	Added []struct {
		Date, Before string
		Changes      map[string]int
		Replaced     bool
		File         struct {
			Rows, Served int
			Rejected     map[string]int
		}
	}
}

func TestArchives(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	letIn(t, dir)
	weeks := publications()
	s := serve(t, nil, "serve", "--data", dir)
	if o := s.ask("/anfr/archives"); len(o["data"].([]any)) != 0 || o["meta"].(object)["current"] != nil {
		t.Errorf("a folder without archives: %v", o)
	}
	add := func(p, before *publication, flags ...string) {
		t.Helper()
		var r addedArchive
		command(t, &r, append([]string{"archive", "add", "--data", dir, p.write(t)}, flags...)...)
		want, _ := p.changed(before)
		a := r.Added[0]
		if len(r.Added) != 1 || a.Date != p.date || a.File.Rows != len(p.rows) || a.File.Served != len(p.rows) ||
			!maps.Equal(a.Changes, counted(want)) || a.Replaced != (len(flags) > 0) {
			t.Errorf("%+v, want %d rows, %v", r, len(p.rows), counted(want))
		}
	}
	add(weeks[1], nil)
	tag := s.tag("/anfr/archive/" + weeks[1].date)
	add(weeks[3], weeks[1]) // while it is served
	if got := s.status("/anfr/archive/"+weeks[1].date, tag); got != 200 && got != 304 {
		t.Errorf("the answer that there was: %d", got)
	}
	if s.stop() != 0 {
		t.Error("the server did not end well")
	}
	add(weeks[0], nil) // older than the newest, and while nobody serves
	add(weeks[2], weeks[1])

	s = serve(t, nil, "serve", "--data", dir)
	checkAll := func() {
		t.Helper()
		var before *publication
		for _, p := range weeks {
			checkArchive(t, s, p, before)
			before = p
		}
		if o := s.ask("/anfr/archives"); fmt.Sprint(o["data"]) != "[2026-08-20 2026-08-13 2026-08-06 2026-07-30]" ||
			o["meta"].(object)["current"] != "2026-08-20" {
			t.Errorf("wrong answer %v", o)
		}
	}
	checkAll()

	// The same date again, from a file that says something else.
	other := &publication{date: weeks[2].date, rows: weeks[2].rows[2:]}
	tag = s.tag("/anfr/archive/" + weeks[3].date)
	fails(t, 1, "2026-08-13", "archive", "add", "--data", dir, other.write(t))
	checkAll()
	weeks[2] = other
	add(other, weeks[1], "--force")
	checkAll()
	if got := s.status("/anfr/archive/"+weeks[3].date, tag); got != 200 {
		t.Errorf("an answer that another archive changed: %d", got)
	}
	wrongArchives(t, dir, weeks[3])
	checkAll()
	s.stop() // counts of requests are written while it runs
	if r := check(t, dir); !r.OK {
		t.Errorf("check found problems: %+v", r.problems())
	}
}

// wrongArchives adds what must be refused.
func wrongArchives(t *testing.T, dir string, newest *publication) {
	t.Helper()
	dated := func(date string) string { return (&publication{date, newest.rows}).text() }
	later := dated("2026-08-27")
	row := strings.LastIndex(later[:len(later)*2/3], "\n") + 1
	for _, tt := range []struct {
		why   string
		text  string
		flags []string
		code  int
	}{
		{"2026-08-20 before it 130", later[:row], nil, 1}, {"2026-08-20 before it 130", later[:row-4], nil, 1},
		{"inside a quoted field", later[:row+strings.Index(later[row:], `"des`)+3], nil, 1},
		{"future", dated("2126-08-27"), nil, 1},
		{"date_maj", dated("2026-02-30"), nil, 1}, {"date_maj", dated("26-1-1"), nil, 1},
		{"date_maj", dated("2026-13-01"), nil, 1},
		{"2026-02-30", later, []string{"--date", "2026-02-30"}, 2}, {"26-1-1", later, []string{"--date", "26-1-1"}, 2},
		{"2026-13-01", later, []string{"--date", "2026-13-01"}, 2},
		{"2026-08-20", later, []string{"--date", "2026-08-20"}, 1},
		{"not an observatoire", "<html><body>Sign in</body></html>\n", nil, 1}, {"observatoire.csv", "", nil, 1},
		{"observatoire.csv", later[:strings.Index(later, "\n")+1], nil, 1},
	} {
		fails(t, tt.code, tt.why,
			append([]string{"archive", "add", "--data", dir, writeFile(t, "observatoire.csv", tt.text)},
				tt.flags...)...)
	}
}
