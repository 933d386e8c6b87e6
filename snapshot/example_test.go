package snapshot_test

import (
	"fmt"

	"relais/geo"
	"relais/market"
	"relais/site"
	"relais/snapshot"
)

func Example() {
	france := market.Get(market.FR)
	orange, _ := france.Operator("ORANGE")
	statuses := []string{"Projet approuvé", "Techniquement opérationnel", "En service"}
	b := snapshot.NewBuilder(france, statuses)
	b.SourceDate = "2026-08-27"
	err := b.Add(&site.Site{
		ID:            "23444",
		Position:      geo.Point{Lat: 48.1244, Lng: -1.2101},
		Area:          -1,
		Commune:       "VITRÉ",
		Height:        31.5,
		AntennaHeight: site.Unknown,
		Stations:      []site.Station{{Code: "0350220042", Operator: orange}},
		Emissions:     []site.Emission{{Station: 0, System: "LTE 800", Generation: site.G4, Status: 2}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	file, err := b.Bytes() // Write writes them to a file
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := snapshot.Read(file)
	if err != nil {
		fmt.Println(err)
		return
	}
	var found site.Site
	for i := range s.Len() {
		s.Site(i, &found)
		e := found.Emissions[0]
		fmt.Println(found.ID, found.Commune, found.Height, "m")
		fmt.Println(s.Operators[found.Stations[e.Station].Operator], e.System, s.Statuses[e.Status])
	}
	// Output:
	// 23444 VITRÉ 31.5 m
	// ORANGE LTE 800 En service
}
