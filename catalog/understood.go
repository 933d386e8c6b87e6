package catalog

import (
	"strconv"
	"strings"

	"relais/index"
	"relais/index/question"
	"relais/internal/fold"
	"relais/market"
)

// Understood is the reading of a text: the conditions on emissions, its words and the place that it names.
type Understood struct {
	question.Question
	Place *NamedPlace // nil for none
	// NotOperators are the operators whose name was read as that of the place, Question.Place.
	NotOperators []string
}

// understand reads a text about registers: that of one market or, with nil, all. A place that has the whole text as its
// name is meant by it.
func understand(text string, m *market.Market, registers []*index.Market) Understood {
	u := Understood{Question: question.Parse(text)}
	// Before the words: a commune may have the name of an operator, or a word of a technology.
	if whole := exactPlace(text, registers); whole != nil && whole.Match == 0 {
		u.readAsPlace(text, whole)
		return u
	}
	switch {
	case u.Question.Place != "":
		among := registers
		if m == nil {
			among = inCountry(registers, u.Country)
		}
		u.Place = exactPlace(u.Question.Place, among)
		u.readBareBand(registers)
	case u.Named != "":
		if whole := exactPlace(u.Named, registers); whole != nil && whole.Match == 0 {
			u.readAsPlace(u.Named, whole)
		}
	}
	return u
}

// exactPlace returns the place whose whole name a text has, nil for none.
func exactPlace(text string, registers []*index.Market) *NamedPlace {
	q, found := Places{Limit: bestLimit}, PlacesFound{}
	found.Places, _ = q.named(registers, text)
	if best := found.Best(); best != nil && best.Whole {
		return best
	}
	return nil
}

// readAsPlace reads a text as the name of a place, and no longer as that of an operator.
func (u *Understood) readAsPlace(text string, p *NamedPlace) {
	text = fold.String(text)
	u.Place, u.Question.Place, u.Words, u.NotOperators = p, text, strings.Fields(text), u.Operators
	u.Operators, u.Named, u.Bands, u.BareBand = nil, "", nil, false
}

// readBareBand reads a number that stood alone as a part of the place again where it is a postal code of it, or where
// there is no place.
func (u *Understood) readBareBand(registers []*index.Market) {
	if !u.BareBand {
		return
	}
	number := strconv.Itoa(u.Bands[0])
	if u.Place != nil && !u.Place.HasPostalCode(number) {
		return
	}
	u.Bands, u.BareBand = nil, false
	u.Question.Place, u.Words = u.Question.Place+" "+number, append(u.Words, number)
	u.Place = exactPlace(u.Question.Place, registers)
}
