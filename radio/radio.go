// Package radio reasons about sites and what phones measured of them: how a site as declared
// compares with measurements, which sites fit what a phone showed, how azimuths compare with
// where cells were measured, and which physical cell ids collide. It takes plain values and
// returns plain values: it knows no stores, no parameters and no shapes of answers.
package radio

import (
	"math"
	"slices"
	"time"

	"relais/geo"
	"relais/site"
	"relais/site/observation"
)

// A Measurement is a speedtest or a coverage point as far as it says which cells served.
type Measurement struct {
	Operator      int // position in the market's operators
	Position      geo.Point
	Time          time.Time        // zero: not stated
	Generation    site.Generation  // 0: not stated
	LTE, NR       observation.Cell // with neither a Node nor an ID where it names none
	LTEPCI, NRPCI int              // -1: not stated
}

// Cell is the cell of a generation, 4G or 5G, that the measurement names.
func (m *Measurement) Cell(g site.Generation) observation.Cell {
	if g == site.G4 {
		return m.LTE
	}
	return m.NR
}

// nodeOf returns the base station that a cell of a measurement names, false without one.
func nodeOf(c *observation.Cell) (site.RadioID, bool) {
	kind := site.ENB
	if c.NR {
		kind = site.GNB
	}
	return site.RadioID{Kind: kind, Operator: c.Operator, Value: uint64(c.Node)}, c.Node != 0
}

// names calls f with the identifiers that a measurement names; nr is false for LTE. These are
// its base stations, or else those in nodes that have its cell; and the cell itself if it is in
// nodes or its base station is unknown.
func (m *Measurement) names(nodes []site.RadioID, f func(id site.RadioID, nr bool)) {
	for _, c := range [...]*observation.Cell{&m.LTE, &m.NR} {
		node, known := nodeOf(c)
		if known {
			f(node, c.NR)
		}
		if c.ID == 0 {
			continue
		}
		hasNode := known
		for _, n := range nodes {
			if !known && n.Kind == site.GNB && hasCell(n, c.ID) {
				hasNode = true
				f(site.RadioID{Kind: site.GNB, Operator: n.Operator, Value: n.Value}, c.NR)
			}
		}
		if cell := (site.RadioID{Kind: site.Cell, Operator: c.Operator, Value: c.ID}); !hasNode || Assigned(nodes, cell) {
			f(cell, c.NR)
		}
	}
}

// serving returns the generation of the cell by which the measurement names id. byNode is true
// if it also names the cell's base station and that is in nodes; it then counts for that one.
// The measurement must certainly name id.
func (m *Measurement) serving(id site.RadioID, nodes []site.RadioID) (g site.Generation, byNode bool) {
	g = site.G5
	if id.Kind == site.ENB || id.Kind == site.Cell && m.LTE.ID == id.Value {
		g = site.G4
	}
	if id.Kind == site.Cell {
		cell := m.Cell(g)
		node, known := nodeOf(&cell)
		byNode = known && Assigned(nodes, node)
	}
	return g, byNode
}

// Assigned reports whether an identifier is in a list, stated or learned.
func Assigned(list []site.RadioID, id site.RadioID) bool {
	return slices.ContainsFunc(list, func(x site.RadioID) bool {
		return x.Kind == id.Kind && x.Operator == id.Operator && x.Value == id.Value
	})
}

// hasCell reports whether a cell is certainly one of a base station.
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

// BaseStations returns an operator's base stations among the identifiers of a site, then its
// cells whose base station is unknown, each in the order of the identifiers, at most most.
func BaseStations(ids []site.RadioID, operator, most int) (list []site.RadioID) {
	add := func(id site.RadioID) {
		if len(list) < most && id.Operator == operator && !Assigned(list, id) {
			list = append(list, id)
		}
	}
	for _, id := range ids {
		if id.Kind == site.ENB || id.Kind == site.GNB {
			add(id)
		}
	}
	stations := list
	for _, id := range ids {
		if id.Kind == site.Cell &&
			!slices.ContainsFunc(stations, func(n site.RadioID) bool { return hasCell(n, id.Value) }) {
			add(id)
		}
	}
	return list
}

// TooNear is the distance in metres below which a phone's position is not exact enough for a
// bearing.
const TooNear = 50.0

// NearestAzimuth returns the azimuth that is nearest to a direction and the degrees between
// them, false without azimuths.
func NearestAzimuth(azimuths []uint16, direction float64) (azimuth uint16, off float64, ok bool) {
	off = math.Inf(1)
	for _, a := range azimuths {
		if d := geo.AngleBetween(float64(a), direction); d < off {
			azimuth, off = a, d
		}
	}
	return azimuth, off, len(azimuths) > 0
}

// Tenths rounds a direction to a decimal.
func Tenths(degrees float64) float64 { return math.Mod(math.Round(degrees*10)/10, 360) }

// Median sorts a list and returns its median, NaN of none.
func Median(list []float64) float64 {
	n := len(list)
	if n == 0 {
		return math.NaN()
	}
	slices.Sort(list)
	return (list[(n-1)/2] + list[n/2]) / 2
}
