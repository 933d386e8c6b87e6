// Package sketch draws the surroundings of a site, about a kilometre around: land and water, the sectors of its
// operators and the sites near it. A drawing is made of shapes, which pages write as SVG and Picture paints. It reads no
// data.
package sketch

import (
	"math"
	"strconv"
	"strings"

	"relais/geo"
)

// A Scene is what a drawing shows.
type Scene struct {
	Center     geo.Point
	Operators  []Operator // from the inside to the outside
	Neighbours []Neighbour
}

// An Operator is one of the site.
type Operator struct {
	Key     string // of its colour
	Sectors []Sector
}

// A Sector is a direction of a group of bands.
type Sector struct {
	Azimuth uint16
	Group   Group
	Planned bool
}

// A Group is a group of bands, 0 if the band is not known.
type Group uint8

// The groups of bands.
const (
	Low  Group = iota + 1 // below 1 GHz
	Mid                   // up to 3 GHz
	High                  // above
)

// GroupOf returns the group of a band in MHz.
func GroupOf(band int) Group {
	switch {
	case band <= 0:
		return 0
	case band < 1000:
		return Low
	case band < 3000:
		return Mid
	}
	return High
}

// A Neighbour is another site.
type Neighbour struct {
	At    geo.Point
	Title string
}

// A Drawing is a scene as shapes, in pixels from the left and the top.
type Drawing struct {
	Width, Height float64
	Land, Water   []Path
	Borders       []Path // not closed
	Wedges        []Wedge
	Dots          []Dot
	Center        Dot
	ScaleBar      float64 // pixels of ScaleMetres
}

// ScaleMetres is the length of the scale bar.
const ScaleMetres = 500

// halfHeight is the distance in metres from the site to the upper edge of a drawing.
const halfHeight = 1000

// A Path is the rings of a shape.
type Path [][][2]float64

// D returns the path as SVG writes it, with closed rings.
func (p Path) D() string { return p.write("Z") }

// Line returns the path as SVG writes it, with open rings.
func (p Path) Line() string { return p.write("") }

func (p Path) write(end string) string {
	var b strings.Builder
	for _, ring := range p {
		for i, point := range ring {
			b.WriteByte("ML"[min(i, 1)])
			b.WriteString(strconv.FormatFloat(math.Round(point[0]*10)/10, 'f', -1, 64))
			b.WriteByte(' ')
			b.WriteString(strconv.FormatFloat(math.Round(point[1]*10)/10, 'f', -1, 64))
		}
		b.WriteString(end)
	}
	return b.String()
}

// A Wedge is the part of a ring around the site.
type Wedge struct {
	Path    Path
	Key     string // of its operator
	Group   Group
	Planned bool
}

// A Dot is the place of a site.
type Dot struct {
	X, Y  float64
	Title string
}

// New draws a scene. base may be nil.
func New(s *Scene, base *Base, width, height float64) *Drawing {
	d := &Drawing{Width: width, Height: height, Center: Dot{X: width / 2, Y: height / 2}}
	perMetre := height / 2 / halfHeight
	d.ScaleBar = ScaleMetres * perMetre
	perDegree := perMetre * geo.EarthRadius * math.Pi / 180
	narrow := math.Cos(s.Center.Lat * math.Pi / 180)
	place := func(lng, lat float64) [2]float64 {
		return [2]float64{d.Center.X + (lng-s.Center.Lng)*perDegree*narrow, d.Center.Y - (lat-s.Center.Lat)*perDegree}
	}
	if base != nil {
		up, side := height/2/perDegree, width/2/perDegree/narrow
		d.addBase(base, geo.Box{South: s.Center.Lat - up, North: s.Center.Lat + up, West: s.Center.Lng - side,
			East: s.Center.Lng + side}, place)
	}
	for _, n := range s.Neighbours {
		if at := place(n.At.Lng, n.At.Lat); at[0] > 0 && at[0] < width && at[1] > 0 && at[1] < height {
			d.Dots = append(d.Dots, Dot{at[0], at[1], n.Title})
		}
	}
	d.addWedges(s.Operators)
	return d
}

// addBase adds what the map has in a box.
func (d *Drawing) addBase(base *Base, box geo.Box, place func(lng, lat float64) [2]float64) {
	placed := func(r ring) (points [][2]float64) {
		for _, p := range r {
			points = append(points, place(p[0], p[1]))
		}
		return points
	}
	add := func(list []polygon) (paths []Path) {
		for _, p := range list {
			if !overlap(p.box, box) {
				continue
			}
			var path Path
			for _, r := range p.rings {
				if inside := clipped(r, box); inside != nil {
					path = append(path, placed(inside))
				}
			}
			if path != nil {
				paths = append(paths, path)
			}
		}
		return paths
	}
	d.Land, d.Water = add(base.land), add(base.lakes)
	for _, r := range base.borders {
		for i := 1; i < len(r); i++ {
			if line := r[i-1 : i+1]; overlap(boxOf(line), box) {
				d.Borders = append(d.Borders, Path{placed(line)})
			}
		}
	}
}

// Sizes of the rings around the site, as parts of the height of the drawing.
const (
	firstRing = 0.05
	lastRing  = 0.36
	widest    = 0.09
	halfAngle = 20 // degrees of a wedge on either side: registers do not state how wide a sector is
)

// addWedges gives each operator a ring, and each of its groups of bands a part of the ring.
func (d *Drawing) addWedges(operators []Operator) {
	thickness := d.Height * min(widest, (lastRing-firstRing)/float64(max(1, len(operators))))
	inner := d.Height * firstRing
	for _, o := range operators {
		groups := groupsOf(o.Sectors)
		part := (thickness - 2) / float64(max(1, len(groups)))
		for i, g := range groups {
			from := inner + float64(i)*part
			for _, s := range o.Sectors {
				if s.Group == g {
					d.Wedges = append(d.Wedges, Wedge{d.wedge(from, from+part, float64(s.Azimuth)), o.Key, g, s.Planned})
				}
			}
		}
		inner += thickness
	}
}

// groupsOf lists the groups of sectors, the highest bands first.
func groupsOf(sectors []Sector) (list []Group) {
	var has [High + 1]bool
	for _, s := range sectors {
		has[s.Group] = true
	}
	for g := High; ; g-- {
		if has[g] {
			list = append(list, g)
		}
		if g == 0 {
			return list
		}
	}
}

// wedge returns the part of a ring around an azimuth.
func (d *Drawing) wedge(from, to, azimuth float64) Path {
	var ring [][2]float64
	add := func(radius, degrees float64) {
		sin, cos := math.Sincos(degrees * math.Pi / 180)
		ring = append(ring, [2]float64{d.Center.X + radius*sin, d.Center.Y - radius*cos})
	}
	const step = 5
	for a := -halfAngle; a <= halfAngle; a += step {
		add(to, azimuth+float64(a))
	}
	for a := halfAngle; a >= -halfAngle; a -= step {
		add(from, azimuth+float64(a))
	}
	return Path{ring}
}
