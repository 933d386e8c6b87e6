package index_test

import (
	"fmt"
	"time"

	"relais/geo"
	"relais/index"
	"relais/market"
	"relais/site"
	"relais/snapshot"
)

// exampleSnapshot returns a snapshot with two sites.
func exampleSnapshot() (*snapshot.Snapshot, error) {
	b := snapshot.NewBuilder(market.Get(market.FR),
		[]string{"Projet approuvé", "Techniquement opérationnel", "En service"})
	b.SourceDate = "2026-08-27"
	for _, s := range []site.Site{
		{ID: "23444", Commune: "VITRÉ", Position: geo.Point{Lat: 48.1244, Lng: -1.2101}},
		{ID: "58112", Commune: "RENNES", Position: geo.Point{Lat: 48.1147, Lng: -1.6794}},
	} {
		s.Area, s.Height, s.AntennaHeight = -1, site.Unknown, site.Unknown
		if err := b.Add(&s); err != nil {
			return nil, err
		}
	}
	file, err := b.Bytes()
	if err != nil {
		return nil, err
	}
	return snapshot.Read(file)
}

func Example() {
	s, err := exampleSnapshot()
	if err != nil {
		fmt.Println(err)
		return
	}
	encodeID := func(dst []byte, s *site.Site) []byte { return append(dst, s.ID...) }
	m, err := index.Load(s, func(*snapshot.Snapshot) index.Encode { return encodeID }, time.Now())
	if err != nil {
		fmt.Println(err)
		return
	}
	hits := m.Find(index.Query{Filter: index.All, Text: "vitre"}, 0, 10)
	fmt.Printf("%d site: %s\n", hits.Total, m.Fragment(hits.Sites[0]))
	around := &geo.Disc{Center: geo.Point{Lat: 48.11, Lng: -1.68}, Radius: 50_000}
	hits = m.Find(index.Query{Filter: index.All, Disc: around}, 0, 2)
	for k, i := range hits.Sites {
		fmt.Printf("%s at %.1f km\n", m.Fragment(i), hits.Metres[k]/1000)
	}
	// Output:
	// 1 site: 23444
	// 58112 at 0.5 km
	// 23444 at 34.9 km
}
