package render

import (
	"errors"
	"fmt"
	"image"
	"strings"
	"testing"

	"github.com/srwiley/oksvg"
	"github.com/srwiley/rasterx"

	"relais/internal/tier"
)

const svgStart = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="1920" height="1920">`

// doubling is 2^depth copies of a rectangle.
func doubling(depth int) string {
	var b strings.Builder
	b.WriteString(svgStart + `<defs><g id="g0"><rect width="9" height="9"/></g>`)
	for i := range depth {
		fmt.Fprintf(&b, `<g id="g%d"><use href="#g%d"/><use xlink:href="#g%d"/></g>`, i+1, i, i)
	}
	fmt.Fprintf(&b, `</defs><use href="#g%d"/></svg>`, depth)
	return b.String()
}

var svgboundsCases = []struct {
	name, file string
	want       error // nil for an image
}{
	{"700,000 commands", svgStart + `<path d="M0 0` + strings.Repeat("L1900 1900L0 1", 350_000) + `"/></svg>`,
		ErrTooLarge},
	{"700,000 short commands", svgStart + `<path d="M0 0` + strings.Repeat("h9v9", 350_000) + `"/></svg>`,
		ErrTooLarge},
	{"numbers without commands", svgStart + `<polyline points="` + strings.Repeat("9,8 ", 600_000) + `"/></svg>`,
		ErrTooLarge},
	{"more bytes than are read", svgStart + strings.Repeat(" ", maxSVG) + `</svg>`, ErrTooLarge},
	{"use of 2^24", doubling(24), ErrTooLarge},
	{"use of 2^10", doubling(10), nil},
	{"use that is nested deep", doubling(40), ErrUnsupported},
	{"use of itself", svgStart + `<defs><g id="a"><use href="#a"/></g></defs><use href="#a"/></svg>`,
		ErrUnsupported},
	{"use of each other", svgStart +
		`<defs><g id="a"><use href="#b"/></g><g id="b"><use href="#a"/></g></defs><use href="#b"/></svg>`,
		ErrUnsupported},
	{"the second of one id uses the first",
		svgStart + `<defs><g id="a"><rect/></g><g id="a"><use href="#a"/></g></defs><use href="#a"/></svg>`,
		ErrUnsupported},
	{"a path that is repeated",
		svgStart + `<defs><path id="a" d="M0 0` + strings.Repeat("L9 9", 10_000) + `"/></defs>` +
			strings.Repeat(`<use href="#a"/>`, 100) + `</svg>`, ErrTooLarge},
	{"99,000 large rectangles", svgStart + strings.Repeat(`<rect width="1920" height="1920"/>`, 99_000) + `</svg>`,
		ErrTooLarge},
	{"99,000 small rectangles", svgStart + strings.Repeat(`<rect width="9" height="9"/>`, 99_000) + `</svg>`, nil},
	{"wide curves", svgStart + `<path fill="none" stroke="red" d="M0 0` + strings.Repeat("C1e7 1e7 -1e7 1e7 0 0",
		50_000) + `"/></svg>`, ErrTooLarge},
	{"fine dashes", svgStart + `<path stroke="red" stroke-dasharray="0.02" d="M0 0` +
		strings.Repeat("L1900 1900L0 0", 20_000) + `"/></svg>`, ErrTooLarge},
	{"a far dash", svgStart + `<path stroke="red" stroke-dasharray="0.02" stroke-dashoffset="3e7" d="` +
		strings.Repeat("M0 0L1 1", 5_000) + `"/></svg>`, nil},
	{"shades of many stops",
		svgStart + `<linearGradient id="a">` + strings.Repeat(`<stop offset="0.5"/>`,
			5_000) + `</linearGradient><rect width="9" height="9" fill="url(#a)"/></svg>`, ErrTooLarge},
	{"many shades", svgStart +
		`<linearGradient id="a"><stop offset="0"/><stop offset="1" stop-color="red"/></linearGradient>` +
		strings.Repeat(`<rect width="1920" height="1920" fill="url(#a)"/>`, 100) + `</svg>`, ErrTooLarge},
	{"a style of many classes and rules",
		svgStart + `<style>` + strings.Repeat(".a,", 30_000) + "b{" + strings.Repeat("fill:red;",
			30_000) + `}</style></svg>`, ErrTooLarge},
	{"a style that is read again",
		svgStart + `<style>.a{` + strings.Repeat("fill:red;", 30_000) + `}</style>` + strings.Repeat("<style/>",
			10_000) + `</svg>`, ErrTooLarge},
	{"a class of many rules",
		svgStart + `<style>.a{` + strings.Repeat("fill:red;", 30_000) + `}</style>` +
			strings.Repeat(`<g class="a"/>`, 10_000) + `</svg>`, ErrTooLarge},
	{"a title in pieces", svgStart + `<title>` + strings.Repeat("0123456789abcdef<!---->",
		50_000) + `</title></svg>`, ErrTooLarge},
	{"defs in defs", svgStart + `<defs><g id="a"/><defs/></defs></svg>`, ErrUnsupported},
}

// An SVG that would take long is refused before anything of it is drawn.
func TestSVGBounds(t *testing.T) {
	tier.Slow(t)
	for _, tt := range svgboundsCases {
		t.Run(tt.name, func(t *testing.T) {
			h, err := sniff([]byte(tt.file))
			must(t, err)
			_, err = guarded(func() (image.Image, error) { return decodeSVG(h, []byte(tt.file)) })
			if err != nil {
				err = h.failed(err)
			}
			if !errors.Is(err, tt.want) || err != nil && strings.Contains(err.Error(), "the decoder failed") {
				t.Errorf("error = %v, want %v", err, tt.want)
			}
		})
	}
}

// The work is counted before drawing, and only up to the limit.
func TestSVGWork(t *testing.T) {
	tier.Slow(t)
	const oneCurve = lineWork + 2*crossingWork*mainSide
	for _, tt := range []struct {
		name, shapes string
		least, most  int64
	}{
		{"nothing", "", 0, 0},
		{"a rectangle of 100 × 100", `<rect width="100" height="100"/>`, 100 * 100 * pixelWork,
			102*102*pixelWork + shapeWork + 8*(lineWork+100*crossingWork)},
		{"a rectangle outside", `<rect x="5000" width="100" height="100"/>`, shapeWork,
			shapeWork + 8*(lineWork+100*crossingWork)},
		{"lines across", `<path d="M0 0` + strings.Repeat("L1900 1900L0 1", 1000) + `"/>`, 2000 * 3800 * crossingWork,
			1e9},
		{"lines outside", `<path d="M-9 0` + strings.Repeat("L-9000 0L0 -9000", 1000) + `"/>`, 2000 * lineWork,
			2500*lineWork + shapeWork + 10*pixelWork},
		{"no end of lines", `<path d="M0 0` + strings.Repeat("L1900 1900L0 1", 250_000) + `"/>`, maxWork,
			maxWork + oneCurve},
		{"no end of rectangles", strings.Repeat(`<rect width="1920" height="1920"/>`, 99_000), maxWork,
			maxWork + mainSide*mainSide*pixelWork + shapeWork},
	} {
		t.Run(tt.name, func(t *testing.T) {
			icon, err := oksvg.ReadIconStream(strings.NewReader(svgStart + tt.shapes + "</svg>"))
			must(t, err)
			icon.ViewBox.W, icon.ViewBox.H = 1920, 1920
			icon.SetTarget(0, 0, 1920, 1920)
			work, err := drawIcon(icon, image.NewRGBA(image.Rect(0, 0, 1920, 1920)))
			if work < tt.least || work > tt.most || errors.Is(err, ErrTooLarge) != (work > maxWork) {
				t.Errorf("work = %d, %v; want %d to %d", work, err, tt.least, tt.most)
			}
		})
	}
}

// The picture is that of the library's own scanner, which draws all of the picture for
// each shape.
func TestSVGLikeLibrary(t *testing.T) {
	tier.Slow(t)
	const gradients = `<defs><linearGradient id="a"><stop offset="0" stop-color="red"/><stop offset="1" stop-color="blue"/></linearGradient>` +
		`<radialGradient id="b" gradientUnits="userSpaceOnUse" cx="300" cy="300" r="90"><stop offset="0" stop-color="green"/><stop offset="1" stop-color="white"/></radialGradient></defs>`
	for _, shapes := range []string{
		`<rect x="10.5" y="20.25" width="100" height="50" fill="red"/>`,
		`<rect x="-500" y="-500" width="2000" height="600" fill="blue" opacity="0.5"/><circle cx="600" cy="640" r="90" fill="lime"/>`,
		`<path d="M-900 20L1500 300L-900 600L300 -900Z" fill="navy" stroke="red" stroke-width="9"/>`,
		`<path d="M10 10C500 900 -500 900 630 20S900 -90 20 600" fill="none" stroke="teal" stroke-width="5" stroke-dasharray="9 4 2" stroke-dashoffset="100"/>`,
		`<polygon points="320,5 500,600 20,200 620,200 140,600" fill="purple" stroke="black" stroke-linejoin="round"/>`,
		`<path d="M10 300A200 100 30 1 0 600 320L300 5Z M200 200h200v200h-200z" stroke="orange" stroke-linecap="round"/>`,
		gradients + `<rect x="50" y="60" width="300" height="400" fill="url(#a)"/><circle cx="300" cy="300" r="200" fill="url(#b)" stroke="url(#a)" stroke-width="20"/>`,
		`<g transform="translate(300,300) rotate(30) scale(2,0.5)"><ellipse rx="200" ry="90" fill="gold"/><line x1="-900" y1="-5" x2="900" y2="7" stroke="black" stroke-width="3"/></g>`,
		`<path d="M-3e3 10L3e3 300L-3e3 310Z" fill="maroon"/><path d="M10 -3e3L20 3e3L40 -2e3Z" fill="maroon"/>`,
	} {
		read := func() *oksvg.SvgIcon {
			icon, err := oksvg.ReadIconStream(strings.NewReader(`<svg>` + shapes + `</svg>`))
			must(t, err)
			icon.ViewBox.W, icon.ViewBox.H = 640, 640
			icon.SetTarget(0, 0, 640, 640)
			return icon
		}
		got, want := image.NewRGBA(image.Rect(0, 0, 640, 640)), image.NewRGBA(image.Rect(0, 0, 640, 640))
		if _, err := drawIcon(read(), got); err != nil {
			t.Error(err)
		}
		read().Draw(rasterx.NewDasher(640, 640, rasterx.NewScannerGV(640, 640, want, want.Rect)), 1)
		other, drawn := 0, 0
		for i := range got.Pix {
			if d := int(got.Pix[i]) - int(want.Pix[i]); d < -6 || d > 6 {
				other++
			}
			if want.Pix[i] != 0 {
				drawn++
			}
		}
		if drawn == 0 || other > 20 {
			t.Errorf("%d bytes differ, want at most 20; %d are drawn, want some: %s", other, drawn, shapes)
		}
	}
}
