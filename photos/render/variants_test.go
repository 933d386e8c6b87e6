package render

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"relais/internal/filetest"
	"relais/internal/tier"
)

// A variant is a file of some form of a format, and what must become of it.
type variant struct {
	name   string              // begins with the extension
	make   string              // the command that makes OUT from photo.png; "" when file is given
	file   []byte              // of a writer in this package
	change func([]byte) []byte // of what was made
	look   string              // the command that decodes IN to WANT, or byBrowser; "" for ImageMagick's convert
	twin   string              // the command that makes TWIN, which Chromium shows in its place
	bound  float64             // the largest mean difference from the reference, in levels; 0 means 1, of a square 8 times that
	words  string              // of the reason for which it is refused; "" when it is shown
}

// byBrowser says that Chromium is the reference.
const byBrowser = "chromium"

// pictures are what most variants are made from.
func pictures(w, h int) map[string]image.Image {
	return map[string]image.Image{"photo.png": sample(w, h), "alpha.png": seeThrough(w, h), "dim.png": dim(w, h)}
}

// dim is a picture that is not too bright when its numbers are those of HDR.
func dim(w, h int) *image.NRGBA {
	m := sample(w, h)
	for i := range m.Pix {
		if i%4 < 3 {
			m.Pix[i] = 30 + m.Pix[i]*6/10
		}
	}
	return m
}

// seeThrough becomes transparent to the right.
func seeThrough(w, h int) *image.NRGBA {
	m := sample(w, h)
	for i := 3; i < len(m.Pix); i += 4 {
		m.Pix[i] = uint8(255 - i/4%w*2)
	}
	return m
}

// sample is the picture that the variants show: smooth, of all colours, and different in every corner.
func sample(w, h int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := color.NRGBA{uint8(30 + 200*x/w), uint8(40 + 180*y/h), uint8(220 - 170*x/w), 255}
			if x < w/3 && y < h/3 {
				c = color.NRGBA{240, 230, 40, 255}
			}
			m.SetNRGBA(x, y, c)
		}
	}
	return m
}

// A formatTest is the variants of a format, and the pictures from which they are made.
type formatTest struct {
	dir      string
	sources  map[string]image.Image
	variants []variant
}

// An upload is shown as a reference decoder shows it, or is refused for a reason that is true. The pictures are
// compared before they are encoded.
func TestVariants(t *testing.T) {
	tier.Slow(t)
	tests := map[string]formatTest{"TIFF": tiffVariants(t), "BMP": bmpVariants(t), "PNG": pngVariants(t),
		"JPEG": jpegVariants(t), "GIF": gifVariants(t), "WebP": webpVariants(t), "AVIF": avifVariants(t), "HEIC": heicVariants(t)}
	browse := map[string]string{} // by the path of what is compared, that of what Chromium opens
	made := map[string]formatTest{}
	for format, f := range tests {
		f.dir = t.TempDir()
		t.Run(format+" files", func(t *testing.T) {
			f.make(t, browse)
			made[format] = f
		})
	}
	names := slices.Sorted(maps.Keys(browse))
	paths := make([]string, len(names))
	for i, name := range names {
		paths[i] = browse[name]
	}
	for i, shown := range browsed(t, paths...) {
		filetest.Write(t, names[i], shown)
	}
	for format, f := range made {
		t.Run(format, func(t *testing.T) {
			for i, v := range f.variants {
				t.Run(v.name, func(t *testing.T) { v.compare(t, f.path(i)) })
			}
		})
	}
}

// path is the file of a variant; what the reference decoder shows of it has .png behind.
func (f formatTest) path(i int) string {
	return filepath.Join(f.dir, fmt.Sprintf("%02d.%s", i, strings.Fields(f.variants[i].name)[0]))
}

// make writes the files and what the reference decoders show, except Chromium.
func (f formatTest) make(t *testing.T, browse map[string]string) {
	t.Helper()
	for name, m := range f.sources {
		filetest.Write(t, filepath.Join(f.dir, name), asPNG(t, m))
	}
	looks := []string{"-quiet"}
	for i, v := range f.variants {
		path := f.path(i)
		out := filepath.Base(path)
		if v.file != nil {
			filetest.Write(t, path, v.file)
		} else {
			command(t, f.dir, strings.ReplaceAll(v.make, "OUT", out))
		}
		if v.change != nil {
			filetest.Write(t, path, v.change(filetest.Read(t, path)))
		}
		switch {
		case v.words != "":
		case v.twin != "":
			command(t, f.dir, strings.ReplaceAll(v.twin, "TWIN", out+".avif"))
			browse[path+".png"] = path + ".avif"
		case v.look == byBrowser:
			browse[path+".png"] = path
		case v.look != "":
			command(t, f.dir, strings.NewReplacer("IN", out, "WANT", out+".png").Replace(v.look))
		default:
			looks = append(looks, "(", out+"[0]", "-auto-orient", "-colorspace", "sRGB", "-depth", "8", "-write",
				"PNG32:"+out+".png", "+delete", ")")
		}
	}
	if len(looks) > 1 {
		_ = run(f.dir, "convert", append(looks, "null:")...) // files that it cannot read are missing later
	}
}

func (v variant) compare(t *testing.T, path string) {
	_, o, err := renderer.open(t.Context(), filetest.Read(t, path))
	if v.words != "" {
		refused(t, err, v.words)
		return
	}
	if err != nil {
		t.Fatalf("error = %v, want none", err)
	}
	want, err := png.Decode(bytes.NewReader(filetest.Read(t, path+".png")))
	must(t, err)
	bound := v.bound
	if bound == 0 {
		bound = 1
	}
	if mean, worst := seenDifference(o.profile.Convert(o.main()), want); mean > bound || worst > 8*bound {
		t.Errorf("the mean difference is %.1f levels, of a square %.1f; want at most %.1f and %.1f", mean, worst, bound,
			8*bound)
	}
}

// refused asserts that a file is refused for a reason, in words that tell what to do.
func refused(t *testing.T, err error, words string) {
	t.Helper()
	if !errors.Is(err, ErrUnsupported) && !errors.Is(err, ErrHEIC) || !strings.Contains(fmt.Sprint(err), words) {
		t.Errorf("error = %v, want a refusal with %q", err, words)
	}
}

// seenDifference is the mean difference of pictures on a white ground and on a black one, where colours that are not
// seen do not count. worst is that of the worst square of 8 × 8 pixels.
func seenDifference(got, want image.Image) (mean, worst float64) {
	const side = 8
	size := want.Bounds().Size()
	if got.Bounds().Size() != size {
		return 255, 255
	}
	a, b := straightOf(got), straightOf(want)
	sum, squares := 0., map[image.Point]float64{}
	for y := range size.Y {
		for x := range size.X {
			d := seen(a.NRGBAAt(x, y), b.NRGBAAt(x, y))
			sum += d
			squares[image.Pt(x/side, y/side)] += d / (side * side)
		}
	}
	for _, d := range squares {
		worst = max(worst, d)
	}
	return sum / float64(size.X*size.Y), worst
}

// seen is the mean difference of two pixels.
func seen(a, b color.NRGBA) (sum float64) {
	for _, ground := range []float64{0, 255} {
		for _, c := range [][2]uint8{{a.R, b.R}, {a.G, b.G}, {a.B, b.B}} {
			opacity := [2]float64{float64(a.A) / 255, float64(b.A) / 255}
			d := float64(c[0])*opacity[0] + ground*(1-opacity[0]) - float64(c[1])*opacity[1] - ground*(1-opacity[1])
			sum += max(d, -d) / 6
		}
	}
	return sum
}

func straightOf(m image.Image) *image.NRGBA {
	out := image.NewNRGBA(image.Rectangle{Max: m.Bounds().Size()})
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			out.Set(x, y, m.At(m.Bounds().Min.X+x, m.Bounds().Min.Y+y))
		}
	}
	return out
}

// command runs programs in a folder, one after the other where && is between them. The test is skipped if one is
// not installed.
func command(t *testing.T, dir, lines string) {
	t.Helper()
	for line := range strings.SplitSeq(lines, " && ") {
		args := strings.Fields(line)
		if _, err := exec.LookPath(args[0]); err != nil {
			t.Skip(args[0] + " is not installed")
		}
		if err := run(dir, args[0], args[1:]...); err != nil {
			t.Fatalf("%s: %v, want no error", line, err)
		}
	}
}

func run(dir, name string, args ...string) error {
	c := exec.Command(name, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "OMP_NUM_THREADS=1") // threads for small pictures only wait
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// displayP3 and sRGB are the paths of profiles.
func displayP3(t *testing.T) string { return absolute(t, "testdata", "displayp3.icc") }
func sRGB(t *testing.T) string      { return absolute(t, "testdata", "srgb.icc") }

func absolute(t *testing.T, parts ...string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(parts...))
	must(t, err)
	return path
}
