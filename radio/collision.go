package radio

import (
	"slices"

	"relais/site"
)

// A CollisionKind is how two physical cell ids collide.
type CollisionKind string

// The kinds. PCIs that are equal modulo 3 have the same primary synchronisation signal.
const (
	EqualPCI CollisionKind = "equal"
	Mod3PCI  CollisionKind = "mod3" // and not equal
)

// Values lists the kinds.
func (CollisionKind) Values() []string { return []string{string(EqualPCI), string(Mod3PCI)} }

// A Collision is a PCI of a site and one of a neighbour, of the same operator.
type Collision struct {
	Kind       CollisionKind
	Own, Other site.RadioID
	Neighbour  uint32  // as given to Compare
	Metres     float64 // to the neighbour
}

// Collisions are those of the PCIs of a site.
type Collisions struct {
	Equal, Mod3 int // how many there are
	own         []site.RadioID
	limit       int
	equal, mod3 []Collision // the first
}

// NewCollisions returns the collisions of PCIs, so far empty. List returns at most limit.
func NewCollisions(own []site.RadioID, limit int) *Collisions {
	return &Collisions{own: own, limit: limit}
}

// Compare adds the collisions with the PCIs of a neighbour. Neighbours come the nearest first.
func (c *Collisions) Compare(neighbour uint32, metres float64, pcis []site.RadioID) {
	for _, other := range pcis {
		for _, id := range c.own {
			switch {
			case id.Operator != other.Operator || id.Value%3 != other.Value%3:
			case id.Value == other.Value:
				c.Equal++
				c.equal = c.keep(c.equal, Collision{EqualPCI, id, other, neighbour, metres})
			default:
				c.Mod3++
				c.mod3 = c.keep(c.mod3, Collision{Mod3PCI, id, other, neighbour, metres})
			}
		}
	}
}

// keep appends to a list, up to the limit.
func (c *Collisions) keep(list []Collision, one Collision) []Collision {
	if len(list) < c.limit {
		list = append(list, one)
	}
	return list
}

// List returns the first collisions: equal PCIs before the others, the nearest first.
func (c *Collisions) List() []Collision {
	return slices.Concat(c.equal, c.mod3[:min(c.limit-len(c.equal), len(c.mod3))])
}

// PCIs appends the PCIs of some operators among the identifiers of a site, at most most of
// each operator, in the order of the identifiers.
func PCIs(dst, ids []site.RadioID, operators []int, most int) []site.RadioID {
	for _, id := range ids {
		if id.Kind != site.PCI || !slices.Contains(operators, id.Operator) || Assigned(dst, id) {
			continue
		}
		taken := 0
		for _, x := range dst {
			if x.Operator == id.Operator {
				taken++
			}
		}
		if taken < most {
			dst = append(dst, id)
		}
	}
	return dst
}
