package catalog

import (
	"strconv"
	"strings"

	"relais/index"
	"relais/index/question"
	"relais/internal/fold"
)

// Understood is the reading of a text: the conditions on emissions, its words and the place that it names.
type Understood struct {
	question.Question
	Place *NamedPlace // nil for none
	// NotOperators are the operators whose name was read as that of the place, Question.Place.
	NotOperators []string
}

// understand reads the text. A place that has the whole text as its name is meant by it.
func (q *Find) understand(registers []*index.Market) Understood {
	u := Understood{Question: question.Parse(q.Text)}
	if u.Question.Key != "" || u.Question.Position != nil {
		return u
	}
	// Before the words: a commune may have the name of an operator, or a word of a technology.
	if whole := q.exactPlace(registers, q.Text, nil); whole != nil && whole.Match == 0 {
		u.readAsPlace(q.Text, whole)
		return u
	}
	switch {
	case u.Question.Place != "":
		among := registers
		if q.Market == nil {
			among = inCountry(registers, u.Country)
		}
		u.Place = q.exactPlace(among, u.Question.Place, u.Operators)
		u.readBareBand(q, registers)
		if u.BarePLMN && u.Place != nil && u.Place.HasPostalCode(u.PLMN) { // 20620 Biguglia
			u.Operators, u.PLMN = nil, ""
		}
	case u.Named != "" && u.Topic == "" && u.Identifier == nil:
		if whole := q.exactPlace(registers, u.Named, nil); whole != nil && whole.Match == 0 {
			u.readAsPlace(u.Named, whole)
		}
	}
	return u
}

// exactPlace returns the place whose whole name a text has, nil for none.
func (q *Find) exactPlace(registers []*index.Market, text string, operators []string) *NamedPlace {
	ask, found := q.placesOf(operators), PlacesFound{}
	found.Places, _ = ask.named(registers, text)
	if best := found.Best(); best != nil && best.Whole {
		return best
	}
	return nil
}

// readAsPlace reads a text as the name of a place, and no longer as that of an operator.
func (u *Understood) readAsPlace(text string, p *NamedPlace) {
	text = fold.String(text)
	u.Place, u.Question.Place, u.Words, u.NotOperators = p, text, strings.Fields(text), u.Operators
	u.Operators, u.Named, u.Bands, u.BareBand, u.PLMN = nil, "", nil, false, ""
}

// readBareBand reads a number that stood alone as a part of the place again where it is a postal code of it, or where
// there is no place.
func (u *Understood) readBareBand(q *Find, registers []*index.Market) {
	if !u.BareBand {
		return
	}
	number := strconv.Itoa(u.Bands[0])
	if u.Place != nil && !u.Place.HasPostalCode(number) {
		return
	}
	u.Bands, u.BareBand = nil, false
	u.Question.Place, u.Words = u.Question.Place+" "+number, append(u.Words, number)
	u.Place = q.exactPlace(registers, u.Question.Place, u.Operators)
}
