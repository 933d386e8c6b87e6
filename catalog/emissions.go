package catalog

import (
	"slices"
	"strconv"
	"strings"

	"relais/index"
	"relais/internal/fold"
)

// sites returns the question for sites of a register with emissions as the text asks for, and whether there can
// be such sites.
func (u *Understood) sites(s Selection, m *index.Market) (q Sites, possible bool) {
	s.Market, possible = m.Table, true
	if len(u.Operators) > 0 && s.Operators == nil {
		for _, key := range u.Operators {
			if i, ok := m.Table.Operator(key); ok {
				s.Operators = append(s.Operators, i)
			}
		}
		possible = s.Operators != nil
	}
	if u.Generation != 0 && s.Generations == nil {
		s.Generations = index.Choice{int(u.Generation)}
	}
	if u.Phase != 0 && s.Status == "" {
		for i, name := range m.Snap.Statuses {
			if m.Table.Phase(i) == u.Phase {
				s.Status = name
			}
		}
		possible = possible && s.Status != ""
	}
	if len(u.Systems)+len(u.Bands) > 0 && s.Technologies == nil && s.Bands == nil {
		s.Technologies = u.systemsOf(m)
		possible = possible && s.Technologies != nil
	}
	return Sites{Selection: s}, possible
}

// systemsOf returns the systems of a register that the text names.
func (u *Understood) systemsOf(m *index.Market) (names []string) {
	for _, name := range m.Snap.Systems {
		folded := fold.String(name)
		isBand := func(mhz int) bool { return strings.HasSuffix(folded, " "+strconv.Itoa(mhz)) }
		if slices.Contains(u.Systems, folded) || slices.ContainsFunc(u.Bands, isBand) {
			names = append(names, name)
		}
	}
	return names
}

// where returns the query for the sites: those of the place if the text names one, else those that have the words. If
// several markets are asked for the place that a part of the text names, its name is what is searched for.
func (u *Understood) where(oneMarket bool) index.Query {
	if p := u.Place; p != nil &&
		(p.Kind == index.Region || len(p.Others) == 0 && p.PartOf == "" || p.PartOf != "" && oneMarket) {
		return p.Within()
	}
	return u.byWords()
}

// byWords returns the query for the sites that have the words, or the name of the place that they are.
func (u *Understood) byWords() index.Query {
	if p := u.Place; p != nil && p.Match == 0 { // Paris 15e is PARIS 15
		return index.Query{Text: p.Name, Ranked: true, Spoken: true, Whole: true}
	}
	text := strings.Join(u.Words, " ")
	return index.Query{Text: text, Ranked: text != "", Spoken: true}
}
