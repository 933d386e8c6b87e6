//go:build linux

package e2e

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/encoding/mvt"
	"github.com/paulmach/orb/maptile"
)

// The dots of a tile are as many as the rows of the CSV that are there, under every filter.
func TestDotsCountLikeTheCSV(t *testing.T) {
	s := serve(t, makeCountry(t, 600).dir)
	queries := []string{"", "department=75", "status=projet", "status=projet&operator=FREE,SFR", "operator=FREE,SFR&together=true",
		"generation=4G,5G&operator=ORANGE&together=true", "technology=5G NR 3500&status=en-service", "band=700,800&operator=SFR,BOUYGUES",
		"changedSince=2020-01-01", "changedSince=2026-01-15", "department=59&generation=5G"}
	for _, operator := range []string{"SFR", "BOUYGUES", "ORANGE", "FREE", "ORANGE,FREE"} {
		for _, generation := range []string{"2G", "3G", "4G", "5G"} {
			queries = append(queries, "operator="+operator+"&generation="+generation)
		}
	}
	counted := 0
	for _, q := range queries {
		q = strings.ReplaceAll(q, " ", "%20")
		var places []orb.Point
		for _, row := range readSeparated(t, exported(t, s, "format=csv&"+q, "fr.csv"), ',') {
			lat, _ := strconv.ParseFloat(row["lat"], 64)
			lng, err := strconv.ParseFloat(row["lng"], 64)
			must(t, err)
			places = append(places, orb.Point{lng, lat})
		}
		counted += min(1, len(places))
		for _, zoom := range []maptile.Zoom{0, 5, 7} {
			want := map[maptile.Tile]int{maptile.At(orb.Point{2.35, 48.86}, zoom): 0}
			for _, p := range places {
				want[maptile.At(p, zoom)]++
			}
			for tile, n := range want {
				path := fmt.Sprintf("/external/v1/tiles/FR/%d/%d/%d.mvt?layers=dots&%s", zoom, tile.X, tile.Y, q)
				if got := countDots(t, s.get(path)); got != n {
					t.Errorf("%s: %d sites, the CSV has %d", path, got, n)
				}
			}
		}
	}
	if counted < 25 {
		t.Errorf("%d of %d questions have sites", counted, len(queries))
	}
}

// countDots counts the sites of a tile whose layer dots is alone.
func countDots(t *testing.T, a answer) (n int) {
	t.Helper()
	if !slices.Contains([]int{200, 204}, a.status) {
		t.Fatalf("got %s, want a tile", a)
	}
	layers, err := mvt.Unmarshal(a.body)
	must(t, err)
	for _, l := range layers {
		for _, f := range l.Features {
			n += int(f.Properties["n"].(float64))
		}
	}
	return n
}
