package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"relais/archive"
	"relais/endpoint"
	"relais/ops"
	"relais/view"
)

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
		row := map[string]string{"sup_id": "100", "adm_lb_nom": strings.ReplaceAll(long, `"`, "u"), "emr_lb_systeme": fmt.Sprint("LTE ", i), "sta_nm_anfr": "0032290011", "statut": "Projet approuvé", "coordonnees": "46 , 3", "generation": "4G"}
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
