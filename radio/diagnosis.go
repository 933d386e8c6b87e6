package radio

import (
	"cmp"
	"slices"
	"time"

	"relais/market"
	"relais/site"
)

// mostPCIs are the PCIs that are kept of a base station.
const mostPCIs = 12

// A Tally is what measurements say of a base station or cell.
type Tally struct {
	Count int
	Last  time.Time // zero: no measurement states its time
	pcis  [mostPCIs]int16
	n     int
}

// add adds a measurement that names it, in NR or in LTE.
func (t *Tally) add(m *Measurement, nr bool) {
	t.Count++
	if m.Time.After(t.Last) {
		t.Last = m.Time
	}
	pci := m.LTEPCI
	if nr {
		pci = m.NRPCI
	}
	if pci >= 0 && t.n < mostPCIs && !slices.Contains(t.pcis[:t.n], int16(pci)) {
		t.pcis[t.n] = int16(pci)
		t.n++
	}
}

// PCIs returns the physical cell ids that were added first, at most twelve, in ascending order.
func (t *Tally) PCIs() []int {
	list := make([]int, t.n)
	for i, pci := range t.pcis[:t.n] {
		list[i] = int(pci)
	}
	slices.Sort(list)
	return list
}

// ByGeneration are counts by site.Generation.
type ByGeneration [site.Generations]int

// A Surrounding is what measurements near a site say of one operator.
type Surrounding struct {
	Count       int // measurements
	Generations ByGeneration
	assigned    []site.RadioID
	named       []NamedID
	places      map[uint64]int // in named, by what it is
}

// A NamedID is an identifier that measurements name.
type NamedID struct {
	ID site.RadioID
	Tally
}

// NewSurrounding returns a Surrounding without measurements. assigned are the operator's base
// stations assigned to the site, and cells whose base station is unknown.
func NewSurrounding(assigned []site.RadioID) *Surrounding {
	const usual = 64 // of a town, some hundred
	return &Surrounding{assigned: assigned, named: make([]NamedID, 0, usual), places: make(map[uint64]int, usual)}
}

// Add adds a measurement of the operator.
func (s *Surrounding) Add(m *Measurement) {
	s.Count++
	s.Generations[m.Generation]++
	m.names(s.assigned, func(id site.RadioID, nr bool) { s.tally(id).add(m, nr) })
}

// tally returns the tally of an identifier, an empty one if it is new.
func (s *Surrounding) tally(id site.RadioID) *Tally {
	at, known := s.places[keyOf(id)]
	if !known {
		at = len(s.named)
		s.named, s.places[keyOf(id)] = append(s.named, NamedID{ID: id}), at
	}
	return &s.named[at].Tally
}

// keyOf tells the identifiers of an operator apart, which have 36 bits.
func keyOf(id site.RadioID) uint64 { return uint64(id.Kind)<<site.NCIBits | id.Value }

// Assigned returns the identifiers that the site is assigned.
func (s *Surrounding) Assigned() []site.RadioID { return s.assigned }

// CountOf returns how many of the measurements name an identifier.
func (s *Surrounding) CountOf(id site.RadioID) int {
	if at, known := s.places[keyOf(id)]; known {
		return s.named[at].Count
	}
	return 0
}

// Others returns the named identifiers that are not assigned to the site, at most most, those
// that most measurements name first, and the number of all.
func (s *Surrounding) Others(most int) (list []*NamedID, all int) {
	for i := range s.named {
		x := &s.named[i]
		if Assigned(s.assigned, x.ID) {
			continue
		}
		all++
		if at, _ := slices.BinarySearchFunc(list, x, byCount); at < most {
			list = slices.Insert(list[:min(len(list), most-1)], at, x)
		}
	}
	return list, all
}

// byCount orders identifiers by the measurements that name them, the most first.
func byCount(a, b *NamedID) int {
	if a.Count != b.Count { // of most
		return b.Count - a.Count
	}
	return cmp.Or(cmp.Compare(a.ID.Kind, b.ID.Kind), cmp.Compare(a.ID.Value, b.ID.Value))
}

// A Declaration says how a register has a generation.
type Declaration string

// The declarations.
const (
	inOperation Declaration = "inOperation"
	asProject   Declaration = "project"
	notDeclared Declaration = "no"
	notStated   Declaration = "notStated" // an emission has no generation, and none has this one
)

// Values lists the declarations.
func (Declaration) Values() []string {
	return []string{string(inOperation), string(asProject), string(notDeclared), string(notStated)}
}

// A Generation is one as declared and as measured.
type Generation struct {
	Generation   site.Generation
	Declared     Declaration
	Systems      []string // as published
	Naming, Near int      // measurements that name the site, and measurements near it
}

// Compare compares what a site declares of an operator with what was measured: the generations
// that are declared or were measured.
func Compare(m *market.Market, s *site.Site, operator int, naming, near *ByGeneration) (list []Generation) {
	absent := notDeclared
	if slices.ContainsFunc(s.Emissions, func(e site.Emission) bool {
		return e.Generation == 0 && s.Stations[e.Station].Operator == operator
	}) {
		absent = notStated
	}
	for g := site.G2; g < site.Generations; g++ {
		d := Generation{Generation: g, Declared: absent, Systems: []string{}, Naming: naming[g], Near: near[g]}
		for _, e := range s.Emissions {
			if e.Generation != g || s.Stations[e.Station].Operator != operator {
				continue
			}
			if e.System != "" && !slices.Contains(d.Systems, e.System) {
				d.Systems = append(d.Systems, e.System)
			}
			switch {
			case m.Phase(e.Status) != market.Project:
				d.Declared = inOperation
			case d.Declared == absent:
				d.Declared = asProject
			}
		}
		if d.Declared != absent || d.Naming+d.Near > 0 {
			list = append(list, d)
		}
	}
	return list
}

// A Finding is a contradiction between what is declared and what was measured.
type Finding int

// The findings.
const (
	NoFinding       Finding = iota
	NeverMeasured           // in operation, and no measurement near the site or naming it is of it
	Undeclared              // not in operation, and measurements name the site
	MaybeNeighbours         // not declared, and measured near the site, perhaps of a neighbour
)

// Finding returns the contradiction of a generation, if any.
func (g *Generation) Finding() Finding {
	switch {
	case g.Declared == inOperation && g.Naming+g.Near == 0:
		return NeverMeasured
	case (g.Declared == notDeclared || g.Declared == asProject) && g.Naming > 0:
		return Undeclared
	case g.Declared == notDeclared && g.Near > 0:
		return MaybeNeighbours
	}
	return NoFinding
}

// A Naming adds up the measurements, or a sample of them, that name an identifier of a site.
type Naming struct {
	Tally
	here ByGeneration // those that do not count for a base station of the cell
}

// Add adds a measurement that names id and returns the result of serving.
func (n *Naming) Add(m *Measurement, id site.RadioID, nodes []site.RadioID) (g site.Generation, byNode bool) {
	g, byNode = m.serving(id, nodes)
	n.Tally.add(m, g == site.G5)
	if !byNode {
		n.here[g]++
	}
	return g, byNode
}

// AllByNode reports whether there are measurements and all count for the cell's base station.
func (n *Naming) AllByNode() bool { return n.Count > 0 && n.here == ByGeneration{} }

// Here returns by generation how many of total measurements count for the identifier itself,
// scaled up from the sample.
func (n *Naming) Here(total int) (here ByGeneration) {
	for g := range here {
		here[g] = n.here[g] * total / max(n.Count, 1)
	}
	return here
}

// An Assigner says who assigns a base station, and to which site.
type Assigner string

// The assigners.
const (
	BySource       Assigner = "source"    // a source, to this site
	ByMeasurements Assigner = "measures"  // learned for this site
	Perhaps        Assigner = "perhaps"   // of a gNB of this site whose length no source states
	Elsewhere      Assigner = "elsewhere" // to another site
	ByNobody       Assigner = "nobody"
)

// Values lists them.
func (Assigner) Values() []string {
	return []string{string(BySource), string(ByMeasurements), string(Perhaps), string(Elsewhere), string(ByNobody)}
}

// AssignerOf says who assigns an identifier to the site that has it.
func AssignerOf(id site.RadioID) Assigner {
	if id.Learned {
		return ByMeasurements
	}
	return BySource
}

// AssignerAmong says who assigns an identifier to a site with these, where a look-up finds it
// there.
func AssignerAmong(ids []site.RadioID, id site.RadioID) Assigner {
	for _, x := range ids {
		if x.Operator == id.Operator &&
			(x.Kind == id.Kind && x.Value == id.Value || id.Kind == site.Cell && hasCell(x, id.Value)) {
			return AssignerOf(x)
		}
	}
	return Perhaps
}
