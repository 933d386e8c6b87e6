package coverage

import (
	"math"

	"relais/geo"
)

// Picture calls add with what each layer says of each of side × side places of a square map, row by row. at returns the
// position of a place, in parts of the square from its north-western corner on. Far away a place is many cells, and has
// the value that most of them have. Places where a layer has no value are left out. Errors: those of reading a file.
func Picture(layers []*Layer, side int, at func(x, y float64) geo.Point, add func(place int, l *Layer, w *Word)) error {
	var p *projected
	for _, l := range layers {
		if p == nil || p.of.EPSG != l.EPSG {
			p = project(l, side, at)
		}
		if err := l.picture(p, func(place int, v Value) { add(place, l, &l.Words[v-1]) }); err != nil {
			return err
		}
	}
	return nil
}

// A projected is the places of a map in the projection of a layer. A place that is far from where the projection is used
// is not a number.
type projected struct {
	of     *Layer
	xs, ys []float64
	wide   float64 // of a place, in units of the projection
}

// meshed is how many places the knots of the mesh are apart, between which positions are interpolated where the map is
// small: a twentieth of a cell is lost.
const meshed = 16

// small is how many degrees a small map is wide.
const small = 2

func project(l *Layer, side int, at func(x, y float64) geo.Point) *projected {
	step := meshed
	if east, west := at(1, 0.5), at(0, 0.5); math.Abs(east.Lng-west.Lng) > small {
		step = 1
	}
	p := &projected{of: l, xs: make([]float64, side*side), ys: make([]float64, side*side)}
	x0, y0, x1, y1 := l.proj.Bounds()
	used, knots := around(l.proj, x0, y0, x1, y1, small), side/step+1
	xs, ys := make([]float64, knots*knots), make([]float64, knots*knots)
	for i := range xs {
		xs[i], ys[i] = math.NaN(), math.NaN()
		if there := at(float64(i%knots*step)/float64(side), float64(i/knots*step)/float64(side)); used.Contains(there) {
			xs[i], ys[i] = l.proj.To(there)
		}
	}
	for i := range p.xs {
		px, py := i%side, i/side
		k := py/step*knots + px/step
		fx, fy := (float64(px%step)+0.5)/float64(step), (float64(py%step)+0.5)/float64(step)
		between := func(v []float64) float64 {
			north, south := v[k]+(v[k+1]-v[k])*fx, v[k+knots]+(v[k+knots+1]-v[k+knots])*fx
			return north + (south-north)*fy
		}
		p.xs[i], p.ys[i] = between(xs), between(ys)
		if i > 0 && px > 0 && !math.IsNaN(p.xs[i]-p.xs[i-1]) {
			p.wide = p.xs[i] - p.xs[i-1]
		}
	}
	return p
}

func (l *Layer) picture(p *projected, add func(int, Value)) error {
	level, scale := 0, l.Cell
	for ; level+1 < grids && p.wide >= coarser*3/4*scale; level++ {
		scale *= coarser
	}
	r := reader{layer: l, level: level, block: -1}
	for i, x := range p.xs {
		u, w := math.Floor((x-l.X0)/scale), math.Floor((p.ys[i]-l.Y0)/scale)
		g := &l.grids[level]
		if !(u >= 0 && w >= 0 && u < float64(g.cols) && w < float64(g.rows)) { // also for NaN
			continue
		}
		v, err := r.cell(int(u), int(w))
		if err != nil {
			return err
		}
		if v > 0 {
			add(i, v)
		}
	}
	return nil
}
