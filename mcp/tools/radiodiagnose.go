package tools

import (
	"context"
	"slices"

	"relais/api/endpoint"
	"relais/geo"
	"relais/measure"
	"relais/radio"
)

var radioDiagnoseSite = endpoint.New(endpoint.Decl{
	Name: "radio_diagnose_site", Title: "A site as declared and as measured",
	Summary: "Compares what is declared of a site with what people measured: base stations that measurements near it or naming it saw, and who gives them to which site; generations that are declared and never measured, or measured and not declared; physical cell ids that are equal, or equal modulo 3, to those of neighbours of the same operator within 5 km. Use sites_get for what is declared alone.",
}, diagnoseSite)

func diagnoseSite(r *Reading, _ context.Context, p *radioDiagnoseParams) (*Diagnosis, error) {
	s, err := r.radioSite(&p.siteParams, p.Operator)
	if err != nil {
		return nil, err
	}
	if s.measures, err = r.MeasureStore(); err != nil {
		return nil, err
	}
	near, looked := s.hearNear(p.RadiusKm * 1000)
	d := &Diagnosis{Site: r.site(s.loaded, s.at, -1), Near: looked, Operators: []OperatorDiagnosis{}, Notes: []string{},
		Sourced: sourced(s.loaded.Table, s.loaded)}
	heard := 0 // measurements near the site or naming it; some count twice, but only 0 matters
	for _, o := range s.operators {
		od := s.diagnose(o, near[o], p.Limit)
		heard += near[o].Count
		for _, n := range od.Nodes {
			heard += n.All
		}
		d.Operators = append(d.Operators, od)
	}
	d.Collisions = s.collisions(p.Limit)
	if heard == 0 {
		d.Notes = append(d.Notes,
			"No measurement of these operators lies near the site or names it: that something was never measured says nothing of the site.")
	}
	if looked.Sample {
		d.Notes = append(d.Notes,
			"Only a sample of the measurements near the site was looked at: a generation or base station that few measurements name can be missing.")
	}
	if s.sampled {
		d.Notes = append(d.Notes,
			"Of a base station that very many measurements name, only a sample of them was looked at: newer ones, other PCIs and a generation that few of them have can be missing.")
	}
	if d.Collisions.Equal+d.Collisions.Mod3 > 0 {
		d.Notes = append(d.Notes,
			"What is known of a PCI does not say on which frequency it is used, nor whether in LTE or in NR: two that are equal only disturb each other in one technology on one frequency.")
	}
	return d, nil
}

// hearNear adds up the measurements within metres of the site, by operator.
func (s *radioSite) hearNear(metres float64) (by []*radio.Surrounding, looked Looked) {
	by = make([]*radio.Surrounding, len(s.loaded.Table.Operators))
	for _, o := range s.operators {
		by[o] = radio.NewSurrounding(s.nodes(o))
	}
	around := geo.Disc{Center: s.Position, Radius: metres}
	n, of := s.measures.ObservationsNear(s.market(), around, maxNear, func(h *measure.Observation) {
		if near := by[h.Operator]; near != nil {
			m := measurement(h)
			near.Add(&m)
		}
	})
	return by, newLooked(n, of)
}

// diagnose compares the register's emissions of an operator with the measurements.
func (s *radioSite) diagnose(operator int, near *radio.Surrounding, limit int) OperatorDiagnosis {
	o := OperatorDiagnosis{Operator: s.loaded.Table.Operators[operator].Key, Generation: []DiagnosedGeneration{},
		Unmeasured: []string{}, Undeclared: []string{}, MaybeOther: []string{}}
	var naming radio.ByGeneration
	o.Nodes = s.ownNodes(near, &naming)
	o.AllNodes = len(o.Nodes)
	o.Nodes = o.Nodes[:min(limit, len(o.Nodes))]
	others, all := near.Others(limit - len(o.Nodes))
	o.AllNodes += all
	for _, x := range others {
		o.Nodes = append(o.Nodes, s.otherNode(x))
	}
	for _, g := range radio.Compare(s.loaded.Table, &s.Site, operator, &naming, &near.Generations) {
		name := g.Generation.String()
		o.Generation = append(o.Generation, DiagnosedGeneration{name, g.Declared, g.Systems, g.Naming, g.Near})
		switch g.Finding() {
		case radio.NeverMeasured:
			o.Unmeasured = append(o.Unmeasured, name)
		case radio.Undeclared:
			o.Undeclared = append(o.Undeclared, name)
		case radio.MaybeNeighbours:
			o.MaybeOther = append(o.MaybeOther, name)
		}
	}
	return o
}

// ownNodes returns the base stations assigned to the site and adds the measurements that name
// them to naming. A cell that measurements put on one of them is left out.
func (s *radioSite) ownNodes(near *radio.Surrounding, naming *radio.ByGeneration) []DiagnosedNode {
	list, nodes := []DiagnosedNode{}, near.Assigned()
	for _, id := range nodes {
		// The operator's share is split among its base stations; but a few measurements of each say too little.
		limit := max(maxHeard/len(nodes), minHeard)
		total, all := s.hear(nodes, id, limit, nil)
		s.sampled = s.sampled || total > limit
		if all.AllByNode() { // its base station is in the list, with these measurements
			continue
		}
		for g, n := range all.Here(total) {
			naming[g] += n
		}
		list = append(list, DiagnosedNode{Type: id.Kind.String(), Value: idText(id.Value), Given: radio.AssignerOf(id),
			Sites: []string{}, All: total, Near: near.CountOf(id), Last: dayOf(all.Last), PCIs: all.PCIs()})
	}
	slices.SortStableFunc(list, func(a, b DiagnosedNode) int { return b.All - a.All })
	return list
}

// otherNode returns a base station that measurements near the site name and that is not assigned to it.
func (s *radioSite) otherNode(x *radio.NamedID) DiagnosedNode {
	id := x.ID
	n := DiagnosedNode{Type: id.Kind.String(), Value: idText(id.Value), Given: radio.ByNobody, Sites: []string{},
		Near: x.Count, Last: dayOf(x.Last), PCIs: x.PCIs(), All: s.measures.ObservationsOf(s.market(), id, 0, nil)}
	for _, found := range s.loaded.Lookup(id.Value, lookupTypes[id.Kind], id.Operator) {
		switch {
		case found.Site == s.at:
			n.Given = radio.AssignerAmong(s.Radio, id)
		case len(n.Sites) < maxOtherSites:
			n.Sites = append(n.Sites, s.key(found.Site))
		}
	}
	if n.Given == radio.ByNobody && len(n.Sites) > 0 {
		n.Given = radio.Elsewhere
	}
	return n
}
