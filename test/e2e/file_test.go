//go:build linux

package e2e

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A register is the file by support.
type register map[string][]map[string]string

// market is the market of a support.
func (r register) market(id string) string {
	if r[id][0]["sta_nm_dpt"] > "970" {
		return "DROM"
	}
	return "FR"
}

// Everything that the file says of a support comes out of the API.
func TestAgainstTheFile(t *testing.T) {
	c := makeCountry(t, 1200)
	checkIngest(t, c)
	s := serve(t, c.dir)
	supports := register{}
	for _, r := range c.rows {
		supports[r["sup_id"]] = append(supports[r["sup_id"]], r)
	}
	directed := map[string]bool{} // supports with an azimuth
	for _, r := range c.rows {
		directed[r["sup_id"]] = directed[r["sup_id"]] || r["list_azimut"] != ""
	}
	for _, r := range supTable(t, c.files[1], "SUP_ANTENNE.txt") {
		directed[r["SUP_ID"]] = directed[r["SUP_ID"]] || r["AER_NB_AZIMUT"] != ""
	}
	for id := range supports {
		checkSite(t, s, supports, id, directed[id])
		if t.Failed() {
			return
		}
	}
	checkWalk(t, s, supports)
	checkBoxes(t, s, supports)
	checkDepartments(t, s, supports)
	s.stop()
}

// checkIngest makes sure that the report counts every row of the files.
func checkIngest(t *testing.T, c country) {
	t.Helper()
	emissions := 0
	for _, m := range c.ingested.Markets {
		emissions += m.Emissions
	}
	for _, f := range c.ingested.Files {
		rejected := 0
		for _, n := range f.Rejected {
			rejected += n
		}
		if f.Rows != f.Served+rejected || f.Rows == 0 {
			t.Errorf("%s: got %d rows, %d served and %d rejected; want none left out", f.Path, f.Rows, f.Served, rejected)
		}
		if f.Kind == "anfr-observatoire" && (f.Rows != len(c.rows) || f.Served != emissions) {
			t.Errorf("%s: got %d rows, %d served; want %d, and the markets' %d", f.Path, f.Rows, f.Served, len(c.rows),
				emissions)
		}
	}
	if len(c.ingested.Files) != 9 || len(c.ingested.Markets) != 2 {
		t.Errorf("ingested: got %d files, %d markets; want 9 and 2", len(c.ingested.Files), len(c.ingested.Markets))
	}
}

// checkSite compares a site with its rows.
func checkSite(t *testing.T, s *server, supports register, id string, directed bool) {
	t.Helper()
	rows, d := supports[id], s.one("/antennas/"+id)
	first := rows[0]
	var want, got []string
	lowest := first["sta_nm_anfr"]
	for _, r := range rows {
		want = append(want, strings.Join([]string{r["sta_nm_anfr"], r["emr_lb_systeme"], r["generation"], r["statut"],
			r["emr_dt"]}, "|"))
		lowest = min(lowest, r["sta_nm_anfr"])
	}
	for _, e := range d["emissions"].([]any) {
		e := e.(object)
		date, _ := e["date"].(string)
		got = append(got,
			fmt.Sprintf("%s|%s|%s|%s|%s", e["station"], e["technology"], e["generation"], e["status"], date))
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("emissions of %s: file (-), API (+):\n%s", id, diff)
	}
	lat, lng, _ := strings.Cut(first["coordonnees"], " , ")
	at, where := d["coordinates"].(object), d["location"].(object)
	for _, tt := range []struct {
		name string
		got  any
		want string
		same bool
	}{
		{"market", d["market"], supports.market(id), d["market"] == supports.market(id)},
		{"anfrCode", d["anfrCode"], lowest, d["anfrCode"] == lowest},
		{"sourceLabel", d["sourceLabel"], "SYNTHETIC in it", strings.Contains(fmt.Sprint(d["sourceLabel"]), "SYNTHETIC")},
		{"lat", at["lat"], lat, near(at["lat"], lat)},
		{"lng", at["lng"], lng, near(at["lng"], lng)},
		{"height", d["support"].(object)["height"], first["sup_nm_haut"],
			near(d["support"].(object)["height"], first["sup_nm_haut"])},
		{"address", where["address"], "that of the file",
			where["address"] == strings.Trim(first["adr_lb_lieu"]+", "+first["adr_lb_add1"], ", ")},
		{"postalCode", where["postalCode"], first["adr_nm_cp"], where["postalCode"] == first["adr_nm_cp"]},
		{"commune", where["commune"], "one", where["commune"] != nil},
		{"azimuts", d["radio"], fmt.Sprintf("3 or more if any: %t", directed),
			directed == (len(d["radio"].(object)["azimuts"].([]any)) >= 3)},
	} {
		if !tt.same {
			t.Errorf("%s of %s: got %v, want %s", tt.name, id, tt.got, tt.want)
		}
	}
}

// near compares a number of an answer with one of a file.
func near(v any, text string) bool {
	x, err := strconv.ParseFloat(text, 64)
	f, ok := v.(float64)
	return err == nil && ok && f-x < 1e-7 && x-f < 1e-7
}

// checkWalk pages through each market: every site exactly once.
func checkWalk(t *testing.T, s *server, supports register) {
	seen := map[string]int{}
	for _, m := range []string{"FR", "DROM"} {
		for offset := any(0.0); offset != nil; {
			a := s.ask(fmt.Sprintf("/antennas?market=%s&limit=77&offset=%.0f", m, offset))
			for _, x := range a["data"].([]any) {
				id := x.(object)["id"].(string)
				seen[id]++
				if supports.market(id) != m {
					t.Errorf("%s: got it in %s, want it in %s", id, m, supports.market(id))
				}
			}
			offset = a["meta"].(object)["nextOffset"]
		}
	}
	for id := range supports {
		if seen[id] != 1 {
			t.Errorf("walking: got %s %d times, want once", id, seen[id])
		}
	}
	if len(seen) != len(supports) {
		t.Errorf("walking: got %d sites, want %d as in the file", len(seen), len(supports))
	}
}

// checkBoxes compares boxes and filters with a scan of the file.
func checkBoxes(t *testing.T, s *server, supports register) {
	keys := map[string]string{"ORANGE": "ORANGE", "FREE MOBILE": "FREE", "BOUYGUES TELECOM": "BOUYGUES", "SFR": "SFR",
		"SRR": "SRR"}
	found := 0
	for i, id := range slices.Sorted(maps.Keys(supports)) {
		if i%23 != 0 {
			continue
		}
		r := supports[id][0]
		lat, lng := position(r)
		half := 0.0201 + float64(i%7)*0.2 // between seconds of arc, on which all sites lie
		query := fmt.Sprintf("/antennas?market=%s&limit=5000&south=%f&north=%f&west=%f&east=%f", supports.market(id),
			lat-half, lat+half, lng-half, lng+half)
		operator, generation := keys[r["adm_lb_nom"]], r["generation"]
		if i%2 == 0 || operator == "" {
			operator, generation = "", ""
		} else {
			query += "&operator=" + operator + "&generation=" + generation + "&status=en-service"
		}
		want := map[string]bool{}
		for other, rows := range supports {
			y, x := position(rows[0])
			if supports.market(other) != supports.market(id) || y < lat-half || y > lat+half || x < lng-half || x > lng+half {
				continue
			}
			if operator == "" || slices.ContainsFunc(rows, func(r map[string]string) bool {
				return keys[r["adm_lb_nom"]] == operator && r["generation"] == generation && r["statut"] == "En service"
			}) {
				want[other] = true
			}
		}
		a := s.ask(query)
		got := map[string]bool{}
		for _, x := range a["data"].([]any) {
			got[x.(object)["id"].(string)] = true
		}
		if !maps.Equal(got, want) || a["meta"].(object)["totalMatched"] != float64(len(want)) {
			t.Errorf("%s: got %d sites, want %d as in the file", query, len(got), len(want))
		}
		found += len(want)
	}
	if found < 500 {
		t.Errorf("boxes: got %d sites in all, want 500 or more", found)
	}
}

func position(r map[string]string) (lat, lng float64) {
	y, x, _ := strings.Cut(r["coordonnees"], " , ")
	lat, _ = strconv.ParseFloat(y, 64)
	lng, _ = strconv.ParseFloat(x, 64)
	return lat, lng
}

func checkDepartments(t *testing.T, s *server, supports register) {
	want := map[string]int{}
	for _, rows := range supports {
		want[strings.TrimPrefix(rows[0]["sta_nm_dpt"], "0")]++
	}
	a := s.ask("/stats/departments")
	sum := 0.0
	for _, x := range a["data"].([]any) {
		d := x.(object)
		if d["total"] != float64(want[d["code"].(string)]) ||
			d["enService"].(float64)+d["techOp"].(float64)+d["projet"].(float64) != d["total"] {
			t.Errorf("department: got %v, want %d sites in all", d, want[d["code"].(string)])
		}
		sum += d["total"].(float64)
	}
	if int(sum) != len(supports) || a["meta"].(object)["totalDepartments"] != 101.0 {
		t.Errorf("departments: got %v sites, %v; want %d, of 101 departments", sum, a["meta"], len(supports))
	}
}
