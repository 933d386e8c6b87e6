package tools

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"relais/endpoint"
	"relais/geo"
	"relais/index"
	"relais/market"
	"relais/measure"
	"relais/ops"
	"relais/site"
)

// Bounds of what one call of a radio tool looks at.
const (
	mostNear   = 1024 // measures around a site
	mostNamed  = 512  // measures that name a site
	mostHeard  = 128  // of an operator, where several are diagnosed, but of each
	leastHeard = 32   // at least so many
	mostNodes  = 16   // base stations of an operator on a site
	mostPCIs   = 48   // PCIs of a site, those of all its operators that are asked for
)

// A radioSite is a site with the radio identifiers that sources give to it and those that
// were learned, and with what operators it is asked about.
type radioSite struct {
	site.Site
	loaded    *index.Market
	at        uint32
	operators []int          // on the site, and asked for
	measures  *measure.Store // nil as long as nothing is asked of it
	sampled   bool           // not all that names its base stations was looked at
	spare     []site.RadioID
	taken     []int // by operator
}

// radioSite finds the site that parameters name.
func (r *Reading) radioSite(p *siteParams, o ops.Operator) (*radioSite, error) {
	loaded, at, err := r.Locate(p.Site, p.Market)
	if err != nil {
		return nil, err
	}
	asked, err := o.Table(loaded.Table)
	if err != nil {
		return nil, err
	}
	s := &radioSite{loaded: loaded, at: at}
	loaded.Site(at, &s.Site)
	s.Radio = loaded.AppendLearned(s.Radio, at)
	for i := range loaded.Table.Operators {
		if loaded.Has(at, i) && (asked == index.Any || asked == i) {
			s.operators = append(s.operators, i)
		}
	}
	if len(s.operators) == 0 {
		return nil, &endpoint.ParamError{Param: "operator", Value: string(o),
			Want: "an operator of the site, or ALL: it has " + strings.Join(operatorsOf(loaded, at), ", ")}
	}
	return s, nil
}

// operatorsOf are the keys of a site's operators.
func operatorsOf(m *index.Market, at uint32) (keys []string) {
	for i, o := range m.Table.Operators {
		if m.Has(at, i) {
			keys = append(keys, o.Key)
		}
	}
	return keys
}

// market is the market's code.
func (s *radioSite) market() market.Code { return s.loaded.Table.Code }

// key is the siteKey of a site.
func (s *radioSite) key(at uint32) string { return index.Key(s.market(), s.loaded.Snap.ID(int(at))) }

// nodes returns the base stations of an operator that the site is given, and the cells of
// none of them: at most mostNodes, those that sources give before those that were learned.
func (s *radioSite) nodes(operator int) (list []site.RadioID) {
	add := func(id site.RadioID) {
		if len(list) < mostNodes && id.Operator == operator && !given(list, id) {
			list = append(list, id)
		}
	}
	for _, id := range s.Radio {
		if id.Kind == site.ENB || id.Kind == site.GNB {
			add(id)
		}
	}
	stations := list
	for _, id := range s.Radio {
		if id.Kind == site.Cell &&
			!slices.ContainsFunc(stations, func(n site.RadioID) bool { return hasCell(n, id.Value) }) {
			add(id)
		}
	}
	return list
}

// given tells whether an identifier is in a list, whoever gives it.
func given(list []site.RadioID, id site.RadioID) bool {
	return slices.ContainsFunc(list, func(x site.RadioID) bool {
		return x.Kind == id.Kind && x.Operator == id.Operator && x.Value == id.Value
	})
}

// hasCell tells whether a cell is certainly one of a base station.
func hasCell(node site.RadioID, cell uint64) bool {
	switch node.Kind {
	case site.ENB:
		return cell < 1<<site.ECIBits && cell>>site.ECICellBits == node.Value
	case site.GNB:
		_, certain := node.OfNCI(cell)
		return certain
	}
	return false
}

// A Looked says how much was looked at.
type Looked struct {
	Measures int  `json:"lookedAt" doc:"Measures that were looked at."`
	Of       int  `json:"of" doc:"Measures that there are to look at."`
	Sample   bool `json:"sample" doc:"Not all were looked at, but an even sample: counts are of it."`
}

func newLooked(n, of int) Looked { return Looked{n, of, n < of} }

// lookupTypes are what a look-up takes an identifier for.
var lookupTypes = [site.RadioKinds][]index.RadioType{site.ENB: {index.LookupENB}, site.GNB: {index.LookupGNB},
	site.Cell: {index.LookupCI}, site.PCI: {index.LookupPCI}}

// idText is an identifier as answers have it.
func idText(value uint64) string { return strconv.FormatUint(value, 10) }

// bearingOf is the direction from a point to another, to a decimal; nil from a point to
// itself, where there is none.
func bearingOf(from, to geo.Point) *float64 {
	if from == to {
		return nil
	}
	degrees := tenths(geo.Bearing(from, to))
	return &degrees
}

// tenth rounds to a decimal.
func tenth(x float64) float64 { return math.Round(x*10) / 10 }

// tenths rounds a direction to a decimal.
func tenths(degrees float64) float64 { return math.Mod(tenth(degrees), 360) }

// dayOf is the day of a moment in UTC, nil when it is not known.
func dayOf(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	text := t.UTC().Format(time.DateOnly)
	return &text
}

// nearestAzimuth returns the azimuth that a direction is least away from, and how far, in
// degrees; false where there is none.
func nearestAzimuth(azimuths []uint16, direction float64) (azimuth uint16, off float64, ok bool) {
	off = math.Inf(1)
	for _, a := range azimuths {
		if d := geo.AngleBetween(float64(a), direction); d < off {
			azimuth, off = a, d
		}
	}
	return azimuth, off, len(azimuths) > 0
}

// positionOf is where a site stands.
func positionOf(m *index.Market, at uint32) geo.Point {
	lat, lng := m.Snap.Positions()
	return geo.Point{Lat: geo.Degrees(lat[at]), Lng: geo.Degrees(lng[at])}
}

// whole rounds a distance.
func whole(metres float64) int { return int(math.Round(metres)) }
