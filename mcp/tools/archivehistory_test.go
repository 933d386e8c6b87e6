package tools

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"relais/api"
	"relais/api/view"
	"relais/archive"
	"relais/catalog"
)

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
				same = append(same, fmt.Sprint(date, " ", item["type"], " ", item["operator"], "|", item["system"], "|",
					item["station"]))
			}
		}
		for _, list := range [][]string{want, got, same, api[support]} {
			slices.Sort(list)
		}
		if !slices.Equal(got, want) || !slices.Equal(same, api[support]) {
			t.Fatalf("%s:\n%s\nwant\n%s\nAPI\n%s", support, strings.Join(got, "\n"), strings.Join(want, "\n"),
				strings.Join(api[support], "\n"))
		}
		if a := mustAskArchives(t, r, anfrGetSiteHistory, "siteId", support); a.Count != publications ||
			a.Oldest != "" || a.Newest != archiveDates[3] {
			t.Errorf("got %+v, want Count = %v, Oldest empty and Newest = %v", a, publications, archiveDates[3])
		}
	}
}

// Every error says what to change.
func TestArchiveErrors(t *testing.T) {
	r := newArchiveReading(t, archiveWeeks())
	none := &Reading{Env: &api.Env{Catalog: catalog.Catalog{Archives: archive.Open(nil, nil)}}}
	box := []any{"north", 47, "south", 46, "east", 4, "west", 3}
	for _, tt := range []struct {
		r     *Reading
		tool  *Tool
		pairs []any
		want  string
	}{
		{r, anfrListSnapshotSites, append([]any{"date", "2026-08-14"}, box...),
			"date: there is no archive of 2026-08-14; the nearest are 2026-08-13 and 2026-08-20, and anfr_list_archives lists all"},
		{r, anfrListSnapshotSites, append([]any{"date", "2030-01-01"}, box...),
			"date: there is no archive of 2030-01-01; the nearest is 2026-08-27, and"},
		{r, anfrListSnapshotSites, append([]any{"date", "2000-01-01"}, box...), "the nearest is 2026-08-06, and"},
		{r, anfrListSnapshotSites, append([]any{"date", "2026-02-30"}, box...), "a date as YYYY-MM-DD"},
		{r, anfrListSnapshotSites, append([]any{"date", 20260806}, box...), "date: "},
		{r, anfrListSnapshotSites, box, "date: it must be given"},
		{r, anfrListSnapshotSites, []any{"date", "2026-08-06", "north", 47, "south", 46, "east", 4},
			"west: it must be given"},
		{r, anfrListSnapshotSites, []any{"date", "2026-08-06", "north", 46, "south", 47, "east", 4, "west", 3},
			`south: "47" is not allowed; at most north`},
		{r, anfrListSnapshotSites, []any{"date", "2026-08-06", "north", 91, "south", 46, "east", 4, "west", 3},
			"north: "},
		{none, anfrListSnapshotSites, append([]any{"date", "2026-08-06"}, box...), "this server has no archives"},
		{r, anfrGetSiteSnapshot, []any{"siteId", "100", "date", "2026-08-07"},
			"the nearest are 2026-08-06 and 2026-08-13"},
		{r, anfrGetSiteSnapshot, []any{"siteId", "999", "date", "2026-08-06"}, "no archive has a support 999"},
		{r, anfrGetSiteSnapshot, []any{"siteId", "ca-100", "date", "2026-08-06"},
			`siteId: "ca-100" is not allowed; archives know sites of the French register`},
		{r, anfrGetSiteSnapshot, []any{"siteId", "fr-", "date", "2026-08-06"}, "archives know sites"},
		{r, anfrGetSiteSnapshot, []any{"siteId", "fr-drom-100", "date", "2026-08-06"}, "archives know sites"},
		{r, anfrGetSiteSnapshot, []any{"siteId", "0100", "date", "2026-08-06"}, "archives know sites"},
		{r, anfrGetSiteSnapshot, []any{"siteId", "-1", "date", "2026-08-06"}, "archives know sites"},
		{r, anfrGetSiteSnapshot, []any{"siteId", "1234567890", "date", "2026-08-06"}, "archives know sites"},
		{r, anfrGetSiteSnapshot, []any{"siteId", "١٠٠", "date", "2026-08-06"}, "archives know sites"},
		{r, anfrGetSiteSnapshot, []any{"date", "2026-08-06"}, "siteId: it must be given"},
		{none, anfrGetSiteSnapshot, []any{"siteId", "100", "date", "2026-08-06"}, "this server has no archives"},
		{r, anfrCompareSiteDates, []any{"from", "2026-08-06", "to", "2026-08-13"}, "siteId: it must be given"},
		{r, anfrCompareSiteDates, []any{"siteId", "100", "from", "2026-08-13", "to", "2026-08-06"},
			`from: "2026-08-13" is not allowed; a date before to`},
		{r, anfrCompareSiteDates, []any{"siteId", "100", "from", "2026-08-13", "to", "2026-08-13"}, "a date before to"},
		{r, anfrCompareSiteDates, []any{"siteId", "100", "from", "2026-08-06", "to", "2026-08-14"},
			"to: there is no archive of 2026-08-14"},
		{r, anfrCompareSiteDates, []any{"siteId", "100", "from", "2026-08-07", "to", "2026-08-14"},
			"from: there is no archive of 2026-08-07"},
		{r, anfrCompareSiteDates, []any{"siteId", "999", "from", "2026-08-06", "to", "2026-08-13"},
			"no archive has a support 999"},
		{none, anfrCompareSiteDates, []any{"siteId", "100", "from", "2026-08-06", "to", "2026-08-13"},
			"this server has no archives"},
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
	if a := mustAskArchives(t, r, anfrGetSiteHistory, "siteId", "100", "offset", 1000000); len(a.Items) != 0 ||
		a.NextOffset != nil {
		t.Errorf("got %+v, want no Items and no NextOffset", a)
	}
}

// The largest support that there can be makes answers that can be shortened.
func TestLargeArchiveSite(t *testing.T) {
	var week, later archiveWeek
	long := strings.Repeat("é\"", 150)
	for i := range 1000 {
		row := map[string]string{"sup_id": "100", "adm_lb_nom": strings.ReplaceAll(long, `"`, "u"),
			"emr_lb_systeme": fmt.Sprint("LTE ", i), "sta_nm_anfr": "0032290011", "statut": "Projet approuvé",
			"coordonnees": "46 , 3", "generation": "4G"}
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
				t.Fatalf("%s has %d bytes and cannot be cut, want fewer", tt.tool.Name, len(text))
			}
		}
	}
}
