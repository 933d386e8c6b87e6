package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// A publication is the rows of an observatoire by their columns.
type publication struct {
	date string
	rows []map[string]string
}

var observatoryColumns = strings.Split("id;adm_lb_nom;sup_id;emr_lb_systeme;emr_dt;sta_nm_dpt;code_insee;generation;date_maj;sta_nm_anfr;nat_id;sup_nm_haut;tpo_id;"+
	"adr_lb_lieu;adr_lb_add1;adr_lb_add2;adr_lb_add3;adr_nm_cp;com_cd_insee;coordonnees;coord;statut", ";")

// text is the publication as the ANFR writes it, with more columns behind its own.
func (p *publication) text(more ...string) string {
	columns := slices.Concat(observatoryColumns, more)
	text := "\ufeff" + strings.Join(columns, ";") + "\n"
	for i, row := range p.rows {
		for at, c := range columns {
			value := row[c]
			switch c {
			case "id":
				value = fmt.Sprint(i + 1)
			case "date_maj":
				value = p.date + "T00:00:00"
			}
			if strings.ContainsAny(value, `,;"`) {
				value = `"` + strings.ReplaceAll(value, `"`, `""`) + `"`
			}
			if at > 0 {
				text += ";"
			}
			text += value
		}
		text += "\n"
	}
	return text
}

// writeFile writes a file of its own folder.
func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// write writes the publication.
func (p *publication) write(t *testing.T) string {
	t.Helper()
	return writeFile(t, "observatoire.csv", p.text())
}

const project = "Projet approuvé"

// newSupport makes a support with some of an operator's emissions.
func newSupport(r *rand.Rand, id int) (rows []map[string]string) {
	where := fmt.Sprintf("%d.%06d , %d.25", 43+id%5, id, id%7)
	for i := range 1 + r.IntN(4) {
		rows = append(rows, map[string]string{
			"adm_lb_nom": []string{"ORANGE", "SFR", "BOUYGUES TELECOM", "FREE MOBILE", "UTS Caraibes"}[r.IntN(5)], "sup_id": fmt.Sprint(id),
			"emr_lb_systeme": []string{"LTE 800", "5G NR 3500", "UMTS 900", "GSM 900"}[i], "emr_dt": []string{"", "2021-03-04"}[r.IntN(2)],
			"sta_nm_dpt": []string{"001", "02A", "974"}[id%3], "code_insee": []string{"01004", "2A004", "97411"}[id%3], "generation": []string{"4G", "5G", "3G", "2G"}[i],
			"sta_nm_anfr": fmt.Sprintf("%03d227%04d", id%95, id), "nat_id": "11", "sup_nm_haut": []string{"27,2", "30"}[r.IntN(2)], "tpo_id": "7",
			"adr_lb_lieu": "Le Gué d'Œuf", "adr_lb_add1": `3 rue "des Prés"`, "adr_nm_cp": "01500", "com_cd_insee": "01004",
			"coordonnees": where, "coord": `46°10'39''N 4°18'2''E`, "statut": []string{"En service", "Techniquement opérationnel", project}[r.IntN(3)],
		})
	}
	return rows
}

// next is what a week may do to a publication: each of the changes that the API tells
// apart, and those that it does not tell.
func (p *publication) next(r *rand.Rand, date string, newest int) *publication {
	n := &publication{date: date}
	for _, old := range p.rows {
		row := maps.Clone(old)
		switch r.IntN(30) {
		case 0: // gone
			continue
		case 1: // another row of the support
			added := maps.Clone(row)
			added["emr_lb_systeme"], added["statut"] = "LTE 7"+date[8:], project
			n.rows = append(n.rows, added)
		case 2: // not told: neither its height nor its address are
			row["sup_nm_haut"], row["adr_lb_add3"] = "31,5", date
		case 3: // not told: the same row on another support
			row["sup_id"] = fmt.Sprint(newest + 5000)
		case 4: // another operator's: gone, and added
			row["adm_lb_nom"] = "Nouveau " + date
		case 5:
			row["statut"] = project
		}
		if row["statut"] == project && r.IntN(4) == 0 {
			row["statut"] = "En service"
		}
		n.rows = append(n.rows, row)
	}
	for i := range 4 {
		n.rows = append(n.rows, newSupport(r, newest+i)...)
	}
	return n
}

// publications are of four weeks, the last one not yet added.
func publications() (list []*publication) {
	r := rand.New(rand.NewPCG(26, 8))
	p := &publication{date: "2026-07-30"}
	for id := range 120 {
		p.rows = append(p.rows, newSupport(r, 1000+id)...)
	}
	list = append(list, p)
	for i, date := range []string{"2026-08-06", "2026-08-13", "2026-08-20"} {
		p = p.next(r, date, 2000+1000*i)
		list = append(list, p)
	}
	return list
}

func keyOf(row map[string]string) [3]string {
	return [3]string{row["sta_nm_anfr"], row["adm_lb_nom"], row["emr_lb_systeme"]}
}

func (p *publication) byKey() map[[3]string]map[string]string {
	m := map[[3]string]map[string]string{}
	for _, row := range p.rows {
		m[keyOf(row)] = row
	}
	return m
}

// record is a row as the API shows it.
func (p *publication) record(at int, kind string) object {
	o := object{"city": ""}
	for _, c := range observatoryColumns {
		o[c] = p.rows[at][c]
	}
	o["id"], o["date_maj"] = fmt.Sprint(at+1), p.date
	lat, lon, _ := strings.Cut(p.rows[at]["coordonnees"], ",")
	o["lat"], o["lon"] = strings.TrimSpace(lat), strings.TrimSpace(lon)
	if kind != "" {
		o["type"] = kind
	}
	return o
}

// changed are the differences of two sets of rows by key, and what each is called.
// before nil: all rows are new.
func (p *publication) changed(before *publication) (records []object, kinds map[[3]string]string) {
	kinds = map[[3]string]string{}
	old, supports, now := map[[3]string]map[string]string{}, map[string]bool{}, p.byKey()
	if before != nil {
		old = before.byKey()
		for i, row := range before.rows {
			supports[row["sup_id"]] = true
			if now[keyOf(row)] == nil {
				records = append(records, before.record(i, "deleted"))
			}
		}
	}
	for i, row := range p.rows {
		kind := ""
		was := old[keyOf(row)]
		switch {
		case was == nil && supports[row["sup_id"]]:
			kind = "added"
		case was == nil:
			kind = "new"
		case was["statut"] == project && row["statut"] != project:
			kind = "activated"
		}
		if kind != "" {
			kinds[keyOf(row)] = kind
			records = append(records, p.record(i, kind))
		}
	}
	return records, kinds
}

// counted is how many records there are of each type.
func counted(records []object) map[string]int {
	n := map[string]int{"new": 0, "added": 0, "activated": 0, "deleted": 0}
	for _, r := range records {
		n[r["type"].(string)]++
	}
	return n
}

// bySupport lists records as texts, those of each support in order.
func bySupport(records []object) map[string][]string {
	m := map[string][]string{}
	for _, r := range records {
		text, _ := json.Marshal(r) // of texts
		id := r["sup_id"].(string)
		m[id] = append(m[id], string(text))
	}
	for _, texts := range m {
		slices.Sort(texts)
	}
	return m
}

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

// shownRecords are the records of an answer, of which every value is a text and every
// site is under its own number.
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

// command runs a command that must succeed, and reads what it prints into v.
func command(t *testing.T, v any, args ...string) {
	t.Helper()
	out, errs, code := relais(t, append(args, "--json")...)
	if code != 0 {
		t.Fatalf("relais %q: exit %d %s", args, code, errs)
	}
	if err := json.Unmarshal([]byte(out), v); err != nil {
		t.Fatalf("relais %q: %v: %s", args, err, out)
	}
}

// fails runs a command that must fail with this exit code and say why.
func fails(t *testing.T, code int, why string, args ...string) {
	t.Helper()
	if out, errs, got := relais(t, args...); got != code || !strings.Contains(errs, why) {
		t.Errorf("relais %q: exit %d %s%s, want %d and %q", args, got, out, errs, code, why)
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
		if len(r.Added) != 1 || a.Date != p.date || a.File.Rows != len(p.rows) || a.File.Served != len(p.rows) || !maps.Equal(a.Changes, counted(want)) || a.Replaced != (len(flags) > 0) {
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
		if o := s.ask("/anfr/archives"); fmt.Sprint(o["data"]) != "[2026-08-20 2026-08-13 2026-08-06 2026-07-30]" || o["meta"].(object)["current"] != "2026-08-20" {
			t.Errorf("%v", o)
		}
	}
	checkAll()
	wrongDates(t, s)

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
	if r := check(t, dir); !r.OK {
		t.Errorf("%+v", r.problems())
	}
}

// wrongDates asks for dates that are none, or of which there is no archive.
func wrongDates(t *testing.T, s *server) {
	t.Helper()
	for path, want := range map[string]string{
		"2026-02-30": "400 INVALID_DATE", "26-1-1": "400 INVALID_DATE", "2026-13-01": "400 INVALID_DATE", "2026-8-6": "400 INVALID_DATE", "06-08-2026": "400 INVALID_DATE",
		"20260806": "400 INVALID_DATE", "2026-08-06T00:00:00": "400 INVALID_DATE", "2026-08-06%20": "400 INVALID_DATE", "%EF%BC%92026-08-06": "400 INVALID_DATE", "-026-08-06": "400 INVALID_DATE",
		"2026-08-07": "404 ARCHIVE_NOT_FOUND", "0001-01-01": "404 ARCHIVE_NOT_FOUND", "9999-12-31": "404 ARCHIVE_NOT_FOUND", "2026-08-06/": "404 NOT_FOUND",
		"2026-08-06?view=all": "400 INVALID_PARAMETER", "2026-08-06?view=full&view=full": "400 INVALID_PARAMETER",
	} {
		if code, o := s.get("/external/v1/anfr/archive/" + path); fmt.Sprint(code, " ", o["code"]) != want {
			t.Errorf("%s: %d %v, want %s", path, code, o["error"], want)
		}
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
		{"date_maj", dated("2026-02-30"), nil, 1}, {"date_maj", dated("26-1-1"), nil, 1}, {"date_maj", dated("2026-13-01"), nil, 1},
		{"2026-02-30", later, []string{"--date", "2026-02-30"}, 2}, {"26-1-1", later, []string{"--date", "26-1-1"}, 2}, {"2026-13-01", later, []string{"--date", "2026-13-01"}, 2},
		{"2026-08-20", later, []string{"--date", "2026-08-20"}, 1},
		{"no observatoire", "<html><body>Sign in</body></html>\n", nil, 1}, {"observatoire.csv", "", nil, 1}, {"observatoire.csv", later[:strings.Index(later, "\n")+1], nil, 1},
	} {
		fails(t, tt.code, tt.why, append([]string{"archive", "add", "--data", dir, writeFile(t, "observatoire.csv", tt.text)}, tt.flags...)...)
	}
}
