package avif

import (
	"encoding/binary"
	"fmt"
	"image"
	"math"

	"relais/photos/heif"
	"relais/photos/icc"
)

// A layout is what chroma a frame has, numbered as dav1d does.
type layout int

const (
	yuv400 layout = iota
	yuv420
	yuv422
	yuv444
)

// A frame is a decoded picture: planes Y, U and V, of samples of one byte at a depth of
// 8, else of two, the low one first. The planes are views of dav1d's memory.
type frame struct {
	width, height int
	depth         int // bits
	layout        layout
	colour        heif.Color
	plane         [3][]byte
	stride        [3]int // bytes
}

func (f *frame) planes() int {
	if f.layout == yuv400 {
		return 1
	}
	return 3
}

// planeSize returns how many samples a plane is wide and high.
func (f *frame) planeSize(plane int) (w, h int) {
	w, h = f.width, f.height
	if plane > 0 && (f.layout == yuv420 || f.layout == yuv422) {
		w = (w + 1) / 2
	}
	if plane > 0 && f.layout == yuv420 {
		h = (h + 1) / 2
	}
	return w, h
}

// row reads samples of row y of a plane. A row beyond the last is the last.
func (f *frame) row(samples []int32, plane, y int) {
	_, h := f.planeSize(plane)
	raw := f.plane[plane][max(0, min(y, h-1))*f.stride[plane]:]
	if f.depth == 8 {
		for i, s := range raw[:len(samples)] {
			samples[i] = int32(s)
		}
		return
	}
	most := int32(1)<<f.depth - 1
	raw = raw[:2*len(samples)]
	for i := range samples {
		samples[i] = min(int32(binary.LittleEndian.Uint16(raw[2*i:])), most)
	}
}

// Luma's weights of red and blue, by H.273 MatrixCoefficients. 2 is unspecified, for
// which other decoders take those of BT.601, too.
var weights = map[uint16][2]float64{
	1: {0.2126, 0.0722}, // BT.709
	2: {0.299, 0.114},
	4: {0.30, 0.11},     // FCC
	5: {0.299, 0.114},   // BT.601, 625 lines
	6: {0.299, 0.114},   // BT.601, 525 lines
	7: {0.212, 0.087},   // SMPTE ST 240
	9: {0.2627, 0.0593}, // BT.2020, non-constant luminance
}

// Other values of MatrixCoefficients.
const (
	identity = 0  // G, B and R in place of Y, U and V
	yCgCo    = 8  // U and V are Cg and Co
	derived  = 12 // from the primaries, non-constant luminance
)

// shift is how many bits of a fraction the sums of colours have.
const shift = 20

// A mixer turns samples into 8-bit colours, by equations 38 to 40 of H.273 in whole
// numbers. Its factors are for chroma of 16 times the samples.
type mixer struct {
	luma         []int // by sample, with the half for rounding
	centre       int
	redU, redV   int
	greenU       int
	greenV       int
	blueU, blueV int
}

func (f *frame) mixer() (*mixer, error) {
	matrix := f.colour.Matrix
	w, ok := weights[matrix]
	switch {
	case f.layout == yuv400, matrix == identity && f.layout == yuv444, matrix == yCgCo:
		w, ok = weights[2], true // for luma, any
	case matrix == derived:
		var primaries icc.Chromaticities
		if primaries, ok = icc.Primaries(f.colour.Primaries); ok {
			w[0], w[1] = primaries.Luma()
		}
	}
	if !ok {
		return nil, fmt.Errorf("%w: matrix %d with layout %d", ErrUnsupported, matrix, f.layout)
	}
	most := float64(int(1)<<f.depth - 1)
	black, rangeY, rangeC := 0.0, most, most
	if !f.colour.FullRange {
		unit := float64(int(1) << (f.depth - 8))
		black, rangeY, rangeC = 16*unit, 219*unit, 224*unit
	}
	m := &mixer{luma: make([]int, 1<<f.depth), centre: 16 << (f.depth - 1)}
	for s := range m.luma {
		m.luma[s] = int(math.Round((float64(s)-black)/rangeY*255*(1<<shift))) + 1<<(shift-1)
	}
	factor := func(x float64) int { return int(math.Round(x / rangeC * 255 * (1 << shift) / 16)) }
	if matrix == yCgCo { // equations 60 to 62
		m.redU, m.redV, m.greenU, m.blueU, m.blueV = factor(-1), factor(1), factor(1), factor(-1), factor(-1)
		return m, nil
	}
	red, blue := w[0], w[1]
	green := 1 - red - blue
	m.redV, m.blueU = factor(2*(1-red)), factor(2*(1-blue))
	m.greenU, m.greenV = factor(-2*(1-blue)*blue/green), factor(-2*(1-red)*red/green)
	return m, nil
}

// Convert returns the colours of a picture that another decoder has left as it is coded.
func Convert(m *image.YCbCr, colour heif.Color) (*image.NRGBA, error) {
	layouts := map[image.YCbCrSubsampleRatio]layout{image.YCbCrSubsampleRatio420: yuv420,
		image.YCbCrSubsampleRatio422: yuv422, image.YCbCrSubsampleRatio444: yuv444}
	l, ok := layouts[m.SubsampleRatio]
	if !ok {
		return nil, fmt.Errorf("%w: chroma sampling %v", ErrUnsupported, m.SubsampleRatio)
	}
	f := &frame{width: m.Rect.Dx(), height: m.Rect.Dy(), depth: 8, layout: l, colour: colour,
		plane: [3][]byte{m.Y, m.Cb, m.Cr}, stride: [3]int{m.YStride, m.CStride, m.CStride}}
	return f.convert()
}

// convert returns the colours of a frame, opaque.
func (f *frame) convert() (*image.NRGBA, error) {
	m, err := f.mixer()
	if err != nil {
		return nil, err
	}
	img := image.NewNRGBA(image.Rect(0, 0, f.width, f.height))
	luma := make([]int32, f.width)
	u, v := newChroma(f, 1), newChroma(f, 2)
	for y := range f.height {
		f.row(luma, 0, y)
		out := img.Pix[y*img.Stride:][:4*f.width]
		switch {
		case f.layout == yuv400:
			m.grey(out, luma)
		case f.colour.Matrix == identity:
			m.copy(out, luma, u.row(y), v.row(y))
		default:
			m.mix(out, luma, u.row(y), v.row(y))
		}
	}
	return img, nil
}

func clamp(sum int) byte { return byte(max(0, min(255, sum>>shift))) }

func (m *mixer) grey(out []byte, luma []int32) {
	for i, s := range luma {
		c := clamp(m.luma[s])
		out[4*i], out[4*i+1], out[4*i+2], out[4*i+3] = c, c, c, 255
	}
}

func (m *mixer) mix(out []byte, luma, u, v []int32) {
	u, v = u[:len(luma)], v[:len(luma)]
	for i, s := range luma {
		y, cu, cv := m.luma[s], int(u[i])-m.centre, int(v[i])-m.centre
		p := out[4*i:][:4:4]
		p[0] = clamp(y + m.redU*cu + m.redV*cv)
		p[1] = clamp(y + m.greenU*cu + m.greenV*cv)
		p[2] = clamp(y + m.blueU*cu + m.blueV*cv)
		p[3] = 255
	}
}

// copy takes samples as green, blue and red.
func (m *mixer) copy(out []byte, g, b, r []int32) {
	for i := range g {
		out[4*i], out[4*i+1] = clamp(m.luma[r[i]/16]), clamp(m.luma[g[i]])
		out[4*i+2], out[4*i+3] = clamp(m.luma[b[i]/16]), 255
	}
}
