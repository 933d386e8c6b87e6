package icc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/png"
	"os/exec"
	"path/filepath"
	"testing"

	"relais/internal/errtest"
	"relais/internal/filetest"
)

// must ends the test on an error of what it needs.
var must = errtest.Must

// A recipe is the content of a test's profile.
type recipe struct {
	space     string
	primaries [3][3]float64 // X, Y and Z of red, of green and of blue
	curve     []byte
}

func curv(points ...uint16) []byte {
	b := binary.BigEndian.AppendUint32([]byte("curv\x00\x00\x00\x00"), uint32(len(points)))
	for _, p := range points {
		b = binary.BigEndian.AppendUint16(b, p)
	}
	return b
}

func para(function uint16, numbers ...float64) []byte {
	b := binary.BigEndian.AppendUint16([]byte("para\x00\x00\x00\x00"), function)
	b = append(b, 0, 0)
	for _, n := range numbers {
		b = binary.BigEndian.AppendUint32(b, uint32(int32(n*65536+0.5)))
	}
	return b
}

// What the profiles of these names state, and the curve of sRGB (IEC 61966-2-1).
var (
	curveSRGB = para(3, 2.4, 1/1.055, 0.055/1.055, 1/12.92, 0.04045)
	srgb      = recipe{"RGB ",
		[3][3]float64{{0.43607, 0.22249, 0.01392}, {0.38515, 0.71687, 0.09708}, {0.14307, 0.06061, 0.71410}}, curveSRGB}
	displayP3 = recipe{"RGB ",
		[3][3]float64{{0.51512, 0.24120, -0.00105}, {0.29198, 0.69225, 0.04189}, {0.15710, 0.06657, 0.78407}},
		curveSRGB}
	adobeRGB = recipe{"RGB ",
		[3][3]float64{{0.60974, 0.31111, 0.01947}, {0.20528, 0.62567, 0.06087}, {0.14919, 0.06322, 0.74457}},
		curv(0x0233)}
	grey18    = recipe{"GRAY", [3][3]float64{}, curv(0x01cd)}
	linear    = recipe{"RGB ", srgb.primaries, curv()}
	sampledUp = recipe{"RGB ", srgb.primaries, curv(0, 1000, 9000, 30000, 65535)}
)

// bytes writes the profile.
func (r recipe) bytes() []byte {
	type tag struct {
		name string
		body []byte
	}
	xyz := func(v [3]float64) []byte {
		b := []byte("XYZ \x00\x00\x00\x00")
		for _, n := range v {
			b = binary.BigEndian.AppendUint32(b, uint32(int32(n*65536)))
		}
		return b
	}
	text := append([]byte("text\x00\x00\x00\x00"), "test\x00\x00\x00\x00"...)
	desc := append([]byte("desc\x00\x00\x00\x00\x00\x00\x00\x05test\x00"), make([]byte, 79)...)
	tags := []tag{{"wtpt", xyz([3]float64{0.9642, 1, 0.8249})}, {"cprt", text}, {"desc", desc}}
	if r.space == "GRAY" {
		tags = append(tags, tag{"kTRC", r.curve})
	} else {
		for i, c := range []string{"r", "g", "b"} {
			tags = append(tags, tag{c + "XYZ", xyz(r.primaries[i])}, tag{c + "TRC", r.curve})
		}
	}
	head := make([]byte, 128)
	copy(head[8:], "\x02\x40\x00\x00mntr"+r.space+"XYZ ")
	copy(head[36:], "acsp")
	for i, n := range []uint32{0xf6d6, 0x10000, 0xd32d} { // D50
		binary.BigEndian.PutUint32(head[68+4*i:], n)
	}
	table := binary.BigEndian.AppendUint32(nil, uint32(len(tags)))
	var body []byte
	for _, t := range tags {
		table = append(table, t.name...)
		table = binary.BigEndian.AppendUint32(table, uint32(128+4+12*len(tags)+len(body)))
		table = binary.BigEndian.AppendUint32(table, uint32(len(t.body)))
		body = append(body, t.body...)
		body = append(body, make([]byte, (4-len(body)%4)%4)...)
	}
	all := append(append(head, table...), body...)
	binary.BigEndian.PutUint32(all, uint32(len(all)))
	return all
}

// samples are colours in a row.
var samples = []color.NRGBA{{200, 30, 30, 255}, {30, 180, 30, 255}, {40, 40, 220, 255}, {220, 210, 40, 255},
	{128, 128, 128, 255}, {10, 20, 5, 255}, {255, 255, 255, 255}, {255, 120, 90, 100}}

func row(colours []color.NRGBA) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, len(colours), 1))
	for i, c := range colours {
		m.SetNRGBA(i, 0, c)
	}
	return m
}

func near(a, b color.NRGBA, most int) bool {
	for _, d := range []int{int(a.R) - int(b.R), int(a.G) - int(b.G), int(a.B) - int(b.B), int(a.A) - int(b.A)} {
		if d > most || d < -most {
			return false
		}
	}
	return true
}

// What littleCMS 2.12 in ImageMagick 6.9 makes of the samples:
// convert samples.png -profile p3.icc -profile srgb.icc -depth 8 rgba:-
func TestProfiles(t *testing.T) {
	for _, tt := range []struct {
		name   string
		recipe recipe
		want   []color.NRGBA
	}{
		{"sRGB", srgb, samples},
		{"Display P3", displayP3,
			[]color.NRGBA{{218, 0, 6, 255}, {0, 183, 0, 255}, {39, 40, 229, 255}, {222, 209, 0, 255},
				{127, 128, 127, 255}, {7, 20, 3, 255}, {255, 255, 255, 255}, {255, 109, 78, 100}}},
		{"Adobe RGB", adobeRGB,
			[]color.NRGBA{{233, 23, 23, 255}, {0, 181, 0, 255}, {35, 35, 224, 255}, {224, 211, 0, 255},
				{129, 129, 129, 255}, {0, 12, 0, 255}, {255, 255, 255, 255}, {255, 120, 87, 100}}},
		{"linear", linear, []color.NRGBA{{229, 96, 96, 255}, {96, 218, 96, 255}, {110, 110, 238, 255},
			{238, 234, 110, 255}, {187, 187, 187, 255}, {55, 79, 38, 255}, {255, 255, 255, 255}, {255, 182, 160, 100}}},
		{"five points", sampledUp,
			[]color.NRGBA{{192, 20, 20, 255}, {20, 169, 20, 255}, {24, 24, 218, 255}, {218, 206, 24, 255},
				{104, 104, 104, 255}, {7, 15, 3, 255}, {255, 255, 255, 255}, {255, 98, 72, 100}}},
	} {
		p, err := Parse(tt.recipe.bytes())
		if err != nil {
			t.Errorf("%s: %v, want no error", tt.name, err)
			continue
		}
		got := p.Convert(row(samples))
		for i, want := range tt.want {
			if c := got.NRGBAAt(i, 0); !near(c, want, 1) {
				t.Errorf("%s: %v becomes %v, want %v", tt.name, samples[i], c, want)
			}
		}
	}
	p, err := Parse(grey18.bytes())
	must(t, err)
	greys := map[uint8]uint8{66: 83, 137: 154, 52: 67, 199: 209, 128: 146, 16: 19, 255: 255}
	for from, want := range greys {
		if c := p.Convert(row([]color.NRGBA{{from, from, from, 255}})).NRGBAAt(0, 0); !near(c,
			color.NRGBA{want, want, want, 255}, 1) {
			t.Errorf("grey %d = %v, want %d", from, c, want)
		}
	}
}

// An image that is in sRGB is not copied.
func TestSRGBStays(t *testing.T) {
	p, err := Parse(srgb.bytes())
	must(t, err)
	if m := row(samples); p.Convert(m) != m || (*Profile)(nil).Convert(m) != m {
		t.Error("an sRGB image was copied, want the same")
	}
}

// Each form of a parametric curve, at values that its formula gives by hand.
func TestParametric(t *testing.T) {
	for _, tt := range []struct {
		curve []byte
		at    int
		want  float32
	}{
		{para(0, 2), 51, 0.04},                   // (1/5)²
		{para(1, 2, 2, -0.2), 51, 0.04},          // (2/5 - 1/5)²
		{para(1, 2, 2, -0.6), 51, 0},             // below 0.3
		{para(2, 2, 2, -0.2, 0.5), 51, 0.54},     // and a half
		{para(2, 2, 2, -0.6, 0.5), 51, 0.5},      // below 0.3
		{para(3, 2, 1, 0, 0.25, 0.5), 51, 0.05},  // a quarter below 0.5
		{para(3, 2, 1, 0, 0.25, 0.5), 204, 0.64}, // (4/5)² above
		{para(4, 2, 1, 0, 0.25, 0.5, 0.1, 0.2), 51, 0.25},
		{para(4, 2, 1, 0, 0.25, 0.5, 0.1, 0.2), 204, 0.74},
	} {
		curve, err := parseCurve(tt.curve)
		if d := curve[tt.at] - tt.want; err != nil || d > 1e-3 || d < -1e-3 {
			t.Errorf("%x at %d: %v, want %v; %v", tt.curve[8:], tt.at, curve[tt.at], tt.want, err)
		}
	}
}

// Where ImageMagick has littleCMS, it sees the same colours.
func TestLikeLittleCMS(t *testing.T) {
	if _, err := exec.LookPath("convert"); err != nil {
		t.Skip("ImageMagick is not installed")
	}
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		filetest.Write(t, path, data)
		return path
	}
	m := image.NewNRGBA(image.Rect(0, 0, 64, 64))
	for i := range 64 * 64 {
		m.SetNRGBA(i%64, i/64, color.NRGBA{uint8(i), uint8(i / 16), uint8(i % 61 * 4), 255})
	}
	var file bytes.Buffer
	must(t, png.Encode(&file, m))
	in, to := write("in.png", file.Bytes()), write("srgb.icc", srgb.bytes())
	for _, tt := range []struct {
		name string
		r    recipe
	}{
		{"p3", displayP3},
		{"adobe", adobeRGB},
		{"linear", linear},
		{"sampled", sampledUp},
	} {
		t.Run(tt.name, func(t *testing.T) {
			from := write(tt.name+".icc", tt.r.bytes())
			want, err := exec.Command("convert", in, "-profile", from, "-profile", to, "-depth", "8", "rgba:-").Output()
			if err != nil || len(want) != len(m.Pix) {
				t.Skipf("convert has no profiles: %v", err)
			}
			p, err := Parse(tt.r.bytes())
			must(t, err)
			got, worst := p.Convert(m).Pix, 0
			for i := range got {
				d := int(got[i]) - int(want[i])
				worst = max(worst, d, -d)
			}
			if worst > 2 {
				t.Errorf("%s: a colour is off by %d, want at most 2", tt.name, worst)
			}
		})
	}
}

// Profiles that are cut off or of another kind are errors.
func TestOtherProfiles(t *testing.T) {
	whole := displayP3.bytes()
	for n := range whole {
		if _, err := Parse(whole[:n]); err == nil && n < len(whole)-3 { // the last curve is padded
			t.Errorf("%d of %d bytes were parsed, want an error", n, len(whole))
		}
		changed := bytes.Clone(whole)
		changed[n] ^= 0xff
		if p, err := Parse(changed); err == nil {
			p.Convert(row(samples))
		}
	}
	for _, tt := range []struct{ space, pcs string }{
		{"CMYK", "Lab "},
		{"RGB ", "Lab "},
	} {
		t.Run(tt.space, func(t *testing.T) {
			other := bytes.Clone(whole)
			copy(other[16:], tt.space+tt.pcs)
			if _, err := Parse(other); !errors.Is(err, ErrUnsupported) {
				t.Errorf("%s to %s: %v, want ErrUnsupported", tt.space, tt.pcs, err)
			}
		})
	}
	tables := bytes.ReplaceAll(whole, []byte("rXYZ"), []byte("A2B0"))
	if _, err := Parse(tables); !errors.Is(err, ErrUnsupported) {
		t.Errorf("a profile of tables: error = %v, want ErrUnsupported", err)
	}
}
