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

// BelgianPlaces is the size of the demonstration's Flanders.
const BelgianPlaces = 1000

// firstDossier is the lowest register id: far above the register's.
const firstDossier = 9_000_000_001

// flemishTowns are real: their postal codes, and their centres in Lambert 72, metres.
var flemishTowns = []struct {
	name, postal string
	x, y         float64
}{
	{"Antwerpen", "2000", 152162, 212373}, {"Gent", "9000", 104884, 193933},
	{"Brugge", "8000", 70053, 211608}, {"Leuven", "3000", 173375, 174367},
	{"Mechelen", "2800", 157825, 190885}, {"Aalst", "9300", 126913, 180885},
	{"Kortrijk", "8500", 72232, 169197}, {"Hasselt", "3500", 218122, 180489},
	{"Sint-Niklaas", "9100", 134251, 206155}, {"Oostende", "8400", 48808, 214327},
	{"Genk", "3600", 229507, 184500}, {"Roeselare", "8800", 62598, 182533},
	{"Turnhout", "2300", 190129, 223810}, {"Ieper", "8900", 45572, 172242},
	{"Tongeren", "3700", 227282, 163918}, {"Vilvoorde", "1800", 154243, 179756},
	{"Dendermonde", "9200", 131216, 191002}, {"Geel", "2440", 193499, 206003},
	{"Knokke-Heist", "8300", 74635, 227240}, {"Halle", "1500", 140558, 158116},
}

var flemishStreets = []string{"Voorbeeldstraat", "Antennelaan", "Demonstratieplein", "Zendmaststeenweg",
	"Watertorenweg"}

// flemishOperators are the names in the register, and how an operator writes its
// site codes.
var flemishOperators = []struct {
	name  string
	code  func(place int) string
	share float64
}{
	{"Proximus NV", func(n int) string { return fmt.Sprintf("%02dDMO_%02d", n/1000%100, n%100) }, 0.6},
	{"Telenet Group BVBA", func(n int) string { return fmt.Sprintf("_DM%04dA", n%10000) }, 0.5},
	{"Orange Belgium NV", func(n int) string { return fmt.Sprintf("D1-%03d-X1 & D1-3%04d-X1", n%1000, n%10000) }, 0.5},
	{"Citymesh NV", func(n int) string { return fmt.Sprintf("DMO-CM-%04d", n%10000) }, 0.05},
}

// WriteBE writes the Flemish register of approved dossiers of the given number of places into
// dir, and returns its path and where operators have dossiers. Places are farther apart than the
// ten metres within which dossiers are one site.
func WriteBE(dir string, places int) (paths []string, stations []flemishStation, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, nil, err
	}
	path := filepath.Join(dir, "SYNTHETIC_us_zndant_pnt.geojson")
	err = writeFile(path, func(w io.Writer) (err error) {
		stations, err = writeDossiers(w, places)
		return err
	})
	return []string{path}, stations, err
}

func writeDossiers(w io.Writer, places int) ([]flemishStation, error) {
	if _, err := fmt.Fprint(w,
		"{\n\"type\": \"FeatureCollection\",\n\"crs\": { \"type\": \"name\", \"properties\": { \"name\": \"urn:ogc:def:crs:EPSG::31370\" } },\n\"features\": ["); err != nil {
		return nil, err
	}
	all, err := terrains()
	if err != nil {
		return nil, err
	}
	f := flanders{w: w, r: rand.New(rand.NewPCG(2026, 31370)), land: all[string(market.BE)], taken: map[[2]int]bool{}}
	for f.places < places {
		if err := f.writePlace(); err != nil {
			return nil, err
		}
	}
	_, err = fmt.Fprint(w, "\n]\n}\n")
	return f.stations, err
}

// flanders is the state of WriteBE.
type flanders struct {
	w        io.Writer
	r        *rand.Rand
	land     *terrain
	places   int
	dossiers int
	taken    map[[2]int]bool // cells of 30 metres with a place
	stations []flemishStation
}

// spot draws a place, and the nearest town. The cells around it have no other place.
func (f *flanders) spot() (town int, x, y float64) {
	for {
		p := f.land.draw(f.r)
		town = nearest(p, len(flemishTowns), func(i int) geo.Point {
			return geo.FromLambert72(flemishTowns[i].x, flemishTowns[i].y)
		}, nil)
		x, y = geo.ToLambert72(p)
		cell, free := [2]int{int(x / 30), int(y / 30)}, true
		for i := range 9 {
			free = free && !f.taken[[2]int{cell[0] + i%3 - 1, cell[1] + i/3 - 1}]
		}
		if free {
			f.taken[cell] = true
			return town, x, y
		}
	}
}

// writePlace writes the dossiers of one place: one to three of each operator,
// later ones replace earlier ones.
func (f *flanders) writePlace() error {
	town, x, y := f.spot()
	f.places++
	t := flemishTowns[town]
	where := fmt.Sprintf("%s %d, %s %s", flemishStreets[f.r.IntN(len(flemishStreets))], 1+f.r.IntN(180), t.postal,
		t.name)
	some := false
	for i, o := range flemishOperators {
		if f.r.Float64() >= o.share && (some || i < len(flemishOperators)-1) {
			continue
		}
		some = true
		if f.r.IntN(4) == 0 { // real dossiers vary in their spelling
			where = strings.ToUpper(where)
		}
		year, approved := 2013, ""
		for range 1 + f.r.IntN(3) {
			approved = "2013-12-31T22:00:00+00:00" // as the register writes the take-over of an older one
			if year > 2013 || f.r.IntN(3) > 0 {
				year += 1 + f.r.IntN(4)
				approved = fmt.Sprintf("%sT%02d:%02d:%02d.%03d001+00:00", day(f.r, year, year), 6+f.r.IntN(14),
					f.r.IntN(60), f.r.IntN(60), f.r.IntN(1000))
			}
			if err := f.writeDossier(o.name, o.code(f.places), approved, where, x+3*f.r.Float64(),
				y+3*f.r.Float64()); err != nil {
				return err
			}
		}
		f.stations = append(f.stations, flemishStation{i, o.code(f.places), approved, geo.FromLambert72(x, y)})
	}
	return nil
}

func (f *flanders) writeDossier(operator, code, approved, where string, x, y float64) error {
	comma := ","
	if f.dossiers == 0 {
		comma = ""
	}
	id := firstDossier + f.dossiers
	f.dossiers++
	_, err := fmt.Fprintf(f.w,
		"%s\n{ \"type\": \"Feature\", \"properties\": { \"id\": %d, \"goedkeuringsdatum\": %q, \"sitecode\": %q, \"locatiebeschrijving\": %q, "+
			"\"operatornaam\": %q, \"referentie\": %q, \"conformiteitsattest\": null, \"dossiernummer\": \"D%08d\" }, \"geometry\": { \"type\": \"Point\", \"coordinates\": [ %.4f, %.4f ] } }",
		comma, id, approved, code, where, operator, code, f.dossiers, x, y)
	return err
}
