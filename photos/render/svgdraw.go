package render

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"

	"github.com/srwiley/oksvg"
	"github.com/srwiley/rasterx"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// Costs of drawing, in about nanoseconds of one core.
const (
	maxWork      = 4_000_000_000
	lineWork     = 32  // of any line
	crossingWork = 4   // of a line, for each row and column that it crosses
	shapeWork    = 500 // of any shape
	pixelWork    = 6   // of a shape, for each pixel of its box
	shadeWork    = 200 // of a shape with a gradient, likewise
	maxStops     = 64  // of a gradient: each pixel looks at half of them
	maxDashes    = 64  // of a line
)

// A tooMuchWork is the panic that ends drawing inside the library.
type tooMuchWork struct{}

// drawIcon draws the shapes if the work is at most maxWork. It returns the work, as far
// as that was counted.
func drawIcon(icon *oksvg.SvgIcon, out *image.RGBA) (work int64, err error) {
	for i := range icon.SVGPaths {
		boundDashes(&icon.SVGPaths[i].PathStyle)
	}
	counting := &canvas{bounds: out.Rect}
	if err := counting.draw(icon); err != nil {
		return counting.work, err
	}
	return counting.work, (&canvas{bounds: out.Rect, out: out}).draw(icon)
}

// boundDashes changes dashes that would take the library long.
func boundDashes(s *oksvg.PathStyle) {
	sum := 0.
	for _, d := range s.Dash {
		sum += max(d, 0)
	}
	if len(s.Dash) > maxDashes || !(sum >= 1e-3) {
		s.Dash = nil
		return
	}
	s.DashOffset = math.Mod(s.DashOffset, 2*sum) // an odd number of dashes repeats after two rounds
}

// A canvas draws lines for the library. One without a picture only counts the work.
type canvas struct {
	bounds   image.Rectangle
	out      *image.RGBA
	work     int64
	source   image.Image
	perPixel int64 // work

	points  []point
	extent  fixed.Rectangle26_6
	painter vector.Rasterizer
}

// A point is where a line ends, or a shape starts.
type point struct {
	x, y   float32
	starts bool
}

func (c *canvas) draw(icon *oksvg.SvgIcon) (err error) {
	defer func() {
		switch p := recover(); p.(type) {
		case nil:
		case tooMuchWork:
			err = fmt.Errorf("%w: the shapes of this SVG take too long to draw", ErrTooLarge)
		default:
			panic(p)
		}
	}()
	icon.Draw(rasterx.NewDasher(c.bounds.Dx(), c.bounds.Dy(), c), 1)
	return nil
}

func (c *canvas) count(work int64) {
	if c.work += work; c.work > maxWork {
		panic(tooMuchWork{})
	}
}

// Start implements rasterx.Scanner.
func (c *canvas) Start(a fixed.Point26_6) { c.add(a, true) }

// Line implements rasterx.Scanner.
func (c *canvas) Line(b fixed.Point26_6) { c.add(b, false) }

func (c *canvas) add(at fixed.Point26_6, starts bool) {
	p := point{float32(at.X) / 64, float32(at.Y) / 64, starts}
	c.extent.Min.X, c.extent.Min.Y = min(c.extent.Min.X, at.X), min(c.extent.Min.Y, at.Y)
	c.extent.Max.X, c.extent.Max.Y = max(c.extent.Max.X, at.X), max(c.extent.Max.Y, at.Y)
	work := int64(lineWork)
	if last := len(c.points) - 1; last >= 0 && !starts {
		rows := c.inside(p.y, c.bounds.Dy()) - c.inside(c.points[last].y, c.bounds.Dy())
		columns := c.inside(p.x, c.bounds.Dx()) - c.inside(c.points[last].x, c.bounds.Dx())
		work += crossingWork * int64(math.Abs(float64(rows))+math.Abs(float64(columns)))
	}
	c.count(work)
	if c.out == nil {
		c.points = append(c.points[:0], p)
	} else {
		c.points = append(c.points, p)
	}
}

func (c *canvas) inside(v float32, size int) float32 { return min(max(v, 0), float32(size)) }

// Draw implements rasterx.Scanner. It touches the box of the shape only.
func (c *canvas) Draw() {
	box := c.box()
	c.count(shapeWork + int64(box.Dx())*int64(box.Dy())*c.perPixel)
	if c.out == nil || box.Empty() {
		return
	}
	c.painter.Reset(box.Dx(), box.Dy())
	var from point
	for _, p := range c.points {
		p.x, p.y = p.x-float32(box.Min.X), p.y-float32(box.Min.Y)
		if !p.starts {
			paint(&c.painter, from, p)
		}
		from = p
	}
	c.painter.Draw(c.out, box, c.source, box.Min)
}

// box is the part of the picture that the shape may touch.
func (c *canvas) box() image.Rectangle {
	if c.extent.Min.X > c.extent.Max.X {
		return image.Rectangle{}
	}
	least, most := c.extent.Min, c.extent.Max
	return image.Rect(int(least.X>>6), int(least.Y>>6), int(most.X>>6)+1, int(most.Y>>6)+1).Intersect(c.bounds)
}

// paint adds a line, cut to the painter's height. What is to the left or right of the
// painter becomes upright: it counts for the coverage of the rows, and a painter walks
// each pixel of a slanted line, however far away.
func paint(painter *vector.Rasterizer, a, b point) {
	width, height := float32(painter.Size().X), float32(painter.Size().Y)
	up := a.y > b.y
	if up {
		a, b = b, a
	}
	if a.y >= height || b.y <= 0 || a.y == b.y {
		return
	}
	at := func(y float32) point { return point{x: a.x + (b.x-a.x)*((y-a.y)/(b.y-a.y)), y: y} }
	top, bottom := a, b
	if a.y < 0 {
		top = at(0)
	}
	if b.y > height {
		bottom = at(height)
	}
	stops := []point{top}
	for _, side := range crossings(a, b, width) {
		if side.y > top.y && side.y < bottom.y {
			stops = append(stops, side)
		}
	}
	stops = append(stops, bottom)
	if up {
		slices.Reverse(stops)
	}
	for i, s := range stops {
		x := min(max(s.x, -1), width+1)
		if i == 0 {
			painter.MoveTo(x, s.y)
		} else {
			painter.LineTo(x, s.y)
		}
	}
}

// crossings returns where a downward line crosses the sides, from top to bottom.
func crossings(a, b point, width float32) []point {
	var all []point
	for _, side := range []float32{-1, width + 1} {
		if (a.x < side) != (b.x < side) {
			all = append(all, point{x: side, y: a.y + (b.y-a.y)*((side-a.x)/(b.x-a.x))})
		}
	}
	if len(all) == 2 && all[0].y > all[1].y {
		all[0], all[1] = all[1], all[0]
	}
	return all
}

// GetPathExtent implements rasterx.Scanner.
func (c *canvas) GetPathExtent() fixed.Rectangle26_6 { return c.extent }

// SetColor implements rasterx.Scanner.
func (c *canvas) SetColor(is any) {
	switch is := is.(type) {
	case color.Color:
		c.source, c.perPixel = image.NewUniform(is), pixelWork
	case rasterx.ColorFunc:
		c.source, c.perPixel = shade{c.bounds, is}, shadeWork
	}
}

// A shade is a gradient.
type shade struct {
	image.Rectangle
	at rasterx.ColorFunc
}

func (s shade) At(x, y int) color.Color { return s.at(x, y) }
func (s shade) ColorModel() color.Model { return color.NRGBAModel }
func (s shade) Bounds() image.Rectangle { return s.Rectangle }

// Clear implements rasterx.Scanner.
func (c *canvas) Clear() {
	c.points = c.points[:0]
	far := fixed.Point26_6{X: math.MaxInt32, Y: math.MaxInt32}
	c.extent = fixed.Rectangle26_6{Min: far, Max: fixed.Point26_6{X: -far.X, Y: -far.Y}}
}

// SetBounds implements rasterx.Scanner: the picture has them.
func (c *canvas) SetBounds(int, int) { c.Clear() }

// SetWinding implements rasterx.Scanner: only the one that is not zero is known.
func (c *canvas) SetWinding(bool) {}

// SetClip implements rasterx.Scanner: nothing clips.
func (c *canvas) SetClip(image.Rectangle) {}
