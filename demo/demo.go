// Package demo invents countries of antenna sites with outages, measurements and coverage maps, and
// writes them as source files in the formats of authorities, operators and apps, for
// demonstrations and benchmarks. Land and towns are real, everything else is invented. The
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
	{[]market.Code{market.BE}, BelgianPlaces, writeBelgium},
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
	frame               string // of its terrain
	centre              geo.Point
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
	f, err := NewFrance(n)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	c := f.supports
	var paths []string
	for _, file := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{observatoryName(0), func(w io.Writer) error { return writeObservatory(w, c, 0) }},
		{"SYNTHETIC_SUP_tables.zip", func(w io.Writer) error { return writeSUP(w, c) }},
		{"SYNTHETIC_sites.csv", func(w io.Writer) error { return writeSites(w, c) }},
		{"SYNTHETIC_radio_ids.ntm", func(w io.Writer) error { return writeNodes(w, c) }},
		{"SYNTHETIC_communes.csv", func(w io.Writer) error { return writeCommunes(w, f.towns) }},
	} {
		path := filepath.Join(dir, file.name)
		if err := writeFile(path, file.write); err != nil {
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

// A France is an invented country.
type France struct {
	towns    []*town
	supports []support
}

// NewFrance makes a country of n supports.
func NewFrance(n int) (*France, error) {
	towns, err := readTowns()
	if err != nil {
		return nil, err
	}
	c, err := country(towns, n)
	return &France{towns, c}, err
}

func readTowns() ([]*town, error) {
	const name = "demo/towns.csv"
	t, err := table.Embedded(data.Files,
		name, []table.Column{{Name: "insee"}, {Name: "name"}, {Name: "postal"}, {Name: "lat"}, {Name: "lng"}})
	if err != nil {
		return nil, err
	}
	var towns []*town
	for t.Next() {
		x := &town{insee: string(t.Field(0)), name: string(t.Field(1)), postal: string(t.Field(2))}
		for i, v := range []*float64{&x.centre.Lat, &x.centre.Lng} {
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
			t.market, t.area, t.department, t.frame = m, i, fmt.Sprintf("%03s", code), string(market.FR)
			if overseas[t.department] != nil {
				t.frame = t.department
			}
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

// country makes n supports: one in each town, and the others all over the country. The first one is Shown.
func country(towns []*town, n int) ([]support, error) {
	all, err := terrains()
	if err != nil {
		return nil, err
	}
	r := rand.New(rand.NewPCG(2026, 115))
	spots := make([][]spot, len(towns))
	for i := range n {
		at, where := i, spot{}
		if i < len(towns) {
			where = towns[i].central(r, all[towns[i].frame])
		} else {
			at, where = anywhere(r, towns, all)
		}
		spots[at] = append(spots[at], where)
	}
	serials, supports := map[string]int{}, make([]support, 0, n)
	for i, t := range towns {
		for _, where := range spots[i] {
			supports = append(supports, makeSupport(r, firstSupport+len(supports), t, where, serials))
		}
	}
	if n > 0 {
		supports[0].showEverything(r, serials)
	}
	return supports, nil
}

// A spot is a position in seconds of arc, which the files state.
type spot struct{ lat, lng int }

func spotOf(p geo.Point) spot {
	return spot{int(math.Round(p.Lat * 3600)), int(math.Round(p.Lng * 3600))}
}

func (s spot) point() geo.Point {
	return geo.Point{Lat: float64(s.lat) / 3600, Lng: float64(s.lng) / 3600}
}

// central draws a spot near the town's centre.
func (t *town) central(r *rand.Rand, land *terrain) spot {
	for i := range 100 { // farther and farther from a centre that the coarse coast puts into the sea
		if s := spotOf(near(r, t.centre, 0.5+float64(i)/20)); land.dry(s.point()) && t.holds(s.point()) {
			return s
		}
	}
	return spotOf(t.centre)
}

// holds reports whether a point is in the frame of the town's department.
func (t *town) holds(p geo.Point) bool { return t.market.Holds(t.area, p) }

// anywhere draws a spot, and the nearest town that may have it.
func anywhere(r *rand.Rand, towns []*town, all map[string]*terrain) (int, spot) {
	for {
		frame := frenchFrames[0]
		for _, f := range frenchFrames[1:] {
			if r.Float64()*all["FR"].inhabited() < all[f].inhabited() {
				frame = f
			}
		}
		s := spotOf(all[frame].draw(r))
		at := nearest(s.point(), len(towns), func(i int) geo.Point { return towns[i].centre },
			func(i int) bool { return towns[i].frame == frame && towns[i].holds(s.point()) })
		if at >= 0 {
			return at, s
		}
	}
}

// frenchFrames are the terrains of the authority of France.
var frenchFrames = []string{"FR", "971", "972", "973", "974", "976"}

func makeSupport(r *rand.Rand, id int, t *town, where spot, serials map[string]int) support {
	s := support{id: id, town: t, lat: where.lat, lng: where.lng, height: []int{0, 12, 20, 25, 30, 35, 42, 50}[r.IntN(8)],
		nature: []int{4, 12, 17, 21, 23, 25, 26, 38, 42}[r.IntN(9)],
		owner:  []int{4, 21, 27, 32, 65, 68, 72, 74, 75}[r.IntN(9)]}
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
	year, month, day := from+r.IntN(to-from+1), 1+r.IntN(12), 1+r.IntN(28)
	return string([]byte{'0' + byte(year/1000), '0' + byte(year/100%10), '0' + byte(year/10%10), '0' + byte(year%10), '-',
		'0' + byte(month/10), '0' + byte(month%10), '-', '0' + byte(day/10), '0' + byte(day%10)})
}
