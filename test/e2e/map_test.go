package e2e

import (
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A row of the observatoire as the map's filters see it.
type shownRow struct {
	support, operator, generation, band, status string
	lat, lng                                    float64
}

// shownRows reads the rows of the mainland.
func shownRows(t *testing.T, c country) (rows []shownRow) {
	t.Helper()
	keys := map[string]string{"ORANGE": "ORANGE", "FREE MOBILE": "FREE", "BOUYGUES TELECOM": "BOUYGUES", "SFR": "SFR"}
	band := regexp.MustCompile(`\d+$`)
	for _, r := range c.rows {
		if strings.HasPrefix(r["sta_nm_dpt"], "97") {
			continue
		}
		lat, lng, _ := strings.Cut(r["coordonnees"], ",")
		y, err1 := strconv.ParseFloat(strings.TrimSpace(lat), 64)
		x, err2 := strconv.ParseFloat(strings.TrimSpace(lng), 64)
		if err1 != nil || err2 != nil {
			t.Fatalf("%v: no position", r)
		}
		rows = append(rows, shownRow{r["sup_id"], keys[r["adm_lb_nom"]], r["generation"],
			band.FindString(r["emr_lb_systeme"]), r["statut"], y, x})
	}
	return rows
}

// mapFilters are filters of the map with what they select. One row must fulfil all of it.
var mapFilters = []struct {
	query  string
	accept func(r shownRow) bool
}{
	{"", func(shownRow) bool { return true }},
	{"operator=ORANGE", func(r shownRow) bool { return r.operator == "ORANGE" }},
	{"operator=SFR,FREE", func(r shownRow) bool { return r.operator == "SFR" || r.operator == "FREE" }},
	{"generation=5G", func(r shownRow) bool { return r.generation == "5G" }},
	{"generation=2G,3G", func(r shownRow) bool { return r.generation == "2G" || r.generation == "3G" }},
	{"band=800", func(r shownRow) bool { return r.band == "800" }},
	{"status=En service", func(r shownRow) bool { return r.status == "En service" }},
	{"operator=BOUYGUES&generation=4G", func(r shownRow) bool { return r.operator == "BOUYGUES" && r.generation == "4G" }},
	{"operator=FREE&band=700", func(r shownRow) bool { return r.operator == "FREE" && r.band == "700" }},
	{"operator=ORANGE,SFR&generation=5G&status=Projet approuvé", func(r shownRow) bool {
		return (r.operator == "ORANGE" || r.operator == "SFR") && r.generation == "5G" && r.status == "Projet approuvé"
	}},
}

// countRows counts the supports with an accepted row within half a box of the centre.
func countRows(rows []shownRow, accept func(shownRow) bool, lat, lng, half float64) int {
	supports := map[string]bool{}
	for _, r := range rows {
		if accept(r) && r.lat >= lat-half && r.lat <= lat+half && r.lng >= lng-half && r.lng <= lng+half {
			supports[r.support] = true
		}
	}
	return len(supports)
}

// drawn counts what MapLibre has drawn of the mainland within half a box of the centre: the
// numbers of the clusters, and single sites.
func (m *mapTab) drawn(lat, lng, half float64) (n int) {
	m.t.Helper()
	m.evaluate(fmt.Sprintf(`(() => {
		const [lat, lng, half] = [%v, %v, %v], seen = new Map();
		for (const f of relais.map.queryRenderedFeatures({ layers: ['clusters-FR', 'sites-FR'] })) {
			const [x, y] = f.geometry.coordinates;
			if (Math.abs(x - lng) <= half && Math.abs(y - lat) <= half) seen.set(f.properties.key ?? x + ' ' + y, f.properties.n);
		}
		return [...seen.values()].reduce((a, b) => a + b, 0);
	})()`, lat, lng, half), &n)
	return n
}

// The map draws the sites of the CSV: all of them in clusters, and those of a box one by one, under
// every filter.
func TestMapDrawsTheRegister(t *testing.T) {
	t.Parallel()
	c := makeCountry(t, 4000)
	s := serve(t, c.dir)
	rows := shownRows(t, c)
	m := openMap(t, strings.TrimPrefix(s.base, "http://"), webGL...)
	for i, f := range mapFilters {
		t.Run(f.query, func(t *testing.T) {
			m.show("/?" + strings.NewReplacer(" ", "%20", "é", url.QueryEscape("é")).Replace(f.query) + "#map=4.6/46.6/2.5")
			if got, want := m.drawn(46.6, 2.5, 20), countRows(rows, f.accept, 46.6, 2.5, 20); got != want || want == 0 {
				t.Errorf("the whole country: drawn %d sites, want %d", got, want)
			}
			for k := range 2 {
				at := rows[(2*i+k)*len(rows)/20]
				const half = 0.03
				m.jump(at.lat, at.lng, 12.2)
				if got, want := m.drawn(at.lat, at.lng, half), countRows(rows, f.accept, at.lat, at.lng, half); got != want {
					t.Errorf("around %v, %v: drawn %d sites, want %d", at.lat, at.lng, got, want)
				}
			}
			m.clean(t)
		})
	}
}
