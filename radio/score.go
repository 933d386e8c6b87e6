package radio

import (
	"fmt"
	"math"

	"relais/geo"
	"relais/market"
	"relais/site"
)

// A Phone is what a phone showed. nil and 0 are not shown.
type Phone struct {
	Identifiers []Identifier
	PCI         *uint64
	Generation  site.Generation
	Position    *geo.Point
}

// A PartName names a part of a score.
type PartName string

// The parts.
const (
	Identity   PartName = "identity"
	PCI        PartName = "pci"
	Distance   PartName = "distance"
	Technology PartName = "technology"
	Sector     PartName = "sector"
)

// Values lists the parts.
func (PartName) Values() []string {
	return []string{string(Identity), string(PCI), string(Distance), string(Technology), string(Sector)}
}

// weights are the most points that each part can have.
var weights = map[PartName]float64{Identity: 50, PCI: 15, Distance: 15, Technology: 10, Sector: 10}

// What the parts are made of.
const (
	learnedPCI   = 0.8
	onlyProject  = 0.3
	halfDistance = 1000.0 // metres
	sectorHalf   = 60.0   // degrees
)

// A Part is a part of a score.
type Part struct {
	Name   PartName
	Points float64 // to two decimals
	Of     float64 // the most that the part can have
	Why    string
}

func newPart(part PartName, share float64, why string) Part {
	return Part{part, math.Round(100*share*weights[part]) / 100, weights[part], why}
}

// A Score says how well a site fits what a phone showed.
type Score struct {
	Points   float64 // 100 times those of the parts over the most that they can have, to one decimal
	Operator int     // the best operator; -1 when several are equal, and the parts are the first one's
	Parts    []Part
}

// Score scores a site of a market for the best of some of its operators.
func (p *Phone) Score(m *market.Market, s *site.Site, operators []int) Score {
	best := Score{Points: -1, Operator: -1}
	for _, o := range operators {
		parts := p.radioParts(m, s, o)
		if p.Position != nil {
			metres := geo.Distance(*p.Position, s.Position)
			parts = append(parts, distancePart(metres), sectorPart(s, o, *p.Position, metres))
		}
		switch points := total(parts); {
		case points > best.Points:
			best = Score{points, o, parts}
		case points == best.Points:
			best.Operator = -1
		}
	}
	if best.Points < 0 { // an identifier of an operator without a station there
		best.Points = 0
	}
	return best
}

// total is the score of parts, to one decimal.
func total(parts []Part) float64 {
	points, of := 0.0, 0.0
	for _, p := range parts {
		points, of = points+p.Points, of+p.Of
	}
	return math.Round(100*points/of*10) / 10
}

// radioParts are the parts that differ by operator.
func (p *Phone) radioParts(m *market.Market, s *site.Site, operator int) (parts []Part) {
	key := m.Operators[operator].Key
	if len(p.Identifiers) > 0 {
		share, why := p.identity(s, operator)
		parts = append(parts, newPart(Identity, share, why+" for "+key))
	}
	if p.PCI != nil {
		share, why := p.pci(s, operator)
		parts = append(parts, newPart(PCI, share, why+" for "+key))
	}
	if g := p.Generation; g != 0 {
		share, why := 0.0, "declares none of "
		for _, e := range s.Emissions {
			switch {
			case e.Generation == 0 && s.Stations[e.Station].Operator == operator && share == 0:
				why = "leaves open whether it has "
			case e.Generation != g || s.Stations[e.Station].Operator != operator:
			case m.Phase(e.Status) != market.Project:
				share, why = 1, "has in operation "
			case share == 0:
				share, why = onlyProject, "only plans "
			}
		}
		parts = append(parts, newPart(Technology, share, key+" "+why+g.String()))
	}
	return parts
}

func distancePart(metres float64) Part {
	return newPart(Distance, 1/(1+metres/halfDistance), fmt.Sprintf("%.0f m from the position", metres))
}

// sectorPart compares the bearing from the site to a position with the operator's azimuths.
func sectorPart(s *site.Site, operator int, p geo.Point, metres float64) Part {
	bearing := geo.Bearing(s.Position, p)
	azimuths, _ := s.AzimuthsOf(operator, 0)
	azimuth, off, ok := NearestAzimuth(azimuths, bearing)
	switch {
	case !ok:
		return newPart(Sector, 0, "the register states no azimuths of the operator at the site")
	case metres < TooNear:
		return newPart(Sector, 1, "too near for a direction")
	}
	return newPart(Sector, max(0, 1-off/sectorHalf),
		fmt.Sprintf("the position lies at %.1f° from the site, %.1f° off its nearest azimuth of %d°",
			Tenths(bearing), off, azimuth))
}
