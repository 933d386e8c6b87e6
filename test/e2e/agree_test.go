package e2e

import (
	"cmp"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// A transports asks a server through both: the API and the tools.
type transports struct {
	*server
	assistant string // key that acts for a person
}

// tool calls a tool that must answer.
func (x transports) tool(name string, arguments object) object {
	x.t.Helper()
	var a toolAnswer
	x.mcp(x.assistant, "tools/call", name, object{"name": name, "arguments": arguments}, &a)
	var answer object
	if err := json.Unmarshal(a.StructuredContent, &answer); err != nil || a.IsError {
		x.t.Fatalf("%s %v: %v %+v", name, arguments, err, a)
	}
	return answer
}

// toolList is all pages of a tool's list.
func (x transports) toolList(name string, arguments object) (items []any) {
	x.t.Helper()
	arguments = maps.Clone(arguments)
	arguments["limit"] = 50
	for {
		page := x.tool(name, arguments)
		items = append(items, page["items"].([]any)...)
		if page["nextOffset"] == nil {
			if page["total"] != float64(len(items)) {
				x.t.Errorf("%s %v: %d items, total %v", name, arguments, len(items), page["total"])
			}
			return items
		}
		if page["nextOffset"] != float64(len(items)) || page["truncated"] != true {
			x.t.Fatalf("%s %v: %d items, then nextOffset %v", name, arguments, len(items), page["nextOffset"])
		}
		arguments["offset"] = len(items)
	}
}

// apiList is a list of the API that is on one page.
func (x transports) apiList(path string) []any {
	x.t.Helper()
	o := x.ask(path)
	items, meta := o["data"].([]any), o["meta"].(object)
	if total := cmp.Or(meta["totalMatched"], meta["total"], meta["count"],
		meta["returned"]); total != float64(len(items)) || total == meta["limit"] || len(items) == 0 {
		x.t.Fatalf("%s: %d items, %v", path, len(items), meta)
	}
	return items
}

// A naming maps members of a tool's items to those of the API that have another name, or to
// a path of members; "latitude longitude" is for separate coordinates.
type naming map[string]string

var (
	sitesAre = naming{"commune": "location.commune", "postalCode": "location.postalCode",
		"address": "location.address", "area": "administrativeArea.label"}
	outagesAre = naming{"operator": "operatorKey", "operatorSiteId": "siteName", "coordinates": "latitude longitude"}
)

func (n naming) of(apis object, member string) any {
	path := cmp.Or(n[member], member)
	if path == "latitude longitude" {
		return object{"lat": apis["latitude"], "lng": apis["longitude"]}
	}
	var at any = apis
	for name := range strings.SplitSeq(path, ".") {
		o, _ := at.(object)
		at = o[name]
	}
	return at
}

// same makes sure that a tool lists what the API lists, in its order, and that every
// member but those of without is the API's.
func (x transports) same(what string, tools, apis []any, n naming, without ...string) {
	x.t.Helper()
	if len(tools) != len(apis) || len(tools) == 0 {
		x.t.Fatalf("%s: the tool lists %d, the API %d", what, len(tools), len(apis))
	}
	for i := range tools {
		for member, got := range tools[i].(object) {
			if want := n.of(apis[i].(object), member); !slices.Contains(without, member) &&
				!reflect.DeepEqual(got, want) {
				x.t.Errorf("%s: %s of item %d is %v, of the API %v", what, member, i, got, want)
			}
		}
	}
}

// What a tool answers is what the API answers.
func TestToolsAgreeWithAPI(t *testing.T) {
	s, key := assistants(t)
	s.measured()
	x := transports{s, key}
	x.agreeOnSites()
	x.agreeOnPhotos()
	x.agreeOnOutages()
	x.agreeOnSpeedtests()
}

func (x transports) agreeOnSites() {
	x.t.Helper()
	for _, list := range []struct {
		tool, path string
		arguments  object
	}{
		{"sites_search", "", object{}},
		{"sites_search", "&operator=SFR&generation=5G", object{"operator": "SFR", "generation": "5G"}},
		{"sites_search", "&market=CH&operator=SALT_CH", object{"market": "CH", "operator": "SALT_CH"}},
		{"sites_search", "&market=DROM&territory=974", object{"market": "DROM", "territory": "974"}},
		{"sites_nearby", "&lat=48.8534&lon=2.3488&radiusKm=50", object{"lat": 48.8534, "lon": 2.3488, "radiusKm": 50}},
	} {
		sites := x.apiList("/antennas?limit=1000" + list.path)
		x.same(list.tool+list.path, x.toolList(list.tool, list.arguments), sites, sitesAre, "url")
		for _, i := range []int{0, len(sites) / 2, len(sites) - 1} {
			id := sites[i].(object)["siteKey"].(string)
			got, want := x.tool("sites_get", object{"siteId": id})["site"], x.ask("/antennas/" + id)["data"]
			if !reflect.DeepEqual(got, want) {
				x.t.Errorf("sites_get %s: %v, the API has %v", id, got, want)
			}
		}
	}
}

// photosAre is how the tools name what people wrote of a photo.
var photosAre = naming{"captionByUser": "caption"}

func (x transports) agreeOnPhotos() {
	x.t.Helper()
	photos := x.apiList("/sites/90000010/photos")
	for _, p := range photos {
		p.(object)["siteKey"] = "fr-" + p.(object)["siteId"].(string)
	}
	x.same("sites_get_photos", x.toolList("sites_get_photos", object{"siteId": "fr-90000010"}), photos, photosAre,
		"publicMetadata", "origin")
	x.same("photos_search", x.toolList("photos_search", object{"query": "PYLONE"}), photos, photosAre, "publicMetadata",
		"origin")
	x.same("sites_get_photo_gallery", x.toolList("sites_get_photo_gallery", object{"siteId": "90000010"}), photos,
		nil, "lineByUser", "origin")
}

func (x transports) agreeOnOutages() {
	x.t.Helper()
	x.same("sites_hs_list", x.toolList("sites_hs_list", object{}), x.apiList("/outages?source=operator"), outagesAre)
	x.same("sites_hs_nearby", x.toolList("sites_hs_nearby", object{"lat": 48.85, "lon": 2.35, "radiusKm": 5}),
		x.apiList("/outages?source=operator&lat=48.85&lon=2.35&radiusKm=5"), outagesAre, "distanceMeters")
	site := x.ask("/antennas/fr-90000010")["data"].(object)
	operator := site["operators"].([]any)[0]
	made := x.tool("community_submit_report",
		object{"clientToken": "agree", "operator": operator, "siteId": "fr-90000010", "severity": "degraded",
			"services": "sms,data", "technologies": "5g", "startedAt": time.Now().Add(-time.Hour).Format(time.RFC3339)})
	shown := x.apiList("/outages?source=community")
	x.same("community_submit_report", []any{made["outage"]}, shown, naming{"reasonByUser": "reason"}, "origin")
	own := x.toolList("me_reports_status", object{})
	if len(own) != 1 {
		x.t.Fatalf("me_reports_status: %v, the API has %v", own, shown)
	}
	x.same("me_reports_status", []any{own[0].(object)["outage"]}, shown, naming{"reasonByUser": "reason"}, "origin")
	at := site["coordinates"].(object)
	seen := x.toolList("community_list_observations_nearby",
		object{"lat": at["lat"], "lon": at["lng"], "type": "outage"})
	x.same("community_list_observations_nearby", seen, shown,
		naming{"operator": "operatorKey", "what": "severity", "count": "confirmCount",
			"coordinates": "latitude longitude"},
		"type", "at", "siteKey", "distanceMeters", "origin")
	if o := seen[0].(object); !sameMoment(o["at"], shown[0].(object)["startedAt"]) || o["siteKey"] != "fr-90000010" ||
		o["distanceMeters"] != 0.0 {
		x.t.Errorf("community_list_observations_nearby: %v, the API has %v", o, shown)
	}
}

// sameMoment reports whether two texts are the same time, with or without milliseconds.
func sameMoment(a, b any) bool {
	at, err := time.Parse(time.RFC3339, a.(string))
	other, err2 := time.Parse(time.RFC3339, b.(string))
	return err == nil && err2 == nil && at.Equal(other)
}

func (x transports) agreeOnSpeedtests() {
	x.t.Helper()
	at := time.Now().Add(-time.Minute).UTC().Format(time.RFC3339)
	made := x.tool("community_submit_speedtest",
		object{"clientToken": "agree", "measuredAt": at, "lat": 48.8601, "lon": 2.3501, "downloadMbps": 123.4,
			"pingMs": 20, "mcc": 208, "mnc": 1, "technology": "LTE", "enb": 123456, "rsrp": -91.5})
	shown := x.apiList("/speedtests?north=48.861&south=48.86&east=2.351&west=2.35")
	x.same("community_submit_speedtest", []any{made["speedtest"]}, shown, nil)
	own := x.toolList("me_speedtests_list", object{})
	if len(own) != 1 || !reflect.DeepEqual(own[0].(object)["speedtest"], shown[0]) {
		x.t.Errorf("me_speedtests_list: %v, the API has %v", own, shown)
	}
	x.same("speedtests_nearby", x.toolList("speedtests_nearby", object{"lat": 48.8534, "lon": 2.3488, "radiusKm": 2}),
		x.apiList("/speedtests"), nil, "distanceMeters")
	x.same("sites_get_speedtests", x.toolList("sites_get_speedtests", object{"siteId": "fr-90000585"}),
		x.apiList("/speedtests/site?siteId=90000585"), nil, "distanceMeters")
	days := map[string]int{}
	for _, test := range x.apiList("/speedtests") {
		days[test.(object)["timestamp"].(string)[:len(time.DateOnly)]]++
	}
	for _, session := range x.toolList("sessions_list_nearby", object{"lat": 48.8534, "lon": 2.3488, "radiusKm": 2}) {
		if o := session.(object); o["kind"] == "speedtest" {
			days[o["day"].(string)] -= int(o["measures"].(float64))
		}
	}
	for day, n := range days {
		if n != 0 {
			x.t.Errorf("sessions_list_nearby: %s, %d speedtests fewer than the API has", day, n)
		}
	}
}
