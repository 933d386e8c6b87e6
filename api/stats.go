package api

import (
	"context"
	"slices"

	"relais/api/endpoint"
	"relais/api/view"
	"relais/catalog"
	"relais/index"
	"relais/market"
)

var departments = endpoint.New(endpoint.Decl{
	Name: "stats.departments", Path: "/stats/departments", Scope: "stats:read", FailureName: "STATS_DEPARTMENTS", MaxAge: 300,
	Example:    endpoint.Request{Target: "/stats/departments?operator=ORANGE"},
	Summary:    "Numbers of sites by French department, overseas included.",
	Doc:        "enService, techOp and projet are by a site's most advanced status, so that together they are total.",
	ErrorCodes: []string{codeInvalidOperator},
}, (*Env).departments)

type statsParams struct {
	Operator operatorNames `param:"operator" default:"ALL" doc:"Operators of FR or DROM, several with commas: a site with two of them counts once; or ALL. An operator of one market counts in that market's departments only." example:"ORANGE"`
}

// withDepartments are the markets that have departments.
var withDepartments = slices.DeleteFunc(slices.Clone(market.All), func(m *market.Market) bool { return !m.Departments })

func (r *Env) departments(_ context.Context, p *statsParams) (*view.Body[[]view.Department, view.StatsMeta],
	error) {
	if err := p.Operator.checkMarkets(withDepartments); err != nil {
		return nil, err
	}
	if r.Set == nil {
		return nil, catalog.ErrLoading
	}
	body := &view.Body[[]view.Department, view.StatsMeta]{Data: []view.Department{},
		Meta: view.StatsMeta{Operator: p.Operator.canonicalIn(withDepartments)}}
	var counted, missing *market.Market // that have the operator
	for _, m := range withDepartments {
		operators, has := p.Operator.presentIn(m)
		loaded := r.Set.Market(m.Code)
		switch {
		case loaded != nil:
			body.Data = append(body.Data, departmentRows(loaded, operators, has)...)
			if has {
				counted = m
			}
		case has && missing == nil:
			missing = m
		}
	}
	if counted == nil { // zeros would look like an operator without antennas
		return nil, &catalog.NotLoadedError{Market: missing}
	}
	for _, d := range body.Data {
		body.Meta.Total += d.Total
	}
	body.Meta.DataVersion = &r.Set.Version
	body.Meta.TotalDepartments = len(body.Data)
	return body, nil
}

// departmentRows returns a row for each department of a market. The numbers are zero if
// the market does not have the operator.
func departmentRows(m *index.Market, operators index.Choice, has bool) []view.Department {
	rows := make([]view.Department, len(m.Table.Areas))
	for i, a := range m.Table.Areas {
		rows[i] = view.Department{Code: a.Code, Name: a.Label}
	}
	if !has {
		return rows
	}
	var counts []index.Counts
	switch len(operators) {
	case 0:
		counts = m.Departments(index.Any)
	case 1:
		counts = m.Departments(operators[0])
	default:
		counts = m.DepartmentsOf(operators)
	}
	for i, c := range counts {
		d := &rows[i]
		d.Total, d.FiveG3500, d.FiveG2100, d.FiveG, d.FourG, d.ThreeG = c.Total, c.FiveG3500, c.FiveG2100, c.FiveG,
			c.FourG, c.ThreeG
		d.EnService, d.TechOp, d.Projet = c.InService, c.Operational, c.Projects
	}
	return rows
}
