package httpapi

import (
	"encoding/json"
	"fmt"
	"testing"

	"relais/archive"
	"relais/market"
)

// walk reads a list page by page, by nextOffset, and returns the ids in order.
func walk(t *testing.T, s *Server, target string, limit int) (ids []string) {
	t.Helper()
	for offset, rounds := 0, 0; ; rounds++ {
		o := parse(t, get(t, s, fmt.Sprintf("%s&limit=%d&offset=%d", target, limit, offset)), 200)
		meta := o["meta"].(object)
		for _, item := range o["data"].([]any) {
			ids = append(ids, item.(object)["id"].(string))
		}
		if fmt.Sprint(meta["offset"]) != fmt.Sprint(offset) ||
			(meta["nextOffset"] != nil) != (meta["hasMore"] == true) || rounds > 100 {
			t.Fatalf("%s from %d: got meta %v, want that offset, and nextOffset exactly with hasMore", target, offset,
				meta)
		}
		if meta["nextOffset"] == nil {
			return ids
		}
		next, err := meta["nextOffset"].(json.Number).Int64()
		if err != nil || int(next) <= offset {
			t.Fatalf("%s from %d: %v, %v, next %v, want no error and next more than %v", target, offset, meta, err,
				int(next), offset)
		}
		offset = int(next)
	}
}

func checkPages(t *testing.T, s *Server, target string, least int) {
	t.Helper()
	whole := walk(t, s, target, 500)
	if len(whole) < least {
		t.Fatalf("%s: %d entries, want at least %d", target, len(whole), least)
	}
	for _, limit := range []int{1, 2, 3} {
		if pages := walk(t, s, target, limit); fmt.Sprint(pages) != fmt.Sprint(whole) {
			t.Errorf("%s in pages of %d: %v, want %v", target, limit, pages, whole)
		}
	}
	for _, past := range []string{"1000", "999999999999"} {
		o := parse(t, get(t, s, target+"&offset="+past), 200)
		if meta := o["meta"].(object); len(o["data"].([]any)) != 0 || meta["hasMore"] != false ||
			meta["nextOffset"] != nil {
			t.Errorf("%s from %s: %v, hasMore %v, nextOffset %v, want no data, hasMore = false and no nextOffset",
				target, past, o, meta["hasMore"], meta["nextOffset"])
		}
	}
	wantError(t, get(t, s, target+"&offset=-1"), 400, "INVALID_PARAMETER", "offset")
}

func TestPagesOfOutages(t *testing.T) {
	s := newServer(t)
	importOutages(t, s, market.FR, "ORANGE", paris, lyon)
	importOutages(t, s, market.FR, "SFR", paris)
	checkPages(t, s, "/outages?source=all", 3)
	checkPages(t, s, "/outages?lat=48.86&lon=2.3&radiusKm=200", 2)
}

func TestPagesOfSpeedtests(t *testing.T) {
	checkPages(t, newServer(t), "/speedtests?days=365", 3)
}

// The version changes with the data, and only then.
func TestDataVersions(t *testing.T) {
	s := newServer(t)
	version := func(target string) string {
		text, _ := parse(t, get(t, s, target), 200)["meta"].(object)["dataVersion"].(string)
		if text == "" {
			t.Errorf("%s has no dataVersion", target)
		}
		return text
	}
	set, err := country()
	must(t, err)
	for _, target := range []string{"/antennas?limit=1", "/antennas/export", "/antennas/search?q=paris",
		"/antennas/lookup-by-radio?value=1"} {
		if got := version(target); got != set.Market(market.FR).Snap.Version {
			t.Errorf("%s: %s, want that of /markets, %s", target, got, set.Market(market.FR).Snap.Version)
		}
	}
	if got := version("/markets"); got != set.Version {
		t.Errorf("/markets: %s, want that of all registers, %s", got, set.Version)
	}
	for _, target := range []string{"/stats/departments", "/sites/90000010/photos", "/speedtests",
		"/speedtests/site?enb=1", "/coverage/points", "/anfr/archives",
		"/anfr/archive/2026-08-27", "/anfr/archive/2026-08-27?view=full"} {
		if a, b := version(target), version(target); a != b {
			t.Errorf("%s: %s, then %s", target, a, b)
		}
	}
	outages, sites, photos := version("/outages"), version("/sites-hs"), version("/sites/90000010/photos")
	importOutages(t, s, market.FR, "ORANGE", paris)
	if version("/outages") == outages || version("/sites-hs") == sites {
		t.Error("outages changed, and not their version")
	}
	list, day := version("/anfr/archives"), version("/anfr/archive/2026-08-27")
	if list != day {
		t.Errorf("the archives are %s in their list and %s in one of them", list, day)
	}
	addArchive(t, s.Archives, "2026-08-25", archiveRows["2026-08-20"], archive.Options{})
	if version("/anfr/archives") == list || version("/anfr/archive/2026-08-27") == day {
		t.Error("archives changed, and not their version")
	}
	parse(t, upload(t, s, nil), 201)
	if version("/sites/90000010/photos") == photos {
		t.Error("photos changed, and not their version")
	}
}
