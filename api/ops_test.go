package api

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"relais/api/endpoint"
	"relais/api/view"
	"relais/catalog"
	"relais/geo"
	"relais/index"
	"relais/index/indextest"
	"relais/market"
	"relais/site"
)

// load indexes sites of a market.
func load(t *testing.T, code market.Code, at geo.Point, sites ...site.Site) *index.Market {
	t.Helper()
	for i := range sites {
		sites[i].Position = at
	}
	return indextest.Market(t, code, sites...)
}

func newSite(id, station string, operator int) site.Site {
	return site.Site{ID: id, SourceCode: station,
		Stations:  []site.Station{{Code: station, Operator: operator, OperatorSiteID: "S" + id}},
		Emissions: []site.Emission{{System: "5G NR 3500", Generation: site.G5, Status: 2}}}
}

// newEnv has a site 7 in both markets, and a station number of DROM that is a
// site id of DROM as well.
func newEnv(t *testing.T, codes ...market.Code) *Env {
	t.Helper()
	var markets []*index.Market
	for _, c := range codes {
		if c == market.FR {
			markets = append(markets,
				load(t, c, geo.Point{Lat: 48, Lng: 2}, newSite("7", "0010000001", 0), newSite("8", "9740000001", 2)))
		} else {
			markets = append(markets,
				load(t, c, geo.Point{Lat: -21, Lng: 55.5}, newSite("7", "9740000001", 0), newSite("9", "9740000002", 6),
					newSite("9740000002", "9740000003", 0)))
		}
	}
	return &Env{Catalog: catalog.Catalog{Set: index.NewSet(markets, nil)}}
}

// call runs an operation on pairs of parameters.
func call[R any](t *testing.T, op *endpoint.Op[*Env], r *Env, pairs ...string) (R, error) {
	t.Helper()
	bound, err := op.Bind(func(p *endpoint.Param) (string, error) {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == p.Name {
				return pairs[i+1], nil
			}
		}
		return "", nil
	})
	var none R
	if err != nil {
		return none, err
	}
	result, err := bound.Do(context.Background(), r)
	if err != nil {
		return none, PublicError(op, err)
	}
	return result.(R), nil
}

// Without market: a siteKey finds its market; else the markets are tried in
// table order, in each a site id before a station number.
func TestWhereAnIDIsLookedFor(t *testing.T) {
	all := newEnv(t, market.DROM, market.FR)
	for _, tt := range []struct {
		pairs []string
		want  string // siteKey, or what the error says
	}{
		{[]string{"siteId", "7"}, "fr-7"},
		{[]string{"siteId", "drom-7"}, "drom-7"},
		{[]string{"siteId", "DROM-7"}, "drom-7"},
		{[]string{"siteId", "7", "market", "DROM"}, "drom-7"},
		{[]string{"siteId", "drom-7", "market", "FR"}, "no site has this identifier"},
		{[]string{"siteId", "9"}, "drom-9"},
		{[]string{"siteId", "9740000001"}, "fr-8"},
		{[]string{"siteId", "9740000001", "market", "drom"}, "drom-7"},
		{[]string{"siteId", "9740000002"}, "drom-9740000002"},
		{[]string{"siteId", "0010000001"}, "fr-7"},
		{[]string{"siteId", "7", "operator", "ORANGE"}, "no site has this identifier"},
		{[]string{"siteId", "8", "operator", "orange"}, "fr-8"},
		{[]string{"siteId", "7", "operator", "ZEOP"}, "FR has SFR, BOUYGUES, ORANGE, FREE, ALL"},
		{[]string{"siteId", "9", "operator", "ZEOP"}, "drom-9"},
		{[]string{"siteId", "ca-1"}, "CA is not loaded"},
		{[]string{"siteId", "pt-1"}, "no site has this identifier"},
		{[]string{"siteId", "7", "market", "PT"}, "no site has this identifier"},
		{[]string{"siteId", "7", "market", "CH"}, "CH is not loaded"},
	} {
		got := ""
		answer, err := call[*view.Body[view.Site, view.DetailMeta]](t, getSite, all, tt.pairs...)
		if err != nil {
			got = err.Error()
		} else {
			got = index.Key(answer.Data.Market, answer.Data.SiteID)
			if answer.Data.OperatorSiteID != "S"+answer.Data.SiteID || answer.Meta.Market != answer.Data.Market {
				t.Errorf("%q: answer %+v, want the site id of the operator, and its market", tt.pairs, answer)
			}
		}
		if got != tt.want && (err == nil || !strings.Contains(got, tt.want)) {
			t.Errorf("%q: %s, want %s", tt.pairs, got, tt.want)
		}
	}
	for _, tt := range []struct {
		name string
		r    *Env
	}{
		{"nothing yet", &Env{}},
		{"nothing at all", &Env{Catalog: catalog.Catalog{Set: index.NewSet(nil, nil)}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := call[*view.Body[view.Site, view.DetailMeta]](t, getSite, tt.r, "siteId", "7")
			if e, ok := errors.AsType[*Error](err); !ok || e.Status != 503 || e.Code != "NOT_READY" {
				t.Errorf("%s: error %v, want 503 NOT_READY", tt.name, err)
			}
		})
	}
}

// Operators are those of FR and DROM, in any case; of one market without it nothing is known.
func TestDepartments(t *testing.T) {
	for _, tt := range []struct {
		codes    []market.Code
		operator string
		total    int
		want     string // operator of meta, or the code of an error
	}{
		{[]market.Code{market.FR, market.DROM}, "ALL", 5, "ALL"},
		{[]market.Code{market.FR, market.DROM}, "orange", 3, "ORANGE"},
		{[]market.Code{market.FR, market.DROM}, "ZEOP,sfr", 2, "SFR,ZEOP"},
		{[]market.Code{market.FR}, "ZEOP", 0, codeNotReady},
		{nil, "ALL", 0, codeNotReady},
		{[]market.Code{market.FR}, "BELL", 0, codeInvalidOperator},
	} {
		t.Run(fmt.Sprint(tt.codes, tt.operator), func(t *testing.T) {
			answer, err := call[*view.Body[[]view.Department, view.StatsMeta]](t, departments, newEnv(t, tt.codes...),
				"operator", tt.operator)
			if e, ok := errors.AsType[*Error](err); ok {
				if e.Code != tt.want {
					t.Errorf("error %v, want %s", err, tt.want)
				}
				return
			}
			fiveG := 0
			for _, d := range answer.Data {
				fiveG += d.FiveG3500
			}
			if m := answer.Meta; m.Total != tt.total || fiveG != tt.total || m.TotalDepartments != 101 || m.Operator != tt.want {
				t.Errorf("%+v, %d with 5G at 3500; want %d of %s in 101 departments", m, fiveG, tt.total, tt.want)
			}
		})
	}
}

// The lists of measurements change with the minute.
func TestRecentMeasures(t *testing.T) {
	for _, op := range []*endpoint.Op[*Env]{listSpeedtests, coveragePoints} {
		if !slices.Equal(op.DependsOn, []string{catalog.Recent}) {
			t.Errorf("%s depends on %q, want %q", op.Name, op.DependsOn, catalog.Recent)
		}
	}
}

// Every code that an operation declares is explained, and internal errors keep
// their cause to themselves.
func TestErrorCodes(t *testing.T) {
	known := map[string]int{}
	for _, p := range Problems() {
		if p.When == "" || p.Status < 400 {
			t.Errorf("problem %+v is incomplete, want When set and Status at least 400", p)
		}
		known[p.Code] = p.Status
	}
	for _, op := range Operations() {
		for _, code := range append(CommonCodes(), op.ErrorCodes...) {
			if known[code] == 0 {
				t.Errorf("%s: %s is not explained", op.Name, code)
			}
		}
		cause := errors.New("disk on fire")
		e := PublicError(op, cause)
		if e.Status != 500 || known[e.Code] != 500 ||
			!(strings.HasPrefix(e.Code, "EXTERNAL_") ||
				op.Name == "photos.upload" && e.Code == "PHOTO_UPLOAD_FAILED") || strings.Contains(e.Message, "fire") ||
			!errors.Is(e, cause) {
			t.Errorf("%s: error %+v, want its failure code", op.Name, e)
		}
	}
	for _, tt := range []struct{ want, name string }{
		{"EXTERNAL_ANTENNAS_FAILED", "antennas.list"},
		{"EXTERNAL_ANTENNAS_EXPORT_FAILED", "antennas.export"},
		{"EXTERNAL_ANTENNAS_SEARCH_FAILED", "antennas.search"},
		{"EXTERNAL_ANTENNAS_LOOKUP_FAILED", "antennas.lookup"},
		{"EXTERNAL_ANTENNA_FAILED", "antennas.get"},
		{"EXTERNAL_SITE_FAILED", "sites.get"},
		{"EXTERNAL_STATS_DEPARTMENTS_FAILED", "stats.departments"},
	} {
		t.Run(tt.want, func(t *testing.T) {
			for _, op := range Operations() {
				if op.Name == tt.name && op.FailureCode != tt.want {
					t.Errorf("%s: failure code %s, want %s", tt.name, op.FailureCode, tt.want)
				}
			}
		})
	}
}
