package icc

import (
	"errors"
	"fmt"
	"math"
)

// A Chromaticities is where the primaries and the white of a display are: x and y in CIE 1931.
type Chromaticities struct{ Red, Green, Blue, White [2]float64 }

var (
	d65     = [2]float64{0.3127, 0.3290}
	lightC  = [2]float64{0.310, 0.316}
	dciP3   = [2]float64{0.314, 0.351}
	sRGB    = Chromaticities{[2]float64{0.640, 0.330}, [2]float64{0.300, 0.600}, [2]float64{0.150, 0.060}, d65}
	smpte   = Chromaticities{[2]float64{0.630, 0.340}, [2]float64{0.310, 0.595}, [2]float64{0.155, 0.070}, d65}
	bt2020  = Chromaticities{[2]float64{0.708, 0.292}, [2]float64{0.170, 0.797}, [2]float64{0.131, 0.046}, d65}
	ofCodes = map[uint16]Chromaticities{ // ITU-T H.273, table 2
		1:  sRGB,
		2:  sRGB, // unspecified
		4:  {[2]float64{0.67, 0.33}, [2]float64{0.21, 0.71}, [2]float64{0.14, 0.08}, lightC},
		5:  {[2]float64{0.64, 0.33}, [2]float64{0.29, 0.60}, [2]float64{0.15, 0.06}, d65},
		6:  smpte,
		7:  smpte,
		8:  {[2]float64{0.681, 0.319}, [2]float64{0.243, 0.692}, [2]float64{0.145, 0.049}, lightC},
		9:  bt2020,
		11: {[2]float64{0.680, 0.320}, [2]float64{0.265, 0.690}, [2]float64{0.150, 0.060}, dciP3},
		12: {[2]float64{0.680, 0.320}, [2]float64{0.265, 0.690}, [2]float64{0.150, 0.060}, d65},
		22: {[2]float64{0.630, 0.340}, [2]float64{0.295, 0.605}, [2]float64{0.155, 0.077}, d65},
	}
)

// Primaries returns the chromaticities of a code point of H.273.
func Primaries(code uint16) (Chromaticities, bool) {
	c, ok := ofCodes[code]
	return c, ok
}

// Transfer characteristics of H.273, table 3, that are not those of sRGB.
const (
	transferGamma22 = 4
	transferGamma28 = 5
	transfer240     = 7
	transferLinear  = 8
	transferPQ      = 16
	transfer428     = 17
	transferHLG     = 18
)

// Coded returns the profile of code points of H.273: primaries and transfer characteristics. Those of video for
// ordinary displays (1, 6, 14, 15) count as that of sRGB, as in browsers. nil is sRGB itself.
func Coded(primaries, transfer uint16) (*Profile, error) {
	c, ok := ofCodes[primaries]
	if !ok {
		return nil, fmt.Errorf("icc: colour primaries %d: %w", primaries, ErrUnsupported)
	}
	curve := decodeSRGB
	var light func(rgb *[3]float32)
	switch transfer {
	case 1, 2, 6, 11, 12, 13, 14, 15:
		if primaries == 1 || primaries == 2 {
			return nil, nil
		}
	case transferGamma22:
		curve = power(2.2)
	case transferGamma28:
		curve = power(2.8)
	case transfer240:
		curve = decode240
	case transferLinear:
		curve = power(1)
	case transferPQ:
		curve, light = decodePQ, toneMap
	case transfer428:
		curve = func(v float64) float64 { return math.Pow(v, 2.6) * 52.37 / 48 }
	case transferHLG:
		curve, light = decodeHLG, displayHLG
	default:
		return nil, fmt.Errorf("icc: transfer characteristics %d: %w", transfer, ErrUnsupported)
	}
	p := fromCurve(c, curve)
	p.light = light
	return p, nil
}

// FromGamma returns the profile of a display whose light is that power of the numbers. Chromaticities of no display
// are an error.
func FromGamma(c Chromaticities, gamma float64) (*Profile, error) {
	const most = 100
	p := fromCurve(c, power(gamma))
	for _, row := range p.matrix {
		for _, v := range row {
			if !(-most < v && v < most) { // not a number, too
				return nil, errors.New("icc: chromaticities of no display")
			}
		}
	}
	return p, nil
}

func power(gamma float64) func(float64) float64 {
	return func(v float64) float64 { return math.Pow(v, gamma) }
}

// fromCurve takes a curve that turns numbers from 0 to 1 into linear light.
func fromCurve(c Chromaticities, curve func(float64) float64) *Profile {
	p := &Profile{}
	for i := range 256 {
		v := float32(curve(float64(i) / 255))
		p.curves[0][i], p.curves[1][i], p.curves[2][i] = v, v, v
	}
	p.setMatrix(c.toD50())
	return p
}

func decodeSRGB(v float64) float64 {
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

// decode240 is the curve of SMPTE ST 240.
func decode240(v float64) float64 {
	if v <= 4*0.0228 {
		return v / 4
	}
	return math.Pow((v+0.1115)/1.1115, 1/0.45)
}

// Light of HDR is in units of the white of a page, which BT.2408 has at 203 cd/m².
const whiteNits = 203.0

// decodePQ is the curve of SMPTE ST 2084.
func decodePQ(v float64) float64 {
	const m1, m2, c1, c2, c3 = 2610. / 16384, 2523. / 32, 3424. / 4096, 2413. / 128, 2392. / 128
	e := math.Pow(v, 1/m2)
	return 10000 / whiteNits * math.Pow(max(e-c1, 0)/(c2-c3*e), 1/m1)
}

// decodeHLG is the curve of BT.2100's hybrid log-gamma, to light of the scene.
func decodeHLG(v float64) float64 {
	const a, b, c = 0.17883277, 0.28466892, 0.55991073
	if v <= 0.5 {
		return v * v / 3
	}
	return (math.Exp((v-c)/a) + b) / 12
}

// peakNits is the light of the brightest pixels for which colours are mapped.
const peakNits = 1000.0

// displayHLG turns light of the scene into that of a display (BT.2100, table 5), then maps it.
func displayHLG(rgb *[3]float32) {
	luma := 0.2627*rgb[0] + 0.6780*rgb[1] + 0.0593*rgb[2]
	gain := peakNits / whiteNits * float32(math.Pow(float64(luma), 0.2))
	for i := range rgb {
		rgb[i] *= gain
	}
	toneMap(rgb)
}

// toneMap fits light of HDR into that of an ordinary display. Up to the white of a page it is halved, so that half
// is left for what is brighter, by a curve that ends at the peak. All channels are scaled alike. It follows what
// Chromium 156 shows.
func toneMap(rgb *[3]float32) {
	const bend, peak = 0.52, float32(peakNits) / whiteNits
	brightest := max(rgb[0], rgb[1], rgb[2])
	gain := float32(0.5)
	if brightest > 1 {
		above := min((brightest-1)/(peak-1), 1)
		gain = (0.5 + 0.5*above*(1+bend)/(above+bend)) / brightest
	}
	for i := range rgb {
		rgb[i] *= gain
	}
}

// Luma returns the parts of red and of blue in the luminance (ITU-T H.273, equations 39 to 44).
func (c Chromaticities) Luma() (red, blue float64) {
	m := c.toXYZ()
	return m[1][0], m[1][2]
}

type matrix [3][3]float64

// toXYZ returns the matrix from linear light to XYZ.
func (c Chromaticities) toXYZ() matrix {
	r, g, b := xyz(c.Red), xyz(c.Green), xyz(c.Blue)
	columns := matrix{{r[0], g[0], b[0]}, {r[1], g[1], b[1]}, {r[2], g[2], b[2]}}
	return columns.times(diagonal(columns.inverse().apply(xyz(c.White))))
}

func xyz(xy [2]float64) [3]float64 { return [3]float64{xy[0] / xy[1], 1, (1 - xy[0] - xy[1]) / xy[1]} }

// toD50 is toXYZ, adapted to D50 by Bradford (ICC.1:2010, annex E).
func (c Chromaticities) toD50() matrix {
	bradford := matrix{{0.8951, 0.2664, -0.1614}, {-0.7502, 1.7135, 0.0367}, {0.0389, -0.0685, 1.0296}}
	from, to := bradford.apply(xyz(c.White)), bradford.apply([3]float64{0.9642, 1, 0.8249})
	scale := diagonal([3]float64{to[0] / from[0], to[1] / from[1], to[2] / from[2]})
	return bradford.inverse().times(scale).times(bradford).times(c.toXYZ())
}

func diagonal(v [3]float64) matrix { return matrix{{v[0]}, {0, v[1]}, {0, 0, v[2]}} }

func (m matrix) apply(v [3]float64) (out [3]float64) {
	for i, row := range m {
		out[i] = row[0]*v[0] + row[1]*v[1] + row[2]*v[2]
	}
	return out
}

func (m matrix) times(n matrix) (out matrix) {
	for i := range 3 {
		for j := range 3 {
			out[i][j] = m[i][0]*n[0][j] + m[i][1]*n[1][j] + m[i][2]*n[2][j]
		}
	}
	return out
}

func (m matrix) inverse() (out matrix) {
	cofactor := func(i, j int) float64 {
		a, b, c, d := (i+1)%3, (i+2)%3, (j+1)%3, (j+2)%3
		return m[a][c]*m[b][d] - m[a][d]*m[b][c]
	}
	det := m[0][0]*cofactor(0, 0) + m[0][1]*cofactor(0, 1) + m[0][2]*cofactor(0, 2)
	for i := range 3 {
		for j := range 3 {
			out[j][i] = cofactor(i, j) / det
		}
	}
	return out
}
