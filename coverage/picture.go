package coverage

import (
	"math"

	"relais/geo"
)

// Picture calls add with what each layer says of each of side × side places of a square map, row by row. at returns the
// position of a place, in parts of the square from its north-western corner on; it must be smooth, as the maps of the
// Web are. Far away a place is many cells, and has the value that most of them have. Places where a layer has no value
// are left out. Errors: those of reading a file.
func Picture(layers []*Layer, side int, at func(x, y float64) geo.Point, add func(place int, l *Layer, w *Word)) error {
	for _, l := range layers {
		if err := l.picture(side, at, func(place int, v Value) { add(place, l, &l.Words[v-1]) }); err != nil {
			return err
		}
	}
	return nil
}

// meshed is how many places the knots of the mesh are apart, between which positions are interpolated. On a tile a
// twentieth of a cell is lost.
const meshed = 16

func (l *Layer) picture(side int, at func(x, y float64) geo.Point, add func(int, Value)) error {
	knots := side/meshed + 1
	us, ws := make([]float64, knots*knots), make([]float64, knots*knots) // in cells
	low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for i := range us {
		x, y := l.proj.To(at(float64(i%knots*meshed)/float64(side), float64(i/knots*meshed)/float64(side)))
		us[i], ws[i] = (x-l.X0)/l.Cell, (y-l.Y0)/l.Cell
		low[0], high[0] = min(low[0], us[i]), max(high[0], us[i])
		low[1], high[1] = min(low[1], ws[i]), max(high[1], ws[i])
	}
	if !(high[0] >= 0 && high[1] >= 0 && low[0] < float64(l.Cols) && low[1] < float64(l.Rows)) {
		return nil
	}
	level, scale := 0, 1.0
	for pixel := (high[0] - low[0]) / float64(side); level+1 < grids && pixel >= coarser*3/4*scale; level++ {
		scale *= coarser
	}
	for i := range side * side {
		px, py := i%side, i/side
		k := py/meshed*knots + px/meshed
		fx, fy := (float64(px%meshed)+0.5)/meshed, (float64(py%meshed)+0.5)/meshed
		between := func(v []float64) float64 {
			north, south := v[k]+(v[k+1]-v[k])*fx, v[k+knots]+(v[k+knots+1]-v[k+knots])*fx
			return (north + (south-north)*fy) / scale
		}
		v, err := l.cell(level, int(math.Floor(between(us))), int(math.Floor(between(ws))))
		if err != nil {
			return err
		}
		if v > 0 {
			add(i, v)
		}
	}
	return nil
}
