package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"relais/api"
	"relais/api/view"
	"relais/archive"
	"relais/catalog"
	"relais/geo"
	"relais/index"
	"relais/index/indextest"
	"relais/internal/filetest"
	"relais/internal/store/storetest"
	"relais/market"
	"relais/site"
)

var archiveColumns = strings.Split(
	"id;adm_lb_nom;sup_id;emr_lb_systeme;emr_dt;sta_nm_dpt;code_insee;generation;date_maj;sta_nm_anfr;nat_id;sup_nm_haut;tpo_id;adr_lb_lieu;adr_lb_add1;adr_lb_add2;adr_lb_add3;adr_nm_cp;com_cd_insee;coordonnees;coord;statut", ";")

// An archiveWeek is the rows of a publication: the columns' texts.
type archiveWeek []map[string]string

var archiveDates = []string{"2026-08-06", "2026-08-13", "2026-08-20", "2026-08-27"}

// archiveRow makes up a row.
func archiveRow(rng *rand.Rand) map[string]string {
	support := 100 + rng.IntN(12)
	return map[string]string{
		"sup_id": fmt.Sprint(support), "adm_lb_nom": []string{"ORANGE", "SFR"}[rng.IntN(2)],
		"emr_lb_systeme": []string{"LTE 800", "5G NR 3500", "GSM 900"}[rng.IntN(3)],
		"sta_nm_anfr":    fmt.Sprintf("0032%03d%03d", support, rng.IntN(3)),
		"statut":         []string{"Projet approuvé", "En service"}[rng.IntN(2)],
		"emr_dt":         []string{"", "2020-01-02"}[rng.IntN(2)], "generation": "4G", "sta_nm_dpt": "003",
		"code_insee": fmt.Sprintf("0325%d", support%3),
		"nat_id":     "23", "sup_nm_haut": "27,2", "tpo_id": "72", "adr_lb_add1": "rue", "adr_lb_lieu": "LIEU",
		"adr_nm_cp": "03110", "com_cd_insee": "03258",
		"coordonnees": fmt.Sprintf("%v , %v", 46+float64(support%4)/100, 3+float64(support/4%3)/100),
	}
}

func archiveKey(r map[string]string) string {
	return r["adm_lb_nom"] + "|" + r["emr_lb_systeme"] + "|" + r["sta_nm_anfr"]
}

// archiveWeeks makes up editions, each different from the one before.
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
	return archiveReading(t, weeks, "observatoire.csv")
}

// archiveReading is newArchiveReading of files of that name.
func archiveReading(t *testing.T, weeks []archiveWeek, name string) *Reading {
	t.Helper()
	db := storetest.New(t, archive.Buckets...)
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
		path := filetest.New(t, name, text.String())
		files, err := archive.Files([]string{path})
		if err == nil {
			_, err = s.Add(context.Background(), &files[0], archive.Options{Force: true})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	set := index.NewSet([]*index.Market{archiveRegister(t, market.FR, "100", "101"),
		archiveRegister(t, market.DROM, "102")}, nil)
	return &Reading{Env: &api.Env{Catalog: catalog.Catalog{Set: set, Archives: s}}}
}

func archiveRegister(t *testing.T, code market.Code, ids ...string) *index.Market {
	t.Helper()
	var sites []site.Site
	for _, id := range ids {
		sites = append(sites, site.Site{ID: id, Position: geo.Point{Lat: 46, Lng: 3}, Commune: "VILLE " + id,
			CommuneCode: "0325" + string(id[2])})
	}
	return register(t, code, sites...)
}

// register is a register of sites with one emission each.
func register(t *testing.T, code market.Code, sites ...site.Site) *index.Market {
	t.Helper()
	for i := range sites {
		s := &sites[i]
		s.Stations, s.Emissions = []site.Station{{Code: "0032290011"}}, []site.Emission{{System: "LTE 800",
			Generation: site.G4}}
	}
	return indextest.Market(t, code, sites...)
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
		message, cause := api.PublicMessage(err)
		if cause != nil {
			t.Errorf("%s %s: an internal error: %v, want none", tool.Name, text, cause)
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
		t.Errorf("%s tells of a person: %s, want no 4711 in text and no someone in text", tool.Name, text)
	}
	if len(answer.Sources) == 0 || answer.Sources[0]["authority"] != "ANFR" {
		t.Errorf("%s: sources %v, want not empty and authority = ANFR", tool.Name, answer.Sources)
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
