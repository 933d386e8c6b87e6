package belgium

import (
	"cmp"
	"slices"
	"strconv"

	"relais/site"
)

// site returns what is served of a place: of each operator its newest dossier, and
// what BIPT's list adds. The id is the first entry's, bipt-ID where the register has
// none; the position is the first entry's too. A station's code is the number of
// its dossier, or BIPT's ID of the site where only that names the operator, and
// SourceCode is the first station's.
func (c *country) site(p place) site.Site {
	s := site.Site{Position: p.point(), Area: -1, Height: site.Unknown, AntennaHeight: site.Unknown}
	if len(p.dossiers) > 0 {
		s.ID = strconv.FormatUint(p.dossiers[0].id, 10)
		locate(&s, c.addDossiers(&s, p.dossiers))
	} else {
		s.ID = "bipt-" + strconv.FormatUint(p.sites[0].id, 10)
		locate(&s, p.sites[0].address)
	}
	for _, b := range p.sites {
		s.Place = cmp.Or(s.Place, b.place)
		for _, o := range b.owners {
			addOwner(&s, b, o)
		}
	}
	for _, t := range s.Stations {
		s.SourceCode = cmp.Or(s.SourceCode, t.Code)
	}
	return s
}

// addDossiers adds the dossiers in force by ascending id, rejects the others, and
// returns the address of the newest that has one.
func (c *country) addDossiers(s *site.Site, dossiers []*dossier) address {
	newest := make([]*dossier, len(c.market.Operators))
	for _, d := range dossiers {
		if n := newest[d.operator]; n == nil || n.compare(d) < 0 {
			newest[d.operator] = d
		}
	}
	var latest *dossier
	for _, d := range dossiers {
		if newest[d.operator] != d {
			d.reject("superseded by a newer dossier")
			continue
		}
		addStation(s, site.Station{Code: d.number, Operator: d.operator, OperatorSiteID: d.sitecode}, noStatus,
			d.approved.day())
		if d.location != "" && (latest == nil || latest.compare(d) < 0) {
			latest = d
		}
	}
	if latest == nil {
		return address{}
	}
	return located(latest.location)
}

// addOwner adds BIPT's word of an operator to the operator's station.
func addOwner(s *site.Site, b *biptSite, o owner) {
	i := slices.IndexFunc(s.Stations, func(t site.Station) bool { return t.Operator == o.operator })
	if i < 0 {
		addStation(s, site.Station{Code: strconv.FormatUint(b.id, 10), Operator: o.operator,
			OperatorSiteID: o.sitecode}, b.status, 0)
		return
	}
	s.Stations[i].OperatorSiteID = cmp.Or(s.Stations[i].OperatorSiteID, o.sitecode)
	s.Emissions[i].Status = max(s.Emissions[i].Status, b.status)
}

// addStation adds a station with its one emission: neither source has systems or
// generations. Station i is that of emission i.
func addStation(s *site.Site, t site.Station, status int, on site.Date) {
	s.Emissions = append(s.Emissions, site.Emission{Station: len(s.Stations), Status: status, On: on})
	s.Stations = append(s.Stations, t)
}

func locate(s *site.Site, a address) {
	s.Place, s.Address = a.place, [3]string{a.street, a.town}
	s.PostalCode, s.MorePostal, s.Commune = a.postal, a.more, a.city
}
