// Package ogc is the data as OGC API - Features Part 1, for QGIS, GDAL and the like: documents about
// collections, and operations that answer their features in GeoJSON. Its rows and columns are those of
// package export. It does not know HTTP: package httpapi mounts it.
package ogc

import (
	"context"
	"io"
	"strings"

	"relais/api"
	"relais/api/endpoint"
	"relais/export"
	"relais/market"
)

// Path is the path prefix of everything here.
const Path = "/ogc"

// A kind is a kind of collections. Each market has one of each kind.
type kind struct {
	name, title, description string
	items, item              *endpoint.Op[*api.Env]
	table                    func() *export.Table                // without rows
	inRegister               bool                                // its features are where the sites of the register are
	reach                    float64                             // metres to which features reach around these
	times                    func(*api.Env, market.Code) moments // nil for features without a time
}

// kinds lists the kinds.
func kinds() []kind { return []kind{sites, sectors, outages, speedtests, coverage, changes} }

// Operations lists the operations, whose paths are below Path.
func Operations() (list []*endpoint.Op[*api.Env]) {
	for _, k := range kinds() {
		list = append(list, k.items, k.item)
	}
	return list
}

// collectionID names the collection of a kind and market.
func collectionID(c market.Code, kind string) string { return strings.ToLower(string(c)) + "-" + kind }

// find returns the collection with an id. ok is false if no collection has it.
func find(id string) (m *market.Market, k kind, ok bool) {
	for _, m := range market.All {
		for _, k := range kinds() {
			if m.HasInventory() && collectionID(m.Code, k.name) == id {
				return m, k, true
			}
		}
	}
	return nil, kind{}, false
}

// MarketPattern matches the markets in ids of collections.
func MarketPattern() string {
	var codes []string
	for _, m := range market.All {
		if m.HasInventory() {
			codes = append(codes, strings.ToLower(string(m.Code)))
		}
	}
	return strings.Join(codes, "|")
}

// A decl is what differs between the operations of two kinds.
type decl struct {
	name, scope, failure string
	scopeBy              *endpoint.ScopeBy
	dependsOn, errors    []string
	columns              []string // of its table
	maxAge               int
}

// declare returns the two operations of a kind. P has the parameters of a page.
func declare[P, Q any](d decl, page func(context.Context, *api.Env, *P) (*features, error),
	one func(context.Context, *api.Env, *Q) (*features, error)) (items, item *endpoint.Op[*api.Env]) {
	path := "/collections/{market}-" + d.name + "/items"
	common := endpoint.Decl{Name: "ogc." + d.name, Path: path, Scope: d.scope, ScopeBy: d.scopeBy, FailureName: d.failure,
		DependsOn: d.dependsOn, MaxAge: d.maxAge, Large: true, ErrorCodes: d.errors, Columns: d.columns}
	items = endpoint.New(common, func(r *api.Env, ctx context.Context, p *P) (*endpoint.Answer, error) {
		f, err := page(ctx, r, p)
		if err != nil {
			return nil, err
		}
		f.address, f.query = r.BaseURL+Path, endpoint.Values(path, p)
		return answer(f.write), nil
	})
	common.Name, common.Path = "ogc."+d.name+".get", path+"/{featureId}"
	item = endpoint.New(common, func(r *api.Env, ctx context.Context, p *Q) (*endpoint.Answer, error) {
		f, err := one(ctx, r, p)
		if err != nil {
			return nil, err
		}
		f.address = r.BaseURL + Path
		return answer(f.writeOne), f.find()
	})
	return items, item
}

// answer returns an answer of unknown size.
func answer(write func(io.Writer) error) *endpoint.Answer {
	return &endpoint.Answer{ContentType: geoJSON, Size: -1, Write: write}
}
