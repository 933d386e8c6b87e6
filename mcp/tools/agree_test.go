package tools

import (
	"cmp"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	diff "github.com/google/go-cmp/cmp"

	"relais/market"
	"relais/site"
)

// A naming maps members of a tool's items to those of the API that have another name, or to
// a path of members; "latitude longitude" is for separate coordinates.
type naming map[string]string

func (n naming) of(item object, member string) any {
	path := cmp.Or(n[member], member)
	if path == "latitude longitude" {
		return object{"lat": item["latitude"], "lng": item["longitude"]}
	}
	var at any = item
	for name := range strings.SplitSeq(path, ".") {
		o, _ := at.(object)
		at = o[name]
	}
	return at
}

// sameMembers makes sure that a tool lists what an operation lists, in its order, and that
// every member but those of without is the API's.
func sameMembers(t *testing.T, r *Reading, tool, arguments, operation string, given map[string]string, n naming,
	without ...string) {
	t.Helper()
	got := mustCall(t, r, tool, arguments)["items"].([]any)
	want := apiAnswer(t, r, operation, given)["data"].([]any)
	if len(got) != len(want) || len(got) == 0 {
		t.Fatalf("%s %s: got %d items, the API has %d", tool, arguments, len(got), len(want))
	}
	for i := range got {
		for member, value := range got[i].(object) {
			if d := diff.Diff(n.of(want[i].(object), member), value); d != "" && !slices.Contains(without, member) {
				t.Errorf("%s %s: %s of item %d: API (-), tool (+):\n%s", tool, arguments, member, i, d)
			}
		}
	}
}

// What the items of the tools' lists say is what the API says, in every member.
func TestMembersAgree(t *testing.T) {
	sites := naming{"commune": "location.commune", "postalCode": "location.postalCode", "address": "location.address",
		"area": "administrativeArea.label"}
	r := inCountry(t)
	var paris site.Site
	r.Set.Market(market.FR).Site(0, &paris)
	lat, lon := text(paris.Position.Lat), text(paris.Position.Lng)
	near := map[string]string{"lat": lat, "lon": lon, "radiusKm": "20", "limit": "50"}
	around := `{"lat":` + lat + `,"lon":` + lon + `,"radiusKm":20,"limit":50}`
	sameMembers(t, r, "sites_search", `{"limit":50}`, "antennas.list", map[string]string{"limit": "50"}, sites, "url")
	sameMembers(t, r, "sites_search", `{"market":"DROM","territory":"974","limit":50}`, "antennas.list",
		map[string]string{"market": "DROM", "territory": "974", "limit": "50"}, sites, "url")
	sameMembers(t, r, "sites_nearby", around, "antennas.list", near, sites, "url")

	r, first, _ := withPhotos(t)
	of := map[string]string{"siteId": first}
	photos := naming{"captionByUser": "caption"}
	sameMembers(t, r, "sites_get_photos", `{"siteId":"`+first+`"}`, "photos.list", of, photos, "siteKey",
		"publicMetadata", "origin")
	sameMembers(t, r, "sites_get_photo_gallery", `{"siteId":"`+first+`"}`, "photos.list", of, nil, "lineByUser",
		"origin")

	outages := naming{"operator": "operatorKey", "operatorSiteId": "siteName", "coordinates": "latitude longitude"}
	r = withOutages(t)
	path := filepath.Join(t.TempDir(), "sites_hs.csv")
	rows := "code_site_op;departement;commune;Lat;Lon;4Gdata;data;raison;debut;fin\n" +
		"1;75;Paris;" + lat + ";" + lon + ";HS;HS;Incident;20/08/2026 06:10;21/08/2026 06:10\n2;75;;" + lat + ";" + lon +
		";OK;HS;;;\n"
	if err := os.WriteFile(path, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	publish(t, r, "ORANGE", path)
	near["source"] = "operator"
	sameMembers(t, r, "sites_hs_list", `{}`, "outages.list", map[string]string{"source": "operator"}, outages)
	sameMembers(t, r, "sites_hs_nearby", around, "outages.list", near, outages, "distanceMeters")

	list := phones(rand.New(rand.NewPCG(9, 10)), paris.Position, 40)
	for i := range list {
		list[i].values[0] = float64(i) // every test states a speed
	}
	r = withMeasures(t, list, nil)
	sameMembers(t, r, "speedtests_nearby", `{"lat":`+lat+`,"lon":`+lon+`,"radiusKm":50,"days":30,"limit":50}`,
		"speedtests.list", map[string]string{"lat": lat, "lon": lon, "radiusKm": "50", "days": "30", "limit": "50"}, nil,
		"distanceMeters")
}
