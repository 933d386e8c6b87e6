package index

import (
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"relais/data"
	"relais/geo"
	"relais/market"
)

// townRadius is how far from the middle of a town, in metres, its sites are.
const townRadius = 5000

// A namedTown is a town of a market, with its names in several languages.
type namedTown struct {
	market market.Code
	names  []string
	center geo.Point
}

// readTowns reads the embedded towns.
var readTowns = sync.OnceValue(func() (list []namedTown) {
	file, err := data.Files.Open("towns.csv")
	if err != nil {
		panic(fmt.Sprintf("index: %v", err)) // it is embedded
	}
	defer file.Close()
	r := csv.NewReader(file)
	r.Comma = ';'
	rows, err := r.ReadAll()
	if err != nil {
		panic(fmt.Sprintf("index: towns.csv: %v", err))
	}
	for _, row := range rows[1:] {
		lat, _ := strconv.ParseFloat(row[2], 64) // TestTowns reads all
		lng, _ := strconv.ParseFloat(row[3], 64)
		list = append(list, namedTown{market.Code(row[0]), strings.Split(row[1], "|"), geo.Point{Lat: lat, Lng: lng}})
	}
	return list
})

// towns returns the towns with sites around them that no site names as its commune: not all registers state communes.
func (m *Market) towns(communes []placeEntry) (list []placeEntry) {
	known := map[string]bool{}
	for i := range communes {
		if communes[i].Kind == Commune {
			known[communes[i].name] = true
		}
	}
	for _, town := range readTowns() {
		if town.market != m.Table.Code {
			continue
		}
		sites := m.Find(Query{Filter: All, Disc: &geo.Disc{Center: town.center, Radius: townRadius}}, 0, 0).Total
		for _, name := range town.names {
			if folded := placeName(name); sites > 0 && !known[folded] {
				list = append(list, placeEntry{
					Place{Kind: Town, Name: name, Area: Any, Center: town.center, Sites: sites},
					placeNames{kind: Town, name: folded, words: " " + folded}})
			}
		}
	}
	return list
}

// matchTown removes from set the sites that are not around a town.
func (m *Market) matchTown(p *Place, set bitset, w *work) {
	around := geo.Disc{Center: p.Center, Radius: townRadius}
	w.other.clear()
	m.space.addBox(w.other, around.Box())
	set.and(w.other)
	set.filter(func(i uint32) bool { return geo.Distance(p.Center, m.Position(i)) <= townRadius })
}
