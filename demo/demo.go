// Package demo invents countries of antenna sites with outages and measurements, and
// writes them as source files in the formats of authorities, operators and apps, for
// demonstrations and benchmarks. The towns are real, everything else is invented. The
// files' names begin with SYNTHETIC, and so every answer says that its data is synthetic.
// Outages have no such mark and state it in their texts. The same size and day
// always make the same files.
package demo

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"

	"relais/data"
	"relais/geo"
	"relais/ingest/table"
	"relais/market"
)

// A Set is the files of one authority, for one ingest.
type Set struct {
	Markets []market.Code
	Size    int // of the demonstration: sites, or rows if the format has several for each site
	// Write writes the files of a country of size n into dir and returns their paths,
	// in an order for ingest.
	Write func(dir string, n int) (paths []string, err error)
}

// Sets are the sets of the demonstration, one for each authority.
var Sets = []Set{
	{[]market.Code{market.FR, market.DROM}, Supports, Write},
	{[]market.Code{market.CA}, caRows, writeExtract},
	{[]market.Code{market.BE}, BelgianPlaces, WriteBE},
	{[]market.Code{market.CH}, installations, writeCH},
}

// Supports is the size of the demonstration of France.
const Supports = 20000

// date is the date of the edition. It is fixed: the register of a demonstration does not age.
const date = "2026-01-15"

// firstSupport is the lowest sup_id. It is far above the register's ids, so that nobody
// confuses them.
const firstSupport = 90000001

type town struct {
	insee, name, postal string
	department          string // three characters, as the authority writes it
	centre              geo.Point
	weight              float64
	market              *market.Market
	area                int
}

type support struct {
	id                     int
	town                   *town
	lat, lng               int // seconds of arc
	height, nature, owner  int
	address, lieu          string
	stations               []station
	ranShared, sharedPanel bool
}

// directions says where the azimuths of a support's emissions are stated.
type directions int

const (
	listed       directions = iota // in list_azimut of each row, and in the SUP tables
	partlyListed                   // in list_azimut of every other row, and in the SUP tables
	ofEmitters                     // in the SUP tables
	ofStations                     // in SUP_ANTENNE, and no emitter is stated
	unstated                       // nowhere
)

// directions returns the first kind for half of the supports, and each of the others for an eighth.
func (s *support) directions() directions { return max(listed, directions(s.id%8-3)) }

type station struct {
	operator operator
	number   string
	systems  []system
	azimuth  int // of the first of three sectors
	dish     bool
}

type system struct {
	name, generation, status, on string
}

// An operator is one of the files' operators.
type operator struct {
	name   string
	holder string // in station numbers
	plmn   string // "" if no file has its radio identifiers
	share  float64
}

var mainland = []operator{
	{"ORANGE", "229", "20801", 0.52}, {"SFR", "270", "20810", 0.45}, {"BOUYGUES TELECOM", "275", "20820", 0.46},
	{"FREE MOBILE", "099", "20815", 0.50},
}

var overseas = map[string][]operator{
	"971": {{"ORANGE", "229", "34001", 0.6}, {"FREE CARAIBES", "098", "34004", 0.5}, {"DIGICEL", "337", "34020", 0.5},
		{"OUTREMER TELECOM", "147", "34002", 0.4}},
	"972": {{"ORANGE", "229", "34001", 0.6}, {"FREE CARAIBES", "098", "34004", 0.5}, {"DIGICEL", "337", "34020", 0.5},
		{"OUTREMER TELECOM", "147", "34002", 0.4}},
	"973": {{"ORANGE", "229", "34001", 0.6}, {"FREE CARAIBES", "098", "34004", 0.4}, {"DIGICEL", "337", "34020", 0.5},
		{"OUTREMER TELECOM", "147", "34002", 0.4}},
	"974": {{"ORANGE", "229", "64700", 0.6}, {"SRR", "370", "64710", 0.6}, {"TELCO OI", "371", "64703", 0.4},
		{"ZEOP", "372", "64704", 0.4}},
	"976": {{"ORANGE", "229", "64700", 0.6}, {"SRR", "370", "64710", 0.5}, {"TELCO OI", "371", "64703", 0.4},
		{"MAORE MOBILE", "373", "64701", 0.4}},
}

// systems are what a station may have, with the year in which such a system first went on air in
// France.
var systems = []struct {
	name, generation string
	share            float64
	since            int
}{
	{"GSM 900", "2G", 0.5, 1992}, {"UMTS 900", "3G", 0.6, 2009}, {"UMTS 2100", "3G", 0.2, 2004},
	{"LTE 700", "4G", 0.7, 2016}, {"LTE 800", "4G", 0.8, 2012}, {"LTE 1800", "4G", 0.8, 2013},
	{"LTE 2100", "4G", 0.6, 2017}, {"LTE 2600", "4G", 0.6, 2012}, {"5G NR 700", "5G", 0.4, 2020},
	{"5G NR 2100", "5G", 0.4, 2020}, {"5G NR 3500", "5G", 0.5, 2020},
}

// Write writes the files of a France of n supports into dir and returns their
// paths, in an order for ingest.
func Write(dir string, n int) ([]string, error) {
	towns, err := readTowns()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	c := country(towns, n)
	var paths []string
	for _, f := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{observatoryName(0), func(w io.Writer) error { return writeObservatory(w, c, 0) }},
		{"SYNTHETIC_SUP_tables.zip", func(w io.Writer) error { return writeSUP(w, c) }},
		{"SYNTHETIC_sites.csv", func(w io.Writer) error { return writeSites(w, c) }},
		{"SYNTHETIC_radio_ids.ntm", func(w io.Writer) error { return writeNodes(w, c) }},
		{"SYNTHETIC_communes.csv", func(w io.Writer) error { return writeCommunes(w, towns) }},
	} {
		path := filepath.Join(dir, f.name)
		if err := writeFile(path, f.write); err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

func writeFile(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<16)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

func readTowns() ([]*town, error) {
	const name = "demo/towns.csv"
	t, err := table.Embedded(data.Files,
		name, []table.Column{{Name: "insee"}, {Name: "name"}, {Name: "postal"}, {Name: "lat"}, {Name: "lng"},
			{Name: "weight"}})
	if err != nil {
		return nil, err
	}
	var towns []*town
	for t.Next() {
		x := &town{insee: string(t.Field(0)), name: string(t.Field(1)), postal: string(t.Field(2))}
		for i, v := range []*float64{&x.centre.Lat, &x.centre.Lng, &x.weight} {
			if *v, err = strconv.ParseFloat(string(t.Field(3+i)), 64); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", name, t.Line(), err)
			}
		}
		if err := x.place(); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, t.Line(), err)
		}
		towns = append(towns, x)
	}
	return towns, t.Err()
}

// place finds the department of a town.
func (t *town) place() error {
	code := t.insee[:2]
	if code == "97" {
		code = t.insee[:3]
	}
	for _, c := range []market.Code{market.FR, market.DROM} {
		m := market.Get(c)
		if i, ok := m.Area(code); ok {
			t.market, t.area, t.department = m, i, fmt.Sprintf("%03s", code)
			return nil
		}
	}
	return fmt.Errorf("no department %s", code)
}

func (t *town) operators() []operator {
	if ops, ok := overseas[t.department]; ok {
		return ops
	}
	return mainland
}

// country makes n supports, dense in towns.
func country(towns []*town, n int) []support {
	r := rand.New(rand.NewPCG(2026, 115))
	total := 0.0
	for _, t := range towns {
		total += share(t)
	}
	serials := map[string]int{}
	supports := make([]support, 0, n)
	sum := 0.0
	for _, t := range towns {
		sum += share(t)
		for len(supports) < int(math.Round(sum/total*float64(n))) {
			supports = append(supports, makeSupport(r, firstSupport+len(supports), t, serials))
		}
	}
	if n > 0 { // the site that the demonstration shows first: a mast of 32 m
		supports[0].height, supports[0].nature = 32, 23
	}
	return supports
}

// share returns the relative number of sites of a town: more in large towns, but no department
// is left without sites.
func share(t *town) float64 { return 8 + math.Pow(t.weight, 0.85) }

func makeSupport(r *rand.Rand, id int, t *town, serials map[string]int) support {
	s := support{id: id, town: t, height: []int{0, 12, 20, 25, 30, 35, 42, 50}[r.IntN(8)],
		nature: []int{4, 12, 17, 21, 23, 25, 26, 38, 42}[r.IntN(9)],
		owner:  []int{4, 21, 27, 32, 65, 68, 72, 74, 75}[r.IntN(9)]}
	s.lat, s.lng = position(r, t)
	s.address = fmt.Sprintf("%d %s", 1+r.IntN(180), streets[r.IntN(len(streets))])
	if r.IntN(3) == 0 {
		s.lieu = fmt.Sprintf("SITE FICTIF %d", id-firstSupport+1)
	}
	ops := t.operators()
	for _, o := range ops {
		if r.Float64() < o.share {
			s.stations = append(s.stations, makeStation(r, t, o, serials))
		}
	}
	if len(s.stations) == 0 {
		s.stations = append(s.stations, makeStation(r, t, ops[r.IntN(len(ops))], serials))
	}
	s.ranShared, s.sharedPanel = r.IntN(3) == 0, r.IntN(3) == 0
	return s
}

var streets = []string{"rue de l'Exemple", "chemin du Relais", "avenue de la Démonstration", "impasse du Château d'Eau",
	"route de l'Antenne", "place Œuvre-Fictive"}

// position draws a place around a town, usually near its centre, and never
// outside the department's or the country's frame.
func position(r *rand.Rand, t *town) (lat, lng int) {
	reach := 2 + math.Sqrt(t.weight) // km
	if r.IntN(4) == 0 && t.market.Code == market.FR {
		reach = 35
	}
	for {
		km, angle := reach*r.Float64()*r.Float64(), 2*math.Pi*r.Float64()
		p := geo.Point{
			Lat: t.centre.Lat + km/111.2*math.Cos(angle),
			Lng: t.centre.Lng + km/111.2*math.Sin(angle)/math.Cos(t.centre.Lat*math.Pi/180)}
		lat, lng = int(math.Round(p.Lat*3600)), int(math.Round(p.Lng*3600))
		if t.market.Holds(t.area, geo.Point{Lat: float64(lat) / 3600, Lng: float64(lng) / 3600}) {
			return lat, lng
		}
	}
}

func makeStation(r *rand.Rand, t *town, o operator, serials map[string]int) station {
	prefix := t.department + o.holder
	serials[prefix]++
	// A serial has four characters: beyond 9,999 it goes on with a letter.
	n := serials[prefix]
	serial := fmt.Sprintf("%04d", n)
	if n > 9999 {
		serial = fmt.Sprintf("%c%03d", 'A'+(n-10000)/1000%26, n%1000)
	}
	s := station{operator: o, number: prefix + serial, azimuth: r.IntN(120), dish: r.IntN(3) == 0}
	onlyProject := r.IntN(25) == 0
	for _, sys := range systems {
		if r.Float64() > sys.share {
			continue
		}
		x := system{name: sys.name, generation: sys.generation, status: "En service", on: notBefore(sys.since, day(r, 2006, lastYear))}
		switch n := r.IntN(100); {
		case onlyProject || n < 6:
			x.status, x.on = "Projet approuvé", ""
			if r.IntN(10) == 0 {
				x.on = day(r, 2026, 2027)
			}
		case n < 20:
			x.status = "Techniquement opérationnel"
		}
		s.systems = append(s.systems, x)
	}
	if len(s.systems) == 0 {
		s.systems = append(s.systems, system{"LTE 800", "4G", "En service", day(r, 2013, lastYear)})
	}
	return s
}

// notBefore moves a day to a year from since on.
func notBefore(since int, day string) string {
	year, err := strconv.Atoi(day[:4])
	if err != nil {
		panic(err) // day wrote it
	}
	if year < since {
		year = since + year%(lastYear-since+1)
	}
	return strconv.Itoa(year) + day[4:]
}

// lastYear is the last year in which something went on air.
const lastYear = 2025

func day(r *rand.Rand, from, to int) string {
	return fmt.Sprintf("%04d-%02d-%02d", from+r.IntN(to-from+1), 1+r.IntN(12), 1+r.IntN(28))
}
