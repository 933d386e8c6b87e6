package api

import (
	"context"
	"fmt"
	"reflect"
	"strconv"

	"relais/api/endpoint"
	"relais/api/view"
	"relais/archive"
	"relais/archive/change"
	"relais/catalog"
	"relais/index"
	"relais/market"
)

// ChangesScope is the scope of changes in the registers of the ANFR: that of its archives.
var ChangesScope = func() *endpoint.ScopeBy {
	by := &endpoint.ScopeBy{Param: "market", Scope: "anfr:read"}
	for _, code := range archive.Markets {
		by.Values = append(by.Values, string(code))
	}
	return by
}()

var listChanges = endpoint.New(endpoint.Decl{
	Name: "changes.list", Path: "/changes", Scope: "antennas:read",
	Example:     endpoint.Request{Target: "/changes?department=35&generation=4G"},
	ScopeBy:     ChangesScope,
	FailureName: "CHANGES", MaxAge: 300, DependsOn: []string{catalog.Archives},
	Summary:    "What editions of a market's register changed: sites, operators and systems that came, went, or have another status, and sites that moved.",
	Doc:        "A new site with one operator and two systems is one site-added, one operator-added and two system-added: each level is compared for itself, so that a filter by operator or technology finds what is new there on new sites too. A change is there once, with the edition that has it. Ids, dates, addresses, heights and azimuths are not compared, nor is a move of up to 5 m. The newest edition comes first, then sites in the order of their ids.",
	ErrorCodes: []string{codeInvalidBBox, codeInvalidOperator, codeInvalidDate},
	Shapes: map[string]reflect.Type{endpoint.JSON: bodyType[[]view.Change, view.ChangesMeta](),
		geoJSONType: reflect.TypeFor[view.ChangeCollection]()},
	Files: []string{csvType}, Columns: view.ChangeTable(nil).Names(),
}, (*Env).changes)

type changesParams struct {
	marketParams
	Since archiveDate `param:"since" code:"INVALID_DATE" doc:"The period begins after the newest edition that is not after this date, YYYY-MM-DD; by default after the edition before that of until." example:"2026-08-20"`
	Until archiveDate `param:"until" code:"INVALID_DATE" doc:"The period ends with the newest edition that is not after this date, YYYY-MM-DD; by default with the newest of all." example:"2026-08-27"`
	Net   bool        `param:"net" doc:"true: what differs between the first and the last edition of the period. What came and went again meanwhile is left out, and all changes have the date of the last edition."`
	changeFilters
	Format listFormat `param:"format" default:"json" doc:"json; geojson: a FeatureCollection (application/geo+json) whose properties are the members of data, with the same meta; or csv: the items without meta, in columns with the names of their members."`
	csvParams
	Limit  int `param:"limit" default:"100" min:"1" max:"5000" want:"a whole number from 1 to 1000; up to 5000 with north, south, east, west or lat, lon, radiusKm" doc:"Most items to answer: up to 1000, with a box or a disc up to 5000."`
	Offset int `param:"offset" default:"0" min:"0" doc:"Items to pass over."`
}

// Check holds the rules over several parameters.
func (p *changesParams) Check() error {
	if err := p.changeFilters.Check(); err != nil {
		return err
	}
	if err := p.csvParams.check(string(p.Format)); err != nil {
		return err
	}
	if p.Since != "" && p.Until != "" && p.Since > p.Until {
		return &endpoint.ParamError{Param: "since", Value: string(p.Since), Code: codeInvalidDate,
			Want: "a date that is not after until, " + string(p.Until)}
	}
	if p.Limit > maxPage && !p.hasBox() && p.Lat == nil {
		return &endpoint.ParamError{Param: "limit", Value: strconv.Itoa(p.Limit),
			Want: "a whole number from 1 to 1000; up to 5000 with north, south, east, west or lat, lon, radiusKm"}
	}
	return nil
}

// Refine makes answers to callers without a key different from others: some rows may be left out, even
// if the present register has none of them.
func (*changesParams) Refine(r *Env, f *Freshness) { refineKeyless(r, f) }

func refineKeyless(r *Env, f *Freshness) {
	if r.Keyless {
		f.Version += " keyless"
	}
}

func (r *Env) changes(ctx context.Context, p *changesParams) (*endpoint.Answer, error) {
	body, err := r.changesPage(ctx, p, nil)
	if err != nil {
		return nil, err
	}
	switch p.Format {
	case formatCSV:
		return p.file(view.ChangeTable(body.Data), p.Market, "changes", body.Meta.NextOffset), nil
	case formatGeoJSON:
		a, err := encodeBody(view.NewChangeCollection(body))
		if err != nil {
			return nil, err
		}
		a.ContentType = geoJSONType
		if body.Meta.NextOffset != nil {
			a.Size = -1 // what is kept in memory has no link to a next page
		}
		return before(body.Meta.NextOffset, a), nil
	}
	return encodeBody(body)
}

// A ChangesBody is a page of changes.
type ChangesBody = view.Body[[]view.Change, view.ChangesMeta]

// changesPage returns the changes of a page. areas are codes that replace the area of p, nil for none.
func (r *Env) changesPage(ctx context.Context, p *changesParams, areas []string) (*ChangesBody, error) {
	version, m := r.Archives.Version(), market.Get(p.Market) // the version before they are read
	f, err := p.resolve(m, p.Operator)
	if err != nil {
		return nil, err
	}
	if areas != nil {
		f.Areas = areas
	}
	edits, err := r.changesBetween(ctx, m, p)
	if err != nil {
		return nil, err
	}
	body, err := r.showChanges(p, f, edits)
	if err == nil {
		body.Meta.DataVersion = &version
	}
	return body, err
}

// NetChanges returns all that differs between two editions, of the dates from and to, under the
// parameters of /changes that get returns. loaded is the register of the market. Without one, nil, communes
// are unknown, and a system that the list does not name is not an error.
func NetChanges(list *change.List, from, to string, synthetic bool, loaded *index.Market, get endpoint.Lookup,
) (*ChangesBody, error) {
	call, err := listChanges.Bind(get)
	if err != nil {
		return nil, err
	}
	p := *call.Params().(*changesParams)
	p.Net, p.Limit = true, max(1, list.Len())
	f, err := p.resolve(market.Get(p.Market), p.Operator)
	if err != nil {
		return nil, err
	}
	r := &Env{}
	if loaded != nil {
		r.Set = index.NewSet([]*index.Market{loaded}, nil)
	}
	return r.showChanges(&p, f, &edits{from: from, to: to, synthetic: synthetic,
		lists: []edit{{to, from, list}}})
}

// showChanges returns the page of the edits that a filter, still without systems, selects.
func (r *Env) showChanges(p *changesParams, f change.Filter, edits *edits) (*ChangesBody, error) {
	m := market.Get(p.Market)
	loaded := r.RegisterIfAny(m)
	if err := p.resolveSystems(&f, m, edits.systems(loaded), loaded != nil); err != nil {
		return nil, err
	}
	f.Without = r.Withheld(m)
	body := &ChangesBody{Data: []view.Change{}, Meta: view.ChangesMeta{Limit: p.Limit, Offset: p.Offset, Market: m.Code,
		Operator: p.Operator.canonical(m), Net: p.Net, Reason: edits.reason}}
	meta := &body.Meta
	meta.Attribution, meta.SourceDate = edits.attribution(m, loaded)
	meta.Since, meta.Until = edits.dates()
	show := view.Changes(m, loaded)
	for _, e := range edits.lists {
		found, skip := e.list.Tally(&f), p.Offset-meta.TotalMatched
		meta.Total += e.list.Tally(&change.Filter{Without: f.Without}).Sum()
		meta.TotalMatched += found.Sum()
		meta.Kinds.Add(&found)
		if skip >= found.Sum() || len(body.Data) == p.Limit {
			continue
		}
		for c := range e.list.Records(&f) {
			if skip--; skip >= 0 {
				continue
			}
			if body.Data = append(body.Data, show(e.date, e.before, &c)); len(body.Data) == p.Limit {
				break
			}
		}
	}
	meta.Returned = len(body.Data)
	if next := p.Offset + meta.Returned; next < meta.TotalMatched && meta.Returned > 0 {
		meta.HasMore, meta.NextOffset = true, &next
	}
	return body, nil
}

// RegisterOf returns the register of a market, nil if it is not loaded or not for the caller.
func (r *Env) RegisterOf(m *market.Market) *index.Market {
	if r.Set == nil {
		return nil
	}
	loaded := r.Set.Market(m.Code)
	if loaded != nil && r.Withholds(m, loaded.Snap.Registers) {
		return nil
	}
	return loaded
}

// firstDate returns the error of a date before the first edition.
func firstDate(param string, date archiveDate, m *market.Market, first string) error {
	return &endpoint.ParamError{Param: param, Value: string(date), Code: codeInvalidDate,
		Want: fmt.Sprintf("a date from %s on: that is the first edition of %s that this server keeps", first, m.Code)}
}
