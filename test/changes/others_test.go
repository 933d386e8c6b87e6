package changes

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"relais/internal/filetest"
	"relais/internal/tier"
	"relais/test/relaistest"
)

func TestMain(m *testing.M) { os.Exit(relaistest.Run(m)) }

// relais runs a command that must succeed, and returns its standard output.
func relais(t *testing.T, args ...string) []byte {
	t.Helper()
	path, err := relaistest.Binary()
	must(t, err)
	cmd := exec.Command(path, args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("relais %q: %v\n%s%s", args, err, out, errs.Bytes())
	}
	return out
}

// diff returns the records of relais archive diff.
func diff(t *testing.T, dir, code, from, to string) (records [][]string) {
	t.Helper()
	type side struct {
		Status      string
		Coordinates *struct{ Lat, Lng float64 }
	}
	var body struct {
		Data []struct {
			Market, Date, PreviousDate, Kind, Operator, Technology string
			Site                                                   struct{ ID string }
			Before, After                                          side
		}
	}
	out := relais(t, "archive", "diff", "--data", dir, "--market", code, "--json", from, to)
	if err := json.Unmarshal(out, &body); err != nil {
		t.Fatalf("%v: %.200s", err, out)
	}
	text := func(s side) string {
		if s.Coordinates != nil {
			return fmt.Sprintf("%.7f,%.7f", s.Coordinates.Lat, s.Coordinates.Lng)
		}
		return s.Status
	}
	for _, c := range body.Data {
		if c.PreviousDate != from {
			t.Errorf("got a change since %s, want %s", c.PreviousDate, from)
		}
		records = append(records,
			[]string{c.Market, c.Date, c.Kind, c.Site.ID, c.Operator, c.Technology, text(c.Before), text(c.After)})
	}
	return records
}

// A register makes editions of a market.
type register struct {
	code string
	// edition writes the files of edition n, counted from 0, into dir. The editions of a seed follow
	// from each other by random changes.
	editions func(t *testing.T, r *rand.Rand, dir string, dates []string) (files [][]string)
}

var dates = []string{"2024-02-01", "2024-03-07", "2024-04-04", "2024-05-02", "2024-06-06"}

// TestOthers compares the changes of markets whose editions are snapshots with the script's. The
// editions are ingested in a random order, and some of them again.
func TestOthers(t *testing.T) {
	for _, g := range []register{{"CH", swiss}, {"CA", canadian}, {"BE", belgian}} {
		for seed := range uint64(2) {
			if seed == 0 && !tier.Full() { // with 0 the editions are ingested in order
				continue
			}
			t.Run(fmt.Sprint(g.code, seed), func(t *testing.T) {
				r, from, dir := rand.New(rand.NewPCG(41, seed)), t.TempDir(), t.TempDir()
				files := g.editions(t, r, from, dates)
				wrong := g.editions(t, r, t.TempDir(), dates[2:3])[0] // is replaced
				relais(t, append([]string{"ingest", "--force", "--data", dir, g.code}, wrong...)...)
				order := r.Perm(len(dates))
				if seed == 0 {
					slices.Sort(order)
				}
				order = append(order, r.IntN(len(dates)), order[0], order[0])
				for _, i := range order {
					relais(t, append([]string{"ingest", "--force", "--data", dir, g.code}, files[i]...)...)
				}
				for i := range dates {
					for k := range i {
						args := []string{"--net", strings.ToLower(g.code), dates[k] + "=" + strings.Join(files[k], ","),
							dates[i] + "=" + strings.Join(files[i], ",")}
						mustBeSame(t, dates[k]+" to "+dates[i], diff(t, dir, g.code, dates[k], dates[i]), script(t, args...))
					}
				}
				relais(t, "check", "--data", dir)
				mustBeKept(t, dir, g.code)
			})
		}
	}
}

// mustBeKept compares the changes with those of a compacted folder and of a restored backup.
func mustBeKept(t *testing.T, dir, code string) {
	t.Helper()
	backup, restored := filepath.Join(t.TempDir(), "backup"), filepath.Join(t.TempDir(), "restored")
	want := diff(t, dir, code, dates[0], dates[4])
	relais(t, "compact", "--data", dir)
	relais(t, "backup", "--data", dir, backup)
	relais(t, "restore", backup, "--data", restored)
	for _, folder := range []string{dir, restored} {
		if got := diff(t, folder, code, dates[0], dates[4]); !slices.EqualFunc(got, want, slices.Equal[[]string]) {
			t.Errorf("%s: got %d changes, want the same %d as before", folder, len(got), len(want))
		}
	}
}

// mutate removes, repeats and changes items, and adds some.
func mutate[T any](r *rand.Rand, items []T, change func(T) T, add func() T) (next []T) {
	for _, x := range items {
		switch r.IntN(8) {
		case 0:
			continue
		case 1, 2:
			x = change(x)
		}
		next = append(next, x)
	}
	for range 5 {
		next = append(next, add())
	}
	return next
}

// choose returns one of the values.
func choose[T any](r *rand.Rand, values ...T) T { return values[r.IntN(len(values))] }

// shift returns a distance in metres: below and above what counts as moved.
func shift(r *rand.Rand) int { return choose(r, 0, 1, -3, 4, 6, -8, 200) }

// A station is a feature of the Swiss file.
type station struct {
	name, class, technologies string
	east, north               int
}

func swiss(t *testing.T, r *rand.Rand, dir string, dates []string) (files [][]string) {
	var list []station
	number := 0
	create := func() station {
		number++
		first := choose(r, "Swisscom", "Salt", "Sunrise", "SBB", "Autre")
		return station{fmt.Sprintf("%s %c%03d", first, 'A'+number%7, number),
			choose(r, "Outdoor > 6 Werp", "Indoor ≤ 6 Werp", "Tunnel", ""),
			choose(r, "Technology 3G,4G,5G", "Technology 4G", "", "Technology 2G,5G"), 2500000 + r.IntN(200000),
			1150000 + r.IntN(80000)}
	}
	for range 40 {
		list = append(list, create())
	}
	for _, date := range dates {
		features := swissSample(t)
		for _, s := range list {
			features = append(features, map[string]any{"type": "Feature",
				"geometry": map[string]any{"type": "Point", "coordinates": []int{s.east, s.north}},
				"properties": map[string]any{"station": s.name, "koord": fmt.Sprintf("%d,%d", s.east, s.north),
					"typ_en": s.class, "techno_en": s.technologies, "bewilligung_en": "Site data sheet 2023-04-11",
					"power_en": "", "adaptiv_en": "", "agw_en": ""}})
		}
		path := filepath.Join(dir, "standorte-mobilfunkanlagen_2056_"+date+".json")
		writeJSON(t, path, map[string]any{"type": "FeatureCollection", "crs": map[string]any{"type": "name",
			"properties": map[string]any{"name": "EPSG:2056"}}, "features": features})
		files = append(files, []string{path})
		list = mutate(r, list, func(s station) station {
			other := create()
			switch r.IntN(3) {
			case 0:
				s.class = other.class
			case 1:
				s.technologies = other.technologies
			default:
				s.east, s.north = s.east+shift(r), s.north+shift(r)
			}
			return s
		}, create)
	}
	return files
}

// swissSample returns features as published, or none. Their data sheets are older than all editions: the date
// of a file is not before that of its newest sheet.
func swissSample(t *testing.T) (list []map[string]any) {
	t.Helper()
	text, err := os.ReadFile("../../../shared/data/ch/standorte-mobilfunkanlagen_2056.sample.json")
	if err != nil {
		return nil
	}
	var file struct{ Features []map[string]any }
	must(t, json.Unmarshal(text, &file))
	for _, f := range file.Features {
		f["properties"].(map[string]any)["bewilligung_en"] = "Site data sheet 2023-04-11"
	}
	return file.Features
}

func writeJSON(t *testing.T, path string, v any) {
	t.Helper()
	text, err := json.Marshal(v)
	must(t, err)
	filetest.Write(t, path, text)
}

// A licence is a row of the Canadian file.
type licence struct{ licensee, category, technology, lat, lng string }

func canadian(t *testing.T, r *rand.Rand, dir string, dates []string) (files [][]string) {
	number := 0
	at := func() string { return fmt.Sprintf("%.6f", 0.1*float64(r.IntN(100))/10) }
	create := func() licence {
		number++
		return licence{choose(r, "Bell Mobility Inc.", "Rogers Communications Canada Inc.", "TELUS Communications Inc.",
			"Vidéotron ltée", "Freedom Mobile Inc.", "SaskTel", "Campbell River Wireless"),
			choose(r, "CELL", "PCS", "AWS", "MBS", "600B", "3500B", "FIXED"), choose(r, "LTE", "HSPA", "5GNR", "GSM", "X25"),
			"46" + at()[1:], "-63" + at()[1:]}
	}
	var list []licence
	for range 120 {
		list = append(list, create())
	}
	for i, date := range dates {
		text := "upload_date*,licence_number,reference_number,licence_category*,licensee_name*,contact_name," +
			"business_telephone,email_address,location,technology,cell_id,physical_id,province_code,latitude,longitude," +
			"structure_height,structure_type,record_id,tx_frequency,rx_frequency,tx_ant_height,tx_ant_omni_indicator," +
			"tx_ant_azimuth\n"
		for k, l := range list {
			text += fmt.Sprintf("%s,01%07d,ref,%s,%s,-,-,-,Main St,%s,%d,17,PE,%s,%s,55,T,R%d,,,50.5,D,120\n", date, k+i,
				l.category, l.licensee, l.technology, 25601+k, l.lat, l.lng, k)
		}
		path := filepath.Join(dir, "Site_Data_Extract_FX_"+date+".csv")
		filetest.Write(t, path, text)
		files = append(files, []string{path})
		list = mutate(r, list, func(l licence) licence {
			other := create()
			switch r.IntN(4) {
			case 0:
				l.technology = other.technology
			case 1:
				l.lat = other.lat
			case 2:
				l.lat += "1" // within the same place
			default:
				l.category = other.category
			}
			return l
		}, create)
	}
	return files
}
