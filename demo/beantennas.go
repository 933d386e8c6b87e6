package demo

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strings"

	"relais/geo"
)

// A flemishStation is where an operator has a dossier.
type flemishStation struct {
	operator       int // in flemishOperators
	code, approved string
	at             geo.Point
}

// flemishSystems are the technologies by their number in the query service, with frequencies in MHz.
var flemishSystems = []struct {
	technology  int
	frequencies []float64
}{{3, []float64{942.5}}, {1, []float64{806, 1842.5}}, {6, []float64{3600}}}

const (
	zendantennes  = "https://data.zendantennes.omgeving.vlaanderen.be/id/"
	brusselsSites = 40
)

// writeBelgium writes the register, and the antennas of the regions as relais update keeps them.
func writeBelgium(dir string, places int) ([]string, error) {
	paths, stations, err := WriteBE(dir, places)
	if err != nil {
		return nil, err
	}
	for _, f := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{"SYNTHETIC_flanders-antennas.json", func(w io.Writer) error { return writeFlemishAntennas(w, stations) }},
		{"SYNTHETIC_brussels-antennas.json", writeBrussels},
	} {
		path := filepath.Join(dir, f.name)
		if err := writeFile(path, f.write); err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// answered collects rows of the query service by query.
type answered map[string][]string

// add adds a row. Names and values alternate.
func (a answered) add(query string, pairs ...any) {
	row := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		kind, value := "literal", fmt.Sprint(pairs[i+1])
		if strings.HasPrefix(value, "https:") {
			kind = "uri"
		}
		row[pairs[i].(string)] = map[string]string{"type": kind, "value": value}
	}
	text, _ := json.Marshal(row) // of texts
	a[query] = append(a[query], string(text))
}

func (a answered) write(w io.Writer) error {
	var answers []string
	for _, query := range []string{"operators", "technologies", "dossiers", "antennas", "emissions"} {
		answers = append(answers, fmt.Sprintf("%q:{\"head\":{\"vars\":[]},\"results\":{\"bindings\":[\n%s\n]}}", query,
			strings.Join(a[query], ",\n")))
	}
	_, err := fmt.Fprintf(w, "{\"queries\":{\n%s\n}}\n", strings.Join(answers, ",\n"))
	return err
}

// writeFlemishAntennas writes the antennas of a third of the stations: others have places and operators only.
func writeFlemishAntennas(w io.Writer, stations []flemishStation) error {
	r, rows, n := rand.New(rand.NewPCG(2026, 4326)), answered{}, 0
	for i, o := range flemishOperators {
		rows.add("operators", "operator", fmt.Sprint(zendantennes, "operator/", i+1), "label", o.name)
	}
	for number, label := range []string{"4G", "3G", "2G"} {
		rows.add("technologies", "technologie", fmt.Sprint(zendantennes, "antennetechnologie/", number+1), "label", label)
	}
	for i, s := range stations {
		if i%3 != 0 {
			continue
		}
		first := r.IntN(120)
		for k, system := range flemishSystems[:1+r.IntN(len(flemishSystems))] {
			for sector := range 3 {
				n++
				antenna := fmt.Sprint(zendantennes, "zendantenne/demo-", n)
				rows.add("dossiers", "antenne", antenna, "dossier", fmt.Sprint(zendantennes, "dossier/demo-", i),
					"goedkeuring_tijdstip", s.approved)
				rows.add("antennas", "antenne", antenna, "geometry", fmt.Sprintf("POINT(%.7f %.7f)", s.at.Lng, s.at.Lat),
					"tech", fmt.Sprint(zendantennes, "antennetechnologie/", system.technology),
					"operator", fmt.Sprint(zendantennes, "operator/", s.operator+1), "site_label", s.code,
					"azimut", first+120*sector, "vermogen", 45+r.IntN(15), "mechtilt", r.IntN(6), "hoogte", 18+3*k+r.IntN(12))
				for _, mhz := range system.frequencies {
					rows.add("emissions", "antenne", antenna, "straling", fmt.Sprint(antenna, "/", mhz), "frequentie", mhz)
				}
			}
		}
	}
	return rows.write(w)
}

// writeBrussels writes sites of Brussels. A tenth have an old permit.
func writeBrussels(w io.Writer) error {
	r, items := rand.New(rand.NewPCG(2026, 3)), []string{}
	for n := range brusselsSites {
		item := map[string]any{"meta": map[string]any{"isOldPermit": true}, "permitantennas": nil}
		if n%10 != 9 {
			item = map[string]any{"meta": map[string]any{"id_global_outdoor": 900000 + n, "date_exportation": "2026-06-01T12:00:00.000Z"},
				"permitantennas": brusselsPanels(r, n)}
		}
		text, err := json.Marshal(item)
		if err != nil {
			return err
		}
		items = append(items, fmt.Sprintf("\"%d\":%s", 900+n, text))
	}
	_, err := fmt.Fprintf(w, "{\"list\":{\"type\":\"FeatureCollection\",\"features\":[]},\n\"items\":{\n%s\n}}\n",
		strings.Join(items, ",\n"))
	return err
}

func brusselsPanels(r *rand.Rand, n int) map[string]any {
	lng, lat := 4.30+0.12*r.Float64(), 50.81+0.07*r.Float64()
	operator, panels := []string{"Proximus", "Orange", "Telenet"}[n%3], map[string]any{}
	for p := range 3 {
		var sent []map[string]any
		for _, system := range []string{"GSM 900", "LTE 800", "LTE 1800", "5G 3500"}[:2+r.IntN(3)] {
			sent = append(sent, map[string]any{"antbts": fmt.Sprintf("DMO%03d", n), "antazi": 120*p + n, "anteff": 20 + r.IntN(60),
				"antelect": r.IntN(8), "antmect": r.IntN(4), "anthma": 20 + r.IntN(30), "operateur": operator, "system": system})
		}
		panels[fmt.Sprint(p)] = map[string]any{"geometry": map[string]any{"coordinates": []float64{lng, lat, 30}},
			"properties": map[string]any{"transmitters": sent}}
	}
	return panels
}
