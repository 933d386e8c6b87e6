package tools

import (
	"fmt"
	"strings"

	"relais/catalog"
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

// newUnderstood returns how a question was read, with a note if it found nothing.
func newUnderstood(found *catalog.AskedFound) *Understood {
	q := &found.Understood
	u := &Understood{Words: strings.Join(q.Words, " "), Operators: q.Operators, Technologies: technologies(q),
		Status: map[market.Phase]string{market.Project: "planned", market.Operational: "operational",
			market.InService: "in service"}[q.Phase]}
	var notes []string
	if len(q.NotOperators) > 0 {
		notes = append(notes, fmt.Sprintf("%q was read as the place; for the operator %s name a place too.",
			q.Question.Place, strings.Join(q.NotOperators, " or ")))
	}
	if found.Total == 0 {
		notes = append(notes, noMatchNote(q.Place))
	}
	if q.Place != nil {
		c := placeCenter(q.Place)
		u.Place = c.Name
		if c.Note != "" {
			notes = append(notes, c.Note)
		}
	}
	u.Note = strings.Join(notes, " ")
	return u
}

// noMatchNote says why a question found no site.
func noMatchNote(p *catalog.NamedPlace) string {
	if p != nil {
		return fmt.Sprintf("No site of %s has what is asked for.", placeTitle(&p.Place))
	}
	return "No place and no site has all of these words. " + landmarks + "."
}

// technologies returns the systems, generation and bands of a question. Systems say their generation
// themselves.
func technologies(q *catalog.Understood) (list []string) {
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
