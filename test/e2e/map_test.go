//go:build linux

package e2e

import (
	"fmt"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"relais/internal/tier"
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

// A mapFilter is a filter of the map with what it selects: supports with a row that fulfils all of it.
// With each, a support must have such a row for each of them.
type mapFilter struct {
	query  string
	accept func(r shownRow) bool
	each   []func(r shownRow) bool
}

func inBand(mhz string) func(shownRow) bool { return func(r shownRow) bool { return r.band == mhz } }

var mapFilters = []mapFilter{
	{"", func(shownRow) bool { return true }, nil},
	{"operator=ORANGE", func(r shownRow) bool { return r.operator == "ORANGE" }, nil},
	{"operator=SFR,FREE", func(r shownRow) bool { return r.operator == "SFR" || r.operator == "FREE" }, nil},
	{"generation=5G", func(r shownRow) bool { return r.generation == "5G" }, nil},
	{"generation=2G,3G", func(r shownRow) bool { return r.generation == "2G" || r.generation == "3G" }, nil},
	{"band=800", func(r shownRow) bool { return r.band == "800" }, nil},
	{"status=En service", func(r shownRow) bool { return r.status == "En service" }, nil},
	{"operator=BOUYGUES&generation=4G", func(r shownRow) bool { return r.operator == "BOUYGUES" && r.generation == "4G" }, nil},
	{"operator=FREE&band=700", func(r shownRow) bool { return r.operator == "FREE" && r.band == "700" }, nil},
	{"operator=ORANGE,SFR&generation=5G&status=Projet approuvé", func(r shownRow) bool {
		return (r.operator == "ORANGE" || r.operator == "SFR") && r.generation == "5G" && r.status == "Projet approuvé"
	}, nil},
	{"band=700,3500&together=1", func(r shownRow) bool { return r.band == "700" || r.band == "3500" },
		[]func(shownRow) bool{inBand("700"), inBand("3500")}},
}

// countRows counts the supports that a filter selects within half a box of the centre.
func countRows(rows []shownRow, f mapFilter, lat, lng, half float64) int {
	supports := map[string][]shownRow{}
	for _, r := range rows {
		if f.accept(r) && math.Abs(r.lat-lat) <= half && math.Abs(r.lng-lng) <= half {
			supports[r.support] = append(supports[r.support], r)
		}
	}
	for support, list := range supports {
		for _, has := range f.each {
			if !slices.ContainsFunc(list, has) {
				delete(supports, support)
			}
		}
	}
	return len(supports)
}

// drawn counts what MapLibre has drawn of the mainland: far away the numbers of the dots, from zoom 12
// on single sites within half a box of the centre.
func (m *mapTab) drawn(lat, lng, half float64) (n int) {
	m.t.Helper()
	m.evaluate(fmt.Sprintf(`(() => {
		const [lat, lng, half] = [%v, %v, %v], seen = new Map();
		for (const f of relais.map.queryRenderedFeatures({ layers: ['dots-FR', 'spots-FR', 'sites-FR'] })) {
			const { key, n, ops, live, gen } = f.properties, [x, y] = f.geometry.coordinates.flat();
			if (!key) seen.set([x, y, ops, live, gen].join(), n);
			else if (Math.abs(x - lng) <= half && Math.abs(y - lat) <= half) seen.set(key, n);
		}
		return [...seen.values()].reduce((a, b) => a + b, 0);
	})()`, lat, lng, half), &n)
	return n
}

// The map draws the sites of the CSV: all of them as dots, and those of a box one by one, under
// every filter.
func TestMapDrawsTheRegister(t *testing.T) {
	t.Parallel()
	c := makeCountry(t, 4000)
	s := serve(t, c.dir)
	rows := shownRows(t, c)
	m := openMap(t, strings.TrimPrefix(s.base, "http://"), webGL...)
	for i, f := range mapFilters {
		if !tier.Full() && i%5 > 0 { // each takes ten seconds where a processor draws
			continue
		}
		t.Run(f.query, func(t *testing.T) {
			m.show("/?" + strings.NewReplacer(" ", "%20", "é", url.QueryEscape("é")).Replace(f.query) + "#map=4.4/46.6/2.5")
			if got, want := m.drawn(46.6, 2.5, 20), countRows(rows, f, 46.6, 2.5, 20); got != want || want == 0 {
				t.Errorf("the whole country: drawn %d sites, want %d", got, want)
			}
			for k := range 2 {
				at := rows[(2*i+k)*len(rows)/(2*len(mapFilters))]
				const half = 0.0301 // between seconds of arc, on which all sites lie
				m.jump(at.lat, at.lng, 12)
				if got, want := m.drawn(at.lat, at.lng, half), countRows(rows, f, at.lat, at.lng, half); got != want {
					t.Errorf("around %v, %v: drawn %d sites, want %d", at.lat, at.lng, got, want)
				}
			}
			m.clean(t)
		})
	}
}
