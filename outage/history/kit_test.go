package history

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"relais/ingest/source"
	"relais/internal/errtest"
	"relais/internal/filetest"
	"relais/market"
	"relais/outage"
	"relais/site"
)

// A feature is a row of a list as ARCEP writes it: the properties that GeoTower and four other programs read from
// raw<day>.geojson, in which geometry can be null and station_anfr can be empty.
type feature struct {
	operator, station, reason, department string
	lat, lng                              float64
	placed                                bool
	down                                  []string // services
	start                                 string   // local time of Paris; "": not stated
}

// geoJSON returns a list as a file.
func geoJSON(rows []feature) string {
	var all []string
	for _, f := range rows {
		p := map[string]any{"operateur": f.operator, "departement": f.department, "code_postal": "35000", "code_insee": "35238",
			"commune": "Rennes", "station_anfr": f.station, "propre": 1, "raison": f.reason, "detail": nil, "debut": f.start, "fin": nil}
		for _, s := range strings.Fields("voix2g voix3g voix4g voix5g data2g data3g data4g data5g voix data") {
			p[s] = "OK"
		}
		for _, s := range f.down {
			p[s] = "HS"
		}
		text, _ := json.Marshal(p) // texts and numbers
		geometry := "null"
		if f.placed {
			geometry = fmt.Sprintf(`{"type":"Point","coordinates":[%v,%v]}`, f.lng, f.lat)
		}
		all = append(all, fmt.Sprintf(`{"type":"Feature","properties":%s,"geometry":%s}`, text, geometry))
	}
	return `{"type":"FeatureCollection","features":[` + strings.Join(all, ",\n") + "]}"
}

// listOf reads a list that was written to a file.
func listOf(t testing.TB, rows []feature) *outage.List {
	t.Helper()
	path := filepath.Join(t.TempDir(), "raw.geojson")
	filetest.Write(t, path, geoJSON(rows))
	in, err := source.Expand([]string{path})
	errtest.Must(t, err)
	l, err := outage.ReadList(context.Background(), market.FR, in[0])
	errtest.Must(t, err)
	return l
}

var names = map[string]string{"Orange": "ORANGE", "SFR": "SFR", "Free Mobile": "FREE", "Bouygues Telecom": "BOUYGUES"}

// randomDays returns lists of days in a row, of sites that are out for some days each.
func randomDays(rng *rand.Rand, first site.Date, days, sites int) map[site.Date][]feature {
	lists := map[site.Date][]feature{}
	operators := []string{"Orange", "SFR", "Free Mobile", "Bouygues Telecom"}
	for i := range sites {
		f := feature{operator: operators[i%4], station: fmt.Sprintf("035%07d", i/4), department: "35", lat: 48.1 + float64(i)*1e-4,
			lng: -1.6, placed: i%17 != 0}
		if i%2 == 1 {
			f.department, f.lat, f.lng = "75", 48.85, 2.3+float64(i)*1e-5
		}
		for day := first + site.Date(rng.IntN(5)); day < first+site.Date(days); {
			f.reason, f.start = []string{"INT", "MAINT"}[rng.IntN(2)], ""
			if rng.IntN(3) > 0 {
				f.start = day.Time().Add(time.Duration(rng.IntN(10)) * time.Hour).Format("2006-01-02 15:04:05")
			}
			for range 1 + rng.IntN(6) {
				f.down = []string{[]string{"voix4g", "data5g", "voix2g", "data2g"}[rng.IntN(4)]}
				if day < first+site.Date(days) {
					lists[day] = append(lists[day], f)
				}
				day++
			}
			day += site.Date(1 + rng.IntN(20))
		}
	}
	return lists
}
