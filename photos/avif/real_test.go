package avif

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"relais/internal/errtest"
	"relais/internal/filetest"
	"relais/internal/tier"
)

const images = "../../../shared/data/images/"

func shared(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(images + name)
	if err != nil {
		t.Skip("no test images:", err)
	}
	return data
}

// avifdec decodes a file by libavif into a file of another type.
func avifdec(t *testing.T, name, kind string) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "picture."+kind)
	if _, err := exec.LookPath("avifdec"); err != nil {
		t.Skip("no avifdec:", err)
	}
	if out, err := exec.Command("avifdec", "--no-strict", "--jobs", "1", "--depth", "8", images+name,
		path).CombinedOutput(); err != nil {
		t.Fatalf("avifdec %s: %v\n%s", name, err, out)
	}
	data := filetest.Read(t, path)
	return data
}

func luma(c color.Color) int {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	return (299*int(n.R) + 587*int(n.G) + 114*int(n.B) + 500) / 1000
}

// lumaDifference returns the largest and the mean difference in luma.
func lumaDifference(a, b image.Image) (most int, mean float64) {
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			d := luma(a.At(x, y)) - luma(b.At(x, y))
			most = max(most, d, -d)
			mean += float64(max(d, -d))
		}
	}
	return most, mean / float64(a.Bounds().Dx()*a.Bounds().Dy())
}

func TestLikeLibavif(t *testing.T) {
	tier.Slow(t)
	d := decoder(t)
	for _, name := range []string{
		"avif/example.avif", "avif/fox.profile0.10bpc.yuv420.odd-width.odd-height.avif",
		"avif/fox.profile0.8bpc.yuv420.avif",
		"avif/fox.profile2.12bpc.yuv444.avif", "avif/kimono.avif", "avif/sofa_grid1x5_420.avif", "avif/sunrise.avif",
		"avif/white_1x1.avif", "heic/avif32.heif",
	} {
		got, err := d.Decode(t.Context(), shared(t, name))
		if err != nil {
			t.Errorf("%s: %v, want no error", name, err)
			continue
		}
		want, err := png.Decode(bytes.NewReader(avifdec(t, name, "png")))
		errtest.Must(t, err)
		if got.Rect != want.Bounds() {
			t.Errorf("%s: bounds = %v, want %v", name, got.Rect, want.Bounds())
		} else if most, mean := lumaDifference(got, want); most > 2 {
			t.Errorf("%s: luma is %d off, %.2f in the mean, want at most 2", name, most, mean)
		}
	}
}

// avifdec writes the limited range of 8-bit grey as it is: it is its Y4M that is
// compared, stretched.
func TestGreyRange(t *testing.T) {
	const name = "avif/hato.profile0.8bpc.yuv420.monochrome.avif"
	img, err := decoder(t).Decode(t.Context(), shared(t, name))
	if err != nil || img.Rect != image.Rect(0, 0, 3082, 2048) {
		t.Fatalf("got %v, %v, want %v and no error", img.Rect, err, image.Rect(0, 0, 3082, 2048))
	}
	_, samples, _ := bytes.Cut(avifdec(t, name, "y4m"), []byte("FRAME\n"))
	for i, s := range samples[:3082*2048] {
		want := max(0, min(255, (2*255*(int(s)-16)+219)/(2*219)))
		if got := int(img.Pix[4*i]); got != want && s >= 16 {
			t.Fatalf("pixel %d is %d, want %d out of %d", i, got, want, s)
		}
	}
}

// The pictures were turned, mirrored and cut after kimono.avif, and are to be shown
// upright. Where the cut is follows from its clap: 385 × 330, 103 right of and 308
// above the centre of 722 × 1024.
func TestUpright(t *testing.T) {
	d := decoder(t)
	upright, err := d.Decode(t.Context(), shared(t, "avif/kimono.avif"))
	errtest.Must(t, err)
	for _, tt := range []struct {
		name string
		part image.Rectangle
	}{
		{"rotate90", upright.Rect},
		{"mirror-vertical", upright.Rect},
		{"crop", image.Rect(271, 39, 271+385, 39+330)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			img, err := d.Decode(t.Context(), shared(t, "avif/kimono."+tt.name+".avif"))
			if err != nil {
				t.Errorf("%s: %v, want no error", tt.name, err)
				return
			}
			want := crop(upright.NRGBA, tt.part)
			if img.Rect != want.Rect {
				t.Errorf("bounds = %v, want %v", img.Rect, want.Rect)
			} else if _, mean := lumaDifference(img, want); mean > 3 {
				t.Errorf("%s: luma is %.1f off in the mean, want at most 3", tt.name, mean)
			}
		})
	}
}

func crop(img *image.NRGBA, r image.Rectangle) *image.NRGBA {
	out := image.NewNRGBA(image.Rectangle{Max: r.Size()})
	for y := range r.Dy() {
		for x := range r.Dx() {
			out.SetNRGBA(x, y, img.NRGBAAt(r.Min.X+x, r.Min.Y+y))
		}
	}
	return out
}

// check fails unless Decode returns a picture or one of the errors. A decoder that does not stop at its deadline
// never ends the test.
func check(t *testing.T, d *Decoder, data []byte) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	img, err := d.Decode(ctx, data)
	for _, e := range []error{errDamaged, ErrUnsupported, ErrTooLarge, context.DeadlineExceeded} {
		if errors.Is(err, e) {
			return
		}
	}
	if err != nil || img.Rect.Empty() {
		t.Errorf("got %v, %v, want a picture", img, err)
	}
}

func TestTruncated(t *testing.T) {
	d := decoder(t)
	data := shared(t, "made/trunc.avif")
	if img, err := d.Decode(t.Context(), data); !errors.Is(err, errDamaged) {
		t.Errorf("got %v, %v, want ErrDamaged", img, err)
	}
}

// Bits of every sample are flipped at random, for a second or, with
// AVIF_FLIPS=10m, for as long as that.
func TestFlips(t *testing.T) {
	tier.Slow(t)
	paths, _ := filepath.Glob("testdata/*.avif") // the patterns are sound
	more, _ := filepath.Glob(images + "avif/*.avif")
	for _, path := range more {
		if !strings.Contains(path, "hato") { // 6 megapixels
			paths = append(paths, path)
		}
	}
	long, err := time.ParseDuration(os.Getenv("AVIF_FLIPS"))
	if err != nil {
		long = time.Second
	}
	d := decoder(t)
	random := rand.New(rand.NewPCG(1, uint64(long)))
	n := 0
	for end := time.Now().Add(long); time.Now().Before(end); n++ {
		whole := filetest.Read(t, paths[n%len(paths)])
		area := len(whole) // mostly the boxes and the headers, at times all
		if random.IntN(3) > 0 {
			area = min(area, 600)
		}
		for range 1 + random.IntN(6) {
			whole[random.IntN(area)] ^= 1 << random.IntN(8)
		}
		check(t, d, whole)
	}
	t.Logf("%d files", n)
}

func FuzzDecode(f *testing.F) {
	for _, name := range []string{"420", "alpha", "turned", "grid"} {
		f.Add(read(f, name))
	}
	d := decoder(f)
	f.Fuzz(func(t *testing.T, data []byte) { check(t, d, data) })
}
