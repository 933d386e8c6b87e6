package tools

import (
	"cmp"
	"context"
	"slices"
	"time"

	"relais/endpoint"
	"relais/geo"
	"relais/market"
	"relais/measure"
	"relais/site"
)

var radioDiagnoseSite = endpoint.New(endpoint.Decl{
	Name: "radio_diagnose_site", Title: "A site as declared and as measured",
	Summary: "Compares what is declared of a site with what people measured: base stations that measures near it or naming it saw, and who gives them to which site; generations that are declared and never measured, or measured and not declared; physical cell ids that are equal, or equal modulo 3, to those of neighbours of the same operator within 5 km. Use sites_get for what is declared alone.",
}, (*Reading).radioDiagnoseSite)

func (r *Reading) radioDiagnoseSite(_ context.Context, p *radioDiagnoseParams) (*Diagnosis, error) {
	s, err := r.radioSite(&p.siteParams, p.Operator)
	if err != nil {
		return nil, err
	}
	if s.measures, err = r.Measured(); err != nil {
		return nil, err
	}
	near, looked := s.hearNear(p.RadiusKm * 1000)
	d := &Diagnosis{Site: r.site(s.loaded, s.at, -1), Near: looked, Operators: []OperatorDiagnosis{}, Notes: []string{},
		Sourced: sourced(s.loaded.Table, s.loaded)}
	heard := 0
	for _, o := range s.operators {
		od := s.diagnose(o, near[o], p.Limit)
		heard += near[o].count
		for _, n := range od.Nodes {
			heard += n.All
		}
		d.Operators = append(d.Operators, od)
	}
	d.Clashes = s.clashes(p.Limit)
	if heard == 0 {
		d.Notes = append(d.Notes,
			"No measure of these operators lies near the site or names it: that something was never measured says nothing of the site.")
	}
	if looked.Sample {
		d.Notes = append(d.Notes,
			"Only a sample of the measures near the site was looked at: a generation or base station that few measures name can be missing.")
	}
	if s.sampled {
		d.Notes = append(d.Notes,
			"Of a base station that very many measures name, only a sample of them was looked at: newer ones, other PCIs and a generation that few of them have can be missing.")
	}
	if d.Clashes.Equal+d.Clashes.Mod3 > 0 {
		d.Notes = append(d.Notes,
			"What is known of a PCI does not say on which frequency it is used, nor whether in LTE or in NR: two that are equal only disturb each other in one technology on one frequency.")
	}
	return d, nil
}

// A hearing is what measures near a site say of one operator.
type hearing struct {
	own         []site.RadioID // that the site is given
	count       int            // of the measures
	generations [site.Generations]int
	heard       []heardID      // what they name
	places      map[uint64]int // there, by what it is
}

// An heardID is an identifier with what measures say of it.
type heardID struct {
	id site.RadioID
	sightings
}

// of is what measures say of an identifier; so far nothing, if it is a new one.
func (near *hearing) of(id site.RadioID) *sightings {
	at, known := near.places[identityOf(id)]
	if !known {
		at = len(near.heard)
		near.heard, near.places[identityOf(id)] = append(near.heard, heardID{id: id}), at
	}
	return &near.heard[at].sightings
}

// identityOf tells the identifiers of an operator apart, which have 36 bits.
func identityOf(id site.RadioID) uint64 { return uint64(id.Kind)<<site.NCIBits | id.Value }

// sightings are what measures say of a base station.
type sightings struct {
	count int
	last  time.Time
	pcis  [maxPCIs]int16 // the first of them
	n     int
}

func (s *sightings) add(h *measure.Heard, nr bool) {
	s.count++
	if at := h.Time(); at.After(s.last) {
		s.last = at
	}
	if pci := int16(h.PCI(nr)); pci >= 0 && s.n < maxPCIs && !slices.Contains(s.pcis[:s.n], pci) {
		s.pcis[s.n] = pci
		s.n++
	}
}

// list returns the PCIs, the least first.
func (s *sightings) list() []int {
	list := make([]int, s.n)
	for i, pci := range s.pcis[:s.n] {
		list[i] = int(pci)
	}
	slices.Sort(list)
	return list
}

// hearNear looks at the measures within metres of the site.
func (s *radioSite) hearNear(metres float64) (by []*hearing, looked Looked) {
	by = make([]*hearing, len(s.loaded.Table.Operators))
	for _, o := range s.operators {
		// of a town, some hundred
		by[o] = &hearing{own: s.nodes(o), heard: make([]heardID, 0, 64), places: make(map[uint64]int, 64)}
	}
	n, of := s.measures.HeardNear(s.market(), geo.Disc{Center: s.Position, Radius: metres}, mostNear,
		func(h *measure.Heard) {
			near := by[h.Operator]
			if near == nil {
				return
			}
			near.count++
			near.generations[h.Generation()]++
			named(h, near.own, func(id site.RadioID, nr bool) {
				near.of(id).add(h, nr)
			})
		})
	return by, newLooked(n, of)
}

// diagnose compares what is declared and measured of an operator.
func (s *radioSite) diagnose(operator int, near *hearing, limit int) OperatorDiagnosis {
	o := OperatorDiagnosis{Operator: s.loaded.Table.Operators[operator].Key, Unmeasured: []string{},
		Undeclared: []string{}, MaybeOther: []string{}}
	var naming [site.Generations]int
	o.Nodes = s.ownNodes(near, &naming)
	o.AllNodes = len(o.Nodes)
	o.Nodes = o.Nodes[:min(limit, len(o.Nodes))]
	others, all := near.others(limit - len(o.Nodes))
	o.AllNodes += all
	for _, x := range others {
		o.Nodes = append(o.Nodes, s.other(x))
	}
	o.Generation = s.generations(operator, &naming, near)
	for _, g := range o.Generation {
		switch {
		case g.Declared == inOperation && g.Naming+g.Near == 0:
			o.Unmeasured = append(o.Unmeasured, g.Generation)
		case (g.Declared == notDeclared || g.Declared == asProject) && g.Naming > 0:
			o.Undeclared = append(o.Undeclared, g.Generation)
		case g.Declared == notDeclared && g.Near > 0:
			o.MaybeOther = append(o.MaybeOther, g.Generation)
		}
	}
	return o
}

// ownNodes shows the base stations that the site is given, and adds up by generation what
// names them. A cell of which measures say that it is of one of them is not shown.
func (s *radioSite) ownNodes(near *hearing, naming *[site.Generations]int) []DiagnosedNode {
	list := []DiagnosedNode{}
	for _, id := range near.own {
		all, only, most := &sightings{}, false, max(mostHeard/len(near.own), leastHeard)
		total, here := s.hear(near.own, id, most, func(h *measure.Heard, g site.Generation, besides bool) {
			all.add(h, g == site.G5)
			only = only || !besides
		})
		s.sampled = s.sampled || total > most
		if all.count > 0 && !only {
			continue
		}
		for g, n := range here {
			naming[g] += n
		}
		n := DiagnosedNode{Type: id.Kind.String(), Value: idText(id.Value), Given: giver(id), Sites: []string{},
			All: total, Last: dayOf(all.last), PCIs: all.list()}
		if at, known := near.places[identityOf(id)]; known {
			n.Near = near.heard[at].count
		}
		list = append(list, n)
	}
	slices.SortStableFunc(list, func(a, b DiagnosedNode) int { return b.All - a.All })
	return list
}

// giver says who gives an identifier of the site to it.
func giver(id site.RadioID) givenBy {
	if id.Learned {
		return byMeasures
	}
	return bySource
}

// others are the identifiers that measures near the site name and that it is not given: those
// that most name, at most as many as asked for, and how many there are.
func (near *hearing) others(most int) (list []*heardID, all int) {
	for i := range near.heard {
		x := &near.heard[i]
		if given(near.own, x.id) {
			continue
		}
		all++
		if at, _ := slices.BinarySearchFunc(list, x, byCount); at < most {
			list = slices.Insert(list[:min(len(list), most-1)], at, x)
		}
	}
	return list, all
}

// byCount orders what more measures name before the rest.
func byCount(a, b *heardID) int {
	if a.count != b.count { // of most
		return b.count - a.count
	}
	return cmp.Or(cmp.Compare(a.id.Kind, b.id.Kind), cmp.Compare(a.id.Value, b.id.Value))
}

// other shows a base station that the site is not given.
func (s *radioSite) other(x *heardID) DiagnosedNode {
	id := x.id
	n := DiagnosedNode{Type: id.Kind.String(), Value: idText(id.Value), Given: byNobody, Sites: []string{},
		Near: x.count, Last: dayOf(x.last),
		PCIs: x.list(), All: s.measures.HeardOf(s.market(), id, 0, nil)}
	for _, found := range s.loaded.Lookup(id.Value, lookupTypes[id.Kind], id.Operator) {
		switch {
		case found.Site == s.at:
			n.Given = s.giver(id)
		case len(n.Sites) < maxOtherSites:
			n.Sites = append(n.Sites, s.key(found.Site))
		}
	}
	if n.Given == byNobody && len(n.Sites) > 0 {
		n.Given = elsewhere
	}
	return n
}

// giver says who gives the site an identifier that a look-up finds there: of very many
// base stations, not all are compared.
func (s *radioSite) giver(id site.RadioID) givenBy {
	for _, x := range s.Radio {
		if x.Operator == id.Operator &&
			(x.Kind == id.Kind && x.Value == id.Value || id.Kind == site.Cell && hasCell(x, id.Value)) {
			return giver(x)
		}
	}
	return perhaps
}

// generations compares what the register declares of an operator with what was measured.
func (s *radioSite) generations(operator int, naming *[site.Generations]int, near *hearing) []DiagnosedGeneration {
	list := []DiagnosedGeneration{}
	absent := notDeclared
	if slices.ContainsFunc(s.Emissions, func(e site.Emission) bool {
		return e.Generation == 0 && s.Stations[e.Station].Operator == operator
	}) {
		absent = notStated
	}
	for g := site.G2; g < site.Generations; g++ {
		d := DiagnosedGeneration{Generation: g.String(), Declared: absent, Systems: []string{}, Naming: naming[g],
			Near: near.generations[g]}
		for _, e := range s.Emissions {
			if e.Generation != g || s.Stations[e.Station].Operator != operator {
				continue
			}
			if e.System != "" && !slices.Contains(d.Systems, e.System) {
				d.Systems = append(d.Systems, e.System)
			}
			switch {
			case s.loaded.Table.Phase(e.Status) != market.Project:
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
