package api

import (
	"cmp"
	"context"
	"errors"

	"relais/api/endpoint"
	"relais/api/view"
	"relais/catalog"
	"relais/export"
	"relais/measure"
)

var coveragePoints = endpoint.New(endpoint.Decl{
	Name: "coverage.points", Path: "/coverage/points", Scope: "coverage:read", FailureName: "COVERAGE_POINTS", MaxAge: 60,
	Example:    endpoint.Request{Target: "/coverage/points?technology=LTE&limit=1"},
	DependsOn:  []string{catalog.Recent},
	Summary:    "Points of a market where the signal was measured in the last days or in the newest campaign of an authority, the newest first.",
	Doc:        "Where there are more than limit, they are an even sample of the place. Levels are in dBm and dB.",
	ErrorCodes: []string{codeInvalidBBox, codeInvalidOperator},
	Shapes:     shapes[[]view.Point, view.PointsMeta](),
	Files:      []string{csvType}, Columns: export.Coverage(nil).Names(),
}, (*Env).points)

type pointsParams struct {
	marketParams
	Technology *technologyName `param:"technology" doc:"2G, 3G, 4G, 5G, or a technology of one, such as LTE or NR, which stands for all of its generation." example:"4G"`
	boxParams
	Format tableFormat `param:"format" default:"json" doc:"json; or csv: the items without meta, in columns with the names of their members."`
	csvParams
	windowParams
	Limit int `param:"limit" default:"500" min:"1" max:"5000" doc:"Most items to answer."`
}

// Check holds the rules over several parameters.
func (p *pointsParams) Check() error {
	return cmp.Or(p.boxParams.check(), p.csvParams.check(string(p.Format)))
}

// A technologyName is a generation or a technology in canonical spelling.
type technologyName string

// UnmarshalText accepts any usual spelling.
func (t *technologyName) UnmarshalText(b []byte) error {
	name, _, ok := measure.Technologies(string(b))
	if !ok {
		return errors.New("one of 2G, 3G, 4G, 5G, or a technology such as GSM, UMTS, LTE, NR")
	}
	*t = technologyName(name)
	return nil
}

// Generations returns the generation in a list, nil for any.
func (t *technologyName) Generations() []measure.Generation {
	if t == nil {
		return nil
	}
	_, g, _ := measure.Technologies(string(*t)) // one, since it was bound
	return []measure.Generation{g}
}

func (r *Env) points(_ context.Context, p *pointsParams) (*endpoint.Answer, error) {
	m, operators, err := p.Resolve()
	if err != nil {
		return nil, err
	}
	q := catalog.Measures{Market: m, Operators: operators, Generations: p.Technology.Generations(), Box: p.box(),
		Sample: true, Limit: p.Limit}
	if err := p.Apply(r, &q); err != nil {
		return nil, err
	}
	found, err := r.Points(q)
	if err != nil {
		return nil, err
	}
	if p.Format == formatCSV {
		return p.file(export.Coverage(found.Items), p.Market, "coverage", nil), nil
	}
	return encodePage(found.Items, view.AppendPoint, view.PointsMeta{Limit: p.Limit, Returned: len(found.Items),
		Market: p.Market, Operator: p.Operator.canonical(m), Technology: (*string)(p.Technology),
		Editions: r.editions(m, measure.Coverage), SourceUnavailableReason: unavailableReason(m), DataVersion: &found.Version})
}
