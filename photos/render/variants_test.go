package render

import (
	"bytes"
	"context"
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
)

// A variant is a file of some form of a format, and what must become of it.
type variant struct {
	name   string              // begins with the extension
	make   string              // the command that makes OUT from photo.png; "" when file is given
	file   []byte              // of a writer in this package
	change func([]byte) []byte // of what was made
	look   string              // the command that decodes IN to WANT, or byBrowser; "" for ImageMagick's convert
	twin   string              // the command that makes TWIN, which Chromium shows in its place
	bound  float64             // the largest mean difference from the reference, in levels; 0 means 2
	words  string              // of the reason for which it is refused; "" when it is shown
}

// byBrowser says that Chromium is the reference.
const byBrowser = "chromium"

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

// testVariants makes the variants in one folder, and compares each with what the reference decoder shows. Both
// pictures go through the encoder, so that what it loses does not count.
func testVariants(t *testing.T, sources map[string]image.Image, variants []variant) {
	byOneGoroutine(t)
	dir := t.TempDir()
	for name, m := range sources {
		filetest.Write(t, filepath.Join(dir, name), asPNG(t, m))
	}
	looks, browse := []string{"-quiet"}, map[string]string{} // by what is compared, what is opened
	for i, v := range variants {
		out := v.out(i)
		switch {
		case v.file != nil:
			filetest.Write(t, filepath.Join(dir, out), v.file)
		default:
			for line := range strings.SplitSeq(v.make, " && ") {
				command(t, dir, strings.ReplaceAll(line, "OUT", out))
			}
		}
		if v.change != nil {
			path := filepath.Join(dir, out)
			filetest.Write(t, path, v.change(filetest.Read(t, path)))
		}
		switch {
		case v.words != "":
		case v.twin != "":
			command(t, dir, strings.ReplaceAll(v.twin, "TWIN", out+".avif"))
			browse[out] = out + ".avif"
		case v.look == byBrowser:
			browse[out] = out
		case v.look == "":
			looks = append(looks, "(", out+"[0]", "-auto-orient", "-colorspace", "sRGB", "-depth", "8", "-write",
				"PNG32:"+out+".png", "+delete", ")")
		}
	}
	_ = run(dir, "convert", append(looks, "null:")...) // files that it cannot read are missing below
	names := slices.Sorted(maps.Keys(browse))
	opened := make([]string, len(names))
	for i, name := range names {
		opened[i] = browse[name]
	}
	for i, shown := range browsed(t, dir, opened...) {
		filetest.Write(t, filepath.Join(dir, names[i]+".png"), shown)
	}
	for i, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			out := v.out(i)
			res, err := renderer.Render(context.Background(), filetest.Read(t, filepath.Join(dir, out)))
			if v.words != "" {
				refused(t, err, v.words)
				return
			}
			if err != nil {
				t.Fatalf("error = %v, want none", err)
			}
			if v.look != "" && browse[out] == "" {
				command(t, dir, strings.NewReplacer("IN", out, "WANT", out+".png").Replace(v.look))
			}
			want, err := png.Decode(bytes.NewReader(filetest.Read(t, filepath.Join(dir, out+".png"))))
			if err != nil {
				t.Fatal(err)
			}
			encoded, err := encode(context.Background(), straightOf(want), quality)
			if err != nil {
				t.Fatal(err)
			}
			bound := v.bound
			if bound == 0 {
				bound = 2
			}
			if d := seenDifference(shown(t, res.Main), shown(t, encoded)); d > bound {
				t.Errorf("the mean difference is %.1f levels, want at most %.1f", d, bound)
			}
		})
	}
}

// out is the name of the variant's file.
func (v variant) out(i int) string { return fmt.Sprintf("%02d.%s", i, strings.Fields(v.name)[0]) }

// refused asserts that a file is refused for a reason, in words that tell what to do.
func refused(t *testing.T, err error, words string) {
	t.Helper()
	if !errors.Is(err, ErrUnsupported) && !errors.Is(err, ErrHEIC) || !strings.Contains(fmt.Sprint(err), words) {
		t.Errorf("error = %v, want a refusal with %q", err, words)
	}
}

// seenDifference is the mean difference of pictures on a white ground and on a black one: colours that are
// not seen do not count.
func seenDifference(got, want image.Image) float64 {
	if got.Bounds().Size() != want.Bounds().Size() {
		return 255
	}
	a, b := straightOf(got), straightOf(want)
	sum := 0.
	for i := 0; i < len(a.Pix); i += 4 {
		for _, ground := range []float64{0, 255} {
			for j := range 3 {
				on := func(p []uint8) float64 {
					alpha := float64(p[3]) / 255
					return float64(p[j])*alpha + ground*(1-alpha)
				}
				d := on(a.Pix[i:]) - on(b.Pix[i:])
				sum += max(d, -d)
			}
		}
	}
	return sum / float64(len(a.Pix)/4*6)
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

// command runs a program in a folder. The test is skipped if it is not installed.
func command(t *testing.T, dir, line string) {
	t.Helper()
	args := strings.Fields(line)
	if _, err := exec.LookPath(args[0]); err != nil {
		t.Skip(args[0] + " is not installed")
	}
	if err := run(dir, args[0], args[1:]...); err != nil {
		t.Fatalf("%s: %v, want no error", line, err)
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
	if err != nil {
		t.Fatal(err)
	}
	return path
}
