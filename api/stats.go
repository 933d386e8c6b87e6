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

// Departments returns the question for the operators. Some market must have each of them.
func (l operatorNames) Departments() (catalog.Departments, error) {
	q := catalog.Departments{Operators: map[market.Code]index.Choice{}}
	for _, m := range withDepartments {
		if c, has := l.presentIn(m); has {
			q.Operators[m.Code] = c
		}
	}
	return q, l.checkMarkets(withDepartments)
}

func (r *Env) departments(_ context.Context, p *statsParams) (*view.Body[[]view.Department, view.StatsMeta],
	error) {
	q, err := p.Operator.Departments()
	if err != nil {
		return nil, err
	}
	list, err := r.Departments(q)
	if err != nil {
		return nil, err
	}
	body := &view.Body[[]view.Department, view.StatsMeta]{Data: make([]view.Department, len(list)),
		Meta: view.StatsMeta{Operator: p.Operator.canonicalIn(withDepartments), TotalDepartments: len(list),
			DataVersion: &r.Set.Version}}
	for i, d := range list {
		body.Data[i] = view.NewDepartment(d.Area, d.Counts)
		body.Meta.Total += d.Total
	}
	return body, nil
}
