package web

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"testing"

	"relais/api"
	"relais/api/endpoint"
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

// answerOf asks an operation of the API by its name as a client does.
func answerOf[T any](ctx context.Context, env *api.Env, name string, params map[string]string) (*T, error) {
	all := api.Operations()
	op := all[slices.IndexFunc(all, func(op *endpoint.Op[*api.Env]) bool { return op.Name == name })]
	call, err := op.Bind(func(p *endpoint.Param) (string, error) { return params[p.Name], nil })
	if err != nil {
		return nil, err
	}
	result, err := call.Do(ctx, env)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if err := result.(*endpoint.Answer).Write(&text); err != nil {
		return nil, err
	}
	answer := new(T)
	return answer, json.Unmarshal(append(text.Bytes(), '}'), answer) // without its end
}

// linked finds the keys of the sites that a page links to, in order.
var linked = regexp.MustCompile(`href="/site/([^"?]+)`)

func keysOf(body string) (keys []string) {
	for _, match := range linked.FindAllStringSubmatch(body, -1) {
		keys = append(keys, match[1])
	}
	return keys
}
