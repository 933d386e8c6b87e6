package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"relais/archive"
	"relais/endpoint"
	"relais/geo"
	"relais/index"
	"relais/market"
	"relais/ops"
	"relais/site"
	"relais/snapshot"
	"relais/store"
	"relais/view"
)

var archiveColumns = strings.Split("id;adm_lb_nom;sup_id;emr_lb_systeme;emr_dt;sta_nm_dpt;code_insee;generation;date_maj;sta_nm_anfr;nat_id;sup_nm_haut;tpo_id;adr_lb_lieu;adr_lb_add1;adr_lb_add2;adr_lb_add3;adr_nm_cp;com_cd_insee;coordonnees;coord;statut", ";")

// An archiveWeek is the rows of a publication: the columns' texts.
type archiveWeek []map[string]string

var archiveDates = []string{"2026-08-06", "2026-08-13", "2026-08-20", "2026-08-27"}

// archiveRow makes up a row.
func archiveRow(rng *rand.Rand) map[string]string {
	support := 100 + rng.IntN(12)
	return map[string]string{
		"sup_id": fmt.Sprint(support), "adm_lb_nom": []string{"ORANGE", "SFR"}[rng.IntN(2)], "emr_lb_systeme": []string{"LTE 800", "5G NR 3500", "GSM 900"}[rng.IntN(3)],
		"sta_nm_anfr": fmt.Sprintf("0032%03d%03d", support, rng.IntN(3)), "statut": []string{"Projet approuvé", "En service"}[rng.IntN(2)],
		"emr_dt": []string{"", "2020-01-02"}[rng.IntN(2)], "generation": "4G", "sta_nm_dpt": "003", "code_insee": fmt.Sprintf("0325%d", support%3),
		"nat_id": "23", "sup_nm_haut": "27,2", "tpo_id": "72", "adr_lb_add1": "rue", "adr_lb_lieu": "LIEU", "adr_nm_cp": "03110", "com_cd_insee": "03258",
		"coordonnees": fmt.Sprintf("%v , %v", 46+float64(support%4)/100, 3+float64(support/4%3)/100),
	}
}

func archiveKey(r map[string]string) string {
	return r["adm_lb_nom"] + "|" + r["emr_lb_systeme"] + "|" + r["sta_nm_anfr"]
}

// archiveWeeks makes up publications, of which each differs from the one before.
func archiveWeeks() (weeks []archiveWeek) {
	rng := rand.New(rand.NewPCG(7, 7))
	var rows archiveWeek
	for range archiveDates {
		var week archiveWeek
		taken := map[string]bool{}
		for _, r := range rows {
			r = maps.Clone(r)
			switch rng.IntN(8) {
			case 0:
				continue
			case 1:
				r["statut"] = "En service"
			case 2:
				r["emr_dt"], r["adr_lb_add1"] = "2021-03-04", "allée"
			}
			taken[archiveKey(r)] = true
			week = append(week, r)
		}
		for range 30 {
			if r := archiveRow(rng); !taken[archiveKey(r)] {
				taken[archiveKey(r)] = true
				week = append(week, r)
			}
		}
		rows = week
		weeks = append(weeks, week)
	}
	return weeks
}

// newArchiveReading has the weeks, and a register with the sites 100 and 101 of FR and
// 102 of DROM.
func newArchiveReading(t *testing.T, weeks []archiveWeek) *Reading {
	t.Helper()
	db, err := store.Open(filepath.Join(t.TempDir(), "archives.db"), archive.Buckets...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	s := archive.Open(db, func() time.Time { return time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC) })
	for i, week := range weeks {
		var text strings.Builder
		text.WriteString(strings.Join(archiveColumns, ";") + ";userId;email\n")
		for n, r := range week {
			for _, c := range archiveColumns {
				switch c {
				case "id":
					fmt.Fprint(&text, n+1)
				case "date_maj":
					text.WriteString(archiveDates[i])
				default:
					fmt.Fprintf(&text, "%q", r[c])
				}
				text.WriteByte(';')
			}
			text.WriteString("u-4711;someone@example.org\n")
		}
		path := filepath.Join(t.TempDir(), "observatoire.csv")
		if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		files, err := archive.Files([]string{path})
		if err == nil {
			_, err = s.Add(context.Background(), &files[0], archive.Options{Force: true})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	set := index.NewSet([]*index.Market{archiveRegister(t, market.FR, "100", "101"), archiveRegister(t, market.DROM, "102")}, nil)
	return &Reading{Reading: &ops.Reading{Set: set, Archives: s}}
}

func archiveRegister(t *testing.T, code market.Code, ids ...string) *index.Market {
	t.Helper()
	var sites []site.Site
	for _, id := range ids {
		sites = append(sites, site.Site{ID: id, Position: geo.Point{Lat: 46, Lng: 3}, Commune: "VILLE " + id, CommuneCode: "0325" + string(id[2])})
	}
	return register(t, code, sites...)
}

// register is a register of sites with one emission each.
func register(t *testing.T, code market.Code, sites ...site.Site) *index.Market {
	t.Helper()
	b := snapshot.NewBuilder(market.Get(code), []string{"Projet approuvé", "Techniquement opérationnel", "En service"})
	b.SourceDate = "2026-08-27"
	for _, s := range sites {
		s.Height, s.AntennaHeight = site.Unknown, site.Unknown
		s.Stations, s.Emissions = []site.Station{{Code: "0032290011"}}, []site.Emission{{System: "LTE 800", Generation: site.G4}}
		if err := b.Add(&s); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "x.snap")
	if _, err := b.Write(path); err != nil {
		t.Fatal(err)
	}
	snap, err := snapshot.ReadFile(path, code)
	if err != nil {
		t.Fatal(err)
	}
	m, err := index.Load(snap, view.Summaries, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// An archiveAnswer is a tool's answer as an assistant reads it.
type archiveAnswer struct {
	Total      int
	Returned   int
	NextOffset *int
	Current    string
	Oldest     string
	Counts     map[string]int
	Items      []map[string]any
	Place      map[string]any
	SiteKey    *string
	SupID      string
	Before     int `json:"emissionsBefore"`
	After      int `json:"emissionsAfter"`
	Sources    []map[string]any
	Newest     string `json:"newestArchive"`
	Count      int    `json:"publications"`
}

// askArchives calls a tool with a JSON object made of pairs.
func askArchives(t *testing.T, r *Reading, tool *Tool, pairs ...any) (answer archiveAnswer, err error) {
	t.Helper()
	arguments := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		arguments[pairs[i].(string)] = pairs[i+1]
	}
	text, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	bound, err := tool.BindJSON(text)
	if err != nil {
		return answer, err
	}
	result, err := bound.Do(context.Background(), r)
	if err != nil {
		message, cause := ops.Message(err)
		if cause != nil {
			t.Errorf("%s %s: an internal error: %v", tool.Name, text, cause)
		}
		return answer, fmt.Errorf("%s", message)
	}
	if text, err = view.JSON(result); err == nil {
		err = json.Unmarshal(text, &answer)
	}
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "4711") || strings.Contains(string(text), "someone") {
		t.Errorf("%s tells of a person: %s", tool.Name, text)
	}
	if len(answer.Sources) == 0 || answer.Sources[0]["authority"] != "ANFR" {
		t.Errorf("%s: sources %v", tool.Name, answer.Sources)
	}
	return answer, nil
}

func mustAskArchives(t *testing.T, r *Reading, tool *Tool, pairs ...any) archiveAnswer {
	t.Helper()
	answer, err := askArchives(t, r, tool, pairs...)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// pagesOf asks for all pages.
func pagesOf(t *testing.T, r *Reading, tool *Tool, limit int, pairs ...any) (items []map[string]any) {
	t.Helper()
	for offset := 0; ; {
		answer := mustAskArchives(t, r, tool, append([]any{"limit", limit, "offset", offset}, pairs...)...)
		items = append(items, answer.Items...)
		if answer.NextOffset == nil {
			if len(items) != answer.Total {
				t.Fatalf("%s: %d items of %d", tool.Name, len(items), answer.Total)
			}
			return items
		}
		offset = *answer.NextOffset
	}
}

// supportRows are the rows of a support in a week, by key.
func supportRows(week archiveWeek, support string) map[string]map[string]string {
	rows := map[string]map[string]string{}
	for _, r := range week {
		if r["sup_id"] == support {
			rows[archiveKey(r)] = r
		}
	}
	return rows
}

func supportsOf(weeks ...archiveWeek) (list []string) {
	for _, week := range weeks {
		for _, r := range week {
			list = append(list, r["sup_id"])
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func TestArchiveDates(t *testing.T) {
	weeks := archiveWeeks()
	r := newArchiveReading(t, weeks)
	var got []string
	for _, item := range pagesOf(t, r, anfrListArchives, 3) {
		previous, _ := item["previous"].(string)
		got = append(got, fmt.Sprint(item["date"], " ", item["rows"], " ", item["sites"], " ", previous))
	}
	var want []string
	for i, week := range weeks {
		previous := ""
		if i > 0 {
			previous = archiveDates[i-1]
		}
		want = append(want, fmt.Sprint(archiveDates[i], " ", len(week), " ", len(supportsOf(week)), " ", previous))
	}
	slices.Reverse(want)
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if a := mustAskArchives(t, r, anfrListArchives); a.Current != archiveDates[3] || a.Oldest != archiveDates[0] || a.Sources[0]["date"] != archiveDates[3] {
		t.Errorf("%+v", a)
	}
	none := &Reading{Reading: &ops.Reading{Archives: archive.Open(nil, nil)}}
	if a := mustAskArchives(t, none, anfrListArchives); a.Total != 0 || a.Items == nil || a.Current != "" {
		t.Errorf("%+v", a)
	}
}

// Sites of boxes against the rows.
func TestSnapshotSites(t *testing.T) {
	weeks := archiveWeeks()
	r := newArchiveReading(t, weeks)
	rng := rand.New(rand.NewPCG(3, 3))
	for range 40 {
		week := rng.IntN(len(weeks))
		south, west := 45.995+rng.Float64()*0.03, 2.995+rng.Float64()*0.03
		north, east := south+rng.Float64()*0.03, west+rng.Float64()*0.03
		var want []string
		for _, support := range supportsOf(weeks[week]) {
			operators, systems, statuses := map[string]bool{}, map[string]bool{}, map[string]bool{}
			var lat, lon float64
			commune := "<nil>"
			for _, row := range supportRows(weeks[week], support) {
				operators[row["adm_lb_nom"]], systems[row["emr_lb_systeme"]], statuses[row["statut"]] = true, true, true
				fmt.Sscanf(row["coordonnees"], "%g , %g", &lat, &lon)
				commune = map[string]string{"03250": "VILLE 100", "03251": "VILLE 101", "03252": "VILLE 102"}[row["code_insee"]]
			}
			if lat >= south && lat <= north && lon >= west && lon <= east {
				key := map[string]string{"100": "fr-100", "101": "fr-101", "102": "drom-102"}[support]
				if key == "" {
					key = "<nil>"
				}
				want = append(want, fmt.Sprintln(support, key, slices.Sorted(maps.Keys(operators)), slices.Sorted(maps.Keys(systems)), slices.Sorted(maps.Keys(statuses)), commune, lat, lon))
			}
		}
		var got []string
		for _, s := range pagesOf(t, r, anfrListSnapshotSites, 4, "date", archiveDates[week], "south", south, "north", north, "west", west, "east", east) {
			at := s["coordinates"].(map[string]any)
			got = append(got, fmt.Sprintln(s["supId"], s["siteKey"], s["operators"], s["systems"], s["statuses"], s["commune"], at["lat"], at["lng"]))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q\nwant\n%q", got, want)
		}
	}
}

// A site at a date against its rows, and against what the API answers of that date.
func TestSiteSnapshot(t *testing.T) {
	weeks := archiveWeeks()
	r := newArchiveReading(t, weeks)
	for i, date := range archiveDates {
		api := apiArchive(t, r, date, "full")
		for _, support := range supportsOf(weeks...) {
			rows := supportRows(weeks[i], support)
			if len(rows) == 0 {
				_, err := askArchives(t, r, anfrGetSiteSnapshot, "siteId", support, "date", date)
				if err == nil || !strings.Contains(err.Error(), "does not have support "+support) {
					t.Error(err)
				}
				continue
			}
			items := pagesOf(t, r, anfrGetSiteSnapshot, 2, "siteId", support, "date", date)
			var got, want, also []string
			for _, item := range items {
				got = append(got, fmt.Sprint(item["operator"], item["system"], item["station"], item["generation"], item["status"], item["emissionDate"]))
			}
			for _, k := range slices.Sorted(maps.Keys(rows)) {
				want = append(want, archiveText(rows[k]))
			}
			for _, row := range api[support].Antennas {
				also = append(also, archiveText(row))
			}
			slices.Sort(also)
			sorted := slices.Sorted(slices.Values(got))
			slices.Sort(want)
			if !slices.Equal(sorted, want) || !slices.Equal(sorted, also) {
				t.Fatalf("%s of %s: %q\nwant %q\nAPI %q", support, date, got, want, also)
			}
			place := mustAskArchives(t, r, anfrGetSiteSnapshot, "siteId", "FR-"+support, "date", date).Place
			if place["address"] != "LIEU, rue" && place["address"] != "LIEU, allée" || place["commune"] != api[support].Info["city"] || place["height"] != "27,2" || place["postalCode"] != "03110" {
				t.Errorf("%v", place)
			}
		}
	}
}

// archiveText is what answers tell of a row of the publication.
func archiveText(row map[string]string) string {
	date := any(row["emr_dt"])
	if date == "" {
		date = nil
	}
	return fmt.Sprint(row["adm_lb_nom"], row["emr_lb_systeme"], row["sta_nm_anfr"], row["generation"], row["statut"], date)
}

// An apiSite is a site of the API's archive.
type apiSite struct {
	Info     map[string]string
	Antennas []map[string]string
}

// apiArchive is what the API's operation answers.
func apiArchive(t *testing.T, r *Reading, date, shown string) map[string]apiSite {
	t.Helper()
	all := ops.All()
	op := all[slices.IndexFunc(all, func(o *endpoint.Op[*ops.Reading]) bool { return o.Name == "anfr.archive" })]
	bound, err := op.BindJSON(fmt.Appendf(nil, `{"date":%q,"view":%q}`, date, shown))
	if err != nil {
		t.Fatal(err)
	}
	result, err := bound.Do(context.Background(), r.Reading)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if _, err := result.(endpoint.Stream).WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	var answer struct{ Data map[string]apiSite }
	if err := json.Unmarshal(append(text.Bytes(), '}'), &answer); err != nil {
		t.Fatal(err)
	}
	return answer.Data
}

// Two dates of a site against the set differences of its rows.
func TestCompareSiteDates(t *testing.T) {
	weeks := archiveWeeks()
	r := newArchiveReading(t, weeks)
	for i := range weeks {
		for j := i + 1; j < len(weeks); j++ {
			for _, support := range supportsOf(weeks[i], weeks[j]) {
				was, is := supportRows(weeks[i], support), supportRows(weeks[j], support)
				want, counts := siteDifferences(was, is)
				var got []string
				for _, item := range pagesOf(t, r, anfrCompareSiteDates, 3, "siteId", support, "from", archiveDates[i], "to", archiveDates[j]) {
					got = append(got, changeText(item))
				}
				slices.Sort(got)
				if !slices.Equal(got, want) {
					t.Fatalf("%s, %s to %s:\n%s\nwant\n%s", support, archiveDates[i], archiveDates[j], strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
				a := mustAskArchives(t, r, anfrCompareSiteDates, "siteId", support, "from", archiveDates[i], "to", archiveDates[j])
				if a.Before != len(was) || a.After != len(is) || !maps.Equal(a.Counts, counts) {
					t.Errorf("%d, %d, %v, want %v", a.Before, a.After, a.Counts, counts)
				}
			}
		}
	}
}

func changeText(item map[string]any) string {
	text := fmt.Sprint(item["type"], " ", item["operator"], "|", item["system"], "|", item["station"], " ", item["status"])
	for _, c := range item["columns"].([]any) {
		column := c.(map[string]any)
		text += fmt.Sprint(" ", column["column"], ":", column["before"], ">", column["after"])
	}
	return text
}

// siteDifferences are the differences of a site as changeText tells them. No row of
// these weeks moves to another site.
func siteDifferences(was, is map[string]map[string]string) (list []string, counts map[string]int) {
	counts = map[string]int{"new": 0, "added": 0, "activated": 0, "deleted": 0, "changed": 0}
	tell := func(kind, key, status, columns string) {
		counts[kind]++
		list = append(list, kind+" "+key+" "+status+columns)
	}
	for k, now := range is {
		old, had := was[k]
		switch {
		case !had && len(was) > 0:
			tell("added", k, now["statut"], "")
		case !had:
			tell("new", k, now["statut"], "")
		case old["statut"] == "Projet approuvé" && now["statut"] == "En service":
			tell("activated", k, now["statut"], columnsText(old, now))
		case !maps.Equal(old, now):
			tell("changed", k, now["statut"], columnsText(old, now))
		}
	}
	for k, old := range was {
		if _, has := is[k]; !has {
			tell("deleted", k, old["statut"], "")
		}
	}
	slices.Sort(list)
	return list, counts
}

func columnsText(old, now map[string]string) (text string) {
	for _, c := range archiveColumns {
		if a, b := any(old[c]), any(now[c]); a != b {
			if a == "" {
				a = nil
			}
			if b == "" {
				b = nil
			}
			text += fmt.Sprint(" ", c, ":", a, ">", b)
		}
	}
	return text
}

// The history of a site is its differences from date to date, and what the API says
// that publications changed of it.
func TestSiteHistory(t *testing.T) {
	weeks := archiveWeeks()
	r := newArchiveReading(t, weeks)
	api := map[string][]string{} // date, type and key by support
	for _, date := range archiveDates {
		for support, s := range apiArchive(t, r, date, "changes") {
			for _, row := range s.Antennas {
				api[support] = append(api[support], date+" "+row["type"]+" "+archiveKey(row))
			}
		}
	}
	for _, support := range supportsOf(weeks...) {
		var want, got, same []string
		publications := 0
		for i := range weeks {
			was := map[string]map[string]string{}
			if i > 0 {
				was = supportRows(weeks[i-1], support)
			}
			list, _ := siteDifferences(was, supportRows(weeks[i], support))
			for _, text := range list {
				want = append(want, archiveDates[i]+" "+text)
			}
			if len(list) > 0 {
				publications++
			}
		}
		last := "9"
		for _, item := range pagesOf(t, r, anfrGetSiteHistory, 5, "siteId", support) {
			date := item["date"].(string)
			if date > last {
				t.Errorf("%s comes after %s", date, last)
			}
			last = date
			got = append(got, date+" "+changeText(item))
			if item["type"] != "changed" {
				same = append(same, fmt.Sprint(date, " ", item["type"], " ", item["operator"], "|", item["system"], "|", item["station"]))
			}
		}
		for _, list := range [][]string{want, got, same, api[support]} {
			slices.Sort(list)
		}
		if !slices.Equal(got, want) || !slices.Equal(same, api[support]) {
			t.Fatalf("%s:\n%s\nwant\n%s\nAPI\n%s", support, strings.Join(got, "\n"), strings.Join(want, "\n"), strings.Join(api[support], "\n"))
		}
		if a := mustAskArchives(t, r, anfrGetSiteHistory, "siteId", support); a.Count != publications || a.Oldest != "" || a.Newest != archiveDates[3] {
			t.Errorf("%+v", a)
		}
	}
}

// Every error says what to change.
func TestArchiveErrors(t *testing.T) {
	r := newArchiveReading(t, archiveWeeks())
	none := &Reading{Reading: &ops.Reading{Archives: archive.Open(nil, nil)}}
	box := []any{"north", 47, "south", 46, "east", 4, "west", 3}
	for _, tt := range []struct {
		r     *Reading
		tool  *Tool
		pairs []any
		want  string
	}{
		{r, anfrListSnapshotSites, append([]any{"date", "2026-08-14"}, box...), "date: there is no archive of 2026-08-14; the nearest are 2026-08-13 and 2026-08-20, and anfr_list_archives lists all"},
		{r, anfrListSnapshotSites, append([]any{"date", "2030-01-01"}, box...), "date: there is no archive of 2030-01-01; the nearest is 2026-08-27, and"},
		{r, anfrListSnapshotSites, append([]any{"date", "2000-01-01"}, box...), "the nearest is 2026-08-06, and"},
		{r, anfrListSnapshotSites, append([]any{"date", "2026-02-30"}, box...), "a date as YYYY-MM-DD"},
		{r, anfrListSnapshotSites, append([]any{"date", 20260806}, box...), "date: "},
		{r, anfrListSnapshotSites, box, "date: it must be given"},
		{r, anfrListSnapshotSites, []any{"date", "2026-08-06", "north", 47, "south", 46, "east", 4}, "west: it must be given"},
		{r, anfrListSnapshotSites, []any{"date", "2026-08-06", "north", 46, "south", 47, "east", 4, "west", 3}, `south: "47" is not allowed; at most north`},
		{r, anfrListSnapshotSites, []any{"date", "2026-08-06", "north", 91, "south", 46, "east", 4, "west", 3}, "north: "},
		{none, anfrListSnapshotSites, append([]any{"date", "2026-08-06"}, box...), "this server has no archives"},
		{r, anfrGetSiteSnapshot, []any{"siteId", "100", "date", "2026-08-07"}, "the nearest are 2026-08-06 and 2026-08-13"},
		{r, anfrGetSiteSnapshot, []any{"siteId", "999", "date", "2026-08-06"}, "no archive has a support 999"},
		{r, anfrGetSiteSnapshot, []any{"siteId", "ca-100", "date", "2026-08-06"}, `siteId: "ca-100" is not allowed; archives know sites of the French register`},
		{r, anfrGetSiteSnapshot, []any{"siteId", "fr-", "date", "2026-08-06"}, "archives know sites"},
		{r, anfrGetSiteSnapshot, []any{"siteId", "fr-drom-100", "date", "2026-08-06"}, "archives know sites"},
		{r, anfrGetSiteSnapshot, []any{"siteId", "0100", "date", "2026-08-06"}, "archives know sites"},
		{r, anfrGetSiteSnapshot, []any{"siteId", "-1", "date", "2026-08-06"}, "archives know sites"},
		{r, anfrGetSiteSnapshot, []any{"siteId", "1234567890", "date", "2026-08-06"}, "archives know sites"},
		{r, anfrGetSiteSnapshot, []any{"siteId", "١٠٠", "date", "2026-08-06"}, "archives know sites"},
		{r, anfrGetSiteSnapshot, []any{"date", "2026-08-06"}, "siteId: it must be given"},
		{none, anfrGetSiteSnapshot, []any{"siteId", "100", "date", "2026-08-06"}, "this server has no archives"},
		{r, anfrCompareSiteDates, []any{"from", "2026-08-06", "to", "2026-08-13"}, "siteId: it must be given"},
		{r, anfrCompareSiteDates, []any{"siteId", "100", "from", "2026-08-13", "to", "2026-08-06"}, `from: "2026-08-13" is not allowed; a date before to`},
		{r, anfrCompareSiteDates, []any{"siteId", "100", "from", "2026-08-13", "to", "2026-08-13"}, "a date before to"},
		{r, anfrCompareSiteDates, []any{"siteId", "100", "from", "2026-08-06", "to", "2026-08-14"}, "to: there is no archive of 2026-08-14"},
		{r, anfrCompareSiteDates, []any{"siteId", "100", "from", "2026-08-07", "to", "2026-08-14"}, "from: there is no archive of 2026-08-07"},
		{r, anfrCompareSiteDates, []any{"siteId", "999", "from", "2026-08-06", "to", "2026-08-13"}, "no archive has a support 999"},
		{none, anfrCompareSiteDates, []any{"siteId", "100", "from", "2026-08-06", "to", "2026-08-13"}, "this server has no archives"},
		{r, anfrGetSiteHistory, []any{"siteId", "999"}, "no archive has a support 999"},
		{r, anfrGetSiteHistory, []any{"siteId", "100", "limit", 201}, "limit: "},
		{r, anfrGetSiteHistory, []any{"siteId", "100", "offset", -1}, "offset: "},
		{none, anfrGetSiteHistory, []any{"siteId", "100"}, "this server has no archives"},
	} {
		_, err := askArchives(t, tt.r, tt.tool, tt.pairs...)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s %v: %v, want %q", tt.tool.Name, tt.pairs, err, tt.want)
		}
	}
	if a := mustAskArchives(t, r, anfrGetSiteHistory, "siteId", "100", "offset", 1000000); len(a.Items) != 0 || a.NextOffset != nil {
		t.Errorf("%+v", a)
	}
}

// The largest support that there can be makes answers that can be shortened.
func TestLargeArchiveSite(t *testing.T) {
	var week, later archiveWeek
	long := strings.Repeat("é\"", 150)
	for i := range 1000 {
		row := map[string]string{"sup_id": "100", "adm_lb_nom": strings.ReplaceAll(long, `"`, "u"), "emr_lb_systeme": fmt.Sprint("LTE ", i), "sta_nm_anfr": "0032290011", "statut": "Projet approuvé", "coordonnees": "46 , 3"}
		other := maps.Clone(row)
		other["statut"], other["adr_lb_add1"] = "En service", strings.ReplaceAll(long, `"`, "<")
		week, later = append(week, row), append(later, other)
	}
	r := newArchiveReading(t, []archiveWeek{week, later})
	for _, tt := range []struct {
		tool  *Tool
		pairs string
	}{
		{anfrListSnapshotSites, `{"date":"2026-08-06","north":90,"south":-90,"west":-180,"east":180,"limit":50}`},
		{anfrGetSiteSnapshot, `{"siteId":"100","date":"2026-08-13","limit":200}`},
		{anfrCompareSiteDates, `{"siteId":"100","from":"2026-08-06","to":"2026-08-13","limit":200}`},
		{anfrGetSiteHistory, `{"siteId":"100","limit":200,"offset":7}`},
	} {
		bound, err := tt.tool.BindJSON([]byte(tt.pairs))
		if err != nil {
			t.Fatal(err)
		}
		result, err := bound.Do(context.Background(), r)
		if err != nil {
			t.Fatal(err)
		}
		for {
			text, err := view.JSON(result)
			if err != nil {
				t.Fatal(err)
			}
			if len(text) <= MaxAnswer {
				break
			}
			if !result.(Shortener).Shorten() {
				t.Fatalf("%s has %d bytes", tt.tool.Name, len(text))
			}
		}
	}
}
