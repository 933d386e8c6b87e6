package tools

import (
	"fmt"
	"math"

	"relais/geo"
	"relais/index"
	"relais/market"
	"relais/site"
)

// A ScorePart is a part of a score.
type ScorePart struct {
	Part   scorePart `json:"part" doc:"identity: the cell itself stated for the operator 1, its base station or the node 0.9, the same learned from measures 0.8 and 0.7, an NCI that may be of a gNB whose length nobody states 0.4, learned 0.3, else 0. pci: stated 1, learned 0.8, else 0. distance: 1 / (1 + kilometres). technology: an emission of the generation in operation 1, as a project 0.3, none 0. sector: 1 - a/60 for a the angle in degrees between the bearing from the site to the position and its nearest azimuth, at least 0; 1 closer than 50 m; 0 where no azimuth is stated. Each times of."`
	Points float64   `json:"points" doc:"To two decimals."`
	Of     float64   `json:"of" doc:"The most that the part can have."`
	Why    string    `json:"why"`
}

// A scorePart is the name of a part.
type scorePart string

const (
	partIdentity   scorePart = "identity"
	partPCI        scorePart = "pci"
	partDistance   scorePart = "distance"
	partTechnology scorePart = "technology"
	partSector     scorePart = "sector"
)

// Values lists the parts.
func (scorePart) Values() []string {
	return []string{string(partIdentity), string(partPCI), string(partDistance), string(partTechnology),
		string(partSector)}
}

// The most that each part can have.
var weights = map[scorePart]float64{partIdentity: 50, partPCI: 15, partDistance: 15, partTechnology: 10, partSector: 10}

// What the parts are made of.
const (
	certainCell, certainNode   = 1.0, 0.9
	learnedCell, learnedNode   = 0.8, 0.7
	possibleNode, possiblyOnly = 0.4, 0.3 // stated, learned
	learnedPCI                 = 0.8
	onlyProject                = 0.3
	halfDistance               = 1000.0 // metres
	sectorHalf                 = 60.0   // degrees
	tooNear                    = 50.0   // metres: closer, a phone's position is not exact enough for a bearing
)

// score scores a site for the best of its operators, or for one.
func (p *profileParams) score(m *index.Market, at uint32, operator int) Candidate {
	var s site.Site
	m.Site(at, &s)
	s.Radio = m.AppendLearned(s.Radio, at)
	best := Candidate{Score: -1, at: at, metres: -1}
	var places []ScorePart // the same for all operators
	if point := p.point(); point != nil {
		best.metres = geo.Distance(*point, s.Position)
		best.Bearing = bearingOf(*point, s.Position)
		places = []ScorePart{distancePart(best.metres), sectorPart(&s, *point, best.metres)}
	}
	for o := range m.Table.Operators {
		if !m.Has(at, o) || operator != index.Any && o != operator {
			continue
		}
		parts := append(p.radioParts(m.Table, &s, o), places...)
		switch score := total(parts); {
		case score > best.Score:
			best.Score, best.Parts, best.Operator = score, parts, &m.Table.Operators[o].Key
		case score == best.Score:
			best.Operator = nil
		}
	}
	if best.Score < 0 { // an identifier of an operator without a station there
		best.Score, best.Parts = 0, []ScorePart{}
	}
	return best
}

// total is the score of parts.
func total(parts []ScorePart) float64 {
	points, of := 0.0, 0.0
	for _, p := range parts {
		points, of = points+p.Points, of+p.Of
	}
	return tenth(100 * points / of)
}

func newPart(part scorePart, share float64, why string) ScorePart {
	return ScorePart{part, math.Round(100*share*weights[part]) / 100, weights[part], why}
}

// radioParts are the parts that differ by operator.
func (p *profileParams) radioParts(m *market.Market, s *site.Site, operator int) (parts []ScorePart) {
	key := m.Operators[operator].Key
	if p.Node != nil || p.Cell != nil {
		share, why := p.identity(s, operator)
		parts = append(parts, newPart(partIdentity, share, why+" for "+key))
	}
	if p.PCI != nil {
		share, why := p.pci(s, operator)
		parts = append(parts, newPart(partPCI, share, why+" for "+key))
	}
	if g := p.generation(); g != 0 {
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
		parts = append(parts, newPart(partTechnology, share, key+" "+why+g.String()))
	}
	return parts
}

// identity tells how far the site has the cell or base station.
func (p *profileParams) identity(s *site.Site, operator int) (share float64, why string) {
	why = "nothing gives the base station or cell to the site"
	for _, id := range s.Radio {
		if id.Operator != operator {
			continue
		}
		stated, learned, what := p.matches(id)
		giver := "a source gives"
		if id.Learned {
			stated, giver = learned, "measures give"
		}
		if stated > share {
			share, why = stated, fmt.Sprintf("%s the site the %s %d, %s,", giver, id.Kind, id.Value, what)
		}
	}
	return share, why
}

// matches returns what an identifier of a site is worth when it is stated, and when it
// is learned.
func (p *profileParams) matches(id site.RadioID) (stated, learned float64, what string) {
	node := id.Kind == site.ENB || id.Kind == site.GNB && p.generation() != site.G4
	if p.Cell != nil {
		cell := uint64(*p.Cell)
		switch {
		case id.Kind == site.Cell && id.Value == cell:
			return certainCell, learnedCell, "which is the cell"
		case node && hasCell(id, cell):
			return certainNode, learnedNode, "of which the cell is"
		}
	}
	if p.Node != nil && node && id.Value == uint64(*p.Node) {
		return certainNode, learnedNode, "which is the node"
	}
	if p.Cell != nil && node && id.Kind == site.GNB {
		if fits, _ := id.OfNCI(uint64(*p.Cell)); fits {
			return possibleNode, possiblyOnly, "of which the cell may be"
		}
	}
	return 0, 0, ""
}

// pci tells how far the site has the physical cell id.
func (p *profileParams) pci(s *site.Site, operator int) (share float64, why string) {
	why = "no PCI of the site is known"
	for _, id := range s.Radio {
		if id.Kind != site.PCI || id.Operator != operator {
			continue
		}
		switch {
		case id.Value != uint64(*p.PCI):
			if share == 0 {
				why = "the site's known PCIs are others"
			}
		case !id.Learned:
			return 1, "a source gives the site the PCI"
		default:
			share, why = learnedPCI, "measures give the site the PCI"
		}
	}
	return share, why
}

func distancePart(metres float64) ScorePart {
	return newPart(partDistance, 1/(1+metres/halfDistance), fmt.Sprintf("%.0f m from the position", metres))
}

// sectorPart compares the bearing from the site to a position with its azimuths.
func sectorPart(s *site.Site, p geo.Point, metres float64) ScorePart {
	bearing := geo.Bearing(s.Position, p)
	azimuth, off, ok := nearestAzimuth(s.Azimuths, bearing)
	switch {
	case !ok:
		return newPart(partSector, 0, "the register states no azimuths of the site")
	case metres < tooNear:
		return newPart(partSector, 1, "too near for a direction")
	}
	return newPart(partSector, max(0, 1-off/sectorHalf),
		fmt.Sprintf("the position lies at %.1f° from the site, %.1f° off its nearest azimuth of %d°", tenths(bearing),
			off, azimuth))
}
