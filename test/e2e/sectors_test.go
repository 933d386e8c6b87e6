//go:build linux

package e2e

import (
	"archive/zip"
	"encoding/csv"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/paulmach/orb"
	"github.com/paulmach/orb/encoding/mvt"
	"github.com/paulmach/orb/maptile"

	"relais/demo"
)

// A heading is an azimuth of an operator's system at a site, and where the source states it.
type heading struct {
	site, operator, system string
	azimuth                int
	from                   string
}

// headings are those of the files of a France, each once: of list_azimut, else of the antennas with the system, else
// of those of the station.
func (c *country) headings(t *testing.T, keyOf map[string]string) (list []heading) {
	t.Helper()
	antennas := map[string]map[string]string{} // support and station → number → azimuth, "" for none
	support := map[string]string{}             // station and number → support and station
	for _, r := range supTable(t, c.files[1], "SUP_ANTENNE.txt") {
		here := r["SUP_ID"] + " " + r["STA_NM_ANFR"]
		support[r["STA_NM_ANFR"]+" "+r["AER_ID"]] = here
		if antennas[here] == nil {
			antennas[here] = map[string]string{}
		}
		if r["TAE_ID"] != "17" {
			antennas[here][r["AER_ID"]] = r["AER_NB_AZIMUT"]
		}
	}
	emitters := map[string][]string{} // support, station and system → numbers
	for _, r := range supTable(t, c.files[1], "SUP_EMETTEUR.txt") {
		key := support[r["STA_NM_ANFR"]+" "+r["AER_ID"]] + " " + r["EMR_LB_SYSTEME"]
		emitters[key] = append(emitters[key], r["AER_ID"])
	}
	for _, r := range c.rows {
		here, system := r["sup_id"]+" "+r["sta_nm_anfr"], r["emr_lb_systeme"]
		stated, from := strings.Split(r["list_azimut"], "|"), "list"
		if r["list_azimut"] == "" {
			stated, from = nil, "emitter"
			for _, number := range emitters[here+" "+system] {
				stated = append(stated, antennas[here][number])
			}
			if len(stated) == 0 {
				from = "station"
				for _, azimuth := range antennas[here] {
					stated = append(stated, azimuth)
				}
			}
		}
		for _, text := range stated {
			if azimuth, err := strconv.Atoi(text); err == nil {
				list = append(list, heading{keyOf[r["sup_id"]], r["adm_lb_nom"], system, azimuth % 360, from})
			}
		}
	}
	return list
}

// supTable reads a table of the monthly archive.
func supTable(t *testing.T, archive, name string) (rows []map[string]string) {
	t.Helper()
	z, err := zip.OpenReader(archive)
	must(t, err)
	defer z.Close()
	f, err := z.Open(name)
	must(t, err)
	r := csv.NewReader(f)
	r.Comma = ';'
	all, err := r.ReadAll()
	must(t, err)
	for _, row := range all[1:] {
		m := map[string]string{}
		for i, cell := range row {
			m[all[0][i]] = cell
		}
		rows = append(rows, m)
	}
	return rows
}

// Every interface that shows sectors names the operator and the system that the files give them, of sites with lists,
// with the SUP tables only and with neither, and no other.
func TestSectorsAgainstTheSource(t *testing.T) {
	c := makeCountry(t, 200)
	s := serve(t, c.dir)
	for _, market := range []string{"FR", "DROM"} {
		t.Run(market, func(t *testing.T) {
			s := *s
			s.t = t
			s.sectorsOf(market, func(keyOf map[string]string) []heading { return c.headings(t, keyOf) })
		})
	}
}

// The same for Canada, whose rows state all three: a site is an operator's.
func TestCanadianSectorsAgainstTheSource(t *testing.T) {
	dir := newFolder(t)
	files, err := demo.Sets[1].Write(filepath.Join(t.TempDir(), "files"), 3000)
	must(t, err)
	var report ingestReport
	command(t, &report, append([]string{"ingest", "--data", dir, "CA"}, files...)...)
	s := serve(t, dir)
	var own []heading
	placeOf := map[string]string{} // siteKey → operator and position
	for _, item := range s.all("CA") {
		at := item["coordinates"].(object)
		placeOf[fmt.Sprintf("%v %.5f %.5f", item["operators"].([]any)[0], at["lat"], at["lng"])] = item["siteKey"].(string)
	}
	bands := map[string]string{"CELL": "850", "PCS": "1900", "PCSG": "1900", "AWS": "1700", "AWS-3": "1700", "BRS": "2500",
		"MBS": "700", "600B": "600", "3500B": "3500"}
	for _, r := range readSeparated(t, files[0], ',') {
		lat, err1 := strconv.ParseFloat(r["latitude"], 64)
		lng, err2 := strconv.ParseFloat(r["longitude"], 64)
		azimuth, err3 := strconv.Atoi(r["tx_ant_azimuth"])
		operator := licensee(r["licensee_name*"])
		site := placeOf[fmt.Sprintf("%s %.5f %.5f", operator, lat, lng)]
		omni := slices.Contains([]string{"O", "Y", "OMNI"}, r["tx_ant_omni_indicator"])
		if err1 != nil || err2 != nil || err3 != nil || site == "" || omni || azimuth > 360 {
			continue
		}
		own = append(own, heading{site, operator, r["technology"] + " " + bands[r["licence_category*"]], azimuth % 360, "list"})
	}
	s.sectorsOf("CA", func(map[string]string) []heading { return own })
}

// licensee is the operator of a licensee's name.
func licensee(name string) string {
	for _, o := range [][2]string{{"bell", "BELL"}, {"rogers", "ROGERS"}, {"telus", "TELUS"}, {"otron", "VIDEOTRON_FREEDOM"},
		{"freedom", "VIDEOTRON_FREEDOM"}} {
		if strings.Contains(strings.ToLower(name), o[0]) {
			return o[1]
		}
	}
	return "REGIONAL"
}

// all are the sites of a market.
func (s *server) all(market string) (list []object) {
	s.t.Helper()
	for more := true; more; {
		page := s.ask(fmt.Sprintf("/antennas?market=%s&limit=1000&offset=%d", market, len(list)))
		for _, item := range page["data"].([]any) {
			list = append(list, item.(object))
		}
		more = page["meta"].(object)["hasMore"] == true
	}
	return list
}

// sectorsOf compares each interface with the headings of the source.
func (s *server) sectorsOf(market string, source func(keyOf map[string]string) []heading) {
	t := s.t
	t.Helper()
	items, keyOf := s.all(market), map[string]string{}
	for _, item := range items {
		keyOf[item["id"].(string)] = item["siteKey"].(string)
	}
	var keys []string
	for _, m := range s.list("/markets") {
		if m := m.(object); m["market"] == market {
			for _, o := range m["operators"].([]any) {
				keys = append(keys, o.(object)["key"].(string))
			}
		}
	}
	want := map[heading]bool{}
	for _, h := range source(keyOf) {
		if h.site == "" {
			continue // of another market
		}
		if key := inRegister[h.operator]; key != "" {
			h.operator = key
		}
		h.operator = strings.ReplaceAll(h.operator, " ", "_")
		want[h] = true
	}
	origins := map[string]int{}
	for h := range want {
		origins[h.from]++
	}
	if t.Logf("%s: %d sites, headings of the source by origin: %v", market, len(items), origins); len(want) < 50 {
		t.Fatalf("the source states only %d headings", len(want))
	}
	details := map[string]object{}
	for _, item := range items {
		details[item["siteKey"].(string)] = s.one(fmt.Sprint("/antennas/", item["siteKey"]))
	}
	if diff := cmp.Diff(want, headingsOfDetails(details)); diff != "" {
		t.Errorf("details: want (-), got (+):\n%.3000s", diff)
	}
	for _, operator := range append([]string{""}, keys...) {
		if diff := cmp.Diff(ofFeatures(want, operator), s.headingsOfOGC(market, operator)); diff != "" {
			t.Errorf("OGC API with operator=%s: want (-), got (+):\n%.3000s", operator, diff)
		}
	}
	s.tilesHave(market, keys, items, want)
	s.toolHas(items, want)
}

// inRegister are keys of operators by the register's names, where these differ by more than blanks.
var inRegister = map[string]string{"BOUYGUES TELECOM": "BOUYGUES", "FREE MOBILE": "FREE"}

func headingsOfDetails(details map[string]object) map[heading]bool {
	got := map[heading]bool{}
	for key, d := range details {
		for _, e := range d["emissions"].([]any) {
			e := e.(object)
			azimuths, _ := e["azimuts"].([]any)
			for _, a := range azimuths {
				got[heading{key, e["operator"].(string), e["technology"].(string), int(a.(float64)), e["azimutFrom"].(string)}] = true
			}
		}
	}
	return got
}

// ofFeatures are the headings of an operator, "" for all, with the origin that a feature has: of a sector of several
// systems the least exact.
func ofFeatures(all map[heading]bool, operator string) map[heading]bool {
	exact := []string{"station", "emitter", "list"}
	least := map[heading]string{} // without system and origin
	for h := range all {
		at := heading{site: h.site, operator: h.operator, azimuth: h.azimuth}
		if before, is := least[at]; !is || slices.Index(exact, h.from) < slices.Index(exact, before) {
			least[at] = h.from
		}
	}
	list := map[heading]bool{}
	for h := range all {
		if h.from = least[heading{site: h.site, operator: h.operator, azimuth: h.azimuth}]; operator == "" || h.operator == operator {
			list[h] = true
		}
	}
	return list
}

func (s *server) headingsOfOGC(market, operator string) map[heading]bool {
	got, query := map[heading]bool{}, ""
	if operator != "" {
		query = "operator=" + operator
	}
	for _, f := range s.ogcFeatures(strings.ToLower(market)+"-sectors", query) {
		p := f.(object)["properties"].(object)
		for _, system := range p["technologies"].([]any) {
			got[heading{p["siteKey"].(string), p["operator"].(string), system.(string), int(p["azimut"].(float64)),
				p["azimutFrom"].(string)}] = true
		}
	}
	return got
}

// tilesHave compares the sectors of the tiles of all sites.
func (s *server) tilesHave(market string, keys []string, items []object, want map[heading]bool) {
	s.t.Helper()
	type sector struct {
		site, operator string
		azimuth        int
	}
	wanted, got := map[sector]bool{}, map[sector]bool{}
	for h := range want {
		wanted[sector{h.site, h.operator, h.azimuth}] = true
	}
	asked := map[maptile.Tile]bool{}
	for _, item := range items {
		at := item["coordinates"].(object)
		tile := maptile.At(orb.Point{at["lng"].(float64), at["lat"].(float64)}, 14)
		if asked[tile] {
			continue
		}
		asked[tile] = true
		layers, err := mvt.Unmarshal(s.get(fmt.Sprintf("/external/v1/tiles/%s/14/%d/%d.mvt", market, tile.X, tile.Y)).body)
		must(s.t, err)
		for _, l := range layers {
			if l.Name != "sectors" {
				continue
			}
			for _, f := range l.Features {
				ops := int(f.Properties["ops"].(float64))
				if ops == 0 {
					s.t.Errorf("a sector of %v has no operator", f.Properties["key"])
				}
				for i, key := range keys {
					if ops>>i&1 == 1 {
						got[sector{f.Properties["key"].(string), key, int(f.Properties["az"].(float64))}] = true
					}
				}
			}
		}
	}
	if diff := cmp.Diff(wanted, got); diff != "" {
		s.t.Errorf("tiles: want (-), got (+):\n%.3000s", diff)
	}
}

// toolHas compares the azimuths that the tool of assistants names for an operator at some sites.
func (s *server) toolHas(items []object, want map[heading]bool) {
	s.t.Helper()
	for _, item := range items[:min(len(items), 20)] {
		operator := item["operators"].([]any)[0].(string)
		var azimuths []int
		for h := range want {
			if h.site == item["siteKey"] && h.operator == operator {
				azimuths = append(azimuths, h.azimuth)
			}
		}
		slices.Sort(azimuths)
		var a struct {
			StructuredContent struct {
				Azimuths []int    `json:"azimuths"`
				Of       []string `json:"azimuthsOf"`
			} `json:"structuredContent"`
		}
		s.mcp(s.key, "tools/call", "radio_check_sector_alignment", object{"name": "radio_check_sector_alignment",
			"arguments": object{"siteId": item["siteKey"], "market": item["market"], "operator": operator, "lat": 48.5, "lon": 2.5}}, &a)
		if got := a.StructuredContent; !slices.Equal(got.Azimuths, slices.Compact(azimuths)) ||
			len(azimuths) > 0 && !slices.Equal(got.Of, []string{operator}) {
			s.t.Errorf("radio_check_sector_alignment of %s, %s: got %v of %v, want %v", item["siteKey"], operator, got.Azimuths, got.Of, azimuths)
		}
	}
}
