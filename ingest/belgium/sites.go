package belgium

import (
	"cmp"
	"slices"
	"strconv"

	"relais/site"
)

// site returns the site of a place: each operator's newest dossier, additions of BIPT's
// list, and antennas. The id and position are the first entry's; without a dossier the id is
// "bru-" and the site's id in Brussels, or "bipt-" and BIPT's ID. A station's code is the
// number of its dossier, the permit in Brussels, or BIPT's ID if only BIPT names the operator. SourceCode is the first station's code.
func (c *country) site(p place) site.Site {
	s := site.Site{Position: p.point(), Area: -1, Height: site.Unknown, AntennaHeight: site.Unknown}
	switch {
	case len(p.dossiers) > 0:
		s.ID = strconv.FormatUint(p.dossiers[0].id, 10)
		setAddress(&s, c.addDossiers(&s, p.dossiers))
	case len(p.brussels) > 0:
		s.ID = "bru-" + p.brussels[0].id
		if len(p.sites) > 0 {
			setAddress(&s, p.sites[0].address)
		}
	default:
		s.ID = "bipt-" + strconv.FormatUint(p.sites[0].id, 10)
		setAddress(&s, p.sites[0].address)
	}
	addPermits(&s, p.brussels)
	for _, b := range p.sites {
		s.Place = cmp.Or(s.Place, b.place)
		for _, o := range b.owners {
			addOwner(&s, b, o)
		}
	}
	antennas := p.antennas
	for _, b := range p.brussels {
		antennas = append(antennas, b.antennas...)
	}
	addAntennas(&s, antennas)
	for _, from := range []struct {
		kind string
		n    int
	}{{Register, len(p.dossiers)}, {BIPTSites, len(p.sites)}, {Antennas, len(p.antennas)}, {Brussels, len(p.brussels)}} {
		if from.n > 0 {
			s.Registers |= fromRegister(from.kind)
		}
	}
	for _, t := range s.Stations {
		s.SourceCode = cmp.Or(s.SourceCode, t.Code)
	}
	return s
}

// addDossiers adds the dossiers in force by ascending id and rejects the others. It returns
// the newest dossier's address.
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
			d.reject(superseded)
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
	return splitAddress(latest.location)
}

// addOwner adds an owner of BIPT's list to the operator's station.
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

// addStation adds a station with one emission: neither source has systems or generations.
// Emission i belongs to station i.
func addStation(s *site.Site, t site.Station, status int, on site.Date) {
	s.Emissions = append(s.Emissions, site.Emission{Station: len(s.Stations), Status: status, On: on})
	s.Stations = append(s.Stations, t)
}

func setAddress(s *site.Site, a address) {
	s.Place, s.Address = a.place, [3]string{a.street, a.town}
	s.PostalCode, s.MorePostal, s.Commune = a.postal, a.more, a.city
}
