package web

import (
	"cmp"
	"slices"

	"relais/geo"
	"relais/index"
	"relais/market"
	"relais/radio"
	"relais/site"
)

// Bounds of what /go looks at.
const (
	mostCandidates = 30        // that the page shows
	mostNamed      = 50        // sites that an identifier names
	farthest       = 100_000.0 // metres: no cell of 4G or 5G reaches farther
	pciRadius      = 10_000.0  // metres around a position where a PCI is looked for
)

// A candidate is a site that may serve the cell.
type candidate struct {
	in        *index.Market
	at        uint32
	operators []int // that have one of the identifiers there
	findings  []finding
	foreign   bool    // another operator than that of the question has the identifier
	metres    float64 // from the position, 0 without one
	score     float64 // see package radio
}

// How an identifier belongs to a site, from least to most certain.
const (
	unknown = iota
	possible
	learned
	stated
)

// A finding says that an identifier of the question is one of the site.
type finding struct {
	kind  string // eNB, gNB, cell, PCI
	value uint64
	how   int
}

// name returns the name of the text that tells the finding.
func (f *finding) name() string {
	return [...]string{"goNotThere", "goPossible", "goLearned", "goStated"}[f.how]
}

// candidates returns the sites that an identifier of the question names, the most certain first. If
// the operator of the question has it nowhere, those of other operators are returned: networks that
// are shared use the numbers of one of them.
func (q *goQuery) candidates(networks []network) (list []candidate) {
	for _, n := range networks {
		found := q.candidatesOf(n.Market, n.operator)
		if len(found) == 0 && n.operator != index.Any {
			found = q.candidatesOf(n.Market, index.Any)
			for i := range found {
				found[i].foreign = true
			}
		}
		list = append(list, found...)
	}
	slices.SortFunc(list, compareCandidates)
	return list
}

// candidatesOf returns the candidates of a market and an operator, or index.Any.
func (q *goQuery) candidatesOf(m *index.Market, operator int) (list []candidate) {
	add := func(at uint32) {
		if !slices.ContainsFunc(list, func(c candidate) bool { return c.at == at }) {
			if c := q.candidate(m, at, operator); len(c.findings) > 0 {
				list = append(list, c)
			}
		}
	}
	for _, asked := range []struct {
		value *uint64
		as    index.RadioType
	}{{q.ECI, index.LookupCI}, {q.NCI, index.LookupCI}, {q.ENB, index.LookupENB}} {
		if asked.value != nil {
			found := m.Lookup(*asked.value, []index.RadioType{asked.as}, operator)
			for _, match := range found[:min(len(found), mostNamed)] {
				add(match.Site)
			}
		}
	}
	if q.PCI != nil && q.At != nil && !q.hasNode() {
		for _, at := range q.withPCI(m, operator) {
			add(at)
		}
	}
	return list
}

// withPCI returns the sites near the position that have the PCI, the nearest first.
func (q *goQuery) withPCI(m *index.Market, operator int) (sites []uint32) {
	away := func(at uint32) float64 { return geo.Distance(*q.At, m.Position(at)) }
	for _, match := range m.Lookup(*q.PCI, []index.RadioType{index.LookupPCI}, operator) {
		if away(match.Site) <= pciRadius {
			sites = append(sites, match.Site)
		}
	}
	slices.SortStableFunc(sites, func(a, b uint32) int { return cmp.Compare(away(a), away(b)) })
	return sites[:min(len(sites), mostNamed)]
}

// candidate returns what speaks for a site. Without a finding about a base station, cell or, if
// there is nothing else, a PCI, it has no findings.
func (q *goQuery) candidate(m *index.Market, at uint32, operator int) candidate {
	c := candidate{in: m, at: at}
	var s site.Site
	m.Site(at, &s)
	s.Radio = m.AppendLearned(s.Radio, at)
	for o := range m.Table.Operators {
		if operator != index.Any && o != operator {
			continue
		}
		if found := q.findings(s.Radio, o); len(found) > 0 {
			c.operators = append(c.operators, o)
			for _, f := range found {
				if !slices.Contains(c.findings, f) {
					c.findings = append(c.findings, f)
				}
			}
		}
	}
	if len(c.findings) == 0 {
		return c
	}
	if q.hasNode() && q.PCI != nil {
		c.findings = append(c.findings, finding{"PCI", *q.PCI, q.pciAt(s.Radio, c.operators)})
	}
	if q.At != nil {
		c.metres = geo.Distance(*q.At, s.Position)
	}
	phone := q.phone()
	c.score = phone.Score(m.Table, &s, c.operators).Points
	return c
}

// phone returns the question as package radio has it, to order candidates as its tools do.
func (q *goQuery) phone() radio.Phone {
	p := radio.Phone{Node: q.ENB, Cell: q.ECI, PCI: q.PCI, Position: q.At}
	switch {
	case q.ECI != nil || q.ENB != nil:
		p.Generation = site.G4
	case q.NCI != nil:
		p.Cell, p.Generation = q.NCI, site.G5
	}
	return p
}

// findings returns how the identifiers of the question are among those of an operator at a site.
func (q *goQuery) findings(ids []site.RadioID, operator int) (list []finding) {
	best := func(kind string, value *uint64, how func(id *site.RadioID) (fits, certain bool)) {
		if value == nil {
			return
		}
		f := finding{kind: kind, value: *value}
		for i := range ids {
			id := &ids[i]
			if id.Operator != operator {
				continue
			}
			switch fits, certain := how(id); {
			case !fits:
			case !certain:
				f.how = max(f.how, possible)
			case id.Learned:
				f.how = max(f.how, learned)
			default:
				f.how = stated
			}
		}
		if f.how > unknown {
			list = append(list, f)
		}
	}
	best("ECI", q.ECI, func(id *site.RadioID) (bool, bool) {
		fits := id.Kind == site.Cell && id.Value == *q.ECI ||
			id.Kind == site.ENB && id.Value == *q.ECI>>site.ECICellBits
		return fits, true
	})
	best("eNB", q.ENB, func(id *site.RadioID) (bool, bool) { return id.Kind == site.ENB && id.Value == *q.ENB, true })
	best("NCI", q.NCI, func(id *site.RadioID) (bool, bool) {
		if id.Kind == site.GNB {
			return id.OfNCI(*q.NCI)
		}
		// A cell with so small a number may be one of 4G.
		return id.Kind == site.Cell && id.Value == *q.NCI, *q.NCI >= 1<<site.ECIBits
	})
	if !q.hasNode() {
		best("PCI", q.PCI, func(id *site.RadioID) (bool, bool) { return id.Kind == site.PCI && id.Value == *q.PCI, true })
	}
	return list
}

// pciAt returns how operators at a site have the PCI of the question.
func (q *goQuery) pciAt(ids []site.RadioID, operators []int) (how int) {
	for _, id := range ids {
		switch {
		case id.Kind != site.PCI || id.Value != *q.PCI || !slices.Contains(operators, id.Operator):
		case id.Learned:
			how = max(how, learned)
		default:
			how = stated
		}
	}
	return how
}

// rank returns how certain the candidate is.
func (c *candidate) rank() float64 {
	best := 0
	for _, f := range c.findings {
		if f.kind != "PCI" || len(c.findings) == 1 {
			best = max(best, f.how)
		}
	}
	return float64(best)*1000 + c.score
}

// certain returns the key of the one site that serves the cell. Nothing is certain without the
// network, for an identifier that was only learned or may be another one, and for a site that is
// too far from the position.
func (q *goQuery) certain(list []candidate) (key string, ok bool) {
	if m, _ := market.Network(q.PLMN); m == nil || len(list) != 1 || !q.hasNode() {
		return "", false
	}
	c := list[0]
	if c.foreign || c.metres > farthest {
		return "", false
	}
	asked := 0
	for _, value := range []*uint64{q.ECI, q.ENB, q.NCI} {
		if value != nil {
			asked++
		}
	}
	for _, f := range c.findings {
		if f.kind == "PCI" {
			continue
		}
		if asked--; f.how != stated {
			return "", false
		}
	}
	return index.Key(c.in.Table.Code, c.in.Snap.ID(int(c.at))), asked == 0
}
