package tools

import (
	"context"

	"relais/api"
	"relais/api/endpoint"
	"relais/api/view"
	"relais/catalog"
	"relais/index"
	"relais/internal/fold"
	"relais/market"
)

var anfrTools = []*Tool{anfrSearch, anfrNearbySites, anfrGetStats}

// anfrMarket is a market of the ANFR's register.
type anfrMarket string

// Values lists the markets.
func (anfrMarket) Values() []string {
	var codes []string
	for _, m := range market.All {
		if m.Departments {
			codes = append(codes, string(m.Code))
		}
	}
	return codes
}

// anfrParams pick sites of the ANFR's register.
type anfrParams struct {
	Market     anfrMarket    `param:"market" default:"FR" doc:"FR, or DROM for the overseas departments."`
	Operator   api.Operators `param:"operator" default:"ALL" doc:"An operator of the market, or ALL." example:"ORANGE"`
	Department string        `param:"department" max:"60" doc:"Code or name of a department or territory, such as 03, 2A, 971 or Ille-et-Vilaine." example:"03"`
	emissionParams
}

func (p *anfrParams) selection() (catalog.Selection, error) {
	return selection(market.Get(market.Code(p.Market)), p.Operator, api.AreaParams{Department: p.Department}, p.emissionParams)
}

var anfrSearch = endpoint.New(endpoint.Decl{
	Name: "anfr_search", Title: "Search the ANFR's register",
	Summary: "Finds sites of the French register (ANFR) by words, ANFR station number, department, operator, generation and status.",
}, searchANFR)

type anfrSearchParams struct {
	anfrParams
	Query string `param:"query" max:"200" doc:"A question as people type it: operator, technology and status are understood; the other words must all occur in identifiers, commune, postal code or address, whole, without regard to case and accents, Saint as St. The best matches come first: identifier, commune or postal code, city." example:"0032290011"`
	pageParams
}

func searchANFR(r *Reading, ctx context.Context, p *anfrSearchParams) (*SiteList, error) {
	s, err := p.selection()
	if err != nil {
		return nil, err
	}
	return searchSites(r, ctx, s, p.Query, p.pageParams)
}

var anfrNearbySites = endpoint.New(endpoint.Decl{
	Name: "anfr_nearby_sites", Title: "Sites of the ANFR's register near a position",
	Summary: "Sites of the French register (ANFR) around a position, the nearest first, by department, operator, generation and status.",
}, sitesNearPointANFR)

type anfrNearbyParams struct {
	pointParams
	radiusParams
	anfrParams
	pageParams
}

func sitesNearPointANFR(r *Reading, ctx context.Context, p *anfrNearbyParams) (*NearList, error) {
	s, err := p.selection()
	if err != nil {
		return nil, err
	}
	return r.nearList(ctx, p.center(s.Market.Code), p.of(s, index.Query{Disc: disc(p.point(), p.RadiusKm)}))
}

var anfrGetStats = endpoint.New(endpoint.Decl{
	Name: "anfr_get_stats", Title: "Statistics of departments",
	Summary: "Numbers of sites by French department, overseas included: by generation, by 5G band and by status. Give a department for its own row.",
}, departmentStats)

type anfrStatsParams struct {
	Operator   api.Operators `param:"operator" default:"ALL" doc:"An operator of FR or DROM, or ALL." example:"ORANGE"`
	Department string        `param:"department" max:"60" doc:"Only this department or territory, by code or name, such as 03, 2A, 971 or Ille-et-Vilaine." example:"03"`
	Limit      int           `param:"limit" default:"101" min:"1" max:"101" doc:"Most departments to answer."`
	Offset     int           `param:"offset" default:"0" min:"0" max:"101" doc:"Departments to pass over."`
}

// Stats are the statistics of departments.
type Stats struct {
	AllSites int `json:"allSites" doc:"Sites of all departments that were counted."`
	List[view.Department]
	Sourced
}

func departmentStats(r *Reading, _ context.Context, p *anfrStatsParams) (*Stats, error) {
	q, err := p.Operator.Departments()
	if err != nil {
		return nil, err
	}
	rows, err := r.Departments(q)
	if err != nil {
		return nil, err
	}
	answer := &Stats{}
	var kept []view.Department
	for _, d := range rows {
		if p.Department == "" || sameDepartment(d.Code, p.Department) {
			kept = append(kept, view.NewDepartment(d.Area, d.Counts))
			answer.AllSites += d.Total
		}
	}
	if len(kept) == 0 {
		return nil, &endpoint.ParamError{Param: "department", Value: p.Department,
			Want: "the code or name of a department or territory, such as 03, 2A, 971 or Ille-et-Vilaine"}
	}
	answer.List = paged(kept, p.Offset, p.Limit)
	for m := range r.Set.Loaded() { // Departments fails while there is no set
		if m.Table.Departments {
			answer.Sources = append(answer.Sources, sourceOf(m.Table, m))
		}
	}
	return answer, nil
}

// sameDepartment reports whether two spellings name one department, as 3, 03 and 003 do.
func sameDepartment(code, given string) bool {
	for _, m := range market.All {
		if i, ok := m.AreaNamed(given); ok && m.Departments && fold.EqualASCII(m.Areas[i].Code, code) {
			return true
		}
	}
	return false
}
