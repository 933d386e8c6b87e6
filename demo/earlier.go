package demo

import (
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"

	"relais/market"
	"relais/site"
	"relais/snapshot"
)

// Changes of a register other than the observatoire in a week, of a million.
const (
	sitesBuilt      = 8000
	sitesRemoved    = 2000
	sitesMoved      = 2000
	systemsAdded    = 6000
	systemsRemoved  = 3000
	statusesChanged = 4000
)

// Earlier returns a synthetic register as it was a week before: some sites and systems are not there
// yet, others are still there, or have another status or place.
func Earlier(s *snapshot.Snapshot) (*snapshot.Snapshot, error) {
	day, err := time.Parse(time.DateOnly, s.SourceDate)
	if err != nil {
		return nil, err
	}
	b := snapshot.NewBuilder(market.Get(s.Market), slices.Clone(s.Statuses))
	b.SourceDate, b.Synthetic, b.Registers = day.AddDate(0, 0, -7).Format(time.DateOnly), s.Synthetic, s.Registers
	b.UpdatedAt = b.SourceDate + "T00:00:00"
	var one site.Site
	var spare site.Emission // of another site
	for i := range s.Len() {
		s.Site(i, &one)
		id := xxhash.Sum64String(one.ID)
		if built.happened(1, sitesBuilt, id) {
			continue
		}
		if deleted.happened(1, sitesRemoved, id) {
			old := one
			old.ID += "-0"
			old.Position.Lat += 0.01
			if err := b.Add(&old); err != nil {
				return nil, err
			}
		}
		other := spare
		if len(one.Emissions) > 0 {
			spare = one.Emissions[0]
		}
		older(&one, id, s.Market, other)
		if err := b.Add(&one); err != nil {
			return nil, err
		}
	}
	text, err := b.Bytes()
	if err != nil {
		return nil, err
	}
	return snapshot.Read(text)
}

// older makes a site what it was a week before. other is an emission that it may have had. Canadian
// sites have their position in their ids, and so do not move.
func older(one *site.Site, id uint64, code market.Code, other site.Emission) {
	if renamed.happened(1, sitesMoved, id) && code != market.CA {
		one.Position.Lat += 0.0005
	}
	part := func(e site.Emission) []uint64 { // the same for all emissions of a system of an operator
		return []uint64{id, uint64(one.Stations[e.Station].Operator), xxhash.Sum64String(e.System)}
	}
	kept := slices.DeleteFunc(slices.Clone(one.Emissions), func(e site.Emission) bool {
		return added.happened(1, systemsAdded, part(e)...)
	})
	if len(kept) == 0 {
		return
	}
	for i, e := range kept {
		if e.Status > 0 && activated.happened(1, statusesChanged, part(e)...) {
			kept[i].Status--
		}
	}
	if other.System != "" && deleted.happened(1, systemsRemoved, id, 1) &&
		!slices.ContainsFunc(one.Emissions, func(e site.Emission) bool { return e.System == other.System }) {
		other.Station, other.Status, other.Azimuths, other.Origin = kept[0].Station, kept[0].Status, nil, site.NotStated
		kept = append(kept, other)
	}
	one.Emissions, one.Antennas = kept, nil // antennas refer to emissions, and are not compared
}
