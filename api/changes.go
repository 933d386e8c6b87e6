package api

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"relais/api/endpoint"
	"relais/api/view"
	"relais/archive"
	"relais/catalog"
	"relais/market"
	"relais/site"
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
	Period
	Net bool `param:"net" doc:"true: what differs between the first and the last edition of the period. What came and went again meanwhile is left out, and all changes have the date of the last edition."`
	changeFilters
	Format listFormat `param:"format" default:"json" doc:"json; geojson: a FeatureCollection (application/geo+json) whose properties are the members of data, with the same meta; or csv: the items without meta, in columns with the names of their members."`
	csvParams
	Limit  int `param:"limit" default:"100" min:"1" max:"5000" want:"a whole number from 1 to 1000; up to 5000 with north, south, east, west or lat, lon, radiusKm" doc:"Most items to answer: up to 1000, with a box or a disc up to 5000."`
	Offset int `param:"offset" default:"0" min:"0" doc:"Items to pass over."`
}

// A Period is the parameters of a period of editions.
type Period struct {
	Since periodStart `param:"since" code:"INVALID_DATE" doc:"The period begins after the newest edition that is not after this date, YYYY-MM-DD, or so many days before the last edition, such as 30d: then it is cut to the editions that are kept. By default it begins after the edition before that of until." example:"2026-08-20"`
	Until archiveDate `param:"until" code:"INVALID_DATE" doc:"The period ends with the newest edition that is not after this date, YYYY-MM-DD; by default with the newest of all." example:"2026-08-27"`
}

// Bound sets the period of a question.
func (p *Period) Bound(q *catalog.Changes) {
	q.Since, q.Until, q.Days = p.Since.day(), p.Until.day(), p.Since.days()
}

// A periodStart is a day, YYYY-MM-DD, or a number of days before the end of a period, such as 30d.
type periodStart string

// mostDays bounds the days of a period: ten years.
const mostDays = 3653

// UnmarshalText accepts days of the calendar and numbers of days.
func (s *periodStart) UnmarshalText(b []byte) error {
	*s = periodStart(b)
	if n := s.days(); n >= 1 && n <= mostDays {
		return nil
	}
	if new(archiveDate).UnmarshalText(b) != nil {
		return fmt.Errorf("a date as YYYY-MM-DD, or a number of days from 1d to %dd", mostDays)
	}
	return nil
}

// day returns the day, 0 for none.
func (s periodStart) day() site.Date { return archiveDate(s).day() }

// days returns the number of days, 0 for none.
func (s periodStart) days() int {
	digits, ok := strings.CutSuffix(string(s), "d")
	n, err := strconv.ParseUint(digits, 10, 16)
	if !ok || err != nil {
		return 0
	}
	return int(n)
}

// Check fails for a period that ends before it begins.
func (p *Period) Check() error {
	if p.Since.day() != 0 && p.Until != "" && p.Since.day() > p.Until.day() {
		return &endpoint.ParamError{Param: "since", Value: string(p.Since), Code: codeInvalidDate,
			Want: "a date that is not after until, " + string(p.Until)}
	}
	return nil
}

// Check holds the rules over several parameters.
func (p *changesParams) Check() error {
	if err := p.changeFilters.Check(); err != nil {
		return err
	}
	if err := p.csvParams.check(string(p.Format)); err != nil {
		return err
	}
	if err := p.Period.Check(); err != nil {
		return err
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

// question returns what the parameters ask.
func (p *changesParams) question() (q catalog.Changes, err error) {
	q.ChangeSelection, err = p.selection(p.marketParams)
	p.Bound(&q)
	q.Net, q.Offset, q.Limit = p.Net, p.Offset, p.Limit
	return q, err
}

// ChangesQuestion returns what the parameters of /changes that get returns ask.
func ChangesQuestion(get endpoint.Lookup) (catalog.Changes, error) {
	call, err := listChanges.Bind(get)
	if err != nil {
		return catalog.Changes{}, err
	}
	return call.Params().(*changesParams).question()
}

func (r *Env) changes(ctx context.Context, p *changesParams) (*endpoint.Answer, error) {
	q, err := p.question()
	if err != nil {
		return nil, err
	}
	found, err := r.Changes(ctx, q)
	if err != nil {
		return nil, err
	}
	body := ChangesPage(found)
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

// ChangesPage returns changes that were found in the form of /changes.
func ChangesPage(f *catalog.ChangesFound) *view.ChangesPage {
	meta := view.ChangesMeta{Total: f.Total, TotalMatched: f.Kinds.Sum(), Returned: f.Returned, Limit: f.Limit,
		Offset: f.Offset, NextOffset: f.Next(), HasMore: f.Next() != nil, Market: f.Market.Code,
		Operator: cmp.Or(strings.Join(f.Filter.Operators, ","), market.AllOperators), Net: f.Net,
		Kinds: view.NewChangeKinds(f.Kinds)}
	meta.Attribution, meta.SourceDate = attribution(f.Market, f.Register)
	if f.Register == nil && f.Span.To.Synthetic {
		meta.SourceLabel = view.Demonstration(f.Market.Register).Source
	}
	if f.Version != "" {
		meta.DataVersion = &f.Version
	}
	if f.Reason != "" {
		meta.Reason = &f.Reason
	} else {
		since, until := f.Span.From.Date.String(), f.Span.To.Date.String()
		meta.Since, meta.Until, meta.SourceDate = &since, &until, &until
	}
	return &view.ChangesPage{Data: Changes(f), Meta: meta}
}

// Changes returns changes that were found.
func Changes(f *catalog.ChangesFound) []view.Change {
	list := make([]view.Change, 0, f.Returned)
	for edition, c := range f.Rows {
		list = append(list, view.NewChange(f.Market, f.Register, edition, &c))
	}
	return list
}
