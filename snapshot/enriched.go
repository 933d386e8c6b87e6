package snapshot

import (
	"slices"

	"relais/site"
)

// Names of what Meta.Enriched counts.
const (
	Addresses           = "addresses"
	Addresses2          = "addresses2"
	Addresses3          = "addresses3"
	AntennaHeights      = "antennaHeights"
	Antennas            = "antennas"
	Areas               = "areas"
	Azimuths            = "azimuths"
	AzimuthLists        = "azimuthLists"
	Cells               = "cells"
	CommissioningDates  = "commissioningDates"
	Communes            = "communes"
	CommuneCodes        = "communeCodes"
	CrozonLeaders       = "crozonLeaders"
	EmissionAzimuths    = "emissionAzimuths"
	EmissionDates       = "emissionDates"
	FixedLinks          = "fixedLinks"
	Frequencies         = "frequencies"
	Generations         = "generations"
	Heights             = "heights"
	ImplementationDates = "implementationDates"
	Natures             = "natures"
	OperatorSiteIDs     = "operatorSiteIds"
	Owners              = "owners"
	PCIs                = "pcis"
	Places              = "places"
	PostalCodes         = "postalCodes"
	RadioIDs            = "radioIds"
	ReceivedFrequencies = "receivedFrequencies"
	References          = "references"
	SharedRadio         = "sharedRadio"
	StationCodes        = "stationCodes"
	Statuses            = "statuses"
)

// enrichments say which sites have what Meta.Enriched counts. What any column of a source gives to sites is among
// them, so that the guard of an ingest sees when it is gone.
var enrichments = []struct {
	name string
	has  func(*site.Site) bool
}{
	{Addresses, func(s *site.Site) bool { return s.Address[0] != "" }},
	{Addresses2, func(s *site.Site) bool { return s.Address[1] != "" }},
	{Addresses3, func(s *site.Site) bool { return s.Address[2] != "" }},
	{AntennaHeights, func(s *site.Site) bool { return site.Known(s.AntennaHeight) }},
	{Antennas, func(s *site.Site) bool { return len(s.Antennas) > 0 }},
	{Areas, func(s *site.Site) bool { return s.Area >= 0 }},
	{Azimuths, statesAzimuths(site.FromStation)},
	{AzimuthLists, statesAzimuths(site.FromList)},
	{Cells, hasRadio(site.Cell)},
	{CommissioningDates, func(s *site.Site) bool { return s.Commissioned != 0 }},
	{Communes, func(s *site.Site) bool { return s.Commune != "" }},
	{CommuneCodes, func(s *site.Site) bool { return s.CommuneCode != "" }},
	{CrozonLeaders, func(s *site.Site) bool { return s.CrozonLeader != "" }},
	{EmissionAzimuths, statesAzimuths(site.FromEmitter)},
	{EmissionDates, anEmission(func(e *site.Emission) bool { return e.On != 0 })},
	{FixedLinks, func(s *site.Site) bool { return s.FixedLink }},
	{Frequencies, func(s *site.Site) bool { return len(s.TxFrequencies) > 0 }},
	{Generations, anEmission(func(e *site.Emission) bool { return e.Generation != 0 })},
	{Heights, func(s *site.Site) bool { return site.Known(s.Height) }},
	{ImplementationDates, func(s *site.Site) bool { return s.Implemented != 0 }},
	{Natures, func(s *site.Site) bool { return s.Nature != site.Coded{} }},
	{OperatorSiteIDs, aStation(func(t site.Station) bool { return t.OperatorSiteID != "" })},
	{Owners, func(s *site.Site) bool { return s.Owner != site.Coded{} }},
	{PCIs, hasRadio(site.PCI)},
	{Places, func(s *site.Site) bool { return s.Place != "" }},
	{PostalCodes, func(s *site.Site) bool { return s.PostalCode != "" }},
	{RadioIDs, func(s *site.Site) bool { return len(s.Radio) > 0 }},
	{ReceivedFrequencies, func(s *site.Site) bool { return len(s.RxFrequencies) > 0 }},
	{References, func(s *site.Site) bool { return s.Reference != "" }},
	{SharedRadio, func(s *site.Site) bool { return s.SharedRadio }},
	{StationCodes, aStation(func(t site.Station) bool { return t.Code != "" })},
	{Statuses, anEmission(func(e *site.Emission) bool { return e.Status >= 0 })},
}

// radioNames are those of radio identifiers, which AddRadio adds.
var radioNames = []string{Cells, PCIs, RadioIDs}

// count adds s to the counts of Meta.Enriched.
func (b *Builder) count(s *site.Site) {
	for i := range enrichments {
		if e := &enrichments[i]; e.has(s) {
			b.Enriched[e.name]++
		}
	}
}

// countRadio counts the radio identifiers of all sites again.
func (b *Builder) countRadio() {
	for _, name := range radioNames {
		delete(b.Enriched, name)
	}
	var s site.Site
	for i := range b.Len() {
		s.Radio = s.Radio[:0]
		b.RadioIDs(i, func(r site.RadioID) { s.Radio = append(s.Radio, r) })
		for _, e := range enrichments {
			if slices.Contains(radioNames, e.name) && e.has(&s) {
				b.Enriched[e.name]++
			}
		}
	}
}

func anEmission(is func(*site.Emission) bool) func(*site.Site) bool {
	return func(s *site.Site) bool {
		for i := range s.Emissions {
			if is(&s.Emissions[i]) {
				return true
			}
		}
		return false
	}
}

// statesAzimuths is for azimuths that are stated as exactly as origin, or more.
func statesAzimuths(origin site.Origin) func(*site.Site) bool {
	return anEmission(func(e *site.Emission) bool { return e.Origin >= origin })
}

func aStation(is func(site.Station) bool) func(*site.Site) bool {
	return func(s *site.Site) bool { return slices.ContainsFunc(s.Stations, is) }
}

func hasRadio(kind site.RadioKind) func(*site.Site) bool {
	return func(s *site.Site) bool {
		return slices.ContainsFunc(s.Radio, func(r site.RadioID) bool { return r.Kind == kind })
	}
}
