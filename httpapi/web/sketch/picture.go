package sketch

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// A Card is the words of a picture, for previews of a page elsewhere.
type Card struct {
	Title, Town string
	Who         []Badge
	Notes       []string // from the bottom: where the data is from
	Warning     string   // above them, "" for none
}

// A Badge is an operator with what it has.
type Badge struct {
	Key   string // of its colour
	Shape string
	Label string
	Best  string
}

// Colors are the colours of a picture, as #rrggbb.
type Colors struct {
	Paper, Ink, Quiet, Warn, Land, Water, Border string
	Operators                                    map[string]string // by key
}

// The size of a picture, which previews crop least, and of its text.
const (
	PictureWidth  = 1200
	PictureHeight = 630
	textWidth     = 540
	margin        = 48
)

// fonts are the two faces of the Go fonts.
var fonts = sync.OnceValue(func() (list [2]*opentype.Font) {
	for i, ttf := range [][]byte{goregular.TTF, gobold.TTF} {
		f, err := opentype.Parse(ttf)
		if err != nil {
			panic("sketch: a font: " + err.Error()) // it is in the program
		}
		list[i] = f
	}
	return list
})

// A painter paints on a picture.
type painter struct {
	*image.RGBA
	colors *Colors
	faces  map[[2]int]font.Face // by weight and size
}

// Picture returns a PNG with a card and the drawing of a scene.
func Picture(s *Scene, base *Base, card *Card, colors *Colors) ([]byte, error) {
	p := &painter{image.NewRGBA(image.Rect(0, 0, PictureWidth, PictureHeight)), colors, map[[2]int]font.Face{}}
	p.column(0, PictureWidth, colors.Paper)
	p.draw(New(s, base, PictureWidth-textWidth, PictureHeight))
	p.column(0, textWidth, colors.Paper)
	if err := p.write(card); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&out, p); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// draw paints a drawing to the right of the text.
func (p *painter) draw(d *Drawing) {
	p.column(textWidth, PictureWidth, p.colors.Water)
	for _, path := range d.Land {
		p.fill(path, textWidth, p.colors.Land, 1)
	}
	for _, path := range d.Water {
		p.fill(path, textWidth, p.colors.Water, 1)
	}
	for _, path := range d.Borders {
		p.stroke(path, p.colors.Border)
	}
	for _, dot := range d.Dots {
		p.fill(shape("circle", dot.X, dot.Y, 6), textWidth, p.colors.Paper, 1)
		p.fill(shape("circle", dot.X, dot.Y, 4.5), textWidth, p.colors.Quiet, 1)
	}
	for _, w := range d.Wedges {
		if w.Planned {
			p.stroke(Path{append(w.Path[0], w.Path[0][0])}, p.colors.Operators[w.Key])
			continue
		}
		p.fill(w.Path, textWidth, p.colors.Operators[w.Key], Opacity[w.Group])
	}
	p.fill(shape("circle", d.Center.X, d.Center.Y, 9), textWidth, p.colors.Ink, 1)
	p.fill(shape("circle", d.Center.X, d.Center.Y, 6), textWidth, p.colors.Paper, 1)
}

// Opacity is how strong the colour of a group of bands is.
var Opacity = [High + 1]float64{1, 0.5, 0.75, 1}

// fill paints the inside of a path that is moved x pixels to the right.
func (p *painter) fill(path Path, x float64, hex string, opacity float64) {
	box := image.Rectangle{image.Pt(math.MaxInt32, math.MaxInt32), image.Pt(math.MinInt32, math.MinInt32)}
	for _, ring := range path {
		for _, at := range ring {
			box.Min.X, box.Min.Y = min(box.Min.X, int(at[0]+x)), min(box.Min.Y, int(at[1]))
			box.Max.X, box.Max.Y = max(box.Max.X, int(at[0]+x)+1), max(box.Max.Y, int(at[1])+1)
		}
	}
	box = box.Intersect(p.Bounds())
	if box.Empty() {
		return
	}
	r := vector.NewRasterizer(box.Dx(), box.Dy())
	for _, ring := range path {
		for i, at := range ring {
			dx, dy := float32(at[0]+x)-float32(box.Min.X), float32(at[1])-float32(box.Min.Y)
			if i == 0 {
				r.MoveTo(dx, dy)
			} else {
				r.LineTo(dx, dy)
			}
		}
		r.ClosePath()
	}
	r.Draw(p, box, image.NewUniform(colorOf(hex, opacity)), image.Point{})
}

// stroke paints the lines of a path to the right of the text, three pixels wide.
func (p *painter) stroke(path Path, hex string) {
	const half = 1.5
	for _, line := range path {
		for i := 1; i < len(line); i++ {
			a, b := line[i-1], line[i]
			length := max(math.Hypot(b[0]-a[0], b[1]-a[1]), 0.01)
			x, y := (b[1]-a[1])/length*half, (a[0]-b[0])/length*half
			p.fill(Path{{{a[0] + x, a[1] + y}, {b[0] + x, b[1] + y}, {b[0] - x, b[1] - y}, {a[0] - x, a[1] - y}}}, textWidth, hex, 1)
		}
	}
}

// column paints the picture from x0 to x1.
func (p *painter) column(x0, x1 int, hex string) {
	draw.Draw(p, image.Rect(x0, 0, x1, PictureHeight), image.NewUniform(colorOf(hex, 1)), image.Point{}, draw.Src)
}

// colorOf returns a colour given as #rrggbb, black for another text.
func colorOf(hex string, opacity float64) color.Color {
	n, err := strconv.ParseUint(strings.TrimPrefix(hex, "#"), 16, 32)
	if err != nil {
		n = 0
	}
	return color.NRGBA{uint8(n >> 16), uint8(n >> 8), uint8(n), uint8(255 * opacity)}
}

// shape returns the outline of a shape of operators' marks.
func shape(name string, x, y, r float64) Path {
	sides := map[string]int{"triangle": 3, "square": 4, "diamond": 4, "pentagon": 5, "hexagon": 6, "star": 10, "cross": 12}[name]
	if sides == 0 {
		sides = 36 // a circle
	}
	var ring [][2]float64
	for i := range sides {
		angle, radius := 2*math.Pi*float64(i)/float64(sides), r
		switch {
		case name == "square":
			angle += math.Pi / 4
		case name == "star" && i%2 == 1:
			radius = r * 0.45
		case name == "cross":
			radius = r * [3]float64{0.42, 1, 1}[i%3]
			angle = math.Pi/4 + math.Pi/2*float64(i/3) + [3]float64{0, 0.48, 1.09}[i%3]
		}
		sin, cos := math.Sincos(angle)
		ring = append(ring, [2]float64{x + radius*sin, y - radius*cos})
	}
	return Path{ring}
}

// write writes the words of a card.
func (p *painter) write(card *Card) error {
	for _, weight := range []int{0, 1} {
		for _, size := range []int{22, 30, 46} {
			face, err := opentype.NewFace(fonts()[weight], &opentype.FaceOptions{Size: float64(size), DPI: 72})
			if err != nil {
				return fmt.Errorf("a font of %d pixels: %w", size, err)
			}
			p.faces[[2]int{weight, size}] = face
		}
	}
	const most = textWidth - 2*margin + 16
	y := margin + 40
	for _, line := range p.wrapped(card.Title, 1, 46, most, 3) {
		p.text(line, margin, y, 1, 46, p.colors.Ink)
		y += 54
	}
	for _, line := range p.wrapped(card.Town, 0, 30, most, 1) {
		p.text(line, margin, y, 0, 30, p.colors.Quiet)
	}
	bottom := PictureHeight - margin
	for _, note := range card.Notes {
		for _, line := range p.wrapped(note, 0, 22, most, 1) {
			p.text(line, margin, bottom, 0, 22, p.colors.Quiet)
			bottom -= 30
		}
	}
	if card.Warning != "" {
		for _, line := range slices.Backward(p.wrapped(card.Warning, 1, 22, most, 2)) {
			p.text(line, margin, bottom, 1, 22, p.colors.Warn)
			bottom -= 30
		}
	}
	y += 58
	for _, b := range card.Who {
		if y > bottom {
			break
		}
		p.fill(shape(b.Shape, margin+12, float64(y-10), 13), 0, p.colors.Operators[b.Key], 1)
		at := p.text(b.Label+" ", margin+40, y, 0, 30, p.colors.Ink)
		p.text(b.Best, at, y, 1, 30, p.colors.Ink)
		y += 44
	}
	return nil
}

// text writes a line whose base is at y, and returns where it ends.
func (p *painter) text(s string, x, y, weight, size int, hex string) int {
	d := font.Drawer{Dst: p, Src: image.NewUniform(colorOf(hex, 1)), Face: p.faces[[2]int{weight, size}], Dot: fixed.P(x, y)}
	d.DrawString(s)
	return d.Dot.X.Ceil()
}

// wrapped breaks a text into at most so many lines that are not wider. A text that has no room ends in "…".
func (p *painter) wrapped(s string, weight, size, width, most int) (lines []string) {
	fits := func(s string) bool {
		return font.MeasureString(p.faces[[2]int{weight, size}], s).Ceil() <= width
	}
	words := strings.Fields(s)
	for len(words) > 0 {
		n := 1
		for n < len(words) && fits(strings.Join(words[:n+1], " ")) {
			n++
		}
		line := strings.Join(words[:n], " ")
		if words = words[n:]; len(lines) == most-1 && len(words) > 0 {
			line, words = line+" …", nil
		}
		for runes := []rune(line); !fits(line) && len(runes) > 1; {
			runes = runes[:len(runes)-1]
			line = string(runes) + "…"
		}
		lines = append(lines, line)
	}
	return lines
}
