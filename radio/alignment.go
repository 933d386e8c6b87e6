package radio

import (
	"cmp"
	"maps"
	"slices"

	"relais/geo"
	"relais/site"
)

// A Cell is a cell of a site as measurements name it.
type Cell struct {
	Operator   int
	Generation site.Generation // 4G or 5G
	ID         uint64          // ECI or NCI; 0: only the base station is named
	PCI        int             // -1: not stated
}

func (c Cell) compare(o Cell) int {
	return cmp.Or(c.Operator-o.Operator, cmp.Compare(c.Generation, o.Generation), cmp.Compare(c.ID, o.ID), c.PCI-o.PCI)
}

// An Alignment compares the azimuths of a site with where its cells were measured.
type Alignment struct {
	TooNear  int // measurements closer than the constant TooNear, which are left out
	home     geo.Point
	azimuths func(Cell) []uint16
	cells    map[Cell]*directions
	offs     map[uint16][]float64 // degrees off, by the nearest azimuth
}

// directions are where a cell was measured.
type directions struct {
	sum    geo.Direction
	metres []float64
}

// NewAlignment compares the azimuths of the cells of a site that stands at home.
func NewAlignment(home geo.Point, azimuths func(Cell) []uint16) *Alignment {
	return &Alignment{home: home, azimuths: azimuths, cells: map[Cell]*directions{}, offs: map[uint16][]float64{}}
}

// Add adds a measurement of a cell.
func (a *Alignment) Add(c Cell, at geo.Point) {
	metres := geo.Distance(a.home, at)
	if metres < TooNear {
		a.TooNear++
		return
	}
	if a.cells[c] == nil {
		a.cells[c] = &directions{}
	}
	bearing := geo.Bearing(a.home, at)
	a.cells[c].sum.Add(bearing)
	a.cells[c].metres = append(a.cells[c].metres, metres)
	if azimuth, off, ok := NearestAzimuth(a.azimuths(c), bearing); ok {
		a.offs[azimuth] = append(a.offs[azimuth], off)
	}
}

// A MeasuredCell is where a cell was measured.
type MeasuredCell struct {
	Cell
	Measurements int
	Metres       float64 // median distance
	Bearing      float64 // direction of the sum of the unit vectors towards the measurements, degrees
	// Concentration is the length of the mean of these vectors: 1 when all measurements lie in one
	// direction, 0 when they lie in all alike.
	Concentration float64
}

// leastConcentration is the concentration below which a mean bearing tells nothing.
const leastConcentration = 0.1

// HasBearing reports whether the measurements lie in a direction at all.
func (c *MeasuredCell) HasBearing() bool { return c.Concentration >= leastConcentration }

// Cells returns the cells with the most measurements, at most limit of them, and how many
// cells there are.
func (a *Alignment) Cells(limit int) (list []MeasuredCell, all int) {
	order := slices.SortedFunc(maps.Keys(a.cells), func(x, y Cell) int {
		return cmp.Or(len(a.cells[y].metres)-len(a.cells[x].metres), x.compare(y))
	})
	for _, c := range order[:min(limit, len(order))] {
		d := a.cells[c]
		one := MeasuredCell{Cell: c, Measurements: len(d.metres), Metres: Median(d.metres)}
		one.Bearing, one.Concentration = d.sum.Mean()
		list = append(list, one)
	}
	return list, len(order)
}

// Sector returns how many measurements an azimuth is the nearest to, and their median angle off
// it in degrees, which is 0 without any.
func (a *Alignment) Sector(azimuth uint16) (measurements int, off float64) {
	offs := a.offs[azimuth]
	if len(offs) == 0 {
		return 0, 0
	}
	return len(offs), Median(offs)
}
