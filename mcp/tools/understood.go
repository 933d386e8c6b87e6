package tools

import (
	"fmt"
	"slices"
	"strings"

	"relais/api"
	"relais/api/view"
	"relais/catalog"
	"relais/index/question"
	"relais/market"
)

// An Understood says how a question was read.
type Understood struct {
	Place        string       `json:"place,omitempty" doc:"The place, with its area."`
	Words        string       `json:"words,omitempty" doc:"Words that were looked for in identifiers, communes, addresses and areas."`
	Operators    []string     `json:"operators,omitempty" doc:"Operators that were asked for; one that a market does not have finds nothing there."`
	Technologies []string     `json:"technologies,omitempty" doc:"Generations, systems and bands in MHz that were asked for."`
	Status       string       `json:"status,omitempty" doc:"How far the emissions are: planned, operational or in service."`
	Identifier   string       `json:"identifier,omitempty" doc:"Radio identifier: enb, gnb, cell (ECI or NCI), pci or any, with its value."`
	Topic        string       `json:"topic,omitempty" doc:"outages or changes: no sites are answered; better has the tool to call."`
	Better       *view.Better `json:"better,omitempty" doc:"The tool to call, with its arguments."`
	Note         string       `json:"note,omitempty" doc:"What was not found, or may be meant instead: ask when it matters."`
}

// newUnderstood returns how a question was read, with a note if it found nothing.
func newUnderstood(found *catalog.Found) *Understood {
	q := &found.Understood
	u := &Understood{Words: strings.Join(q.Words, " "), Operators: found.OperatorKeys(), Technologies: technologies(q),
		Status: map[market.Phase]string{market.Project: "planned", market.Operational: "operational",
			market.InService: "in service"}[q.Phase], Topic: string(q.Topic), Better: api.NewBetter(found)}
	var notes []string
	if u.Better != nil {
		notes = append(notes, fmt.Sprintf("%s Call %s.", u.Better.Why, u.Better.Tool.Name))
	}
	if len(q.NotOperators) > 0 {
		notes = append(notes, fmt.Sprintf("%q was read as the place; for the operator %s name a place too.",
			q.Question.Place, strings.Join(q.NotOperators, " or ")))
	}
	if x := q.Identifier; x != nil && (x.Kind != question.Any || len(found.Radio) > 0) {
		u.Identifier = fmt.Sprintf("%s %d", x.Kind, x.Value)
		notes = append(notes, radioNote(found))
	}
	if found.Total+len(found.Radio) == 0 && u.Better == nil && u.Identifier == "" {
		notes = append(notes, noMatchNote(q.Place))
	}
	if s := found.Street(); s != nil {
		source := found.Streets.Source
		notes = append(notes, fmt.Sprintf("The sites are those around the middle of %s in %s (%s, %s of %s); numbers of houses are not known.",
			s.Name, strings.TrimSpace(s.Postcode+" "+s.Commune), source.Authority, source.Licence, source.Date))
	}
	if q.Landmark && found.Naming > 0 {
		notes = append(notes, fmt.Sprintf("The first %d sites have these words in their address.", found.Naming))
	}
	if q.Place != nil {
		c := placeCenter(q.Place)
		u.Place = c.Name
		if c.Note != "" && (found.Naming == 0 || len(found.Places) > 1) {
			notes = append(notes, c.Note)
		}
	}
	u.Note = strings.Join(slices.DeleteFunc(notes, func(note string) bool { return note == "" }), " ")
	return u
}

// radioNote says what the sites of an identifier are worth.
func radioNote(found *catalog.Found) string {
	switch x := found.Identifier; {
	case x.Kind == question.Area:
		return "Registers state no TAC and no LAC."
	case len(found.Radio) == 0:
		return "No site of a register has this identifier, nor is one learned from measurements."
	case found.Radio[0].Foreign:
		return "No site of this operator has it; those of others are answered, as shared networks use the numbers of one of them."
	case found.Radio[0].Learned:
		return "No source gives it to these sites: measurements name it near them only."
	case x.Kind == question.Any && found.Place != nil:
		return "The number is also a radio identifier; say eNB, gNB or cell for it."
	}
	return ""
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
