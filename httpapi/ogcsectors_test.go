package httpapi

import (
	"fmt"
	"net/url"
	"slices"
	"testing"

	"relais/internal/tier"
)

// Pages of sectors neither skip nor repeat one, whatever their size and the filter. How many there are is stated
// where nothing is filtered.
func TestOGCSectorPages(t *testing.T) {
	tier.Slow(t)
	s := newServer(t)
	ids := func(address string) (list []string) {
		for _, f := range featuresOf(t, s, address) {
			list = append(list, f["id"].(string))
		}
		return list
	}
	for filter, limits := range map[string][]int{"": {2000, 977}, "department=75": {1, 2, 5, 100}, "operator=FREE&generation=5G": {333},
		"bbox=2,48,3,49": {50}, "q=paris": {7}} {
		items := ogcBase + "/collections/fr-sectors/items?" + filter
		want := ids(items + "&limit=5000")
		if sorted := slices.Compact(slices.Sorted(slices.Values(want))); len(sorted) != len(want) || len(want) < 10 {
			t.Fatalf("%q: %d sectors with %d ids, want at least 10, each with its own", filter, len(want), len(sorted))
		}
		for _, limit := range limits {
			t.Run(fmt.Sprint(filter, " ", limit), func(t *testing.T) {
				if got := ids(fmt.Sprint(items, "&limit=", limit)); !slices.Equal(got, want) {
					t.Errorf("%d sectors, want %d in the same order", len(got), len(want))
				}
			})
		}
		matched, stated := askOGC(t, s, items+"&limit=1", 200)["numberMatched"]
		if stated != (filter == "") || stated && fmt.Sprint(matched) != fmt.Sprint(len(want)) {
			t.Errorf("%q: numberMatched %v, want %d, and only without a filter", filter, matched, len(want))
		}
		last := askOGC(t, s, items+"&after="+url.QueryEscape(want[len(want)-1]), 200)
		if n := len(last["features"].([]any)); n != 0 || linkOf(last, "next") != "" {
			t.Errorf("%q: %d sectors after the last one, want none and no next page", filter, n)
		}
	}
}

// A page may begin after a sector that the register no longer has.
func TestOGCAfterAMissingSector(t *testing.T) {
	s := newServer(t)
	items := ogcBase + "/collections/fr-sectors/items?department=75&limit=5000"
	all := featuresOf(t, s, items)
	first := all[0]["properties"].(object)["siteKey"].(string)
	if got := featuresOf(t, s, items+"&after="+first+"-SFR-361"); len(got) != len(all) {
		t.Errorf("after an azimuth that %s does not have: %d sectors, want its own and those after it, %d", first, len(got), len(all))
	}
	for _, after := range []string{"none", "fr-1-90", "-", "--", "fr-", "ch-ab-12-350", "%00", "%27"} {
		o := askOGC(t, s, items+"&after="+after, 400)
		if o["code"] != "INVALID_PARAMETER" || o["parameter"] != "after" {
			t.Errorf("after=%s: %v, want INVALID_PARAMETER of after", after, o)
		}
	}
}
