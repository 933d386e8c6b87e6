package tools

import (
	"context"
	"slices"

	"relais/api/endpoint"
	"relais/api/view"
	"relais/geo"
	"relais/radio"
	"relais/site"
)

var radioCheckSectorAlignment = endpoint.New(endpoint.Decl{
	Name: "radio_check_sector_alignment", Title: "Azimuths against bearings",
	Summary: "Compares the azimuths that the register states of a site with the bearing to a position (lat and lon) or, without one, to the places of the measurements that name the site, cell by cell: the nearest sector and the angle off it. Bearings are initial great-circle bearings from the site, degrees clockwise from true north; angles are 0 to 180 degrees. Needs a market whose register states azimuths.",
}, checkAlignment)

type alignmentParams struct {
	siteParams
	operatorParams
	optionalPointParams
	Limit int `param:"limit" default:"10" min:"1" max:"50" doc:"Most cells to list."`
}

// Check holds the rules over several parameters.
func (p *alignmentParams) Check() error { return p.checkPair() }

// An Alignment compares azimuths with bearings.
type Alignment struct {
	Site     Site               `json:"site"`
	Azimuths []uint16           `json:"azimuths" doc:"Of the sector antennas, whole degrees from true north; empty when the register states none."`
	Of       []string           `json:"azimuthsOf" doc:"The operators whose antennas these are."`
	From     *string            `json:"azimuthsFrom" doc:"Where the azimuths are stated, of several places the least exact: list for the systems' own rows, emitter for the antennas of the systems, station for the antennas of the stations, whatever their systems; null without azimuths."`
	Point    *PointAlignment    `json:"position,omitempty" doc:"With lat and lon."`
	Measured *MeasuredAlignment `json:"measured,omitempty" doc:"Without lat and lon."`
	Notes    []string           `json:"notes"`
	Sourced
}

// A Sector is the sector that is nearest to a direction.
type Sector struct {
	Azimuth uint16  `json:"azimuth"`
	Off     float64 `json:"angleOffDegrees" doc:"Smallest angle between the azimuth and the bearing, 0 to 180."`
}

// newSector returns the sector nearest to a direction, nil without azimuths.
func newSector(azimuths []uint16, direction float64) *Sector {
	azimuth, off, ok := radio.NearestAzimuth(azimuths, direction)
	if !ok {
		return nil
	}
	return &Sector{azimuth, tenth(off)}
}

// A PointAlignment compares azimuths with the bearing to a position.
type PointAlignment struct {
	Coordinates view.Coordinates `json:"coordinates"`
	Distance    int              `json:"distanceMeters"`
	Bearing     *float64         `json:"bearingDegrees" doc:"From the site to the position; null when they are the same."`
	Sector      *Sector          `json:"nearestSector" doc:"null without azimuths, and without a bearing."`
}

// A MeasuredAlignment compares azimuths with where measures were made.
type MeasuredAlignment struct {
	Looked
	TooNear int               `json:"tooNear" doc:"Measurements closer than 50 m. They are left out, as their bearing means nothing."`
	Cells   []CellAlignment   `json:"cells" doc:"Those with the most measurements first."`
	All     int               `json:"cellsTotal"`
	Sectors []SectorAlignment `json:"sectors" doc:"Each azimuth with the measurements to which it is nearest."`
}

// A CellAlignment is where measures of a cell were made.
type CellAlignment struct {
	Operator   string   `json:"operator"`
	Technology string   `json:"technology" doc:"4G for LTE, 5G for NR."`
	Cell       *string  `json:"cellId" doc:"ECI or NCI; null when measurements name the base station only."`
	PCI        *int     `json:"pci"`
	Measures   int      `json:"measures"`
	Bearing    *float64 `json:"meanBearingDegrees" doc:"Direction of the sum of the unit vectors towards the measurements; null when they lie in all directions alike (concentration below 0.1)."`
	Together   float64  `json:"concentration" doc:"Length of the mean of these vectors: 1 when all measurements lie in one direction, 0 when they lie in all alike."`
	Distance   int      `json:"medianDistanceMeters"`
	Sector     *Sector  `json:"nearestSector" doc:"To the mean bearing; null without one, and without azimuths."`
}

// A SectorAlignment sums up the measurements to whose bearing an azimuth is the nearest.
type SectorAlignment struct {
	Azimuth  uint16   `json:"azimuth"`
	Measures int      `json:"measures"`
	Off      *float64 `json:"medianAngleOffDegrees" doc:"null without measurements."`
}

// Shorten halves the list of cells.
func (a *Alignment) Shorten() bool {
	if a.Measured == nil || len(a.Measured.Cells) <= 1 {
		return false
	}
	a.Measured.Cells = a.Measured.Cells[:len(a.Measured.Cells)/2]
	return true
}

func checkAlignment(r *Reading, _ context.Context, p *alignmentParams) (*Alignment, error) {
	s, err := r.radioSite(&p.siteParams, p.Operator)
	if err != nil {
		return nil, err
	}
	a := &Alignment{Site: r.site(s.loaded, s.at, -1), Notes: []string{}, Sourced: sourced(s.loaded.Table, s.loaded)}
	azimuths, origin := s.azimuths()
	if a.Azimuths = append([]uint16{}, azimuths...); len(azimuths) > 0 {
		a.From, a.Of = new(origin.String()), s.loaded.Table.KeysOf(s.operators)
	} else {
		a.Of = []string{}
		of := "this site"
		if len(s.operators) < len(a.Site.Operators) {
			of = "these operators at this site"
		}
		a.Notes = append(a.Notes, "The register states no azimuths of "+of+": bearings have nothing to be compared with.")
	}
	if point := p.point(); point != nil {
		a.Point = &PointAlignment{Coordinates: view.Coordinates(*point), Distance: *metresTo(s.Position, *point)}
		if a.Point.Bearing = bearingOf(s.Position, *point); a.Point.Bearing != nil {
			a.Point.Sector = newSector(a.Azimuths, geo.Bearing(s.Position, *point))
		}
		if geo.Distance(s.Position, *point) < radio.TooNear {
			a.Notes = append(a.Notes, "The position is closer than 50 m: its bearing tells little.")
		}
		return a, nil
	}
	// Only now: a position is compared without measurements, which a server may lack.
	if s.measures, err = r.MeasureStore(); err != nil {
		return nil, err
	}
	a.Measured = s.align(p.Limit)
	if a.Measured.Of == 0 {
		a.Notes = append(a.Notes,
			"No measurement names a base station that this site is given: give lat and lon to compare with a position.")
	}
	return a, nil
}

// azimuths returns the azimuths of the operators that were asked for.
func (s *radioSite) azimuths() ([]uint16, site.Origin) {
	return s.Azimuths(func(e *site.Emission) bool {
		return slices.Contains(s.operators, s.Stations[e.Station].Operator)
	})
}

// cellAzimuths returns the azimuths that a cell of the site can have.
func (s *radioSite) cellAzimuths(c radio.Cell) []uint16 {
	azimuths, _ := s.AzimuthsOf(c.Operator, c.Generation)
	return azimuths
}

// align compares the azimuths with the measures that name the site.
func (s *radioSite) align(limit int) *MeasuredAlignment {
	a := radio.NewAlignment(s.Position, s.cellAzimuths)
	var nodes []site.RadioID
	for _, o := range s.operators {
		nodes = append(nodes, s.nodes(o)...)
	}
	looked, of := 0, 0
	for _, id := range nodes {
		total, naming := s.hear(nodes, id, maxNaming/len(nodes), func(m *radio.Measurement, g site.Generation) {
			looked++
			c := m.Cell(g)
			a.Add(radio.Cell{Operator: m.Operator, Generation: g, ID: c.ID, PCI: c.PCI}, m.Position)
		})
		for _, n := range naming.Here(total) {
			of += n
		}
	}
	m := &MeasuredAlignment{Looked: newLooked(looked, of), TooNear: a.TooNear, Cells: []CellAlignment{},
		Sectors: []SectorAlignment{}}
	cells, all := a.Cells(limit)
	m.All = all
	for _, c := range cells {
		m.Cells = append(m.Cells, s.cellAlignment(&c))
	}
	azimuths, _ := s.azimuths()
	for _, azimuth := range azimuths {
		one := SectorAlignment{Azimuth: azimuth}
		var off float64
		if one.Measures, off = a.Sector(azimuth); one.Measures > 0 {
			one.Off = new(tenth(off))
		}
		m.Sectors = append(m.Sectors, one)
	}
	return m
}

// cellAlignment returns a cell as answers show it.
func (s *radioSite) cellAlignment(c *radio.MeasuredCell) CellAlignment {
	a := CellAlignment{Operator: s.loaded.Table.Operators[c.Operator].Key, Technology: c.Generation.String(),
		Measures: c.Measurements, Distance: whole(c.Metres), Together: tenth(100*c.Concentration) / 100}
	if c.ID != 0 {
		a.Cell = new(idText(c.ID))
	}
	if c.PCI >= 0 {
		a.PCI = &c.PCI
	}
	if c.HasBearing() {
		a.Bearing, a.Sector = new(radio.Tenths(c.Bearing)), newSector(s.cellAzimuths(c.Cell), c.Bearing)
	}
	return a
}
