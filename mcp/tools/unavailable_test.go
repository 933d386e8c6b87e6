package tools

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"relais/community/communitytest"
	"relais/index"
	"relais/internal/filetest"
	"relais/internal/folder"
	"relais/internal/store/storetest"
	"relais/market"
	"relais/photos"
)

// withOutages returns a Reading of the country with an empty store of outages.
func withOutages(t *testing.T) *Reading {
	t.Helper()
	r, said := inCountry(t), communitytest.Open(t, time.Now)
	r.Submissions, r.Outages = NewSubmissionStores(said, nil), said.Outages()
	return r
}

// publish has an operator publish a file.
func publish(t *testing.T, r *Reading, operator, path string) {
	t.Helper()
	if _, err := r.Submissions.Community.Feeds.Import(context.Background(), market.FR, operator, path); err != nil {
		t.Fatal(err)
	}
	r.Outages = r.Submissions.Community.Outages()
}

// Sites out of service come in pages and the nearest first; a feed that was never read is not taken for
// a network without outages.
func TestUnavailable(t *testing.T) {
	r := withOutages(t)
	empty := mustCall(t, r, "sites_hs_list", `{"operator":"ORANGE"}`)
	if feed := empty["feed"].(object); empty["total"] != 0.0 || feed["exists"] != true || feed["available"] != false ||
		!strings.Contains(feed["note"].(string), "not read") {
		t.Errorf("got %v, want total = 0.0, exists = true, available = false and not read in note", empty)
	}
	if feed := mustCall(t, r, "sites_hs_list", `{"market":"BE"}`)["feed"].(object); feed["exists"] != false ||
		!strings.Contains(feed["note"].(string), "Belgium") {
		t.Errorf("got %v, want exists = false and Belgium in note", feed)
	}
	path := filepath.Join(t.TempDir(), "sites_hs.csv")
	rows := "code_site_op;departement;commune;Lat;Lon;data\n"
	for i := range 25 { // northward, some 1.1 km apart
		rows += fmt.Sprintf("S%02d;75;Paris;%.2f;2.35;HS\n", i, 48.80+float64(i)/100)
	}
	filetest.Write(t, path, rows)
	publish(t, r, "ORANGE", path)
	if last := mustCall(t, r, "sites_hs_list", `{"operator":"ORANGE","offset":20}`); last["total"] != 25.0 ||
		len(last["items"].([]any)) != 5 || last["nextOffset"] != nil {
		t.Errorf("got %v, want the last 5 of 25", last)
	}
	near := mustCall(t, r, "sites_hs_nearby", `{"lat":48.80,"lon":2.35,"radiusKm":5.7,"limit":3}`)
	items := near["items"].([]any)
	if near["total"] != 6.0 || items[0].(object)["operatorSiteId"] != "S00" ||
		items[1].(object)["distanceMeters"] != 1112.0 {
		t.Errorf("got %v, want total = 6.0, operatorSiteId = S00 and distanceMeters = 1112.0", near)
	}
	place := mustCall(t, r, "location_geocode",
		`{"place":"Paris","market":"FR"}`)["match"].(object)["coordinates"].(object)
	same := mustCall(t, r, "sites_hs_nearby", fmt.Sprintf(`{"lat":%v,"lon":%v}`, place["lat"], place["lng"]))
	if from := mustCall(t, r, "sites_hs_nearby_from_place",
		`{"place":"Paris","market":"FR"}`); fmt.Sprint(from["items"]) != fmt.Sprint(same["items"]) ||
		from["total"] == 0.0 {
		t.Errorf("got %v\n%v, want items = %v and total other than 0.0", from, same, same["items"])
	}
}

// withPhotos returns a Reading of the country with photos of three sites, two of them in FR.
func withPhotos(t *testing.T) (r *Reading, first, second string) {
	t.Helper()
	dir := folder.Dir(t.TempDir())
	db := storetest.Open(t, filepath.Join(string(dir), "photos.db"), photos.Buckets...)
	kept := photos.Open(db, dir, time.Now)
	t.Cleanup(func() { kept.Close(); db.Close() })
	r = inCountry(t)
	r.Photos = kept
	fr := r.Set.Market(market.FR)
	first, second = index.Key(market.FR, fr.Snap.ID(0)), index.Key(market.FR, fr.Snap.ID(fr.Len()-1))
	images := map[photos.Size][]byte{photos.Main: {1}, photos.Thumb: {2}, photos.OG: {3}}
	for _, p := range []photos.New{
		{SiteKey: first, Operator: "ORANGE", Caption: "Le pylône au soleil"},
		{SiteKey: first, Operator: "SFR", Caption: "Antennes"},
		{SiteKey: second, Operator: "ORANGE", Caption: "PYLONE de nuit"},
		{SiteKey: "drom-" + r.Set.Market(market.DROM).Snap.ID(0), Caption: "pylône"},
		{SiteKey: "fr-gone", Operator: "ORANGE", Caption: "pylône"},
	} {
		p.ClientID, p.AuthorName, p.Images = "c", "Ann", images
		if _, err := kept.Add(context.Background(), p); err != nil {
			t.Fatal(err)
		}
	}
	return r, first, second
}

// captions are those of an answer, in its order.
func captions(o object) (list []string) {
	for _, item := range o["items"].([]any) {
		list = append(list, item.(object)["captionByUser"].(string))
	}
	return list
}

func TestPhotos(t *testing.T) {
	r, first, second := withPhotos(t)
	got := mustCall(t, r, "sites_get_photos", fmt.Sprintf(`{"siteId":%q}`, first))
	want := apiAnswer(t, r, "photos.list", map[string]string{"siteId": first})["data"].([]any)
	if fmt.Sprint(captions(got)) != "[Antennes Le pylône au soleil]" || len(want) != 2 ||
		got["items"].([]any)[0].(object)["imageUrl"] != want[0].(object)["imageUrl"] {
		t.Errorf("got %v, want the first photo of the API's two: %v", got, want)
	}
	gallery := mustCall(t, r, "sites_get_photo_gallery", fmt.Sprintf(`{"siteId":%q,"operator":"SFR"}`, first))
	if line := gallery["items"].([]any)[0].(object)["lineByUser"].(string); gallery["total"] != 1.0 ||
		!strings.HasPrefix(line, "Antennes (Ann, 20") || gallery["site"].(object)["siteKey"] != first {
		t.Errorf("got %v, line %v, want total = 1.0, Antennes (Ann, 20 at the line's start and siteKey = %v", gallery,
			line, first)
	}
	for _, tt := range []struct{ arguments, want string }{
		{`{"query":"pylone"}`, "[pylône PYLONE de nuit Le pylône au soleil]"},
		{`{"query":"pylône","market":"FR"}`, "[PYLONE de nuit Le pylône au soleil]"},
		{`{"market":"FR","operator":"SFR"}`, "[Antennes]"},
		{`{"query":"pylone nuit"}`, "[PYLONE de nuit]"},
		{`{"query":"soleil","market":"DROM"}`, "[]"},
		{`{"query":"pylone","limit":1,"offset":1}`, "[PYLONE de nuit]"},
		{`{"market":"FR","department":"` + department(t, r,
			second) + `","operator":"ORANGE","query":"nuit"}`, "[PYLONE de nuit]"},
	} {
		t.Run(tt.arguments, func(t *testing.T) {
			if got := mustCall(t, r, "photos_search", tt.arguments); fmt.Sprint(captions(got)) != tt.want {
				t.Errorf("%s: %v, want %s", tt.arguments, captions(got), tt.want)
			}
		})
	}
	if _, err := call(r, "photos_search", `{"operator":"ORANGE"}`); err == nil ||
		!strings.Contains(err.Error(), "market") {
		t.Errorf("an operator of no market: %v, want an error with market", err)
	}
}

// department is the code of a site's department, as the API says it.
func department(t *testing.T, r *Reading, key string) string {
	t.Helper()
	return apiAnswer(t, r, "antennas.get",
		map[string]string{"id": key})["data"].(object)["location"].(object)["department"].(string)
}

// A list that was read today may be months old: its answer says when its newest
// outage began, and how many should have ended.
func TestListAge(t *testing.T) {
	r := withOutages(t)
	r.Now = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	path := filepath.Join(t.TempDir(), "sites_hs.csv")
	for _, c := range []struct {
		begins, ends string
		want         []string
		not          string
	}{
		{"20/08/2026 10:00", "21/08/2026 10:00",
			[]string{"2026-08-20", "94 days ago", "list is old", "expected end of 1 of 1 has passed"}, "?"},
		{"22/11/2026 10:00", "30/11/2026 10:00", []string{"2026-11-22", "less than a day ago"}, "old"},
		{"", "", []string{"read in the last 48 hours"}, "began"},
	} {
		rows := "code_site_op;departement;commune;Lat;Lon;data;debut;fin\nS1;75;Paris;48.80;2.35;HS;" + c.begins + ";" +
			c.ends + "\n"
		filetest.Write(t, path, rows)
		publish(t, r, "ORANGE", path)
		for _, arguments := range []string{`{"operator":"ORANGE"}`, `{"operator":"ORANGE","limit":1,"offset":5}`} {
			feed := mustCall(t, r, "sites_hs_list", arguments)["feed"].(object)
			note := feed["note"].(string)
			for _, want := range c.want {
				if !strings.Contains(note, want) {
					t.Errorf("%s: %q lacks %q", c.begins, note, want)
				}
			}
			if strings.Contains(note, c.not) || (feed["newestStartedAt"] == nil) != (c.begins == "") {
				t.Errorf("begins %s: got %v, want its newest start, and no %q in the note", c.begins, feed, c.not)
			}
		}
	}
}

// Outages near an area or region are those in it.
func TestAreasAsPlacesOfOutages(t *testing.T) {
	r := towns(t)
	r.Submissions = withOutages(t).Submissions
	path := filepath.Join(t.TempDir(), "sites_hs.csv")
	rows := "code_site_op;departement;commune;Lat;Lon;data\nA;35;Rennes;48.11;-1.6;HS\nB;29;Brest;48.39;-4.48;HS\nC;75;Paris;48.85;2.35;HS\n"
	filetest.Write(t, path, rows)
	publish(t, r, "ORANGE", path)
	for _, tt := range []struct{ arguments, want string }{
		{`{"place":"Bretagne"}`, "A B"},
		{`{"place":"Ille-et-Vilaine"}`, "A"},
		{`{"place":"Rennes"}`, "A"},
		{`{"place":"Finistère"}`, "B"},
		{`{"place":"Ille-et-Vilaine","radiusKm":0.1}`, ""},
	} {
		t.Run(tt.arguments, func(t *testing.T) {
			var got []string
			answer := mustCall(t, r, "sites_hs_nearby_from_place", tt.arguments)
			for _, item := range answer["items"].([]any) {
				got = append(got, item.(object)["operatorSiteId"].(string))
			}
			slices.Sort(got)
			if strings.Join(got, " ") != tt.want || answer["total"] != float64(len(got)) {
				t.Errorf("%s: %v, want %s", tt.arguments, got, tt.want)
			}
		})
	}
}
