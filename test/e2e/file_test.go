package e2e

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Everything that the file says of a support comes out of the API.
func TestAgainstTheFile(t *testing.T) {
	c := makeCountry(t, 1200)
	s := serve(t, nil, "serve", "--data", c.dir)
	if !waitFor(func() bool { return s.version("DROM") != "" }) {
		t.Fatalf("not ready: %s", s.log)
	}
	supports := map[string][]map[string]string{}
	for _, r := range c.rows {
		supports[r["sup_id"]] = append(supports[r["sup_id"]], r)
	}
	market := func(id string) string {
		if d := supports[id][0]["sta_nm_dpt"]; d > "970" {
			return "DROM"
		}
		return "FR"
	}
	for id, rows := range supports {
		d := s.ask("/antennas/" + id)["data"].(object)
		first := rows[0]
		var want, got []string
		lowest := first["sta_nm_anfr"]
		for _, r := range rows {
			want = append(want,
				strings.Join([]string{r["sta_nm_anfr"], r["emr_lb_systeme"], r["generation"], r["statut"], r["emr_dt"]},
					"|"))
			lowest = min(lowest, r["sta_nm_anfr"])
		}
		for _, e := range d["emissions"].([]any) {
			e := e.(object)
			date, _ := e["date"].(string)
			got = append(got, fmt.Sprintf("%s|%s|%s|%s|%s", e["station"], e["technology"], e["generation"], e["status"],
				date))
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) || d["market"] != market(id) || d["anfrCode"] != lowest ||
			!strings.Contains(d["sourceLabel"].(string), "SYNTHETIC") {
			t.Fatalf("%s: %v, want %q", id, d, want)
		}
		lat, lng, _ := strings.Cut(first["coordonnees"], " , ")
		if at := d["coordinates"].(object); !near(at["lat"], lat) || !near(at["lng"], lng) {
			t.Fatalf("%s: %v, want %s", id, at, first["coordonnees"])
		}
		if h := d["support"].(object); !near(h["height"], first["sup_nm_haut"]) {
			t.Fatalf("%s: height %v, want %s", id, h, first["sup_nm_haut"])
		}
		address := strings.Trim(first["adr_lb_lieu"]+", "+first["adr_lb_add1"], ", ")
		if loc := d["location"].(object); loc["address"] != address || loc["postalCode"] != first["adr_nm_cp"] ||
			loc["commune"] == nil {
			t.Fatalf("%s: %v, want %s", id, loc, address)
		}
		if n := len(d["radio"].(object)["azimuts"].([]any)); n < 3 {
			t.Fatalf("%s: %d azimuths", id, n)
		}
	}
	checkWalk(t, s, supports, market)
	checkBoxes(t, s, supports, market)
	checkDepartments(t, s, supports)
	if code := s.stop(); code != 0 {
		t.Errorf("SIGTERM: exit %d\n%s", code, s.log)
	}
}

// near compares a number of an answer with one of a file.
func near(v any, text string) bool {
	x, err := strconv.ParseFloat(text, 64)
	f, ok := v.(float64)
	return err == nil && ok && f-x < 1e-7 && x-f < 1e-7
}

// checkWalk pages through each market: every site exactly once.
func checkWalk(t *testing.T, s *server, supports map[string][]map[string]string, market func(string) string) {
	seen := map[string]int{}
	for _, m := range []string{"FR", "DROM"} {
		for offset := any(0.0); offset != nil; {
			a := s.ask(fmt.Sprintf("/antennas?market=%s&limit=77&offset=%.0f", m, offset))
			for _, x := range a["data"].([]any) {
				id := x.(object)["id"].(string)
				seen[id]++
				if market(id) != m {
					t.Errorf("%s stands in %s", id, m)
				}
			}
			offset = a["meta"].(object)["nextOffset"]
		}
	}
	for id := range supports {
		if seen[id] != 1 {
			t.Errorf("walking finds %s %d times", id, seen[id])
		}
	}
	if len(seen) != len(supports) {
		t.Errorf("walking finds %d sites, the file has %d", len(seen), len(supports))
	}
}

// checkBoxes compares boxes and filters with a scan of the file.
func checkBoxes(t *testing.T, s *server, supports map[string][]map[string]string, market func(string) string) {
	keys := map[string]string{"ORANGE": "ORANGE", "FREE MOBILE": "FREE", "BOUYGUES TELECOM": "BOUYGUES", "SFR": "SFR",
		"SRR": "SRR"}
	found := 0
	for i, id := range slices.Sorted(maps.Keys(supports)) {
		if i%23 != 0 {
			continue
		}
		r := supports[id][0]
		lat, lng := position(r)
		half := 0.02 + float64(i%7)*0.2
		query := fmt.Sprintf("/antennas?market=%s&limit=5000&south=%f&north=%f&west=%f&east=%f", market(id), lat-half,
			lat+half, lng-half, lng+half)
		operator, generation := keys[r["adm_lb_nom"]], r["generation"]
		if i%2 == 0 || operator == "" {
			operator, generation = "", ""
		} else {
			query += "&operator=" + operator + "&generation=" + generation + "&status=en-service"
		}
		want := map[string]bool{}
		for other, rows := range supports {
			y, x := position(rows[0])
			if market(other) != market(id) || y < lat-half || y > lat+half || x < lng-half || x > lng+half {
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
			t.Errorf("%s: %d sites, the file has %d", query, len(got), len(want))
		}
		found += len(want)
	}
	if found < 500 {
		t.Errorf("only %d sites were in the boxes", found)
	}
}

func position(r map[string]string) (lat, lng float64) {
	y, x, _ := strings.Cut(r["coordonnees"], " , ")
	lat, _ = strconv.ParseFloat(y, 64)
	lng, _ = strconv.ParseFloat(x, 64)
	return lat, lng
}

func checkDepartments(t *testing.T, s *server, supports map[string][]map[string]string) {
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
			t.Errorf("%v, want %d sites", d, want[d["code"].(string)])
		}
		sum += d["total"].(float64)
	}
	if int(sum) != len(supports) || a["meta"].(object)["totalDepartments"] != 101.0 {
		t.Errorf("the departments have %v sites, the file %d; %v", sum, len(supports), a["meta"])
	}
}
