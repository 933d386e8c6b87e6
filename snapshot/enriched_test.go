package snapshot

import (
	"maps"
	"strings"
	"testing"

	"relais/market"
	"relais/site"
)

// Each thing that a site can lack is counted by itself; what is stated exactly is stated in general too.
func TestEnriched(t *testing.T) {
	azimuth := func(origin site.Origin) func(*site.Site) {
		return func(s *site.Site) { s.Emissions[0].Azimuths, s.Emissions[0].Origin = []uint16{0}, origin }
	}
	empty := func() site.Site {
		return site.Site{ID: "1", Area: -1, Height: site.Unknown, AntennaHeight: site.Unknown,
			Stations: []site.Station{{}}, Emissions: []site.Emission{{Status: -1}}}
	}
	for name, fill := range map[string]func(*site.Site){
		"addresses": func(s *site.Site) { s.Address[0] = "x" }, "addresses2": func(s *site.Site) { s.Address[1] = "x" },
		"addresses3": func(s *site.Site) { s.Address[2] = "x" }, "places": func(s *site.Site) { s.Place = "x" },
		"antennaHeights": func(s *site.Site) { s.AntennaHeight = 0 }, "heights": func(s *site.Site) { s.Height = 0 },
		"areas": func(s *site.Site) { s.Area = 0 }, "azimuths": azimuth(site.FromStation),
		"azimuths emissionAzimuths": azimuth(site.FromEmitter), "azimuths emissionAzimuths azimuthLists": azimuth(site.FromList),
		"commissioningDates":  func(s *site.Site) { s.Commissioned = 1 },
		"implementationDates": func(s *site.Site) { s.Implemented = 1 },
		"communes":            func(s *site.Site) { s.Commune = "x" }, "communeCodes": func(s *site.Site) { s.CommuneCode = "x" },
		"crozonLeaders": func(s *site.Site) { s.CrozonLeader = "SFR" },
		"emissionDates": func(s *site.Site) { s.Emissions[0].On = 1 }, "fixedLinks": func(s *site.Site) { s.FixedLink = true },
		"frequencies":         func(s *site.Site) { s.TxFrequencies = []uint64{1} },
		"receivedFrequencies": func(s *site.Site) { s.RxFrequencies = []uint64{1} },
		"generations":         func(s *site.Site) { s.Emissions[0].Generation = site.G4 },
		"statuses":            func(s *site.Site) { s.Emissions[0].Status = 0 },
		"natures":             func(s *site.Site) { s.Nature.Code = "0" }, "owners": func(s *site.Site) { s.Owner.Label = "x" },
		"operatorSiteIds": func(s *site.Site) { s.Stations[0].OperatorSiteID = "x" },
		"stationCodes":    func(s *site.Site) { s.Stations[0].Code = "x" },
		"postalCodes":     func(s *site.Site) { s.PostalCode = "x" }, "references": func(s *site.Site) { s.Reference = "x" },
		"sharedRadio": func(s *site.Site) { s.SharedRadio = true },
		"radioIds":    func(s *site.Site) { s.Radio = []site.RadioID{{Kind: site.GNB}} },
	} {
		t.Run(name, func(t *testing.T) {
			b, s := NewBuilder(market.Get(market.FR), []string{"on"}), empty()
			fill(&s)
			must(t, b.Add(&s))
			want := map[string]int{}
			for one := range strings.FieldsSeq(name) {
				want[one] = 1
			}
			if !maps.Equal(b.Enriched, want) {
				t.Errorf("Enriched = %v, want %v", b.Enriched, want)
			}
		})
	}
}

// AddRadio counts the identifiers that it adds, and nothing twice.
func TestEnrichedByRadio(t *testing.T) {
	b := NewBuilder(market.Get(market.FR), []string{"on"})
	s := site.Site{ID: "1", Area: -1, Height: site.Unknown, AntennaHeight: site.Unknown, Place: "x", Stations: []site.Station{{}},
		Radio: []site.RadioID{{Kind: site.Cell, Value: 300}}}
	for _, id := range []string{"1", "2", "3"} {
		s.ID = id
		must(t, b.Add(&s))
		s.Radio = nil
	}
	more := map[int][]site.RadioID{0: {{Kind: site.PCI, Value: 3}, {Kind: site.Cell, Value: 301}}, 1: {{Kind: site.ENB, Value: 1}}}
	must(t, b.AddRadio(more))
	if want := map[string]int{"places": 3, "radioIds": 2, "cells": 1, "pcis": 1}; !maps.Equal(b.Enriched, want) {
		t.Errorf("Enriched = %v, want %v", b.Enriched, want)
	}
}
