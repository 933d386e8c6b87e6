package export

import (
	"testing"
	"time"

	"relais/geo"
	"relais/index"
	"relais/internal/errtest"
	"relais/market"
	"relais/site"
	"relais/snapshot"
	"relais/snapshot/snapshottest"
)

// must ends the test on an error of what it needs.
var must = errtest.Must

// paris is where the sites of tests are.
var paris = geo.Point{Lat: 48.8566, Lng: 2.3522}

// sites indexes sites of FR. It does without the encoder of summaries, which is above this package.
func sites(t *testing.T, list ...site.Site) *Register {
	t.Helper()
	b := snapshot.NewBuilder(market.Get(market.FR), []string{"Projet approuvé", "Techniquement opérationnel", "En service"})
	b.SourceDate = "2026-08-27"
	for _, s := range list {
		must(t, b.Add(&s))
	}
	snap := snapshottest.Reread(t, b)
	none := func(*snapshot.Snapshot) index.Encode {
		return func(dst []byte, _ *site.Site) []byte { return dst }
	}
	m, err := index.Load(snap, none, time.Now())
	must(t, err)
	return &Register{Market: m, Whole: true, Source: m.Table.Register}
}

// mast is a site of two operators. Azimuths of the first are known.
func mast(id string) site.Site {
	return site.Site{ID: id, Position: paris, Area: -1, Height: 31.5, AntennaHeight: site.Unknown, Place: "LE <HAUT> & Cie",
		Stations: []site.Station{{Code: "0750000001", Operator: 0}, {Code: "0750000002", Operator: 2}},
		Emissions: []site.Emission{
			{Station: 0, System: "LTE 800", Generation: site.G4, Status: 2, On: site.DateOf(2020, 2, 29), Azimuths: []uint16{0, 120},
				Origin: site.FromEmitter},
			{Station: 1, System: "5G NR 3500", Generation: site.G5, Status: 0}}}
}
