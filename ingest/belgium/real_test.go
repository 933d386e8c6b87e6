package belgium

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"relais/geo"
	"relais/ingest/source"
	"relais/ingest/source/sourcetest"
)

// real returns the path of a published file, and skips the test without it.
func real(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join("..", "..", "..", "shared", "data", "be", name)
	if _, err := os.Stat(path); err != nil {
		t.Skip("the published files are not there: ", err)
	}
	return path
}

func decode(t *testing.T, path string, v any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, v)
	}
	must(t, err)
}

// published is a feature as encoding/json reads it, apart from the parser.
type published struct {
	Properties struct {
		ID       int
		Approved string `json:"goedkeuringsdatum"`
		Operator string `json:"operatornaam"`
		Sitecode string
		Number   string `json:"dossiernummer"`
	}
	Geometry struct{ Coordinates []float64 }
}

var names = map[string]string{"Proximus NV": "PROXIMUS_BE", "Telenet Group BVBA": "TELENET_BASE_BE",
	"Orange Belgium NV": "ORANGE_BE"}

// compareRegister clusters the files' features each with each and holds what is
// served against it.
func compareRegister(t *testing.T, paths ...string) {
	t.Helper()
	var list []source.Found
	byID := map[int]published{}
	rows, newest := 0, ""
	for _, path := range paths {
		list = append(list, sourcetest.Detect(t, path, Kinds))
		var file struct{ Features []published }
		decode(t, path, &file)
		rows += len(file.Features)
		for _, f := range file.Features {
			byID[f.Properties.ID] = f
			newest = max(newest, f.Properties.Approved[:19])
		}
	}
	var features []published
	for _, f := range byID {
		features = append(features, f)
	}
	slices.SortFunc(features, func(a, b published) int { return a.Properties.ID - b.Properties.ID })
	var x, y []float64
	for _, f := range features {
		x, y = append(x, f.Geometry.Coordinates[0]), append(y, f.Geometry.Coordinates[1])
	}
	newestOf := map[string]map[string]published{} // id of the place → operator
	for i, first := range greedy(x, y) {
		f := features[i]
		id, operator := strconv.Itoa(features[first].Properties.ID), names[f.Properties.Operator]
		if newestOf[id] == nil {
			newestOf[id] = map[string]published{}
		}
		if n, ok := newestOf[id][operator]; !ok || n.Properties.Approved[:19] <= f.Properties.Approved[:19] {
			newestOf[id][operator] = f
		}
	}

	snap, sites, reports := build(t, list)
	served, total, duplicates := 0, 0, 0
	for _, r := range reports {
		served, total, duplicates = served+r.Served, total+r.Rows, duplicates+r.Rejected["duplicate dossier"]
		for reason := range r.Rejected {
			if reason != "duplicate dossier" && reason != "superseded by a newer dossier" {
				t.Errorf(`r.Path = %s, r.Rejected = %v; want reason = "duplicate dossier" or reason = `+
					`"superseded by a newer dossier"`, r.Path, r.Rejected)
			}
		}
	}
	stations := 0
	for id, want := range newestOf {
		s := sites[id]
		stations += len(want)
		if len(s.Stations) != len(want) {
			t.Fatalf("%s: %+v, want %v", id, s.Stations, want)
		}
		for _, st := range s.Stations {
			w := want[key(st)].Properties
			if st.Code != w.Number || st.OperatorSiteID != strings.TrimSpace(w.Sitecode) {
				t.Errorf("%s: %+v, want %+v", id, st, w)
			}
		}
		if len(s.PostalCode) != 4 || s.Commune == "" || s.Address[0] == "" || s.Address[1] != "" {
			t.Errorf(`id = %s, s = %+v; want len(s.PostalCode) = 4, s.Commune != "", s.Address[0] != "", `+
				`s.Address[1] = ""`, id, s)
		}
	}
	if len(sites) != len(newestOf) || served != stations || total != rows || duplicates != rows-len(byID) ||
		snap.UpdatedAt != newest {
		t.Errorf("%d places, want %d; %d of %d rows served, want %d of %d; %d duplicates; %s, want %s", len(sites),
			len(newestOf), served, total, stations, rows, duplicates, snap.UpdatedAt, newest)
	}
	t.Logf("%d rows, %d ids, %d places, %d stations", rows, len(byID), len(sites), stations)
}

func TestRealRegister(t *testing.T) {
	leuven := real(t, "wfs_pxs.geojson")
	gent := []string{real(t, "gent_antennes_org.geojson"), real(t, "gent_antennes_pxs.geojson"),
		real(t, "gent_antennes_tnt.geojson")}
	compareRegister(t, leuven)
	compareRegister(t, gent...)
	compareRegister(t, append(gent, leuven)...)
	for _, path := range gent {
		compareRegister(t, path)
	}
}

// Positions are within three metres of BIPT's own, and every row is accounted for.
func TestRealBIPT(t *testing.T) {
	path := real(t, "bipt_gent.json")
	var rows []map[string]*string
	decode(t, path, &rows)
	snap, sites, reports := build(t, []source.Found{sourcetest.Detect(t, path, Kinds)})
	refused, owners, farthest := 0, 0, 0.0
	for _, row := range rows {
		if *row["Status"] == "R" {
			refused++
			continue
		}
		for i := range maxOwners {
			if v := row["Eigenaar"+strconv.Itoa(i+1)]; v != nil && *v != "" {
				owners++
			}
		}
		lat, _ := strconv.ParseFloat(*row["Latitude"], 64)
		lng, _ := strconv.ParseFloat(*row["Longitude"], 64)
		if s, ok := sites["bipt-"+*row["ID"]]; ok {
			farthest = max(farthest, geo.Distance(s.Position, geo.Point{Lat: lat, Lng: lng}))
		}
	}
	stations := 0
	for _, s := range sites {
		stations += len(s.Stations)
		if strings.Contains(s.Place+s.Address[0], ";") || s.Place == "-" {
			t.Errorf(`s = %+v; want s.Place+s.Address[0] without ";", s.Place != "-"`, s)
		}
	}
	r := reports[0]
	if r.Rows != len(rows) || r.Served != len(rows)-refused || r.Rejected["refused by the authority"] != refused ||
		refused == 0 {
		t.Errorf(`r = %+v; want r.Rows = len(rows), r.Served = len(rows)-refused, r.Rejected["refused by the `+
			`authority"] = %v, refused != 0`, r, refused)
	}
	info, err := os.Stat(path)
	must(t, err)
	if farthest > 3 || snap.SourceDate != info.ModTime().UTC().Format(time.DateOnly) || len(sites) != r.Served ||
		stations > owners || stations < owners-5 {
		t.Errorf("%d sites, %d stations of %d owners, up to %.1f m away, of %s; want farthest <= 3, "+
			"snap.SourceDate = info.ModTime().UTC().Format(time.DateOnly), len(sites) = %v, stations <= %v, "+
			"stations >= owners-5", len(sites), stations, owners, farthest, snap.SourceDate, r.Served, owners)
	}
}
