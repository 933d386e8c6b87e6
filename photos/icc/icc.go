// Package icc reads the colour profiles of images and converts colours to sRGB. It knows
// the profiles of displays and cameras that state three primaries and a curve each (such
// as Display P3 and Adobe RGB), and those of grey images; not those of tables, which
// printers and scanners have. It also makes profiles of the code points of H.273, which
// AVIF and HEIF have, among them HDR.
package icc

import (
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"math"
	"runtime"
	"sync"
)

// ErrUnsupported is in the errors for profiles that look sound, but are not supported.
var ErrUnsupported = errors.New("not supported")

// Bounds of what a profile may hold.
const (
	maxTags  = 200
	maxCurve = 1 << 16 // points
)

// A Profile is the colour space of an image.
type Profile struct {
	curves [3][256]float32       // linear light, by number
	light  func(rgb *[3]float32) // changes linear light before the matrix; nil for nothing
	matrix [3][3]float32         // from linear light to that of sRGB
}

// Parse reads a profile (ICC.1:2010).
func Parse(data []byte) (*Profile, error) {
	const header, entry = 128, 12
	if len(data) < header+4 || string(data[36:40]) != "acsp" {
		return nil, errors.New("icc: not a profile")
	}
	n := binary.BigEndian.Uint32(data[header:])
	if n > maxTags || len(data) < header+4+int(n)*entry {
		return nil, fmt.Errorf("icc: %d tags", n)
	}
	tags := map[string][]byte{}
	for table := data[header+4:][:n*entry]; len(table) > 0; table = table[entry:] {
		at, size := uint64(binary.BigEndian.Uint32(table[4:])), uint64(binary.BigEndian.Uint32(table[8:]))
		if at+size > uint64(len(data)) || size < 8 {
			return nil, errors.New("icc: a tag lies outside of the profile")
		}
		tags[string(table[:4])] = data[at : at+size]
	}
	switch space, pcs := string(data[16:20]), string(data[20:24]); {
	case space == "GRAY":
		return parseGrey(tags)
	case space == "RGB " && pcs == "XYZ ":
		return parseRGB(tags)
	default:
		return nil, fmt.Errorf("icc: a profile of %q to %q: %w", space, pcs, ErrUnsupported)
	}
}

func parseGrey(tags map[string][]byte) (*Profile, error) {
	p := &Profile{matrix: [3][3]float32{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}
	for i := range p.curves {
		var err error
		if p.curves[i], err = parseCurve(tags["kTRC"]); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func parseRGB(tags map[string][]byte) (*Profile, error) {
	p := &Profile{}
	var primaries matrix // X, Y and Z in rows
	for i, c := range []string{"r", "g", "b"} {
		xyz := tags[c+"XYZ"]
		if len(xyz) < 20 || string(xyz[:4]) != "XYZ " {
			return nil, fmt.Errorf("icc: a profile without primaries: %w", ErrUnsupported)
		}
		for j := range 3 {
			primaries[j][i] = fixed(xyz[8+4*j:])
		}
		var err error
		if p.curves[i], err = parseCurve(tags[c+"TRC"]); err != nil {
			return nil, err
		}
	}
	p.setMatrix(primaries)
	return p, nil
}

// setMatrix takes the matrix from linear light to XYZ.
func (p *Profile) setMatrix(toXYZ matrix) {
	for i, row := range fromXYZ.times(toXYZ) {
		for j, v := range row {
			p.matrix[i][j] = float32(v)
		}
	}
}

// fromXYZ is the inverse of the primaries of sRGB as profiles state them, adapted to D50
// (IEC 61966-2-1 with the Bradford matrix of ICC.1:2010, annex E).
var fromXYZ = matrix{
	{3.1338561, -1.6168667, -0.4906146},
	{-0.9787684, 1.9161415, 0.0334540},
	{0.0719453, -0.2289914, 1.4052427},
}

// fixed reads an s15Fixed16Number.
func fixed(b []byte) float64 { return float64(int32(binary.BigEndian.Uint32(b))) / 65536 }

// parseCurve reads a curve of a type that a TRC tag may have.
func parseCurve(tag []byte) (curve [256]float32, err error) {
	if len(tag) < 12 {
		return curve, fmt.Errorf("icc: a curve is missing: %w", ErrUnsupported)
	}
	var at func(float64) float64
	switch string(tag[:4]) {
	case "curv":
		at, err = sampled(tag[8:])
	case "para":
		at, err = parametric(binary.BigEndian.Uint16(tag[8:]), tag[12:])
	default:
		err = fmt.Errorf("icc: a curve of type %q: %w", tag[:4], ErrUnsupported)
	}
	if err != nil {
		return curve, err
	}
	for i := range curve {
		v := at(float64(i) / 255)
		if math.IsNaN(v) {
			return curve, errors.New("icc: a curve has values out of range")
		}
		curve[i] = float32(min(max(v, 0), 1))
	}
	return curve, nil
}

// sampled is a curveType (10.5).
func sampled(body []byte) (func(float64) float64, error) {
	n := binary.BigEndian.Uint32(body)
	points := body[4:]
	if n > maxCurve || uint64(len(points)) < 2*uint64(n) {
		return nil, fmt.Errorf("icc: a curve of %d points", n)
	}
	switch n {
	case 0:
		return func(x float64) float64 { return x }, nil
	case 1:
		gamma := float64(binary.BigEndian.Uint16(points)) / 256
		return func(x float64) float64 { return math.Pow(x, gamma) }, nil
	}
	point := func(i int) float64 { return float64(binary.BigEndian.Uint16(points[2*i:])) / 65535 }
	return func(x float64) float64 {
		place := x * float64(n-1)
		before := min(int(place), int(n)-2)
		return point(before) + (point(before+1)-point(before))*(place-float64(before))
	}, nil
}

// parametric is a parametricCurveType (10.15). Functions that state less than g, a, b, c,
// d, e and f have zeros for the rest, or fit d to the others.
func parametric(function uint16, body []byte) (func(float64) float64, error) {
	counts := []int{1, 3, 4, 5, 7}
	if int(function) >= len(counts) || len(body) < 4*counts[function] {
		return nil, fmt.Errorf("icc: a curve of function %d: %w", function, ErrUnsupported)
	}
	var v [7]float64
	for i := range counts[function] {
		v[i] = fixed(body[4*i:])
	}
	g, a, b, c, d, e, f := v[0], v[1], v[2], v[3], v[4], v[5], v[6]
	switch function {
	case 0:
		a, c, d = 1, 0, 0
	case 1:
		c, d = 0, -b/a
	case 2: // c is added to both parts
		c, d, e, f = 0, -b/a, c, c
	}
	return func(x float64) float64 {
		if x >= d {
			return math.Pow(max(0, a*x+b), g) + e
		}
		return c*x + f
	}, nil
}

// encoded maps linear light to the 8-bit values of sRGB, in steps that are fine enough for
// dark colours, too.
var encoded = sync.OnceValue(func() *[1<<14 + 1]uint8 {
	var t [1<<14 + 1]uint8
	for i := range t {
		x := float64(i) / (1 << 14)
		if x <= 0.0031308 {
			x *= 12.92
		} else {
			x = 1.055*math.Pow(x, 1/2.4) - 0.055
		}
		t[i] = uint8(x*255 + 0.5)
	}
	return &t
})

// Convert returns the image in sRGB: itself where nothing changes by more than one level.
func (p *Profile) Convert(m *image.NRGBA) *image.NRGBA {
	if p == nil || p.isSRGB() {
		return m
	}
	out := image.NewNRGBA(m.Rect)
	table := encoded()
	rows := m.Rect.Dy()
	parts := min(runtime.GOMAXPROCS(0), rows)
	var wait sync.WaitGroup
	for part := range parts {
		wait.Go(func() {
			for y := part * rows / parts; y < (part+1)*rows/parts; y++ {
				p.row(table, out.Pix[y*out.Stride:][:4*m.Rect.Dx()], m.Pix[y*m.Stride:])
			}
		})
	}
	wait.Wait()
	return out
}

func (p *Profile) row(table *[1<<14 + 1]uint8, to, from []uint8) {
	for i := 0; i < len(to); i += 4 {
		rgb := [3]float32{p.curves[0][from[i]], p.curves[1][from[i+1]], p.curves[2][from[i+2]]}
		if p.light != nil {
			p.light(&rgb)
		}
		for j, m := range p.matrix {
			v := m[0]*rgb[0] + m[1]*rgb[1] + m[2]*rgb[2]
			to[i+j] = table[int(min(max(v, 0), 1)*(1<<14)+0.5)]
		}
		to[i+3] = from[i+3]
	}
}

// isSRGB reports whether conversion leaves colours as they are.
func (p *Profile) isSRGB() bool {
	table := encoded()
	var to [4]uint8
	for r := 0; r < 256; r += 51 {
		for g := 0; g < 256; g += 51 {
			for b := 0; b < 256; b += 51 {
				p.row(table, to[:], []uint8{uint8(r), uint8(g), uint8(b), 255})
				for i, c := range []int{r, g, b} {
					if d := int(to[i]) - c; d < -1 || d > 1 {
						return false
					}
				}
			}
		}
	}
	return true
}
