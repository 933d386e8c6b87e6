package outage

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"relais/geo"
	"relais/internal/fold"
	"relais/market"
)

// position reads two numbers with a point or a comma, to seven decimals.
func position(lat, lng string) (p geo.Point, reason string) {
	if lat == "" || lng == "" {
		return p, noPosition
	}
	a, ok := degrees(lat)
	b, ok2 := degrees(lng)
	p = geo.Point{Lat: a, Lng: b}
	if !ok || !ok2 || !p.Valid() {
		return p, badPosition
	}
	return geo.Point{Lat: geo.Degrees(geo.Fix(a)), Lng: geo.Degrees(geo.Fix(b))}, ""
}

var decimal = regexp.MustCompile(`^[+-]?[0-9]{1,3}([.,][0-9]{0,30})?([eE]-?[0-9]{1,2})?$`)

func degrees(text string) (float64, bool) {
	if !decimal.MatchString(text) {
		return 0, false
	}
	f, err := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64)
	return f, err == nil
}

// strays returns why a site at p is not in the market, "" if it is. Files of an operator may have
// its sites in several markets of a country.
func (w *row) strays(p geo.Point) (reason string) {
	if w.market.Contains(p) {
		return ""
	}
	for _, m := range market.All {
		if m.Country == w.market.Country && m.Contains(p) {
			w.abroad++
			return "a site of the market " + string(m.Code)
		}
	}
	return outside
}

// areaOf returns the code of the area of a site: by its position if it has one and areas have boxes, else
// by the stated area or commune; "" if neither is known.
func areaOf(m *market.Market, stated, insee string, p *geo.Point) string {
	if p != nil {
		if i, ok := m.AreaAt(*p); ok {
			return m.Areas[i].Code
		}
	}
	if i, ok := m.Area(stated); ok {
		return m.Areas[i].Code
	}
	if stated != "" {
		if i := slices.IndexFunc(m.Areas, func(a market.Area) bool { return fold.Equal(a.Label, stated) }); i >= 0 {
			return m.Areas[i].Code
		}
	}
	if m.AreaType == "department" && len(insee) == 5 {
		if i, ok := m.Area(insee[:2]); ok {
			return m.Areas[i].Code
		}
	}
	return ""
}

// withINSEE matches site codes that begin with the code of their commune, such as Free's.
var withINSEE = regexp.MustCompile(`^([0-9]{5}|2[AB][0-9]{3})_`)

// insee returns the code of a commune, from the site code if it has one: Free writes the postal
// code into the column. A spreadsheet may have removed a leading zero.
func insee(code, stated string) string {
	if m := withINSEE.FindStringSubmatch(code); m != nil {
		return m[1]
	}
	if _, err := strconv.ParseUint(stated, 10, 32); err == nil && len(stated) == 4 {
		return "0" + stated
	}
	return stated
}
