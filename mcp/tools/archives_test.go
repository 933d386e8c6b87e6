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

	"relais/api"
	"relais/api/endpoint"
	"relais/archive"
	"relais/catalog"
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
	if a := mustAskArchives(t, r, anfrListArchives); a.Current != archiveDates[3] || a.Oldest != archiveDates[0] ||
		a.Sources[0]["date"] != archiveDates[3] {
		t.Errorf("got %+v, want Current = %v, Oldest = %v and date = %v", a, archiveDates[3], archiveDates[0],
			archiveDates[3])
	}
	none := &Reading{Env: &api.Env{Catalog: catalog.Catalog{Archives: archive.Open(nil, nil)}}}
	if a := mustAskArchives(t, none, anfrListArchives); a.Total != 0 || a.Items == nil || a.Current != "" {
		t.Errorf("got %+v, want Total = 0, Items set and Current empty", a)
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
				commune = map[string]string{"03250": "VILLE 100", "03251": "VILLE 101",
					"03252": "VILLE 102"}[row["code_insee"]]
			}
			if lat >= south && lat <= north && lon >= west && lon <= east {
				key := map[string]string{"100": "fr-100", "101": "fr-101", "102": "drom-102"}[support]
				if key == "" {
					key = "<nil>"
				}
				want = append(want,
					fmt.Sprintln(support, key, slices.Sorted(maps.Keys(operators)), slices.Sorted(maps.Keys(systems)),
						slices.Sorted(maps.Keys(statuses)), commune, lat, lon))
			}
		}
		var got []string
		for _, s := range pagesOf(t, r, anfrListSnapshotSites, 4, "date", archiveDates[week], "south", south, "north",
			north, "west", west, "east", east) {
			at := s["coordinates"].(map[string]any)
			got = append(got, fmt.Sprintln(s["supId"], s["siteKey"], s["operators"], s["systems"], s["statuses"],
				s["commune"], at["lat"], at["lng"]))
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
					t.Errorf("got %v, want an error with %q", err, "does not have support "+support)
				}
				continue
			}
			items := pagesOf(t, r, anfrGetSiteSnapshot, 2, "siteId", support, "date", date)
			var got, want, also []string
			for _, item := range items {
				got = append(got,
					fmt.Sprint(item["operator"], item["system"], item["station"], item["generation"], item["status"],
						item["emissionDate"]))
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
			if place["address"] != "LIEU, rue" && place["address"] != "LIEU, allée" ||
				place["commune"] != api[support].Info["city"] || place["height"] != "27,2" ||
				place["postalCode"] != "03110" {
				t.Errorf("got %v, want LIEU in 03110 %v at 27,2 m", place, api[support].Info["city"])
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
	return fmt.Sprint(row["adm_lb_nom"], row["emr_lb_systeme"], row["sta_nm_anfr"], row["generation"], row["statut"],
		date)
}

// An apiSite is a site of the API's archive.
type apiSite struct {
	Info     map[string]string
	Antennas []apiRow
}

// apiRow is the members of a row that are texts: all but its further columns.
type apiRow map[string]string

// UnmarshalJSON implements json.Unmarshaler.
func (r *apiRow) UnmarshalJSON(text []byte) error {
	var members map[string]any
	if err := json.Unmarshal(text, &members); err != nil {
		return err
	}
	*r = apiRow{}
	for name, value := range members {
		if s, ok := value.(string); ok {
			(*r)[name] = s
		}
	}
	return nil
}

// apiArchive is what the API's operation answers.
func apiArchive(t *testing.T, r *Reading, date, shown string) map[string]apiSite {
	t.Helper()
	all := api.Operations()
	op := all[slices.IndexFunc(all, func(o *endpoint.Op[*api.Env]) bool { return o.Name == "anfr.archive" })]
	bound, err := op.BindJSON(fmt.Appendf(nil, `{"date":%q,"view":%q}`, date, shown))
	if err != nil {
		t.Fatal(err)
	}
	result, err := bound.Do(context.Background(), r.Env)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := result.(*endpoint.Answer).Write(&text); err != nil {
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
				for _, item := range pagesOf(t, r, anfrCompareSiteDates, 3, "siteId", support, "from", archiveDates[i],
					"to", archiveDates[j]) {
					got = append(got, changeText(item))
				}
				slices.Sort(got)
				if !slices.Equal(got, want) {
					t.Fatalf("%s, %s to %s:\n%s\nwant\n%s", support, archiveDates[i], archiveDates[j],
						strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
				a := mustAskArchives(t, r, anfrCompareSiteDates, "siteId", support, "from", archiveDates[i], "to",
					archiveDates[j])
				if a.Before != len(was) || a.After != len(is) || !maps.Equal(a.Counts, counts) {
					t.Errorf("%d, %d, %v, want %v", a.Before, a.After, a.Counts, counts)
				}
			}
		}
	}
}

func changeText(item map[string]any) string {
	text := fmt.Sprint(item["type"], " ", item["operator"], "|", item["system"], "|", item["station"], " ",
		item["status"])
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
