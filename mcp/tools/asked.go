package tools

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"relais/index"
	"relais/index/question"
	"relais/internal/fold"
	"relais/market"
)

// An Understood says how a question was read.
type Understood struct {
	Place        string   `json:"place,omitempty" doc:"The place, with its area."`
	Words        string   `json:"words,omitempty" doc:"Words that were looked for in identifiers, communes, addresses and areas."`
	Operators    []string `json:"operators,omitempty" doc:"Operators that were asked for; one that a market does not have finds nothing there."`
	Technologies []string `json:"technologies,omitempty" doc:"Generations, systems and bands in MHz that were asked for."`
	Status       string   `json:"status,omitempty" doc:"How far the emissions are: planned, operational or in service."`
	Note         string   `json:"note,omitempty" doc:"What was not found, or may be meant instead: ask when it matters."`
}

// An inquiry is a question and the place that it names.
type inquiry struct {
	question.Question
	place *Place // nil for none
	notes []string
}

// inquire reads a question, about one market or, with nil, all. A place that has the whole
// text as its name is meant by it.
func (r *Reading) inquire(text string, in *market.Code) (*inquiry, error) {
	q := &inquiry{Question: question.Parse(text)}
	whole, err := r.exactPlace(text, in)
	if err != nil {
		return nil, err
	}
	if whole != nil && whole.match == 0 {
		q.takeAsPlace(text, whole)
		return q, nil
	}
	if q.Place != "" {
		where := q.Place
		if q.Country != "" && in == nil {
			where += ", " + countryName(q.Country)
		}
		if q.place, err = r.exactPlace(where, in); err != nil {
			return nil, err
		}
		return q, r.bareBand(q, in)
	}
	if q.Named == "" {
		return q, nil
	}
	if whole, err = r.exactPlace(q.Named, in); err != nil || whole == nil || whole.match > 0 {
		return q, err
	}
	q.takeAsPlace(q.Named, whole)
	return q, nil
}

// takeAsPlace reads a text as the name of a place, and no longer as that of an operator.
func (q *inquiry) takeAsPlace(text string, p *Place) {
	if len(q.Operators) > 0 {
		q.notes = append(q.notes,
			fmt.Sprintf("%q was read as the place; for the operator %s name a place too.", fold.String(text),
				strings.Join(q.Operators, " or ")))
	}
	q.place, q.Place, q.Words = p, fold.String(text), strings.Fields(fold.String(text))
	q.Operators, q.Named, q.Bands, q.BareBand = nil, "", nil, false
}

// bareBand reads a number that stood alone as a part of the place again where it is a postal
// code of it, or where there is no place.
func (r *Reading) bareBand(q *inquiry, in *market.Code) (err error) {
	if !q.BareBand {
		return nil
	}
	number := strconv.Itoa(q.Bands[0])
	if q.place != nil && !q.place.at.HasPostalCode(number) {
		return nil
	}
	q.Bands, q.BareBand = nil, false
	q.Place, q.Words = q.Place+" "+number, append(q.Words, number)
	q.place, err = r.exactPlace(q.Place, in)
	return err
}

// exactPlace is the place whose whole name a text has, nil for none.
func (r *Reading) exactPlace(text string, in *market.Code) (*Place, error) {
	found, _, _, err := r.places(&placeParams{Place: text, Market: in}, market.AllOperators, 1+mostOthers+1)
	if err != nil || len(found) == 0 || !found[0].at.Whole {
		return nil, err
	}
	found[0].setOthers(found[1:])
	return &found[0], nil
}

func countryName(code string) string {
	for _, m := range market.All {
		if m.Country == code {
			return m.Label
		}
	}
	return ""
}

// shorten reads the question as one about a part of its text that is a place.
func (r *Reading) shorten(q *inquiry, in *market.Code) error {
	found, err := r.shorterPlaces(&placeParams{Place: q.Place, Market: in}, market.AllOperators, 1)
	if err == nil && len(found) > 0 {
		q.place = &found[0]
	}
	return err
}

// narrow adds to a filter what the question asks of emissions and the filter does not say. It
// reports whether the market can have such sites.
func (q *inquiry) narrow(m *index.Market, f *index.Filter) bool {
	c := index.Choices{}
	if f.OneOf != nil {
		c = *f.OneOf
	}
	if len(q.Operators) > 0 && f.Operator == index.Any && c.Operators == nil {
		for _, key := range q.Operators {
			if i, ok := m.Table.Operator(key); ok {
				c.Operators = append(c.Operators, i)
			}
		}
		if c.Operators == nil {
			return false
		}
	}
	if q.Generation != 0 && f.Generation == index.Any && c.Generations == nil {
		f.Generation = int(q.Generation)
	}
	if q.Phase != 0 && f.Status == index.Any && c.Statuses == nil {
		f.Status = index.NoStatus
		for i := range m.Snap.Statuses {
			if m.Table.Phase(i) == q.Phase {
				f.Status = i
			}
		}
	}
	if len(q.Systems)+len(q.Bands) > 0 && c.Systems == nil {
		c.Systems = q.systems(m)
	}
	if c.Operators != nil || c.Generations != nil || c.Statuses != nil || c.Systems != nil {
		f.OneOf = &c
	}
	return true
}

// systems are the positions of a market's systems that the question names.
func (q *inquiry) systems(m *index.Market) index.Choice {
	list := index.Choice{}
	for i, name := range m.Snap.Systems {
		name = fold.String(name)
		band := func(mhz int) bool { return strings.HasSuffix(name, " "+strconv.Itoa(mhz)) }
		if slices.Contains(q.Systems, name) || slices.ContainsFunc(q.Bands, band) {
			list = append(list, i)
		}
	}
	return list
}

// understood says how the question was read.
func (q *inquiry) understood() *Understood {
	u := &Understood{Words: strings.Join(q.Words, " "), Operators: q.Operators, Technologies: q.technologies()}
	switch q.Phase {
	case market.Project:
		u.Status = "planned"
	case market.Operational:
		u.Status = "operational"
	case market.InService:
		u.Status = "in service"
	}
	notes := q.notes
	if q.place != nil {
		c := q.place.center()
		u.Place = c.Name
		if c.Note != "" {
			notes = append(notes, c.Note)
		}
	}
	u.Note = strings.Join(notes, " ")
	return u
}

func (q *inquiry) technologies() (list []string) {
	for _, system := range q.Systems {
		list = append(list, strings.ToUpper(system))
	}
	if q.Generation != 0 && len(q.Systems) == 0 {
		list = append(list, q.Generation.String())
	}
	for _, band := range q.Bands {
		list = append(list, fmt.Sprintf("%d MHz", band))
	}
	return list
}
