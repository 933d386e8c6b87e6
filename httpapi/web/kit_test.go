package web

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"regexp"
	"testing"

	"relais/api"
	"relais/catalog"
	"relais/geo"
	"relais/index"
	"relais/index/indextest"
	"relais/market"
	"relais/site"
)

// pagesAbout returns pages about these markets. Each request has an address of its own, so that none
// is refused for being too many.
func pagesAbout(keyless bool, markets ...*index.Market) *Pages {
	set, n := index.NewSet(markets, nil), uint32(0)
	return New(Options{Env: func() *api.Env {
		return &api.Env{Catalog: catalog.Catalog{Set: set, Keyless: keyless}, BaseURL: "http://relais.test"}
	},
		Address: func(*http.Request) netip.Addr {
			n++
			return netip.AddrFrom4([4]byte{10, byte(n >> 16), byte(n >> 8), byte(n)})
		}, Log: slog.New(slog.DiscardHandler), Map: true})
}

// hostile is a text as a register may have it.
const hostile = `<script>alert(1)</script>"'&` + "\u202e"

// newSite returns a site of the first operator of a market.
func newSite(id string, at geo.Point, radio ...site.RadioID) site.Site {
	return site.Site{ID: id, Position: at, Area: -1, Commune: "Town " + id, Address: [3]string{id + " street"},
		Stations: []site.Station{{Code: "s" + id}, {Code: "t" + id, Operator: 1}},
		Emissions: []site.Emission{{System: "LTE 800", Generation: site.G4, Status: 2},
			{Station: 1, System: "LTE 700", Generation: site.G4, Status: 0}}, Radio: radio}
}

// country is sites along a street, from south to north.
func country(t *testing.T, code market.Code, n int) *index.Market {
	t.Helper()
	var sites []site.Site
	middle := map[market.Code]geo.Point{market.FR: {Lat: 48.8, Lng: 2.3}, market.BE: {Lat: 50.8, Lng: 4.3},
		market.CH: {Lat: 47, Lng: 8}}[code]
	for i := range n {
		sites = append(sites, newSite(fmt.Sprint(1000+i), geo.Point{Lat: middle.Lat + float64(i)*0.0005, Lng: middle.Lng}))
	}
	return indextest.Market(t, code, sites...)
}

// linked finds the keys of the sites that a page links to, in order.
var linked = regexp.MustCompile(`href="/site/([^"?]+)`)

func keysOf(body string) (keys []string) {
	for _, match := range linked.FindAllStringSubmatch(body, -1) {
		keys = append(keys, match[1])
	}
	return keys
}
