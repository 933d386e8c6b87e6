package tools

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"relais/api"
	"relais/api/endpoint"
	"relais/catalog"
	"relais/geo"
	"relais/radio"
	"relais/site"
)

var radioProfileEstimate = endpoint.New(endpoint.Decl{
	Name: "radio_profile_estimate", Title: "Which site served a phone",
	Summary: "From what a phone showed (base station or cell, PCI, technology, position, operator) the sites that may have served it, the best first, each with distance, bearing and a score of 0 to 100. The score is 100 times the points of its parts over the most that those parts can have; a part counts when its value was given: identity 50, pci 15, distance 15, technology 10, sector 10. It is a ranking, not a probability. Give node or cellId, or lat and lon, or both, and the operator where it is known. Use sites_find_by_radio for what an identifier names, whatever else was measured.",
}, estimateProfile)

type profileParams struct {
	Node       *int            `param:"node" min:"1" max:"4294967295" doc:"eNB or gNB." example:"1009"`
	Cell       *int            `param:"cellId" min:"1" max:"68719476735" doc:"ECI of LTE or NCI of NR." example:"258305"`
	PCI        *int            `param:"pci" min:"0" max:"1007" doc:"Physical cell id of LTE (to 503) or NR."`
	Technology *api.Technology `param:"technology" doc:"2G, 3G, 4G, 5G, or a technology of one, such as LTE or NR." example:"LTE"`
	optionalPointParams
	RadiusKm float64 `param:"radiusKm" default:"10" above:"0" max:"50" doc:"With lat and lon: how far around to look for sites that no identifier names, in kilometres."`
	marketParams
	pageParams
}

// optionalPointParams are a position that may be given.
type optionalPointParams struct {
	Lat *float64 `param:"lat" min:"-90" max:"90" doc:"Latitude of the phone, WGS84 degrees; with lon." example:"48.8584"`
	Lon *float64 `param:"lon" min:"-180" max:"180" doc:"Longitude of the phone, WGS84 degrees; with lat." example:"2.2945"`
}

// point returns the position, nil when none was given.
func (p *optionalPointParams) point() *geo.Point {
	if p.Lat == nil {
		return nil
	}
	return &geo.Point{Lat: *p.Lat, Lng: *p.Lon}
}

// checkPair fails if one coordinate is given without the other.
func (p *optionalPointParams) checkPair() error {
	switch {
	case p.Lat == nil && p.Lon != nil:
		return &endpoint.ParamError{Param: "lat", Want: "missing: lat and lon belong together"}
	case p.Lat != nil && p.Lon == nil:
		return &endpoint.ParamError{Param: "lon", Want: "missing: lat and lon belong together"}
	}
	return nil
}

// generation returns the generation of the technology, 0 when it was not given.
func (p *profileParams) generation() site.Generation {
	if g := p.Technology.Generations(); g != nil {
		return site.Generation(g[0])
	}
	return 0
}

// Check holds the rules over several parameters.
func (p *profileParams) Check() error {
	if err := p.checkPair(); err != nil {
		return err
	}
	if p.Node == nil && p.Cell == nil && p.Lat == nil {
		return &endpoint.ParamError{Param: "node", Want: "missing: give node or cellId, or lat and lon"}
	}
	if err := p.ofTechnology(); err != nil {
		return err
	}
	// Only an ECI has the eNB at a fixed place; how many bits of an NCI are the gNB, each network decides.
	if p.generation() == site.G4 && p.Cell != nil && p.Node != nil && *p.Cell>>site.ECICellBits != *p.Node {
		return &endpoint.ParamError{Param: "node", Value: fmt.Sprint(*p.Node),
			Want: fmt.Sprintf("the eNB of cellId, which is %d; or leave one of them out", *p.Cell>>site.ECICellBits)}
	}
	return nil
}

// ofTechnology fails for an identifier that the technology does not have.
func (p *profileParams) ofTechnology() error {
	for _, id := range []struct {
		name  string
		value *int
		in4G  string
		most  uint64 // in 4G
	}{{"node", p.Node, "an eNB, from 1", site.ENB.Max()}, {"cellId", p.Cell, "an ECI, from 1", 1<<site.ECIBits - 1},
		{"pci", p.PCI, "from 0", maxLTEPCI}} {
		want := ""
		switch g := p.generation(); {
		case id.value == nil || g == 0:
		case g < site.G4:
			want = fmt.Sprintf("leave it out: %s has no eNB, gNB, ECI, NCI or PCI; or give the technology as 4G or 5G",
				g)
		case g == site.G4 && uint64(*id.value) > id.most:
			want = fmt.Sprintf("in 4G %s to %d", id.in4G, id.most)
		}
		if want != "" {
			return &endpoint.ParamError{Param: id.name, Value: fmt.Sprint(*id.value), Want: want}
		}
	}
	return nil
}

// maxLTEPCI is the greatest physical cell id of LTE (3GPP TS 36.211, 6.11).
const maxLTEPCI = 503

// A Profile is the sites that may have served a phone.
type Profile struct {
	List[Candidate]
	Considered int      `json:"considered" doc:"Sites that were scored: those that node or cellId names, at most 50 of each, those around the position with the PCI, the nearest 50, and the 20 nearest of all."`
	Notes      []string `json:"notes"`
	Sourced
}

// A Candidate is a site that may have served a phone.
type Candidate struct {
	Site
	Operator *string     `json:"operator" doc:"Of which the score is; null when several operators of the site have the same, and the parts are then those of the first."`
	Bearing  *float64    `json:"bearingDegrees" doc:"From the position to the site, degrees from true north; null without a position, and at the site."`
	Score    float64     `json:"score" doc:"100 × sum of points / sum of of, to one decimal."`
	Parts    []ScorePart `json:"parts"`
}

// A ScorePart is a part of a score.
type ScorePart struct {
	Name   radio.PartName `json:"part" doc:"identity: the cell itself stated for the operator 1, its base station or the node 0.9, the same learned from measurements 0.8 and 0.7, an NCI that may be of a gNB whose length nobody states 0.4, learned 0.3, else 0. pci: stated 1, learned 0.8, else 0. distance: 1 / (1 + kilometres). technology: an emission of the generation in operation 1, as a project 0.3, none 0. sector: 1 - a/60 for a the angle in degrees between the bearing from the site to the position and its nearest azimuth, at least 0; 1 closer than 50 m; 0 where no azimuth is stated. Each times of."`
	Points float64        `json:"points" doc:"To two decimals."`
	Of     float64        `json:"of" doc:"The most that the part can have."`
	Why    string         `json:"why"`
}

// nearestSites is how many of the sites nearest to the phone are scored, even if no identifier names them.
const nearestSites = 20

func estimateProfile(r *Reading, _ context.Context, p *profileParams) (*Profile, error) {
	m, operators, err := p.resolve()
	if err != nil {
		return nil, err
	}
	loaded, err := r.Register(m)
	if err != nil {
		return nil, err
	}
	answer := &Profile{List: listOf[Candidate](nil, 0, 0), Notes: []string{}, Sourced: sourced(m, loaded)}
	if loaded == nil { // the market has no inventory, which its source says
		return answer, nil
	}
	q := catalog.Cell{Market: m, Operators: operators, Phone: p.phone(), Radius: p.RadiusKm * 1000, Nearest: nearestSites}
	all, err := r.Candidates(q)
	if err != nil {
		return nil, err
	}
	shown := each(paged(all, p.Offset, p.Limit).Items,
		func(c catalog.Candidate) Candidate { return r.newCandidate(&q.Phone, &c) })
	answer.List, answer.Considered = listOf(shown, p.Offset, len(all)), len(all)
	answer.Notes = p.notes(all)
	return answer, nil
}

// noMatchNotes explains why no site matched, and what to change.
func (p *profileParams) noMatchNotes() (notes []string) {
	of := string(p.Market)
	if p.Operator.Texts() != nil {
		of += " with " + p.Operator.String()
	}
	if p.Node != nil || p.Cell != nil {
		notes = append(notes, fmt.Sprintf(
			"No site of %s is given the node or cell: it may be of another operator or market, or nobody says whose it is.", of))
	}
	if point := p.point(); point != nil {
		notes = append(notes, cmp.Or(otherMarket(p.Market, *point),
			fmt.Sprintf("No site of %s lies within %v km of the position: a larger radiusKm may find one.",
				of, p.RadiusKm)))
	}
	return notes
}

// notes returns how sure the first of the candidates is.
func (p *profileParams) notes(all []catalog.Candidate) (notes []string) {
	notes = []string{}
	if len(all) == 0 {
		return p.noMatchNotes()
	}
	if all[0].InReach() && !all[len(all)-1].InReach() {
		notes = append(notes, fmt.Sprintf("Sites farther than %v km come last, whatever their score: no cell reaches so far.",
			catalog.Reach/1000))
	}
	if len(all) > 1 && all[0].Score.Points-all[1].Score.Points < closeScores && (all[1].InReach() || !all[0].InReach()) {
		notes = append(notes, "The first sites have nearly the same score: what was given does not tell them apart.")
	}
	named := func(c catalog.Candidate) bool { return len(c.Operators) > 0 }
	if p.Node == nil && p.Cell == nil {
		notes = append(notes, "Without node or cellId little but places speaks for a site: phones are often served by another one than the nearest, and a PCI is used again and again.")
	} else if !slices.ContainsFunc(all, named) {
		notes = append(notes, "Nothing gives the base station or cell to a site.")
	}
	if slices.ContainsFunc(all, func(c catalog.Candidate) bool { return c.Foreign }) {
		notes = append(notes, fmt.Sprintf("The node or cell is of another operator than %s: shared networks use the numbers of one of them.",
			p.Operator))
	}
	return notes
}

// closeScores are too close to each other to tell two sites apart.
const closeScores = 5

// phone returns the phone in the form of package radio. A phone that is in 5G may show the cell of 4G that
// anchors it, so that only 4G says the generation of an identifier.
func (p *profileParams) phone() radio.Phone {
	phone := radio.Phone{Generation: p.generation(), Position: p.point()}
	in := site.Generation(0)
	if phone.Generation == site.G4 {
		in = site.G4
	}
	add := func(cell bool, value *int) {
		if value != nil {
			phone.Identifiers = append(phone.Identifiers, radio.Identifier{Cell: cell, Generation: in, Value: uint64(*value)})
		}
	}
	add(true, p.Cell)
	add(false, p.Node)
	if p.PCI != nil {
		phone.PCI = new(uint64(*p.PCI))
	}
	return phone
}

// newCandidate returns a candidate as answers show it.
func (r *Reading) newCandidate(phone *radio.Phone, found *catalog.Candidate) Candidate {
	c := Candidate{Site: r.site(found.Register, found.At, found.Metres), Score: found.Score.Points,
		Parts: make([]ScorePart, len(found.Score.Parts))}
	for i, part := range found.Score.Parts {
		c.Parts[i] = ScorePart(part)
	}
	if o := found.Score.Operator; o >= 0 {
		c.Operator = &found.Register.Table.Operators[o].Key
	}
	if phone.Position != nil {
		c.Bearing = bearingOf(*phone.Position, found.Register.Position(found.At))
	}
	return c
}
