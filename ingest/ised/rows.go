package ised

import (
	"bytes"
	"html"
	"math"
	"slices"
	"time"
	"unicode"

	"relais/geo"
	"relais/ingest/source"
	"relais/market"
	"relais/site"
)

// A country collects the file's data in small records and lists of numbers, so that memory
// grows with the sites, not with the rows.
type country struct {
	market       *market.Market
	operatorOf   map[string]uint8 // by the licensee's name as written
	technologyOf map[string]int   // by name as written
	technologies []technology
	texts        map[string]string // interned texts, see leastInterned
	places       []place
	placeOf      map[corner]uint32
	licences     []string
	licenceOf    map[string]uint32
	stations     []station
	stationOf    map[uint64]uint32 // place<<32 | licence
	newest       *source.Newest    // upload date
	date         string            // date of the data, YYYY-MM-DD
	left         leftOut

	// By place: frequencies in Hz, ECIs, PCIs, stations.
	tx, rx, cells, physicals, stationsOf facts
	systems                              facts // by station
	azimuths                             facts // by station: system<<azimuthBits | degrees
}

// A corner identifies a place: an operator, and coordinates in units of 1e-5 degrees.
type corner struct {
	lat, lng int32
	operator uint8
}

const perDegree = 1e5

type place struct {
	corner
	area          int8  // -1: unknown
	height        int32 // millimetres; -1: unknown
	antennaHeight int32
	stations      int32
	heightText    string
	nature        string
	location      string
}

type station struct {
	place, licence    uint32
	record, reference string
}

// maxStations bounds the licences of one place. Real places have some tens.
const maxStations = 1000

// azimuthBits is the number of bits of an azimuth in degrees.
const azimuthBits = 9

// facts are numbers of places or stations: owner<<32 | number.
type facts []uint64

func (f *facts) add(owner, number uint32) { *f = append(*f, uint64(owner)<<32|uint64(number)) }

// sortUnique sorts the facts and removes duplicates.
func (f *facts) sortUnique() {
	slices.Sort(*f)
	*f = slices.Compact(*f)
}

// numbersOf returns the facts of one owner.
func (f facts) numbersOf(owner uint32) facts {
	from, _ := slices.BinarySearch(f, uint64(owner)<<32)
	to := from
	for to < len(f) && f[to]>>32 == uint64(owner) {
		to++
	}
	return f[from:to]
}

func newCountry(m *market.Market) *country {
	return &country{market: m, newest: source.NewNewest(time.Now()), operatorOf: map[string]uint8{},
		technologyOf: map[string]int{}, technologies: []technology{{}},
		texts: map[string]string{}, placeOf: map[corner]uint32{}, licenceOf: map[string]uint32{},
		stationOf: map[uint64]uint32{}}
}

// text returns a field, empty if it is the placeholder "-".
func text(r *source.Reader, column int) []byte {
	if f := r.Field(column); len(f) != 1 || f[0] != '-' {
		return f
	}
	return nil
}

const otherLicence = "not a cellular licence"

// IsUnused reports whether nothing is wrong with a row that was rejected for the reason: it is only not
// about mobile networks.
func IsUnused(reason string) bool { return reason == otherLicence }

// row adds one frequency of one antenna. It returns the reason for rejection, "" if none.
func (c *country) row(r *source.Reader) (reason string) {
	category := findCategory(text(r, colCategory))
	if category < 0 {
		return otherLicence
	}
	location := text(r, colLocation)
	if noStations(location) {
		return "an upload without stations"
	}
	licence, licensee := text(r, colLicence), text(r, colLicensee)
	switch {
	case len(licence) == 0:
		return "no licence number"
	case len(licensee) == 0:
		return "no licensee"
	}
	for _, column := range []int{colLicence, colLocation, colReference, colRecord, colStructureType} {
		if len(r.Field(column)) > maxText {
			return "a text of over 500 bytes"
		}
	}
	technology := c.technology(r)
	if technology == unknown {
		return "unknown technology"
	}
	at, reason := c.parseCorner(text(r, colLatitude), text(r, colLongitude))
	if reason != "" {
		return reason
	}
	at.operator = c.operator(licensee)
	place := c.internPlace(at)
	station, ok := c.internStation(place, licence)
	if !ok {
		return "too many licences at one place"
	}
	system := systemNumber(technology, category)
	c.systems.add(station, system)
	if a, ok := c.azimuth(text(r, colAzimuth), text(r, colOmni)); ok {
		c.azimuths.add(station, system<<azimuthBits|a)
	}
	s := &c.stations[station]
	s.record = lesser(s.record, text(r, colRecord))
	s.reference = c.leastInterned(s.reference, readable(text(r, colReference)))
	c.notePlace(&c.places[place], r, location)
	c.noteRadio(place, r, category, c.technologies[technology].generation)
	if len(text(r, colUploaded)) > 0 && !c.newest.Add(r.Date(colUploaded).Time()) {
		c.left.dates++
	}
	return ""
}

// noStations reports whether the location states that the licence has no stations, or no
// changes.
func noStations(location []byte) bool {
	for _, word := range []string{"NOCHANGES", "NOCHANGE", "NOSTATIONS"} {
		if bytes.EqualFold(location, []byte(word)) {
			return true
		}
	}
	return false
}

// parseCorner parses coordinates.
func (c *country) parseCorner(lat, lng []byte) (corner, string) {
	y, ok1 := parseNumber(lat)
	x, ok2 := parseNumber(lng)
	if !ok1 || !ok2 {
		return corner{}, "no position"
	}
	if !c.market.Box.Contains(geo.Point{Lat: y, Lng: x}) {
		if c.market.Box.Contains(geo.Point{Lat: x, Lng: y}) {
			return corner{}, "latitude and longitude swapped"
		}
		return corner{}, "position outside Canada"
	}
	return corner{lat: int32(math.Round(y * perDegree)), lng: int32(math.Round(x * perDegree))}, ""
}

func (c *country) internPlace(at corner) uint32 {
	i, ok := c.placeOf[at]
	if !ok {
		i = uint32(len(c.places))
		c.places = append(c.places, place{corner: at, area: -1, height: -1, antennaHeight: -1})
		c.placeOf[at] = i
	}
	return i
}

func (c *country) internStation(place uint32, licence []byte) (uint32, bool) {
	number, ok := c.licenceOf[string(licence)]
	if !ok {
		number = uint32(len(c.licences))
		c.licences = append(c.licences, string(licence))
		c.licenceOf[string(licence)] = number
	}
	key := uint64(place)<<32 | uint64(number)
	i, ok := c.stationOf[key]
	if !ok {
		if c.places[place].stations == maxStations {
			return 0, false
		}
		c.places[place].stations++
		i = uint32(len(c.stations))
		c.stations = append(c.stations, station{place: place, licence: number})
		c.stationOf[key] = i
		c.stationsOf.add(place, i)
	}
	return i, true
}

// notePlace adds a row's description of a place. If rows differ, the greatest height and
// the alphabetically first text win, so that the rows' order does not matter.
func (c *country) notePlace(p *place, r *source.Reader, location []byte) {
	if area, ok := c.market.Area(string(text(r, colProvince))); ok && (p.area < 0 || int8(area) < p.area) {
		p.area = int8(area)
	}
	p.location = lesser(p.location, readable(location))
	p.nature = c.leastInterned(p.nature, text(r, colStructureType))
	raw := text(r, colStructureHeight)
	if h := c.metres(raw); h >= 0 && h >= p.height {
		if h > p.height {
			p.height, p.heightText = h, ""
		}
		p.heightText = c.leastInterned(p.heightText, raw)
	}
	p.antennaHeight = max(p.antennaHeight, c.metres(text(r, colAntennaHeight)))
}

// noteRadio adds a row's frequencies and cells.
func (c *country) noteRadio(place uint32, r *source.Reader, category int, g site.Generation) {
	if hz, ok := c.hertz(text(r, colTx), category); ok {
		c.tx.add(place, hz)
	}
	if hz, ok := c.hertz(text(r, colRx), category); ok {
		c.rx.add(place, hz)
	}
	if g == site.G4 {
		if eci, ok := parseECI(text(r, colCell)); ok {
			c.cells.add(place, eci)
		}
	}
	if pci, ok := c.physical(text(r, colPhysical), g); ok {
		c.physicals.add(place, pci)
	}
}

// maxText is the largest size of a served text in bytes.
const maxText = 500

// lesser returns the lesser of two texts by bytes; empty texts do not count.
func lesser(have string, raw []byte) string {
	if len(raw) == 0 || have != "" && have <= string(raw) {
		return have
	}
	return string(raw)
}

// leastInterned is least for texts that repeat often: it interns them.
func (c *country) leastInterned(have string, raw []byte) string {
	if s, ok := c.texts[string(raw)]; ok {
		if have == "" || s < have {
			return s
		}
		return have
	}
	s := lesser(have, raw)
	if s != have && cacheable(len(c.texts), raw) {
		c.texts[s] = s
	}
	return s
}

// readable returns a text without HTML entities, control characters and surrounding blanks.
// It decodes entities once: "&amp;lt;" becomes "&lt;".
func readable(raw []byte) []byte {
	// HTML allows entities without a semicolon; "A&B" must not become one.
	if bytes.IndexByte(raw, '&') >= 0 && bytes.IndexByte(raw, ';') >= 0 {
		raw = []byte(html.UnescapeString(string(raw)))
	}
	if bytes.ContainsFunc(raw, unicode.IsControl) {
		raw = bytes.Map(func(r rune) rune {
			if unicode.IsControl(r) {
				return ' '
			}
			return r
		}, raw)
	}
	return bytes.TrimSpace(raw)
}
