package tools

import (
	"relais/geo"
	"relais/index"
	"relais/radio"
	"relais/site"
)

// Collisions are physical cell ids of a site that collide with those of its neighbours.
type Collisions struct {
	Own        int         `json:"pcisOfSite" doc:"PCIs assigned to the site for the operators that were asked for. At most 48 are compared, evenly from each operator, and as many of each neighbour. With 0 nothing can collide, and no neighbour was looked at."`
	Neighbours int         `json:"neighbours" doc:"Sites within 5 km that were looked at, the nearest first, at most 2000."`
	Of         int         `json:"of" doc:"Sites within 5 km."`
	Known      int         `json:"neighboursWithPcis" doc:"Those that were looked at and are given a PCI of an operator that is on the site and was asked for."`
	Equal      int         `json:"equal" doc:"Pairs of a PCI of the site and one of a neighbour that are equal."`
	Mod3       int         `json:"mod3" doc:"Pairs that differ and are equal modulo 3: their primary synchronisation signals are the same. Sites with three sectors have all three remainders, so that pairs are common."`
	List       []Collision `json:"list" doc:"The first of them: equal ones before the others, the nearest first."`
}

// A Collision is a PCI of the site and one of a neighbour of the same operator.
type Collision struct {
	Operator     string              `json:"operator"`
	Kind         radio.CollisionKind `json:"kind"`
	PCI          int                 `json:"pci"`
	Neighbour    string              `json:"neighbour" doc:"siteKey."`
	NeighbourPCI int                 `json:"neighbourPci"`
	Distance     int                 `json:"distanceMeters"`
	Bearing      *float64            `json:"bearingDegrees" doc:"From the site to the neighbour, degrees from true north; null when they stand on one spot."`
	Learned      bool                `json:"learned" doc:"At least one of the two PCIs was learned from measurements, not stated by a source."`
}

// Bounds of the neighbourhood of a site.
const (
	neighbourMetres = 5000
	maxNeighbours   = 2000
)

// pcis appends the PCIs of a site for the operators that are asked for: at most limit of each operator, those
// that sources assign before those that were learned.
func (s *radioSite) pcis(dst []site.RadioID, at uint32, limit int) []site.RadioID {
	s.radioBuffer = s.radioBuffer[:0]
	s.loaded.Snap.RadioIDs(int(at), func(id site.RadioID) { s.radioBuffer = append(s.radioBuffer, id) })
	s.radioBuffer = s.loaded.AppendLearned(s.radioBuffer, at)
	return radio.PCIs(dst, s.radioBuffer, s.operators, limit)
}

// collisions compares the site's PCIs with those of its neighbours.
func (s *radioSite) collisions(limit int) Collisions {
	c := Collisions{Own: len(s.pcis(nil, s.at, int(site.PCI.Max())+1)), List: []Collision{}}
	// The pairs to compare grow with the square of this.
	each := max(maxPCIs/len(s.operators), 1)
	own := s.pcis(nil, s.at, each)
	if len(own) == 0 {
		return c
	}
	around := &geo.Disc{Center: s.Position, Radius: neighbourMetres}
	hits := s.loaded.Find(index.Query{Filter: index.All, Disc: around}, 0, maxNeighbours+1) // with the site itself
	c.Of = hits.Total - 1
	found := radio.NewCollisions(own, limit)
	var theirs []site.RadioID
	for i, at := range hits.Sites {
		if at == s.at {
			continue
		}
		c.Neighbours++
		if theirs = s.pcis(theirs[:0], at, each); len(theirs) > 0 {
			c.Known++
		}
		found.Compare(at, hits.Metres[i], theirs)
	}
	c.Equal, c.Mod3 = found.Equal, found.Mod3
	for _, one := range found.List() {
		c.List = append(c.List, s.collision(&one))
	}
	return c
}

func (s *radioSite) collision(c *radio.Collision) Collision {
	return Collision{Operator: s.loaded.Table.Operators[c.Own.Operator].Key, Kind: c.Kind, PCI: int(c.Own.Value),
		Neighbour: s.key(c.Neighbour), NeighbourPCI: int(c.Other.Value), Distance: whole(c.Metres),
		Bearing: bearingOf(s.Position, s.loaded.Position(c.Neighbour)), Learned: c.Own.Learned || c.Other.Learned}
}
