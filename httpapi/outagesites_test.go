package httpapi

import (
	"fmt"
	"strings"
	"testing"

	"relais/community"
	"relais/geo"
	"relais/market"
)

// Entries name the site of the register that the operator means, in every answer that has them.
func TestOutagesNameSites(t *testing.T) {
	s := newServer(t)
	var named, at object // a site with a code of ORANGE
	for _, item := range itemsOf(t, s, "/antennas?operator=ORANGE&limit=1000") {
		detail := parse(t, get(t, s, "/antennas/"+item["siteKey"].(string)), 200)["data"].(object)
		for _, station := range detail["stations"].([]any) {
			station := station.(object)
			if station["operator"] == "ORANGE" && station["operatorSiteId"] != "" {
				named, at = object{"siteKey": item["siteKey"], "code": station["operatorSiteId"]}, item
			}
		}
		if named != nil {
			break
		}
	}
	if named == nil {
		t.Fatal("the country has no site with a code of ORANGE")
	}
	lat, lng := position(t, at)
	row := func(code string, lat, lng float64) string {
		return fmt.Sprintf("%s;OUI;;;;;%.7f;%.7f;HS;HS;HS;HS;HS;HS;HS;HS;Incident;;2026-08-20 06:10:00;", code, lat, lng)
	}
	importOutages(t, s, market.FR, "ORANGE", row(named["code"].(string), lat, lng), row("far", 43, 3))
	id := report(t, s, community.NewReport{Market: market.FR, Operator: "ORANGE", SiteKey: named["siteKey"].(string),
		At: geo.Point{Lat: lat + 0.001, Lng: lng}})
	want := map[string]any{"operator:fr-orange:" + named["code"].(string): named["siteKey"], "operator:fr-orange:far": nil,
		id: named["siteKey"]}
	for _, e := range itemsOf(t, s, "/outages") {
		if site, ok := want[e["id"].(string)]; !ok || e["siteKey"] != site {
			t.Errorf("/outages: %s at %v, want %v", e["id"], e["siteKey"], site)
		}
	}
	for _, e := range itemsOf(t, s, "/sites-hs") {
		if site, ok := want["operator:fr-orange:"+e["code_site_op"].(string)]; !ok || e["siteKey"] != site {
			t.Errorf("/sites-hs: %s at %v, want %v", e["code_site_op"], e["siteKey"], site)
		}
	}
	tile := tileNear(market.FR, geo.Point{Lat: lat, Lng: lng}, 14)
	if text := get(t, s, tile+"?layers=outages").Body.String(); !strings.Contains(text, named["siteKey"].(string)) {
		t.Errorf("%s: the tile lacks %s", tile, named["siteKey"])
	}
}

// itemsOf returns the data of a list.
func itemsOf(t *testing.T, s *Server, target string) (items []object) {
	t.Helper()
	for _, e := range parse(t, get(t, s, target), 200)["data"].([]any) {
		items = append(items, e.(object))
	}
	return items
}

// position returns where a site is.
func position(t *testing.T, item object) (lat, lng float64) {
	t.Helper()
	c := item["coordinates"].(object)
	if _, err := fmt.Sscan(fmt.Sprint(c["lat"], " ", c["lng"]), &lat, &lng); err != nil {
		t.Fatal(err)
	}
	return lat, lng
}
