package belgium

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"relais/geo"
	"relais/ingest/source"
	"relais/internal/fold"
	"relais/site"
)

// A technology is one that antennas of the regions have.
type technology struct {
	name       string // as systems begin
	generation site.Generation
	link       bool // microwave, between sites
}

// technologies maps the words of the regions, folded. Words of Flanders are those of its labels, words of Brussels
// begin the name of a system.
var technologies = map[string]technology{
	"2g": {"GSM", site.G2, false}, "gsm": {"GSM", site.G2, false},
	"3g": {"UMTS", site.G3, false}, "umts": {"UMTS", site.G3, false},
	"4g": {"LTE", site.G4, false}, "lte": {"LTE", site.G4, false},
	"5g": {"NR", site.G5, false}, "nr": {"NR", site.G5, false},
	"microwave": {link: true}, "microgolf": {link: true}, "straalverbinding": {link: true},
}

// bands are the downlink ranges in MHz of the bands that are in use in Europe, by their usual number: 3GPP TS 36.101
// and 38.101-1, bands 28, 20, 8, 32, 3, 1, 40, 38 with 7, 78.
var bands = []struct{ from, to, number float64 }{
	{758, 788, 700}, {791, 821, 800}, {925, 960, 900}, {1452, 1496, 1500}, {1805, 1880, 1800}, {2110, 2170, 2100},
	{2300, 2400, 2300}, {2570, 2690, 2600}, {3400, 3800, 3500},
}

// bandOf returns the number of the band of a frequency in MHz, "" outside of all.
func bandOf(mhz float64) string {
	for _, b := range bands {
		if b.from <= mhz && mhz <= b.to {
			return strconv.FormatFloat(b.number, 'f', 0, 64)
		}
	}
	return ""
}

// A measured says how a quantity may be stated: its units, folded, with the unit of answers and the factor to it.
type measured map[string]struct {
	unit   string
	factor float64
}

// The units. "" is a quantity without one: its number stays as it is, and the unit of answers is unknown. Only
// azimuths and frequencies have a unit then, which their definition says.
var (
	degrees = measured{"": {"", 1}, "deg": {"°", 1}, "degree": {"°", 1}, "degrees": {"°", 1}, "graad": {"°", 1},
		"graden": {"°", 1}, "°": {"°", 1}}
	lengths = measured{"": {"", 1}, "m": {"m", 1}, "metre": {"m", 1}, "meter": {"m", 1}}
	powers  = measured{"": {"", 1}, "dbm": {"dBm", 1}, "dbw": {"dBW", 1}, "w": {"W", 1}, "watt": {"W", 1},
		"kw": {"kW", 1}, "kilowatt": {"kW", 1}}
	frequencies = measured{"": {"MHz", 1}, "mhz": {"MHz", 1}, "megahertz": {"MHz", 1}, "ghz": {"MHz", 1e3},
		"gigahertz": {"MHz", 1e3}, "khz": {"MHz", 1e-3}, "kilohertz": {"MHz", 1e-3}, "hz": {"MHz", 1e-6},
		"hertz": {"MHz", 1e-6}}
)

// unknowns counts values that the readers do not know, by what they are. The first of each is named.
type unknowns map[string]*unknownValue

type unknownValue struct {
	first    string
	line, in int
}

const namedLength = 80

func (u unknowns) add(what, value string, line int) {
	if v := u[what]; v != nil {
		v.in++
		return
	}
	if len(value) > namedLength {
		value = strings.ToValidUTF8(value[:namedLength], "") + "…"
	}
	u[what] = &unknownValue{value, line, 1}
}

// warn adds a sentence for each kind of value to a report.
func (u unknowns) warn(r *source.Report) {
	var kinds []string
	for what := range u {
		kinds = append(kinds, what)
	}
	slices.Sort(kinds)
	for _, what := range kinds {
		v := u[what]
		r.Warn(fmt.Sprintf("the %s %q of line %d is not known, %d such values are left out", what, v.first, v.line, v.in))
	}
}

// quantity returns a number with its unit. What is not a number, or has an unknown unit, is left out.
func (u unknowns) quantity(what string, m measured, value, unit string, line int) site.Quantity {
	if value = strings.TrimSpace(value); value == "" {
		return site.NoQuantity()
	}
	x, err := strconv.ParseFloat(value, 64)
	if err != nil || !(math.Abs(x) < 1e9) {
		u.add(what, value, line)
		return site.NoQuantity()
	}
	name := unit[strings.LastIndexAny(unit, "/#")+1:]
	known, ok := m[strings.ToLower(strings.TrimSpace(name))]
	if !ok {
		u.add("unit of "+what, unit, line)
		return site.NoQuantity()
	}
	return site.Quantity{Value: x * known.factor, Unit: known.unit}
}

// azimuth is quantity for degrees from true north, from 0 to less than 360.
func (u unknowns) azimuth(value, unit string, line int) float64 {
	q := u.quantity("azimuth", degrees, value, unit, line)
	if q.Known() && !(0 <= q.Value && q.Value <= 360) {
		u.add("azimuth", value, line)
		return site.Unknown
	}
	if q.Value == 360 {
		return 0
	}
	return q.Value
}

// technology returns the technology that a word names.
func (u unknowns) technology(word string, line int) (technology, bool) {
	t, ok := technologies[strings.Join(fold.Words(word), " ")]
	if !ok {
		u.add("technology", word, line)
	}
	return t, ok
}

// wktPoint matches WKT, which may name its reference system.
var wktPoint = regexp.MustCompile(`(?i)^\s*(?:<([^>]*)>)?\s*POINT\s*Z?\s*\(\s*([-+0-9.e]+)\s+([-+0-9.e]+)(?:\s+[-+0-9.e]+)?\s*\)\s*$`)

// wgs84 matches the systems of degrees.
var wgs84 = regexp.MustCompile(`(?i)(?:[:/]4326|CRS84)$`)

// parsePoint returns the position of a WKT point, longitude first, or the reason for rejecting it.
func (u unknowns) parsePoint(wkt string, line int) (p geo.Point, reason string) {
	m := wktPoint.FindStringSubmatch(wkt)
	if m == nil {
		u.add("geometry", wkt, line)
		return p, "no position"
	}
	if m[1] != "" && !wgs84.MatchString(m[1]) {
		u.add("crs", m[1], line)
		return p, "position in an unknown reference system"
	}
	lng, errLng := strconv.ParseFloat(m[2], 64)
	lat, errLat := strconv.ParseFloat(m[3], 64)
	if errLng != nil || errLat != nil {
		u.add("geometry", wkt, line)
		return p, "no position"
	}
	return geo.Point{Lat: lat, Lng: lng}, ""
}

// spotOf returns the spot of a position that lies in a box, or the reason for rejecting it. value is the position as
// published.
func (u unknowns) spotOf(p geo.Point, box geo.Box, value string, line int) (s spot, reason string) {
	if !box.Contains(p) {
		u.add("position", value, line)
		return spot{}, "position in degrees outside the region"
	}
	x, y := geo.ToLambert72(p)
	return spot{int64(math.Round(x * steps)), int64(math.Round(y * steps))}, ""
}

// The boxes of the regions, in degrees.
var (
	flemishBox  = geo.Box{South: 50.65, West: 2.5, North: 51.55, East: 5.95}
	brusselsBox = geo.Box{South: 50.75, West: 4.22, North: 50.93, East: 4.5}
)

// compareIDs orders ids of digits by their number, others by their text.
func compareIDs(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b)) }

const (
	superseded = "superseded by a newer dossier"
	withdrawn  = "withdrawn"
	oldPermit  = "an old permit"
)
