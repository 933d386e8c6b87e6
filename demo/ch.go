package demo

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"relais/geo"
	"relais/market"
)

// installations is the size of the demonstration of Switzerland.
const installations = 1500

// swissTowns are real: their centres in LV95, metres.
var swissTowns = []struct {
	canton      string
	east, north float64
}{
	{"ZH", 2683100, 1247100}, {"GE", 2500300, 1117900}, {"BS", 2611200, 1267300}, {"VD", 2538200, 1152400},
	{"BE", 2600000, 1199700}, {"ZH", 2697200, 1261800}, {"LU", 2666000, 1211300}, {"SG", 2746000, 1254400},
	{"TI", 2717000, 1095800}, {"BE", 2585400, 1220500}, {"BE", 2614600, 1178700}, {"TI", 2722300, 1116900},
	{"FR", 2578600, 1183600}, {"SH", 2689700, 1283700}, {"GR", 2759600, 1190800}, {"NE", 2561200, 1204900},
	{"NE", 2553300, 1217100}, {"VS", 2593800, 1120300}, {"ZG", 2681500, 1224600}, {"VD", 2539200, 1181100},
	{"AG", 2645900, 1249100}, {"AG", 2665300, 1258600}, {"SO", 2635400, 1244500}, {"SO", 2607500, 1228400},
	{"TI", 2704800, 1113900}, {"JU", 2593300, 1245500}, {"GL", 2723700, 1211200}, {"TG", 2709600, 1268200},
	{"VS", 2642600, 1129500}, {"VS", 2571700, 1105400}, {"VD", 2560200, 1142900}, {"GR", 2782100, 1186600},
	{"UR", 2691500, 1192900}, {"BE", 2632200, 1170300}, {"VS", 2624300, 1096700}, {"GR", 2784200, 1152500},
}

// swissNetworks name their stations as the real ones do, with serials that no real
// station has.
var swissNetworks = []struct {
	share float64
	name  func(canton string, serial int) string
}{
	{0.55, func(_ string, n int) string {
		return fmt.Sprintf("Swisscom X%c%c%c", letter(n/676), letter(n/26), letter(n))
	}},
	{0.45, func(canton string, n int) string { return fmt.Sprintf("Sunrise %s%d-1", canton, 9001+n) }},
	{0.45, func(canton string, n int) string { return fmt.Sprintf("Salt %s_%dA", canton, 90001+n) }},
}

func letter(n int) rune { return 'A' + rune(n%26) }

// A swissText is a text in the file's languages: de, fr, it, en.
type swissText [4]string

// inAllLanguages returns a text that is the same in all languages.
func inAllLanguages(s string) swissText { return swissText{s, s, s, s} }

var (
	veryLow = swissText{"Leistungsklasse : sehr klein (bis 6 W)", "Classe de puissance : très faible (jusqu'à 6 W)",
		"Classe di potenza : molto bassa (fino a 6 W)", "Power class : very low (up to 6 W)"}
	powers = []swissText{
		{"Leistungsklasse : klein (bis 500 W)", "Classe de puissance : faible (jusqu'à 500 W)",
			"Classe di potenza : bassa (fino a 500 W)", "Power class : low (up to 500 W)"},
		{"Leistungsklasse : mittel (bis 5'000 W)", "Classe de puissance : moyenne (jusqu'à 5'000 W)",
			"Classe di potenza : media (fino a 5'000 W)", "Power class : medium (up to 5'000 W)"},
		{"Leistungsklasse : gross (über 5'000 W)", "Classe de puissance : forte (plus de 5000 W)",
			"Classe di potenza : alta (oltre 5'000 W)", "Power class : high (over 5'000 W)"},
	}
	adaptive = swissText{"Teilweise adaptiver Betrieb", "Exploitation partiellement adaptative",
		"Funzionamento parzialmente adattativo", "Partially adaptive operation"}
	limit = swissText{"Anlagegrenzwert - V/m", "Valeur limite de l’installation - V/m",
		"Valore limite dell’impianto - V/m", "Installation limit value - V/m"}
	exempt = inAllLanguages("synthetic, no data sheet")
)

var swissSystems = []string{"4G,5G", "3G,4G,5G", "4G", "2G,3G,4G"}

// A swissFeature is an installation in the form of the file.
type swissFeature struct {
	station                                     string
	east, north                                 int // LV95 metres
	class, power, systems, adaptive, permission swissText
}

// writeCH writes the file of a Switzerland with n installations and two of the railway
// into dir and returns its path.
func writeCH(dir string, n int) ([]string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	list, err := switzerland(n)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "SYNTHETIC_standorte-mobilfunkanlagen_2056_"+date+".json")
	return []string{path}, writeFile(path, func(w io.Writer) error { return writeInstallations(w, list) })
}

func writeInstallations(w io.Writer, list []swissFeature) error {
	_, err := fmt.Fprint(w, `{
 "name": "ch.bakom.mobil-antennenstandorte",
 "type": "FeatureCollection",
 "crs": {
  "type": "name",
  "properties": {
   "name": "EPSG:2056"
  }
 },
 "features": [
`)
	for i := 0; i < len(list) && err == nil; i++ {
		end := ",\n"
		if i == len(list)-1 {
			end = "\n ]\n}\n"
		}
		_, err = fmt.Fprint(w, list[i].text(), end)
	}
	return err
}

// text formats the feature like the authority's program. No text of this file
// needs escaping.
func (f *swissFeature) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "  {\n   \"type\": \"Feature\",\n   \"geometry\": {\n    \"type\": \"Point\",\n    \"coordinates\": [\n     %d,\n     %d\n    ]\n   },\n"+
		"   \"properties\": {\n    \"station\": \"%s\"", f.east, f.north, f.station)
	put := func(name string, texts swissText) {
		for i, language := range []string{"de", "fr", "it", "en"} {
			fmt.Fprintf(&b, ",\n    \"%s_%s\": \"%s\"", name, language, texts[i])
		}
	}
	put("typ", f.class)
	fmt.Fprintf(&b, ",\n    \"koord\": \"%d,%d\"", f.east, f.north)
	put("power", f.power)
	put("techno", f.systems)
	put("adaptiv", f.adaptive)
	put("bewilligung", f.permission)
	put("agw", limit)
	return b.String() + "\n   }\n  }"
}

// switzerland makes two installations of the railway and n others.
func switzerland(n int) ([]swissFeature, error) {
	all, err := terrains()
	if err != nil {
		return nil, err
	}
	land, r := all[string(market.CH)], rand.New(rand.NewPCG(2056, 115))
	list := []swissFeature{installation(r, "SBB SYN-001", 2683100, 1248200),
		installation(r, "SBB SYN-002", 2600100, 1199800)}
	n += len(list)
	serials := make([]int, len(swissNetworks))
	for len(list) < n {
		p := land.draw(r)
		town := swissTowns[nearest(p, len(swissTowns), func(i int) geo.Point {
			return geo.FromLV95(swissTowns[i].east, swissTowns[i].north)
		}, nil)]
		east, north := plane(geo.FromLV95, town.east, town.north, p)
		for i, network := range swissNetworks { // one feature for each network on the mast
			if len(list) < n && r.Float64() < network.share {
				list = append(list, installation(r, network.name(town.canton, serials[i]), int(east), int(north)))
				serials[i]++
			}
		}
	}
	return list, nil
}

func installation(r *rand.Rand, station string, east, north int) swissFeature {
	permission, systems := day(r, 2012, 2025), swissSystems[r.IntN(len(swissSystems))]
	f := swissFeature{station: station, east: east, north: north, class: inAllLanguages("Outdoor > 6 Werp"),
		power: powers[r.IntN(len(powers))],
		systems: swissText{"Technologie " + systems, "Technologie " + systems, "Technologie " + systems,
			"Technology " + systems},
		permission: swissText{"Standortdatenblatt " + permission, "Fiche de données " + permission,
			"Scheda dei dati sul sito " + permission, "Site data sheet " + permission}}
	switch r.IntN(20) {
	case 0:
		f.class, f.power, f.permission = inAllLanguages("Outdoor ≤ 6 Werp"), veryLow, exempt
	case 1, 2:
		f.class, f.power, f.permission = inAllLanguages("Indoor ≤ 6 Werp"), veryLow, exempt
	case 3:
		f.class, f.power = inAllLanguages("Tunnel"), powers[0]
	}
	if strings.HasSuffix(systems, "5G") && r.IntN(2) == 0 {
		f.adaptive = adaptive
	}
	return f
}
