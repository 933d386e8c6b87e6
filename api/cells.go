package api

import (
	"context"
	"encoding/json"
	"fmt"

	"relais/api/endpoint"
	"relais/api/view"
	"relais/catalog"
	"relais/market"
)

var lookupCells = endpoint.New(endpoint.Decl{
	Name: "antennas.cells", Method: "POST", Path: "/antennas/lookup", Scope: "antennas:read",
	Example: endpoint.Request{Target: "/antennas/lookup?limit=1",
		JSON: `{"cells": [{"mcc": 208, "mnc": 20, "enb": "100007"}, {"mcc": 208, "mnc": 1, "ci": "1"}]}`},
	FailureName: "ANTENNAS_LOOKUP", DependsOn: []string{catalog.Learned}, Asks: true,
	Requests: func(params any) int { return params.(*lookupCellsParams).requests() },
	Shapes:   shapes[[]view.CellResult, view.CellsMeta](),
	Body:     &endpoint.Body{Type: endpoint.JSON, MaxBytes: 64 << 10},
	Summary:  "Sites that up to 500 radio identifiers name.",
	Doc:      "Each cell has the members that /antennas/lookup-by-radio has as parameters, and mcc and mnc instead of market and operator. The answers come in the order of the cells: an unknown cell has no sites, and one that is invalid has an error while the others are answered. Ten cells count as one request; the quota must have all of them before any is looked up. Nothing is changed.",
}, (*Env).lookupCells)

// Bounds of a look-up of several cells.
const (
	maxCells        = 500
	cellsForRequest = 10 // cells that count as one request
)

type lookupCellsParams struct {
	Cells cellList `param:"cells" in:"body" required:"true" lines:"true" max:"500" doc:"The cells, up to 500."`
	Limit int      `param:"limit" default:"5" min:"1" max:"20" doc:"Most sites to answer for each cell."`
}

// requests returns the number of requests that the question counts as.
func (p *lookupCellsParams) requests() int {
	return (len(p.Cells.list()) + cellsForRequest - 1) / cellsForRequest
}

// A cellList is a list of cells in JSON.
type cellList string

// Item returns the schema of a cell. Generated clients would take a member with a default for one that must
// be given, so that its description has it.
func (cellList) Item() endpoint.Schema {
	cell := lookupCell.InputSchema()
	for _, member := range cell["properties"].(endpoint.Schema) {
		m := member.(endpoint.Schema)
		if m["default"] != nil {
			m["description"] = fmt.Sprintf("%s Default: %v.", m["description"], m["default"])
			delete(m, "default")
		}
	}
	return cell
}

// UnmarshalText accepts a list of JSON values. The answer to an invalid one is an error.
func (l *cellList) UnmarshalText(b []byte) error {
	*l = cellList(b)
	if n := len(l.list()); n == 0 || n > maxCells {
		return fmt.Errorf("a list of 1 to %d cells, each an object", maxCells)
	}
	return nil
}

// list returns the cells, nil for a text that is not a list.
func (l cellList) list() (cells []json.RawMessage) {
	if json.Unmarshal([]byte(l), &cells) != nil {
		return nil
	}
	return cells
}

// lookupCell looks one of the cells up. It has no route.
var lookupCell = endpoint.New(endpoint.Decl{Name: "cell", FailureName: "ANTENNAS_LOOKUP"}, (*Env).lookupCell)

type cellParams struct {
	radioParams
	MCC *int `param:"mcc" min:"1" max:"999" doc:"Mobile country code of the network, with mnc." example:"208"`
	MNC *int `param:"mnc" min:"0" max:"999" doc:"Mobile network code of the network, with mcc: instead of market and operator." example:"1"`
}

// Check holds the rules over several members.
func (p *cellParams) Check() error {
	switch {
	case (p.MCC == nil) != (p.MNC == nil):
		return &endpoint.ParamError{Param: "mcc, mnc", Want: "they belong together"}
	case p.MCC != nil && (p.Market != market.Default || p.Operator.names() != nil):
		return &endpoint.ParamError{Param: "mcc", Want: "mcc and mnc name the network: leave market and operator out"}
	}
	return p.radioParams.Check()
}

// network sets market and operator by mcc and mnc, and reports whether they are known.
func (p *cellParams) network() bool {
	if p.MCC == nil {
		return true
	}
	for _, format := range []string{"%03d%02d", "%03d%03d"} { // network codes have two digits or three
		if m, i := market.Network(fmt.Sprintf(format, *p.MCC, *p.MNC)); m != nil {
			p.Market, p.Operator = m.Code, operatorNames{operatorName(m.Operators[i].Key)}
			return true
		}
	}
	return false
}

// lookupCell returns nil for a network that no market has.
func (r *Env) lookupCell(_ context.Context, p *cellParams) (*RadioResult, error) {
	if !p.network() {
		return nil, nil
	}
	return r.LookupRadio(&p.radioParams)
}

// A cellResult is a view.CellResult whose sites are encoded already.
type cellResult struct {
	Sites []lookupResult  `json:"sites"`
	Total int             `json:"total"`
	Error *view.CellError `json:"error"`
}

// A cellsAnswer is the answer of lookupCells.
type cellsAnswer struct {
	view.Body[[]cellResult, view.CellsMeta]
}

func (r *Env) lookupCells(ctx context.Context, p *lookupCellsParams) (*cellsAnswer, error) {
	if r.Set == nil {
		return nil, catalog.ErrLoading
	}
	answer, cells := &cellsAnswer{}, p.Cells.list()
	answer.Meta = view.CellsMeta{Cells: len(cells), DataVersion: &r.Set.Version}
	for _, cell := range cells {
		result := cellResult{Sites: []lookupResult{}}
		found, err := oneCell(ctx, r, cell)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			e := PublicError(lookupCell, err)
			if e.Status >= 500 && !e.NotReady() {
				return nil, err
			}
			result.Error = &view.CellError{Error: e.Message, Code: e.Code, Parameter: e.Parameter}
			answer.Meta.Invalid++
		case found != nil && len(found.Matches) > 0:
			result.Sites, result.Total = found.first(p.Limit), len(found.Matches)
			answer.Meta.Found++
		}
		answer.Data = append(answer.Data, result)
	}
	return answer, nil
}

// oneCell looks up a cell in JSON.
func oneCell(ctx context.Context, r *Env, cell json.RawMessage) (*RadioResult, error) {
	if len(cell) == 0 || cell[0] != '{' {
		return nil, &endpoint.ParamError{Param: "cells", Value: string(cell), Want: "a cell is an object"}
	}
	call, err := lookupCell.BindJSON(cell)
	if err != nil {
		return nil, err
	}
	result, err := call.Do(ctx, r)
	found, _ := result.(*RadioResult)
	return found, err
}
