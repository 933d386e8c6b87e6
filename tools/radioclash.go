package tools

import (
	"math"
	"slices"

	"relais/geo"
	"relais/index"
	"relais/site"
)

// Clashes are physical cell ids of a site that its neighbours have, too.
type Clashes struct {
	Own        int     `json:"pcisOfSite" doc:"PCIs that the site is given for the operators that were asked for, of which at most 48 are compared, as many of each operator, as of a neighbour: where there are none, nothing can clash, and no neighbour was looked at."`
	Neighbours int     `json:"neighbours" doc:"Sites within 5 km that were looked at, the nearest first, at most 2000."`
	Of         int     `json:"of" doc:"Sites within 5 km."`
	Known      int     `json:"neighboursWithPcis" doc:"Those that were looked at and are given a PCI of an operator that is on the site and was asked for."`
	Equal      int     `json:"equal" doc:"Pairs of a PCI of the site and one of a neighbour that are equal."`
	Mod3       int     `json:"mod3" doc:"Pairs that differ and are equal modulo 3: their primary synchronisation signals are the same. Sites with three sectors have all three remainders, so that pairs are common."`
	List       []Clash `json:"list" doc:"The first of them: equal ones before the others, the nearest first."`
}

// A Clash is a PCI of the site and one of a neighbour of the same operator.
type Clash struct {
	Operator     string    `json:"operator"`
	Kind         clashKind `json:"kind"`
	PCI          int       `json:"pci"`
	Neighbour    string    `json:"neighbour" doc:"siteKey."`
	NeighbourPCI int       `json:"neighbourPci"`
	Distance     int       `json:"distanceMeters"`
	Bearing      *float64  `json:"bearingDegrees" doc:"From the site to the neighbour, degrees from true north; null when they stand on one spot."`
	Learned      bool      `json:"learned" doc:"At least one of the two PCIs was learned from measures, not stated by a source."`
}

// A clashKind is how two PCIs clash.
type clashKind string

const (
	equalPCI clashKind = "equal"
	mod3PCI  clashKind = "mod3"
)

// Values lists the kinds.
func (clashKind) Values() []string { return []string{string(equalPCI), string(mod3PCI)} }

// Bounds of what is a neighbour.
const (
	neighbourMetres = 5000
	mostNeighbours  = 2000
)

// pcis appends the PCIs of a site that operators have who are asked for: of each at most
// most, those that sources give before those that were learned.
func (s *radioSite) pcis(dst []site.RadioID, at uint32, most int) []site.RadioID {
	s.spare = s.spare[:0]
	taken := append(s.taken[:0], make([]int, len(s.loaded.Table.Operators))...)
	s.loaded.Snap.RadioIDs(int(at), func(id site.RadioID) { s.spare = append(s.spare, id) })
	s.spare = s.loaded.AppendLearned(s.spare, at)
	for _, id := range s.spare {
		if id.Kind == site.PCI && slices.Contains(s.operators, id.Operator) && taken[id.Operator] < most &&
			!given(dst, id) {
			dst, taken[id.Operator] = append(dst, id), taken[id.Operator]+1
		}
	}
	s.taken = taken
	return dst
}

// A pair is a PCI of the site and the same, or the same modulo 3, of a neighbour.
type pair struct {
	own, other site.RadioID
	neighbour  uint32
	metres     float64
}

// clashes compares the site's PCIs with those of its neighbours.
func (s *radioSite) clashes(limit int) Clashes {
	c := Clashes{Own: len(s.pcis(nil, s.at, int(site.PCI.Max())+1)), List: []Clash{}}
	each := max(mostPCIs/len(s.operators), 1)
	own := s.pcis(nil, s.at, each)
	if len(own) == 0 {
		return c
	}
	hits := s.loaded.Find(index.Query{Filter: index.All, Disc: &geo.Disc{Center: s.Position, Radius: neighbourMetres}},
		0, mostNeighbours+1)
	c.Of = hits.Total - 1
	var equal, mod3 []pair // the nearest, as the neighbours come
	var theirs []site.RadioID
	for i, at := range hits.Sites {
		if at == s.at {
			continue
		}
		c.Neighbours++
		if theirs = s.pcis(theirs[:0], at, each); len(theirs) > 0 {
			c.Known++
		}
		for _, other := range theirs {
			for _, id := range own {
				switch p := (pair{id, other, at, hits.Metres[i]}); {
				case id.Operator != other.Operator || id.Value%3 != other.Value%3:
				case id.Value == other.Value:
					equal, c.Equal = upTo(limit, equal, p), c.Equal+1
				default:
					mod3, c.Mod3 = upTo(limit, mod3, p), c.Mod3+1
				}
			}
		}
	}
	for _, p := range equal {
		c.List = append(c.List, s.clash(equalPCI, &p))
	}
	for _, p := range mod3[:min(limit-len(equal), len(mod3))] {
		c.List = append(c.List, s.clash(mod3PCI, &p))
	}
	return c
}

// upTo appends to a list that is not to be longer than limit.
func upTo(limit int, list []pair, p pair) []pair {
	if len(list) < limit {
		list = append(list, p)
	}
	return list
}

func (s *radioSite) clash(kind clashKind, p *pair) Clash {
	return Clash{Operator: s.loaded.Table.Operators[p.own.Operator].Key, Kind: kind, PCI: int(p.own.Value),
		Neighbour: s.key(p.neighbour), NeighbourPCI: int(p.other.Value),
		Distance: int(math.Round(p.metres)), Bearing: bearingOf(s.Position, positionOf(s.loaded, p.neighbour)),
		Learned: p.own.Learned || p.other.Learned}
}
