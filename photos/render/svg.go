package render

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/srwiley/oksvg"
)

// prologue is within how many bytes an SVG's root tag has to end.
const prologue = 64 << 10

// A root is the start tag of an SVG's root element, and its position in the file.
type root struct {
	xml.StartElement
	from, to int64
}

// readRoot skips byte order mark, XML declaration, comments and document type.
func readRoot(data []byte) (root, error) {
	dec := scan(data[:min(len(data), prologue)])
	for {
		from := dec.InputOffset()
		t, err := dec.RawToken()
		if err != nil {
			return root{}, err
		}
		switch t := t.(type) {
		case xml.StartElement:
			if t.Name.Local != "svg" {
				return root{}, fmt.Errorf("the root element is %q", t.Name.Local)
			}
			return root{t.Copy(), from, dec.InputOffset()}, nil
		case xml.CharData:
			if len(bytes.Trim(t, "\ufeff \t\r\n")) > 0 {
				return root{}, errors.New("there is text before the root element")
			}
		}
	}
}

func scan(data []byte) *xml.Decoder {
	dec := xml.NewDecoder(bytes.NewReader(data))
	dec.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	return dec
}

func isSVG(data []byte) bool {
	_, err := readRoot(data)
	return err == nil
}

// readSVG reads the stated size, or else that of the view box, reduced to at most main.
func (h *imageHeader) readSVG(data []byte) error {
	r, err := readRoot(data)
	if err != nil {
		return err
	}
	width, height, _, err := r.size()
	if err != nil {
		return err
	}
	scale := min(1, mainSide/max(width, height))
	h.Width, h.Height, h.perPixel = scaled(1, width*scale), scaled(1, height*scale), 8
	return nil
}

// size returns the size of the picture in pixels, and the view box: x, y, width and height.
func (r root) size() (width, height float64, box [4]float64, err error) {
	for _, a := range r.Attr {
		switch a.Name.Local {
		case "width":
			width = length(a.Value)
		case "height":
			height = length(a.Value)
		case "viewBox":
			parts := strings.FieldsFunc(a.Value, func(c rune) bool { return strings.ContainsRune(", \t\r\n", c) })
			for i := range min(len(parts), 4) {
				box[i], _ = strconv.ParseFloat(parts[i], 64)
			}
		}
	}
	if !(box[2] > 0 && box[3] > 0) {
		box = [4]float64{2: width, 3: height}
	}
	switch aspect := box[2] / box[3]; {
	case width == 0 && height == 0:
		width, height = box[2], box[3]
	case width == 0:
		width = height * aspect
	case height == 0:
		height = width / aspect
	}
	for _, v := range []float64{width, height, box[2], box[3]} {
		if !(v >= 1e-3 && v <= 1e9) {
			return 0, 0, box, errors.New("the SVG states no valid size")
		}
	}
	for _, v := range box[:2] {
		if !(math.Abs(v) <= 1e9) {
			return 0, 0, box, errors.New("the SVG's view box is not valid")
		}
	}
	return width, height, box, nil
}

// units in pixels (CSS Values 3, 6.2).
var units = []struct {
	name   string
	pixels float64
}{{"px", 1}, {"pt", 96. / 72}, {"pc", 16}, {"mm", 96 / 25.4}, {"cm", 96 / 2.54}, {"in", 96}}

// length returns a length in pixels, or 0 for one without a fixed size, such as 100%.
func length(s string) float64 {
	s, pixels := strings.TrimSpace(s), 1.
	for _, u := range units {
		if number, ok := strings.CutSuffix(s, u.name); ok {
			s, pixels = number, u.pixels
			break
		}
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || !(n > 0) {
		return 0
	}
	return n * pixels
}

// decodeSVG draws on a transparent background. Nothing is ever fetched: the library cannot.

func decodeSVG(h imageHeader, data []byte) (image.Image, error) {
	if err := countSVG(data); err != nil {
		return nil, err
	}
	r, err := readRoot(data)
	if err != nil {
		return nil, err
	}
	width, height, box, err := r.size()
	if err != nil {
		return nil, err
	}
	icon, err := oksvg.ReadIconStream(r.simplified(data))
	if err != nil {
		return nil, err
	}
	icon.ViewBox.X, icon.ViewBox.Y, icon.ViewBox.W, icon.ViewBox.H = box[0], box[1], box[2], box[3]
	out := image.NewRGBA(image.Rect(0, 0, h.Width, h.Height))
	// The view box keeps its shape, in the middle (SVG 1.1, 7.8: xMidYMid meet).
	scale := min(width/box[2], height/box[3]) * float64(h.Width) / width
	w, t := box[2]*scale, box[3]*scale
	icon.SetTarget((float64(h.Width)-w)/2, (float64(h.Height)-t)/2, w, t)
	if _, err := drawIcon(icon, out); err != nil {
		return nil, err
	}
	return out, nil
}

// simplified returns the file without its root's size: the library would fail on one such
// as 100%.
func (r root) simplified(data []byte) io.Reader {
	name := r.Name.Local
	if r.Name.Space != "" {
		name = r.Name.Space + ":" + name
	}
	tag := bytes.NewBufferString("<" + name)
	for _, a := range r.Attr {
		switch a.Name.Local {
		case "width", "height", "viewBox":
			continue
		}
		if a.Name.Space == "" && a.Name.Local != "xmlns" {
			fmt.Fprintf(tag, ` %s="`, a.Name.Local)
			xml.EscapeText(tag, []byte(a.Value))
			tag.WriteString(`"`)
		}
	}
	if data[r.to-2] == '/' {
		tag.WriteByte('/')
	}
	tag.WriteByte('>')
	return io.MultiReader(bytes.NewReader(data[:r.from]), tag, bytes.NewReader(data[r.to:]))
}
