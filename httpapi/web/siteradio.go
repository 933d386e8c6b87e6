package web

import (
	"slices"
	"strings"

	"relais/api/view"
	"relais/market"
	"relais/site"
)

// A siteOperator is what an operator has on a site.
type siteOperator struct {
	Key, Label, Sign string
	// Best is the newest generation that is not only a project, Next one that is planned and newer; "" for none.
	Best, Next string
	Emissions  []siteEmission
	Sectors    []siteSectors
	Antennas   []view.Antenna // where the source states each
	Unitless   bool           // some of their numbers have no unit
}

// A siteEmission is a row of the table of an operator.
type siteEmission struct {
	System, Generation string
	Status, Meaning    string // as published, and in the reader's language if that says more
	Planned            bool
	Date               string
}

// siteSectors are the directions of some systems of an operator.
type siteSectors struct {
	Systems  string // "" for all of the operator
	Azimuths []uint16
	Station  bool // they are stated for the station, whatever the system
}

// siteNodes are the base stations of an operator on a site.
type siteNodes struct {
	Operator string
	List     []siteNode
}

type siteNode struct {
	Type, Value string
	Learned     bool
}

// operatorsOf returns the operators of a site with their systems.
func operatorsOf(w words, m *market.Market, d *view.Detail) (list []siteOperator) {
	for _, key := range d.Operators {
		o := siteOperator{Key: key, Label: market.Label(m.Code, key)}
		for i := range d.Emissions {
			e := &d.Emissions[i]
			if e.Operator != key {
				continue
			}
			if row := newSiteEmission(w, m, e); row != (siteEmission{}) { // the register may state only the operator
				o.Emissions = append(o.Emissions, row)
			}
			if e.AzimutFrom != nil {
				o.addSectors(e.Technology, *e.Azimuts, *e.AzimutFrom == site.FromStation.String())
			}
		}
		o.mergeSectors()
		o.setBest(m)
		o.setAntennas(d.Antennas)
		list = append(list, o)
	}
	return list
}

func newSiteEmission(w words, m *market.Market, e *view.Emission) siteEmission {
	row := siteEmission{System: e.Technology, Generation: e.Generation}
	if e.Status != nil {
		row.Status, row.Meaning, row.Planned = *e.Status, w.Status(*e.Status), plans(m, e)
	}
	if e.Date != nil {
		row.Date = *e.Date
	}
	return row
}

// plans reports whether an emission is only a project.
func plans(m *market.Market, e *view.Emission) bool {
	return e.Status != nil && m.Phase(slices.IndexFunc(m.Statuses, func(s market.Status) bool {
		return s.Name == *e.Status
	})) == market.Project
}

// addSectors adds the directions of a system.
func (o *siteOperator) addSectors(system string, azimuths []uint16, station bool) {
	for i := range o.Sectors {
		s := &o.Sectors[i]
		if s.Station == station && slices.Equal(s.Azimuths, azimuths) {
			if !slices.Contains(strings.Split(s.Systems, ", "), system) {
				s.Systems += ", " + system
			}
			return
		}
	}
	o.Sectors = append(o.Sectors, siteSectors{system, azimuths, station})
}

// mergeSectors leaves out the names of the systems where one list of directions is that of all.
func (o *siteOperator) mergeSectors() {
	if len(o.Sectors) != 1 {
		return
	}
	with := strings.Split(o.Sectors[0].Systems, ", ")
	for _, e := range o.Emissions {
		if !slices.Contains(with, e.System) {
			return
		}
	}
	o.Sectors[0].Systems = ""
}

// setAntennas sets those of an operator.
func (o *siteOperator) setAntennas(all []view.Antenna) {
	for _, a := range all {
		if a.Operator != o.Key {
			continue
		}
		o.Antennas = append(o.Antennas, a)
		for _, q := range []*view.Quantity{a.Height, a.Power, a.Tilt, a.ElectricalTilt} {
			o.Unitless = o.Unitless || q != nil && q.Unit == nil
		}
	}
}

// Quantity writes a number with its unit, and a dash for none.
func (w words) Quantity(q *view.Quantity) string {
	switch {
	case q == nil:
		return "–"
	case q.Unit == nil:
		return w.Decimal(q.Value, 2)
	}
	return w.Decimal(q.Value, 2) + "\u00a0" + *q.Unit
}

// Megahertz writes frequencies, and a dash for none.
func (w words) Megahertz(list []float64) string {
	if len(list) == 0 {
		return "–"
	}
	texts := make([]string, len(list))
	for i, f := range list {
		texts[i] = w.Decimal(f, 3)
	}
	return strings.Join(texts, ", ") + "\u00a0MHz"
}

// nodesOf returns the base stations of a site by operator.
func nodesOf(m *market.Market, d *view.Detail) (list []siteNodes) {
	names := map[string]string{"enb": "eNB", "gnb": "gNB"}
	for _, n := range d.Radio.Nodes {
		operator := market.Label(m.Code, n.Operator)
		at := slices.IndexFunc(list, func(x siteNodes) bool { return x.Operator == operator })
		if at < 0 {
			at, list = len(list), append(list, siteNodes{Operator: operator})
		}
		list[at].List = append(list[at].List, siteNode{names[n.Type], n.Value, n.Learned})
	}
	return list
}

// stationsOf returns the numbers by which the register knows the stations of a site, each once.
func stationsOf(d *view.Detail) (list []string) {
	for _, s := range d.Stations {
		if s.Code != "" && !slices.Contains(list, s.Code) {
			list = append(list, s.Code)
		}
	}
	return list
}
