package index

import (
	"slices"

	"relais/market"
	"relais/site"
	"relais/snapshot"
)

// Counts are numbers of sites of an area.
type Counts struct {
	Total                            int // with an emission of the operator
	FiveG3500, FiveG2100             int // with one in this band that is not a project
	FiveG, FourG, ThreeG             int // with one of this generation that is not a project
	InService, Operational, Projects int // by the most advanced status; together they are Total
}

// stats are the counts by operator + 1, 0 being all operators, and by area.
type stats [][]Counts

func newStats(m *market.Market, s *snapshot.Snapshot) stats {
	st := make(stats, len(s.Operators)+1)
	for o := range st {
		st[o] = make([]Counts, len(m.Areas))
	}
	shown := newPresences(m, s)
	seen := make([]presence, len(st))
	for i := range s.Len() {
		area := s.Area(i)
		if area < 0 {
			continue
		}
		clear(seen)
		s.EmissionKeys(i, func(k snapshot.EmissionKey) {
			p := shown.presence(k)
			seen[0].add(p)
			seen[k.Operator+1].add(p)
		})
		for o := range seen {
			st[o][area].count(seen[o], m.Phase(seen[o].status-1))
		}
	}
	return st
}

// presences know the systems that Counts counts separately.
type presences struct {
	market             *market.Market
	band3500, band2100 int // numbers of systems, -1 if the snapshot has no such system
}

func newPresences(m *market.Market, s *snapshot.Snapshot) presences {
	return presences{m, slices.Index(s.Systems, "5G NR 3500"), slices.Index(s.Systems, "5G NR 2100")}
}

// presence returns what an emission says about its operator at the site.
func (b presences) presence(k snapshot.EmissionKey) presence {
	p := presence{any: true, status: k.Status + 1}
	if k.Status >= 0 && b.market.Phase(k.Status) != market.Project {
		p.live3500, p.live2100 = k.System == b.band3500, k.System == b.band2100
		p.live[k.Generation] = true
	}
	return p
}

// A presence is what an operator has at one site.
type presence struct {
	any                bool
	live               [site.Generations]bool
	live3500, live2100 bool
	status             int // the most advanced status + 1
}

func (p *presence) add(o presence) {
	p.any = true
	p.live3500, p.live2100 = p.live3500 || o.live3500, p.live2100 || o.live2100
	for g := range p.live {
		p.live[g] = p.live[g] || o.live[g]
	}
	p.status = max(p.status, o.status)
}

func (c *Counts) count(p presence, phase market.Phase) {
	if !p.any {
		return
	}
	c.Total++
	c.FiveG3500 += toInt(p.live3500)
	c.FiveG2100 += toInt(p.live2100)
	c.FiveG += toInt(p.live[site.G5])
	c.FourG += toInt(p.live[site.G4])
	c.ThreeG += toInt(p.live[site.G3])
	switch phase {
	case market.InService:
		c.InService++
	case market.Operational:
		c.Operational++
	case market.Project:
		c.Projects++
	}
}

func toInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Departments returns the counts of each area of the market, in table order, for operators together, all with none
// or Any: a site of two of them counts once.
func (m *Market) Departments(operators ...int) []Counts {
	switch len(operators) {
	case 0:
		return m.stats[0]
	case 1:
		return m.stats[operators[0]+1]
	}
	counts := make([]Counts, len(m.Table.Areas))
	shown := newPresences(m.Table, m.Snap)
	for i := range m.Len() {
		area := m.Snap.Area(i)
		if area < 0 {
			continue
		}
		var seen presence
		m.Snap.EmissionKeys(i, func(k snapshot.EmissionKey) {
			if slices.Contains(operators, k.Operator) {
				seen.add(shown.presence(k))
			}
		})
		counts[area].count(seen, m.Table.Phase(seen.status-1))
	}
	return counts
}
