package radio

import (
	"fmt"

	"relais/site"
)

// An Identifier is a base station or a cell that a phone showed.
type Identifier struct {
	Cell       bool            // an ECI or NCI, else an eNB or gNB
	Generation site.Generation // 4G or 5G; 0 where it may be of either
	Value      uint64
}

// A Basis is how an identifier belongs to a site, from the least to the most certain.
type Basis int

const (
	Unknown  Basis = iota
	Possible       // the data does not state what decides it
	Learned        // from measurements
	Stated         // by a source
)

// What ways of having an identifier are worth, stated and learned.
var (
	theCell  = [2]float64{1, 0.8}
	theNode  = [2]float64{0.9, 0.7}
	possibly = [2]float64{0.4, 0.3}
)

// match returns what it is worth that a site has id, 0 if it is another identifier. A gNB whose length nobody
// states only may have a cell, and a cell of 5G with a number that 4G has too may be one of 4G.
func (x Identifier) match(id site.RadioID) (share float64, basis Basis, what string) {
	node := id.Kind == site.ENB && x.Generation != site.G5 || id.Kind == site.GNB && x.Generation != site.G4
	worth, maybe := possibly, false
	if x.Cell && node && id.Kind == site.GNB {
		maybe, _ = id.OfNCI(x.Value)
	}
	switch {
	case x.Cell && id.Kind == site.Cell && id.Value == x.Value:
		worth, basis, what = theCell, Stated, "which is the cell"
		if x.Generation == site.G5 && x.Value < 1<<site.ECIBits {
			worth, basis, what = possibly, Possible, "which may be the cell"
		}
	case x.Cell && node && hasCell(id, x.Value):
		worth, basis, what = theNode, Stated, "whose cell it is"
	case !x.Cell && node && id.Value == x.Value:
		worth, basis, what = theNode, Stated, "which is the node"
	case maybe:
		basis, what = Possible, "whose cell it may be"
	default:
		return 0, Unknown, ""
	}
	if id.Learned {
		return worth[1], min(basis, Learned), what
	}
	return worth[0], basis, what
}

// Evidence is how the identifiers of a phone belong to a site.
type Evidence struct {
	Operators   []int   // that have one of the identifiers there or, if the phone showed none, the PCI
	Identifiers []Basis // of each of the phone's, the best of these operators
	PCI         Basis   // the best of these operators
}

// Certain reports whether sources state all identifiers of the phone, and there are any.
func (e *Evidence) Certain() bool {
	for _, basis := range e.Identifiers {
		if basis != Stated {
			return false
		}
	}
	return len(e.Identifiers) > 0
}

// Evidence returns what the identifiers of a site say about some of its operators.
func (p *Phone) Evidence(ids []site.RadioID, operators []int) Evidence {
	e := Evidence{Identifiers: make([]Basis, len(p.Identifiers))}
	for _, o := range operators {
		pci := p.pciBasis(ids, o)
		has := len(p.Identifiers) == 0 && pci > Unknown
		for i, x := range p.Identifiers {
			for _, id := range ids {
				if _, basis, _ := x.match(id); id.Operator == o && basis > Unknown {
					has, e.Identifiers[i] = true, max(e.Identifiers[i], basis)
				}
			}
		}
		if has {
			e.Operators, e.PCI = append(e.Operators, o), max(e.PCI, pci)
		}
	}
	return e
}

// pciBasis returns how an operator has the PCI among the identifiers of a site.
func (p *Phone) pciBasis(ids []site.RadioID, operator int) (basis Basis) {
	for _, id := range ids {
		switch {
		case p.PCI == nil || id.Kind != site.PCI || id.Operator != operator || id.Value != *p.PCI:
		case id.Learned:
			basis = max(basis, Learned)
		default:
			return Stated
		}
	}
	return basis
}

// identity returns how far the site has the cell or base station.
func (p *Phone) identity(s *site.Site, operator int) (share float64, why string) {
	why = "nothing gives the base station or cell to the site"
	for _, id := range s.Radio {
		for _, x := range p.Identifiers {
			worth, _, what := x.match(id)
			if id.Operator != operator || worth <= share {
				continue
			}
			giver := "a source gives"
			if id.Learned {
				giver = "measures give"
			}
			share, why = worth, fmt.Sprintf("%s the site the %s %d, %s,", giver, id.Kind, id.Value, what)
		}
	}
	return share, why
}

// pci returns how far the site has the physical cell id.
func (p *Phone) pci(s *site.Site, operator int) (share float64, why string) {
	switch p.pciBasis(s.Radio, operator) {
	case Stated:
		return 1, "a source gives the site the PCI"
	case Learned:
		return learnedPCI, "measures give the site the PCI"
	}
	for _, id := range s.Radio {
		if id.Kind == site.PCI && id.Operator == operator {
			return 0, "the site's known PCIs are others"
		}
	}
	return 0, "no PCI of the site is known"
}
