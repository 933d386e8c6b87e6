package mcp

import (
	"strings"
	"testing"

	"relais/api"
	"relais/auth/account"
	"relais/catalog"
	"relais/geo"
	"relais/index"
	"relais/index/indextest"
	"relais/market"
	"relais/mcp/tools"
	"relais/site"
)

// Tools show callers without a credential nothing that needs permission.
func TestAnonymousCallersHaveNoPermission(t *testing.T) {
	be := indextest.Market(t, market.BE, site.Site{ID: "secret", Area: -1, Position: geo.Point{Lat: 51, Lng: 4},
		Stations: []site.Station{{}}, Emissions: []site.Emission{{System: "LTE 800", Generation: site.G4, Status: 2}}})
	be.Snap.Registers = be.Table.NeedPermission
	for _, all := range []bool{false, true} {
		w := serve(t, func(o *Options) {
			o.All = all
			o.Reading = func() *tools.Reading {
				return &tools.Reading{Env: &api.Env{Catalog: catalog.Catalog{Set: index.NewSet([]*index.Market{be}, nil)}}}
			}
		})
		body := callBody("sites_get", `{"siteId":"be-secret"}`)
		_, anonymous := post(t, w, body)
		_, known := post(t, w, body, "Authorization", w.token(t, "somebody", account.Read))
		if strings.Contains(anonymous, `"be-secret"`) != all || !strings.Contains(known, `"be-secret"`) {
			t.Errorf("all %v: without a credential %.500s; with one %.500s", all, anonymous, known)
		}
	}
}
