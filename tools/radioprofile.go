package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"relais/endpoint"
	"relais/geo"
	"relais/index"
	"relais/measure"
	"relais/ops"
	"relais/site"
)

var radioProfileEstimate = endpoint.New(endpoint.Decl{
	Name: "radio_profile_estimate", Title: "Which site served a phone",
	Summary: "From what a phone showed (base station or cell, PCI, technology, position, operator) the sites that may have served it, the best first, each with distance, bearing and a score of 0 to 100. The score is 100 times the points of its parts over the most that those parts can have; a part counts when its value was given: identity 50, pci 15, distance 15, technology 10, sector 10. It is a ranking, not a probability. Give node or cellId, or lat and lon, or both, and the operator where it is known. Use sites_find_by_radio for what an identifier names, whatever else was measured.",
}, (*Reading).radioProfileEstimate)

type profileParams struct {
	Node       *int             `param:"node" min:"1" max:"4294967295" doc:"eNB or gNB." example:"1009"`
	Cell       *int             `param:"cellId" min:"1" max:"68719476735" doc:"ECI of LTE or NCI of NR." example:"258305"`
	PCI        *int             `param:"pci" min:"0" max:"1007" doc:"Physical cell id."`
	Technology *radioTechnology `param:"technology" doc:"2G, 3G, 4G, 5G, or a technology of one, such as LTE or NR." example:"LTE"`
	optionalPointParams
	RadiusKm float64 `param:"radiusKm" default:"10" above:"0" max:"50" doc:"With lat and lon: how far around to look for sites that no identifier names, in kilometres."`
	ops.InMarket
	Limit int `param:"limit" default:"5" min:"1" max:"20" doc:"Most sites to answer."`
}

// A radioTechnology is a generation, by the name of it or of one of its technologies.
type radioTechnology string

// UnmarshalText accepts any usual spelling.
func (t *radioTechnology) UnmarshalText(b []byte) error {
	name, _, ok := measure.Technologies(string(b))
	if !ok {
		return errors.New("one of 2G, 3G, 4G, 5G, or a technology such as GSM, UMTS, LTE, NR")
	}
	*t = radioTechnology(name)
	return nil
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

func (p *optionalPointParams) together() error {
	switch {
	case p.Lat == nil && p.Lon != nil:
		return &endpoint.ParamError{Param: "lat", Want: "missing: lat and lon belong together"}
	case p.Lat != nil && p.Lon == nil:
		return &endpoint.ParamError{Param: "lon", Want: "missing: lat and lon belong together"}
	}
	return nil
}

// generation is that of the technology, 0 when it was not given.
func (p *profileParams) generation() site.Generation {
	if p.Technology == nil {
		return 0
	}
	_, g, _ := measure.Technologies(string(*p.Technology)) // one, since it was bound
	return site.Generation(g)
}

// Check holds the rules over several parameters.
func (p *profileParams) Check() error {
	if err := p.together(); err != nil {
		return err
	}
	if p.Node == nil && p.Cell == nil && p.Lat == nil {
		return &endpoint.ParamError{Param: "node", Want: "missing: give node or cellId, or lat and lon"}
	}
	if p.generation() == site.G4 && p.Cell != nil && *p.Cell >= 1<<site.ECIBits {
		return &endpoint.ParamError{Param: "cellId", Value: fmt.Sprint(*p.Cell), Want: fmt.Sprintf("in 4G an ECI, from 1 to %d", 1<<site.ECIBits-1)}
	}
	if p.generation() == site.G4 && p.Cell != nil && p.Node != nil && *p.Cell>>site.ECICellBits != *p.Node {
		return &endpoint.ParamError{Param: "node", Value: fmt.Sprint(*p.Node), Want: fmt.Sprintf("the eNB of cellId, which is %d; or leave one of them out", *p.Cell>>site.ECICellBits)}
	}
	return nil
}

// A Profile is the sites that may have served a phone.
type Profile struct {
	List[Candidate]
	Considered int      `json:"considered" doc:"Sites that were scored: those that an identifier names, at most 100, those around the position with the PCI, at most 50, and the 20 nearest."`
	Notes      []string `json:"notes"`
	Sourced
}

// A Candidate is a site that may have served a phone.
type Candidate struct {
	Site
	Operator *string     `json:"operator" doc:"Of which the score is; null when several operators of the site have the same, and the parts are then those of the first."`
	Bearing  *float64    `json:"bearingDegrees" doc:"From the position to the site, degrees from true north; null without a position."`
	Score    float64     `json:"score" doc:"100 × sum of points / sum of of, to one decimal."`
	Parts    []ScorePart `json:"parts"`

	at     uint32
	metres float64
}

// Bounds of what is scored.
const (
	mostNamedSites = 100
	mostPCISites   = 50
	nearestSites   = 20
)

func (r *Reading) radioProfileEstimate(_ context.Context, p *profileParams) (*Profile, error) {
	m, loaded, f, err := r.Pick(p.InMarket, ops.AreaParams{}, ops.EmissionParams{})
	if err != nil {
		return nil, err
	}
	answer := &Profile{List: listOf[Candidate](nil, 0, 0), Notes: []string{}, Sourced: sourced(m, loaded)}
	if loaded == nil {
		return answer, nil
	}
	sites := p.candidates(loaded, f)
	all := make([]Candidate, 0, len(sites))
	for _, at := range sites {
		all = append(all, p.score(loaded, at, f.Operator))
	}
	slices.SortFunc(all, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.metres, b.metres), cmp.Compare(a.at, b.at))
	})
	shown := all[:min(p.Limit, len(all))]
	for i := range shown {
		c := &shown[i]
		c.Site = r.site(loaded, c.at, c.metres)
	}
	answer.List, answer.Considered = listOf(shown, 0, len(shown)), len(all)
	answer.Notes = p.notes(all)
	return answer, nil
}

// candidates are the sites to score, each once.
func (p *profileParams) candidates(m *index.Market, f index.Filter) (sites []uint32) {
	add := func(at uint32) {
		if !slices.Contains(sites, at) {
			sites = append(sites, at)
		}
	}
	nodes := []index.RadioType{index.LookupENB, index.LookupGNB}
	if p.generation() == site.G4 {
		nodes = nodes[:1]
	}
	for _, asked := range []struct {
		value *int
		as    []index.RadioType
	}{{p.Cell, []index.RadioType{index.LookupCI}}, {p.Node, nodes}} {
		if asked.value == nil {
			continue
		}
		found := m.Lookup(uint64(*asked.value), asked.as, f.Operator)
		for _, one := range found[:min(len(found), mostNamedSites/2)] {
			add(one.Site)
		}
	}
	point := p.point()
	if point == nil {
		return sites
	}
	around := &geo.Disc{Center: *point, Radius: p.RadiusKm * 1000}
	for _, at := range m.Find(index.Query{Filter: f, Disc: around}, 0, nearestSites).Sites {
		add(at)
	}
	if p.PCI != nil {
		n := 0
		for _, one := range m.Lookup(uint64(*p.PCI), []index.RadioType{index.LookupPCI}, f.Operator) {
			if n < mostPCISites && geo.Distance(*point, positionOf(m, one.Site)) <= around.Radius {
				add(one.Site)
				n++
			}
		}
	}
	return sites
}

// notes say how sure the first of the candidates is.
func (p *profileParams) notes(all []Candidate) (notes []string) {
	notes = []string{}
	if len(all) == 0 {
		return append(notes, "No site has these identifiers, and none of the operator lies around the position: a larger radiusKm, or leaving the operator out, may find one.")
	}
	if len(all) > 1 && all[0].Score-all[1].Score < closeScores {
		notes = append(notes, "The first sites have nearly the same score: what was given does not tell them apart.")
	}
	if p.Node == nil && p.Cell == nil {
		notes = append(notes, "Without node or cellId only places speak for a site: phones are often served by another one than the nearest.")
	} else if !slices.ContainsFunc(all, func(c Candidate) bool { return c.points(partIdentity) > 0 }) {
		notes = append(notes, "Nothing gives the base station or cell to a site.")
	}
	return notes
}

// closeScores are too close to each other to tell two sites apart.
const closeScores = 5

// points are those of a part.
func (c *Candidate) points(part scorePart) float64 {
	for _, p := range c.Parts {
		if p.Part == part {
			return p.Points
		}
	}
	return math.NaN()
}
