package coverage

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"relais/geo"
	"relais/ingest/source"
	"relais/market"
)

// A feature is what a source states of an area: its layers, and its value there.
type feature struct {
	layers []Info // without the grid
	value  Value
}

// A reading recognises the areas of a publisher by the names of their attributes.
type reading struct {
	column  string // that only its files have, in lower case
	feature func(of *origin, attribute func(name string) (string, bool)) (feature, error)
}

// An origin describes the file that areas come from.
type origin struct {
	name  string // of the file, without folder and ending
	epsg  int
	dated time.Time // when the file was written
}

var readings = []reading{
	{"operateur", arcepArea},
	{"layer", biptArea},
	{"cobertura", spanishArea},
}

// arcepLevels are the words of ARCEP; "" is where it publishes no level.
var arcepLevels = []Word{{LevelLimited, "CL", ""}, {LevelGood, "BC", ""}, {LevelVeryGood, "TBC", ""}}

// arcepNames are the names of ARCEP's files: quarter, place, operator, technology and use.
var arcepNames = regexp.MustCompile(`^(\d{4})_T([1-4])_couv_(.+)_([A-Z0-9]+)_(2G|2G3G|3G|4G|5G)_(voix|data)$`)

// arcepServices has the services by ARCEP's word.
var arcepServices = map[string]string{"voix": "voice", "data": "data"}

// arcepLands are the names of the land by projection, if it has only one, and by the place in a file's name.
var (
	arcepLands  = map[int]string{2154: "FR", 2972: "973", 2975: "974", 4471: "976"}
	arcepPlaces = map[string]string{"guadeloupe": "971", "martinique": "972"}
)

// arcepArea reads an area of a file of ARCEP. What the columns state counts, and the name must not say otherwise.
func arcepArea(of *origin, attribute func(string) (string, bool)) (f feature, err error) {
	info := Info{EPSG: of.epsg, Outline: arcepLands[of.epsg]}
	plmn, _ := attribute("operateur")
	m, at := market.Network(plmn)
	if m == nil || m.Coverage.Authority == "" {
		return f, fmt.Errorf("operateur %q: no market with coverage maps has this network", plmn)
	}
	info.Market, info.Operator, info.Publisher = m.Code, m.Operators[at].Key, publisherOf(m)
	techno, _ := attribute("techno")
	switch techno {
	case "2G", "3G", "4G", "5G":
		info.Technology = techno
	case "2G3G":
		info.Technology = "2G/3G"
	default:
		return f, fmt.Errorf("techno %q, want 2G, 2G3G, 3G, 4G or 5G", techno)
	}
	usage, _ := attribute("usage")
	if info.Service = arcepServices[usage]; info.Service == "" {
		return f, fmt.Errorf("usage %q, want voix or data", usage)
	}
	date, _ := attribute("date")
	if len(date) >= len(time.DateOnly) { // a DATETIME has a time behind it
		date = date[:len(time.DateOnly)]
	}
	if _, err := time.Parse(time.DateOnly, date); err != nil {
		return f, fmt.Errorf("date %q, want YYYY-MM-DD", date)
	}
	info.Edition = date
	if err := arcepName(of, &info, techno, usage); err != nil {
		return f, err
	}
	info.Words, f.value = arcepLevels, 0
	niveau, stated := attribute("niveau")
	if !stated || niveau == "" {
		info.Words, f.value = []Word{{LevelCovered, "", ""}}, 1
	}
	for i, w := range arcepLevels {
		if niveau == w.Source {
			f.value = Value(i + 1)
		}
	}
	if f.value == 0 {
		return f, fmt.Errorf("niveau %q, want TBC, BC, CL or none", niveau)
	}
	f.layers = []Info{info}
	return f, nil
}

// arcepName compares the name of a file with its columns, and sets the territory.
func arcepName(of *origin, info *Info, techno, usage string) error {
	metropole := of.epsg == 2154
	n := arcepNames.FindStringSubmatch(of.name)
	if n == nil {
		if !metropole {
			info.Territory = strconv.Itoa(of.epsg)
		}
		return nil
	}
	if n[5] != techno || n[6] != usage {
		return fmt.Errorf("the name says %s %s, the columns techno and usage %s %s", n[5], n[6], techno, usage)
	}
	month, _ := strconv.Atoi(info.Edition[5:7])
	if quarter := strconv.Itoa((month + 2) / 3); n[1] != info.Edition[:4] || n[2] != quarter {
		return fmt.Errorf("the name says %s_T%s, the column date %s", n[1], n[2], info.Edition)
	}
	if metropole != strings.HasPrefix(n[3], "Metropole") {
		return fmt.Errorf("the name says %s, and the projection is EPSG:%d", n[3], of.epsg)
	}
	if !metropole {
		info.Territory = strings.ToLower(n[3])
		info.Outline = cmp.Or(arcepPlaces[info.Territory], info.Outline)
	}
	return nil
}

// publishedBy returns the market whose coverage maps an authority publishes.
func publishedBy(authority string) *market.Market {
	return market.All[slices.IndexFunc(market.All, func(m *market.Market) bool { return m.Coverage.Authority == authority })]
}

// biptLevels are the levels of the Belgian regulator's service, by number from 0 on.
var biptLevels = []Word{{LevelNone, "0", ""}, {LevelLimited, "1, outdoors", ""}, {LevelGood, "2, good", ""},
	{LevelVeryGood, "3, deep indoors", ""}}

// biptNames are the names of the service's types, which a file has in its name or in the ids of its features.
var biptNames = regexp.MustCompile(`(Orange|Proximus|Telenet)_(4G|5G)`)

// biptArea reads an area of the service of the Belgian regulator. It states no day: that of the file counts.
func biptArea(of *origin, attribute func(string) (string, bool)) (f feature, err error) {
	id, _ := attribute("id")
	n := biptNames.FindStringSubmatch(id)
	if n == nil {
		if n = biptNames.FindStringSubmatch(of.name); n == nil {
			return f, fmt.Errorf("neither the name of the file nor the id of its features names operator and technology, as in " +
				"Proximus_4G: keep the file under the name of its type")
		}
	}
	m := publishedBy("BIPT/IBPT")
	at, ok := m.OperatorNamed(n[1])
	if !ok {
		return f, fmt.Errorf("%s has no operator %q", m.Label, n[1])
	}
	text, _ := attribute("layer")
	level, err := strconv.Atoi(text)
	if err != nil || level < 0 || level >= len(biptLevels) {
		return f, fmt.Errorf("Layer %q, want 0 to %d", text, len(biptLevels)-1)
	}
	f.value = Value(level + 1)
	f.layers = []Info{{Market: m.Code, Operator: m.Operators[at].Key, Technology: n[2], EPSG: of.epsg,
		Edition: of.dated.UTC().Format(time.DateOnly), Publisher: publisherOf(m), Words: biptLevels}}
	return f, nil
}

// spanishNames are the names of the layers of the Spanish ministry's service.
var spanishNames = regexp.MustCompile(`InfoCob([45]G)`)

// spanishCompanies has the keys of the operators by the tax number of their company.
var spanishCompanies = map[string]string{"A78923125": "MOVISTAR_ES", "A80907397": "VODAFONE_ES", "A82009812": "ORANGE_ES",
	"A82528548": "YOIGO_ES"}

// spanishArea reads an area of an export of the Spanish ministry's service, which lists who covers it. It states no day:
// that of the file counts.
func spanishArea(of *origin, attribute func(string) (string, bool)) (f feature, err error) {
	n := spanishNames.FindStringSubmatch(of.name)
	if n == nil {
		return f, fmt.Errorf("the name of the file has no InfoCob4G or InfoCob5G: keep the export under the name of its layer")
	}
	m := publishedBy("Ministerio para la Transformación Digital")
	f.value = 1
	list, _ := attribute("cobertura")
	for company := range strings.SplitSeq(list, ";") {
		if company = strings.TrimSpace(company); company == "" {
			continue
		}
		operator := spanishCompanies[company]
		if operator == "" {
			return f, fmt.Errorf("COBERTURA has the company %q, whose operator is not known", company)
		}
		f.layers = append(f.layers, Info{Market: m.Code, Operator: operator, Technology: n[1], EPSG: of.epsg,
			Edition: of.dated.UTC().Format(time.DateOnly), Publisher: publisherOf(m), Words: []Word{{Level: LevelCovered}}})
	}
	return f, nil
}

// bakomWords are the words of the Swiss regulator's grids by value: how many of three operators. 1 was never seen.
var bakomWords = []Word{{LevelCovered, "1", Some}, {LevelCovered, "2", Some}, {LevelCovered, "3", Three}}

// bakomNames are the names of its files.
var bakomNames = regexp.MustCompile(`mobilnetz-([345]g)`)

// swissGrid is the code of their projection, LV95.
const swissGrid = 2056

// bakomLayer describes a grid of the Swiss regulator.
func bakomLayer(of *origin) (Info, error) {
	n := bakomNames.FindStringSubmatch(of.name)
	if n == nil {
		return Info{}, fmt.Errorf("a grid, and its name has no ch.bakom.mobilnetz-3g, -4g or -5g")
	}
	if of.epsg != swissGrid {
		return Info{}, fmt.Errorf("the grid is in the projection EPSG:%d, want EPSG:%d", of.epsg, swissGrid)
	}
	m := publishedBy("BAKOM/OFCOM")
	return Info{Market: m.Code, Technology: strings.ToUpper(n[1]), EPSG: of.epsg, Publisher: publisherOf(m), Words: bakomWords,
		Edition: of.dated.UTC().Format(time.DateOnly), Outline: string(m.Code)}, nil
}

// Codes of coordinates of the whole world: those of the Web's maps, and degrees.
const (
	webMercator = 3857
	inDegrees   = 4326
)

// frame sets the grid of a layer of areas, with cells of so many metres. Areas in degrees get the grid of the Web's maps,
// whose cells are square.
func (i *Info) frame(metres int) error {
	if i.EPSG == inDegrees {
		i.EPSG = webMercator
	}
	p, ok := geo.ByEPSG(i.EPSG)
	if !ok {
		return fmt.Errorf("projection EPSG:%d, which is not known", i.EPSG)
	}
	x0, y0, x1, y1 := p.Bounds()
	i.Metres, i.Cell = metres, float64(metres)
	if i.EPSG == webMercator { // the grid is that of the market, whose metres are others
		b := market.Get(i.Market).Box
		x0, y0 = p.To(geo.Point{Lat: b.South, Lng: b.West})
		x1, y1 = p.To(geo.Point{Lat: b.North, Lng: b.East})
		high := geo.Distance(geo.Point{Lat: b.South, Lng: b.West}, geo.Point{Lat: b.North, Lng: b.West})
		i.Cell *= (y1 - y0) / high
	}
	i.X0, i.Y0 = x0, y0
	i.Cols, i.Rows = int(math.Ceil((x1-x0)/i.Cell)), int(math.Ceil((y1-y0)/i.Cell))
	return i.checkGrid()
}

// base is the name of a file without folder and endings.
func base(path string) string {
	name := filepath.Base(path)
	for _, end := range endings {
		name = strings.TrimSuffix(name, end)
	}
	return strings.TrimPrefix(name, source.Synthetic+"_")
}
