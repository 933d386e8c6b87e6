package demo

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"relais/geo"
)

// mapFrames are where operators have coverage maps, with the names that ARCEP's files use. Overseas it is one territory.
var mapFrames = []mapFrame{
	{"Metropole", "FR", 2154, 1600, [][2]string{{"OF", "20801"}, {"SFR0", "20810"}, {"BOUY", "20820"}, {"FREE", "20815"}},
		[]mapEdition{{"4G", 1, levels}, {"4G", 0, levels}, {"5G", 0, noLevels}}},
	{"Guadeloupe", "971", 5490, 400, [][2]string{{"ORCA", "34001"}, {"OMT", "34002"}, {"FRCA", "34004"}, {"DIGIC", "34020"}},
		[]mapEdition{{"4G", 0, levels}}},
}

type mapFrame struct {
	place, frame string
	epsg, cell   int         // of the grid on which maps are painted, metres
	operators    [][2]string // names and network codes
	editions     []mapEdition
}

type mapEdition struct {
	generation string
	ago        int // quarters
	levels     []mapLevel
}

// A coverageMap is a map of a network.
type coverageMap struct {
	*mapFrame
	mapEdition
	operator, plmn string
}

// Maps returns how many coverage maps the demonstration has.
func Maps() (n int) {
	for _, f := range mapFrames {
		n += len(f.operators) * len(f.editions)
	}
	return n
}

// WriteMaps writes coverage maps of the last quarters before the register's date into dir, as ARCEP's GeoPackages.
func (f *France) WriteMaps(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	all, err := terrains()
	if err != nil {
		return err
	}
	for i := range mapFrames {
		frame := &mapFrames[i]
		c, err := newCanvas(frame.epsg, frame.cell, all[frame.frame])
		if err != nil {
			return err
		}
		for _, o := range frame.operators {
			for _, edition := range frame.editions {
				m := &coverageMap{frame, edition, o[0], o[1]}
				c.paint(f.transmitters(m, c.projection))
				g := m.geoPackage(c)
				if err := writeFile(filepath.Join(dir, "SYNTHETIC_"+g.layer+".gpkg"), g.write); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// end returns the last day of the quarter that a map is about.
func (e *mapEdition) end() time.Time {
	day, err := time.Parse(time.DateOnly, date)
	if err != nil {
		panic(err) // a constant
	}
	first := day.Month() - (day.Month()-1)%3 - time.Month(3*e.ago)
	return time.Date(day.Year(), first, 0, 0, 0, 0, 0, time.UTC)
}

// A mapLevel is a level of a map by ARCEP's word, nil where it states none.
type mapLevel struct {
	word any
	part float32 // of the reach of a site: how far it goes
}

// Levels of 4G and of 5G. The area of each has those of better levels in it, which readers allow for.
var (
	levels   = []mapLevel{{"CL", 1}, {"BC", 0.7}, {"TBC", 0.4}}
	noLevels = []mapLevel{{nil, 1}}
)

// geoPackage returns the file of a painted map.
func (m *coverageMap) geoPackage(c *canvas) *geoPackage {
	end := m.end()
	g := &geoPackage{epsg: m.epsg, date: end.Format(time.DateOnly),
		layer:   fmt.Sprintf("%d_T%d_couv_%s_%s_%s_data", end.Year(), end.Month()/3, m.place, m.operator, m.generation),
		columns: []string{"operateur", "operateur_commercial", "operateur_infra", "date", "techno", "usage", "niveau", "dept"}}
	for _, level := range m.levels {
		areas := outlines(c.cols, c.rows, func(col, row int) bool { return c.far[row*c.cols+col] < level.part*level.part })
		for _, rings := range areas {
			for _, r := range rings {
				for i, p := range r {
					r[i] = [2]float64{c.x0 + p[0]*c.cell, c.y0 + p[1]*c.cell}
				}
			}
		}
		if len(areas) > 0 {
			g.rows = append(g.rows, areaRow{[]any{m.plmn, m.operator, m.operator, g.date, m.generation, "data", level.word, nil}, areas})
		}
	}
	return g
}

// A transmitter is a site of an operator on a map.
type transmitter struct{ x, y, reach float64 } // metres

// reaches is how far a system goes in the country, in metres, by the end of its name: low frequencies go far.
var reaches = map[string]float64{"700": 14000, "800": 16000, "1800": 7000, "2100": 7000, "2600": 5000, "3500": 3500}

// before is an event: that a site was different in the quarter before.
const before event = 301

// transmitters returns the sites that a map shows. In a town, where an operator has many, each reaches less far.
func (f *France) transmitters(m *coverageMap, p *geo.Projection) (list []transmitter) {
	const district = 10000 // metres
	sites := map[[2]int]int{}
	end := m.end().Format(time.DateOnly)
	for i := range f.supports {
		s := &f.supports[i]
		if s.town.frame != m.frame {
			continue
		}
		for _, sta := range s.stations {
			reach := 0.0
			for _, x := range sta.systems {
				if x.generation == m.generation && x.status != "Projet approuvé" && x.on <= end {
					reach = max(reach, reaches[x.name[strings.LastIndexByte(x.name, ' ')+1:]])
				}
			}
			if sta.operator.plmn != m.plmn || reach == 0 {
				continue
			}
			if m.ago > 0 {
				switch n := before.draw(uint64(s.id)) % 100; {
				case n < 3: // it was not there
					continue
				case n < 6:
					reach *= 1.15
				case n < 20:
					reach *= 0.9
				}
			}
			x, y := p.To(spot{s.lat, s.lng}.point())
			list = append(list, transmitter{x, y, reach})
			sites[[2]int{int(x / district), int(y / district)}]++
		}
	}
	for i, t := range list {
		list[i].reach /= math.Sqrt(1 + float64(sites[[2]int{int(t.x / district), int(t.y / district)}]-1)/4)
	}
	return list
}

// A canvas is a grid on which maps are painted.
type canvas struct {
	projection   *geo.Projection
	x0, y0, cell float64
	cols, rows   int
	shade        []float32 // how much farther away a cell is than it looks: hills are in between; 0 in the sea
	far          []float32 // square of how far a cell is from the site that serves it best, as a part of what that reaches
}

// shaded is an event: that there are hills. No place has less shade than leastShade.
const (
	shaded     = event(302)
	leastShade = 0.55
)

func newCanvas(epsg, cell int, land *terrain) (*canvas, error) {
	p, ok := geo.ByEPSG(epsg)
	if !ok {
		return nil, fmt.Errorf("no projection EPSG:%d", epsg)
	}
	x0, y0, x1, y1 := p.Bounds()
	c := &canvas{projection: p, x0: x0, y0: y0, cell: float64(cell), cols: int(x1-x0) / cell, rows: int(y1-y0) / cell}
	c.shade, c.far = make([]float32, c.cols*c.rows), make([]float32, c.cols*c.rows)
	for row := range c.rows {
		var from, to geo.Point
		for col := range c.cols {
			const straight = 16 // cells in which a line of the grid is as good as straight
			if col%straight == 0 {
				from, to = p.From(c.middle(col, row)), p.From(c.middle(col+straight, row))
			}
			if land.dry(road{from, to}.at(float64(col%straight) / straight)) {
				c.shade[row*c.cols+col] = float32(leastShade + 0.6*hills(col, row, 40) + 0.8*hills(col, row, 5))
			}
		}
	}
	return c, nil
}

// middle is the middle of a cell.
func (c *canvas) middle(col, row int) (x, y float64) {
	return c.x0 + (float64(col)+0.5)*c.cell, c.y0 + (float64(row)+0.5)*c.cell
}

// hills is a number from 0 to 1 that changes slowly from cell to cell: between the corners of squares of so many cells.
func hills(col, row, side int) float64 {
	height := func(dx, dy int) float64 {
		return float64(shaded.draw(uint64(col/side+dx), uint64(row/side+dy), uint64(side))>>11) / (1 << 53)
	}
	u, v := float64(col%side)/float64(side), float64(row%side)/float64(side)
	return (1-v)*((1-u)*height(0, 0)+u*height(1, 0)) + v*((1-u)*height(0, 1)+u*height(1, 1))
}

// paint paints what sites reach.
func (c *canvas) paint(sites []transmitter) {
	for i := range c.far {
		c.far[i] = math.MaxFloat32
	}
	for _, t := range sites {
		around := t.reach / leastShade / c.cell
		u, v := (t.x-c.x0)/c.cell-0.5, (t.y-c.y0)/c.cell-0.5
		for row := max(0, int(math.Ceil(v-around))); row < min(c.rows, int(v+around)+1); row++ {
			for col := max(0, int(math.Ceil(u-around))); col < min(c.cols, int(u+around)+1); col++ {
				i := row*c.cols + col
				if shade := c.shade[i]; shade > 0 {
					dx, dy := float32(float64(col)-u), float32(float64(row)-v)
					c.far[i] = min(c.far[i], (dx*dx+dy*dy)*shade*shade*float32(c.cell*c.cell/(t.reach*t.reach)))
				}
			}
		}
	}
}
