package e2e

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"relais/internal/filetest"
)

// A selection is a filter of sites, with the emissions of these sites that satisfy it; nil is all.
type selection struct {
	query   string
	accepts func(e object) bool
}

var selections = []selection{
	{"", nil},
	{"operator=FREE", func(e object) bool { return e["operator"] == "FREE" }},
	{"generation=5G&operator=ORANGE", func(e object) bool { return e["generation"] == "5G" && e["operator"] == "ORANGE" }},
	{"department=75", nil},
	{"technology=5G NR 3500&status=en-service", func(e object) bool {
		return e["technology"] == "5G NR 3500" && e["status"] == "En service"
	}},
	{"band=700,800&operator=SFR,BOUYGUES", func(e object) bool {
		name := e["technology"].(string)
		return (strings.HasSuffix(name, " 700") || strings.HasSuffix(name, " 800")) && isOne(e["operator"], "SFR", "BOUYGUES")
	}},
	{"operator=FREE,SFR&together=true", func(e object) bool { return isOne(e["operator"], "FREE", "SFR") }},
	{"bbox=2,48,3,49", nil},
	{"q=paris", nil},
	{"status=projet", func(e object) bool { return e["status"] == "Projet approuvé" }},
	{onlyDisc, nil},
}

// onlyDisc is a filter that OGC API does not have.
const onlyDisc = "lat=48.8566&lon=2.3522&radiusKm=20"

func isOne(v any, of ...string) bool { return slices.Contains(of, v.(string)) }

// A chosen is what /antennas and the details of its sites say of a selection.
type chosen struct {
	selection
	query string    // escaped
	sites []object  // in the order of the list
	order []object  // in the order of the register
	of    detailsOf // by siteKey
}

type detailsOf map[any]object

// choose asks for what a selection has. all are the sites of the register, whose details are known.
func (s *server) choose(choice selection, all []object, details detailsOf) (l chosen) {
	s.t.Helper()
	l = chosen{selection: choice, query: strings.ReplaceAll(choice.query, " ", "%20"), of: details}
	matches := map[any]bool{}
	for more := true; more; {
		page := s.ask(fmt.Sprintf("/antennas?limit=70&offset=%d&%s", len(l.sites), l.query))
		for _, item := range page["data"].([]any) {
			l.sites = append(l.sites, item.(object))
			matches[item.(object)["siteKey"]] = true
		}
		more = page["meta"].(object)["hasMore"] == true
	}
	for _, item := range all {
		if matches[item["siteKey"]] {
			l.order = append(l.order, item)
		}
	}
	if len(l.sites) < 3 || len(l.order) != len(l.sites) {
		s.t.Fatalf("%q: %d sites, %d of them in the register, want at least 3", choice.query, len(l.sites), len(l.order))
	}
	return l
}

// cellText is a value as text: numbers without an exponent, the elements of a list with semicolons between.
func cellText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case []any:
		var parts []string
		for _, e := range v {
			parts = append(parts, cellText(e))
		}
		return strings.Join(parts, ";")
	}
	return fmt.Sprint(v)
}

type cells = map[string]string

// siteCells are the cells of a site that its item of the list states, as it states them.
func siteCells(item object) cells {
	row := placeCells(item)
	for _, name := range strings.Fields("nationalSiteCode sourceCode anfrCode countryCode sourceAuthority operators status technologies " +
		"sharedNetwork updatedAt distanceMeters") {
		if v, has := item[name]; has {
			row[name] = cellText(v)
		}
	}
	return row
}

// placeCells are those that emissions have as well.
func placeCells(item object) cells {
	row := cells{"areaLabel": cellText(item["administrativeArea"].(object)["label"])}
	for _, name := range []string{"siteKey", "id", "market", "sourceLabel"} {
		row[name] = cellText(item[name])
	}
	for _, name := range []string{"lat", "lng"} {
		row[name] = cellText(item["coordinates"].(object)[name])
	}
	for _, name := range []string{"department", "provinceCode", "commune", "postalCode", "address"} {
		row[name] = cellText(item["location"].(object)[name])
	}
	return row
}

// emissions are the emissions of a site that satisfy the selection.
func (l chosen) emissions(item object) (list []object) {
	for _, e := range l.of[item["siteKey"]]["emissions"].([]any) {
		if e := e.(object); l.accepts == nil || l.accepts(e) {
			list = append(list, e)
		}
	}
	return list
}

func siteRows(items []object) (rows []cells) {
	for _, item := range items {
		rows = append(rows, siteCells(item))
	}
	return rows
}

func (l chosen) emissionRows(items []object) (rows []cells) {
	for _, item := range items {
		for _, e := range l.emissions(item) {
			row := placeCells(item)
			for _, name := range []string{"operator", "station", "technology", "generation", "status", "date", "azimuts"} {
				row[name] = cellText(e[name])
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// compareCells compares rows, all cells that the wanted ones have.
func compareCells(t *testing.T, what string, got, want []cells) {
	t.Helper()
	if len(got) != len(want) || len(want) == 0 {
		t.Fatalf("%s: %d rows, want %d", what, len(got), len(want))
	}
	for i, row := range want {
		for name, text := range row {
			if has, is := got[i][name]; !is || has != text {
				t.Fatalf("%s: row %d, %s is %q (there %t), want %q", what, i, name, has, is, text)
			}
		}
	}
}

// Rows of every format are those of /antennas, for each selection.
func TestFormatsAgainstTheList(t *testing.T) {
	s := serve(t, makeCountry(t, 250).dir)
	for _, l := range s.everySelection() {
		t.Run(l.selection.query, func(t *testing.T) {
			s := *s
			s.t = t
			compareCells(t, "CSV of sites", s.csvCells("format=csv&"+l.query), siteRows(l.sites))
			compareCells(t, "CSV of emissions", s.csvCells("format=csv&rows=emissions&"+l.query), l.emissionRows(l.sites))
			compareCells(t, "GeoJSON", featureCells(t, s.export("format=geojson&properties=full&" + l.query)["features"].([]any)),
				siteRows(l.sites))
			if l.selection.query != onlyDisc {
				compareCells(t, "OGC API", featureCells(t, s.ogcFeatures("fr-sites", l.query)), siteRows(l.sites))
			}
			got := placemarks(t, s.get("/external/v1/antennas/export?format=kmz&"+l.query).body)
			if d := cmp.Diff(l.placemarks(s.operatorLabels()), got); d != "" {
				t.Errorf("KMZ: got + and want -:\n%.3000s", d)
			}
		})
	}
}

// everySelection asks for all selections.
func (s *server) everySelection() (list []chosen) {
	s.t.Helper()
	details := detailsOf{}
	for _, d := range s.list("/antennas?limit=1000") {
		key := d.(object)["siteKey"]
		details[key] = s.one(fmt.Sprint("/antennas/", key))
	}
	var all []object
	for _, item := range s.list("/antennas?limit=1000") {
		all = append(all, item.(object))
	}
	for _, choice := range selections {
		list = append(list, s.choose(choice, all, details))
	}
	return list
}

func (s *server) export(query string) object { return s.ask("/antennas/export?" + query) }

func (s *server) csvCells(query string) (rows []cells) {
	s.t.Helper()
	lines, err := csv.NewReader(bytes.NewReader(s.get("/external/v1/antennas/export?" + query).body)).ReadAll()
	if err != nil {
		s.t.Fatal(err)
	}
	for _, line := range lines[1:] {
		row := cells{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// featureCells are the properties of features, whose geometry must be a point at lng and lat.
func featureCells(t *testing.T, features []any) (rows []cells) {
	t.Helper()
	for _, f := range features {
		row, p := cells{}, f.(object)["properties"].(object)
		for name, v := range p {
			row[name] = cellText(v)
		}
		want := object{"type": "Point", "coordinates": []any{p["lng"], p["lat"]}}
		if d := cmp.Diff(want, f.(object)["geometry"]); d != "" {
			t.Errorf("%v: the geometry differs: %s", p["siteKey"], d)
		}
		rows = append(rows, row)
	}
	return rows
}

// ogcFeatures are the features of a collection, page by page.
func (s *server) ogcFeatures(collection, query string) (features []any) {
	s.t.Helper()
	for address := s.base + "/ogc/collections/" + collection + "/items?limit=37&" + query; address != ""; {
		u, err := url.Parse(address)
		if err != nil {
			s.t.Fatal(err)
		}
		page := s.get(u.RequestURI()).object()
		features, address = append(features, page["features"].([]any)...), ""
		for _, l := range page["links"].([]any) {
			if l.(object)["rel"] == "next" {
				address = l.(object)["href"].(string)
			}
		}
	}
	return features
}

// operatorLabels are the operators of FR with their labels, in the order of the market.
func (s *server) operatorLabels() (list [][2]string) {
	s.t.Helper()
	for _, o := range s.list("/markets")[0].(object)["operators"].([]any) {
		list = append(list, [2]string{o.(object)["key"].(string), o.(object)["label"].(string)})
	}
	return list
}

// A placemark is what a map has of an operator at a site.
type placemark struct {
	Folder, Name, Point, Text string
	Azimuths                  string // of the wedges, in order
}

// placemarks reads a KMZ.
func placemarks(t *testing.T, file []byte) (list []placemark) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	f, err := z.Open("doc.kml")
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Folder []struct {
			Name      string `xml:"name"`
			Placemark []struct {
				Name        string   `xml:"name"`
				Description string   `xml:"description"`
				Point       string   `xml:"MultiGeometry>Point>coordinates"`
				Rings       []string `xml:"MultiGeometry>Polygon>outerBoundaryIs>LinearRing>coordinates"`
			}
		} `xml:"Document>Folder"`
	}
	if err := xml.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	unescape := strings.NewReplacer("&#39;", "'", "&#34;", `"`, "&lt;", "<", "&gt;", ">", "&amp;", "&") // it is HTML
	for _, folder := range doc.Folder {
		for _, p := range folder.Placemark {
			var azimuths []string
			for _, ring := range p.Rings {
				azimuths = append(azimuths, directionOf(t, ring))
			}
			list = append(list, placemark{folder.Name, p.Name, p.Point, unescape.Replace(p.Description), strings.Join(azimuths, ", ")})
		}
	}
	return list
}

// directionOf is the direction of a ring's middle from its beginning, in whole degrees.
func directionOf(t *testing.T, ring string) string {
	t.Helper()
	var corners [][2]float64
	for pair := range strings.FieldsSeq(ring) {
		var c [2]float64
		if _, err := fmt.Sscanf(pair, "%g,%g", &c[0], &c[1]); err != nil {
			t.Fatal(err)
		}
		corners = append(corners, c)
	}
	from, to := corners[0], corners[len(corners)/2]
	east := (to[0] - from[0]) * math.Cos(from[1]*math.Pi/180)
	degrees := math.Round(math.Atan2(east, to[1]-from[1])*180/math.Pi) + 360
	return strconv.Itoa(int(degrees) % 360)
}

// placemarks are those that the map must have: of each operator with emissions at a site, then the sectors whose
// operator is not stated.
func (l chosen) placemarks(operators [][2]string) (list []placemark) {
	for _, o := range operators {
		for _, item := range l.order {
			if p, is := l.placemark(item, o[0], o[1]); is {
				list = append(list, p)
			}
		}
	}
	for _, item := range l.order {
		if rest := l.unstated(item); len(rest) > 0 && len(item["operators"].([]any)) > 1 {
			p := placemark{Folder: "Sectors whose operator is not stated", Name: item["siteKey"].(string), Azimuths: joined(rest)}
			p.Text = l.commonLines(item, p.Azimuths)
			list = append(list, p)
		}
	}
	return list
}

func (l chosen) placemark(item object, operator, label string) (p placemark, is bool) {
	stages := []string{"Projet approuvé", "Techniquement opérationnel", "En service"}
	var azimuths, systems []any
	stage, newest := -1, ""
	for _, e := range l.emissions(item) {
		if e["operator"] == operator {
			is = true
			systems = append(systems, e["technology"])
			stage = max(stage, slices.Index(stages, e["status"].(string)))
			newest = max(newest, cellText(e["date"]))
			if list, stated := e["azimuts"].([]any); stated {
				azimuths = append(azimuths, list...)
			}
		}
	}
	if len(item["operators"].([]any)) == 1 {
		azimuths = append(azimuths, l.unstated(item)...)
	}
	var names []string // in the order of the site's own list
	for _, name := range item["technologies"].([]any) {
		if slices.Contains(systems, name) {
			names = append(names, name.(string))
		}
	}
	p = placemark{label, item["siteKey"].(string), coordinates(item), "", joined(azimuths)}
	p.Text = "Operator: " + label + "\nTechnologies: " + strings.Join(names, ", ") + "\n"
	if !is {
		return p, false
	}
	p.Text += "Status: " + stages[stage] + "\n"
	if newest != "" {
		p.Text += "Newest emission: " + newest + "\n"
	}
	p.Text += l.commonLines(item, p.Azimuths)
	return p, true
}

func coordinates(item object) string {
	c := item["coordinates"].(object)
	return fmt.Sprintf("%.7f,%.7f", c["lng"], c["lat"])
}

// joined sorts azimuths, each once.
func joined(azimuths []any) string {
	var list []int
	for _, a := range azimuths {
		list = append(list, int(a.(float64)))
	}
	slices.Sort(list)
	var texts []string
	for _, a := range slices.Compact(list) {
		texts = append(texts, strconv.Itoa(a))
	}
	return strings.Join(texts, ", ")
}

// unstated are the azimuths of a site that no emission states.
func (l chosen) unstated(item object) (rest []any) {
	detail := l.of[item["siteKey"]]
	stated := map[any]bool{}
	for _, e := range detail["emissions"].([]any) {
		list, _ := e.(object)["azimuts"].([]any)
		for _, a := range list {
			stated[a] = true
		}
	}
	for _, a := range detail["radio"].(object)["azimuts"].([]any) {
		if !stated[a] {
			rest = append(rest, a)
		}
	}
	return rest
}

// commonLines are those of a description that are not an operator's own.
func (l chosen) commonLines(item object, azimuths string) (text string) {
	if height := l.of[item["siteKey"]]["support"].(object)["height"]; height != nil {
		text += "Height (m): " + cellText(height) + "\n"
	}
	if azimuths != "" {
		text += "Azimuths (°): " + azimuths + "\n"
	}
	var place []string
	for _, name := range []string{"address", "postalCode", "commune"} {
		if part := cellText(item["location"].(object)[name]); part != "" {
			place = append(place, part)
		}
	}
	return text + "Place: " + strings.Join(place, ", ") + "\nSource: " + item["sourceLabel"].(string) + "\n"
}

// The rows of Parquet, as DuckDB and hyparquet read them, are those of /antennas, for each selection.
func TestConformanceOfParquetRows(t *testing.T) {
	script := nodeScript(t, "exports/rows.mjs")
	s := serve(t, makeCountry(t, 150).dir)
	dir, list := t.TempDir(), s.everySelection()
	for i, l := range list {
		for _, rows := range []string{"sites", "emissions"} {
			filetest.Write(t, filepath.Join(dir, fmt.Sprint(rows, i)),
				s.get("/external/v1/antennas/export?format=parquet&rows="+rows+"&"+l.query).body)
		}
	}
	script.Env = append(script.Env, "DIR="+dir)
	out, err := script.Output()
	if err != nil {
		t.Fatalf("node: %v: %.500s", err, out)
	}
	var got map[string]map[string][]any // by file and reader
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v: %.500s", err, out)
	}
	for i, l := range list {
		t.Run(l.selection.query, func(t *testing.T) {
			for _, reader := range []string{"duckdb", "hyparquet"} {
				want := siteRows(l.order)
				for _, row := range want {
					delete(row, "distanceMeters") // files are the same wherever one asks from
				}
				compareCells(t, reader+", sites", parquetCells(got[fmt.Sprint("sites", i)][reader]), want)
				compareCells(t, reader+", emissions", parquetCells(got[fmt.Sprint("emissions", i)][reader]), l.emissionRows(l.order))
			}
		})
	}
}

func parquetCells(list []any) (rows []cells) {
	for _, r := range list {
		row := cells{}
		for name, v := range r.(object) {
			row[name] = cellText(v)
		}
		rows = append(rows, row)
	}
	return rows
}
