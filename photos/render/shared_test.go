package render

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/disintegration/imaging"

	"relais/internal/filetest"
	"relais/internal/tier"
)

// unread are the shared images that are damaged, bombs, or of an unsupported kind.
var unread = []string{"bomb-", "usebomb", "trunc.", "html-then", "weird.jpg", "goexif-oom",
	"polyglot-gif", "xmlbomb", "xxe",
	"clusterfuzz", "crash-", "github_", "-mini.heif", "j2k32"}

// Every shared image becomes three WebP files of the right size without metadata, as webpinfo
// and exiftool see them, or fails with a typed error.
func TestSharedImages(t *testing.T) {
	tier.Slow(t)
	dir := t.TempDir()
	n := 0
	for i, path := range sharedImages(t, "exif/*", "heic/*", "avif/*", "made/*", "svg/tests_s*") {
		if !tier.Full() && (i%8 > 0 || strings.Contains(path, "/heic/")) { // libheif takes long to compile
			continue
		}
		name := filepath.Base(path)
		is := func(part string) bool { return strings.Contains(name, part) }
		res, err := renderer.Render(context.Background(), filetest.Read(t, path))
		if err != nil {
			if !typed(err) || !slices.ContainsFunc(unread, is) && (sandboxed || !is("eic")) {
				t.Errorf("%s: unexpected error %v", name, err)
			}
			continue
		}
		if slices.ContainsFunc(unread, is) && name != "trunc.gif" { // whose first frame is whole
			t.Errorf("%s was read, want an error", name)
		}
		for i, p := range []Picture{res.Main, res.Thumbnail, res.OpenGraph} {
			if len(p.WebP) >= mainBytes {
				t.Errorf("%s: %d bytes, want less than %d", name, len(p.WebP), mainBytes)
			}
			shown(t, p)
			file := filepath.Join(dir, fmt.Sprintf("%03d-%d-%dx%d.webp", n, i, p.Width, p.Height))
			filetest.Write(t, file, p.WebP)
		}
		n++
	}
	t.Logf("%d images were read", n)
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, file := range files {
		size := strings.TrimSuffix(strings.SplitN(filepath.Base(file), "-", 3)[2], ".webp")
		w, h, _ := strings.Cut(size, "x")
		info := tool(t, "webpinfo", file)
		if !strings.Contains(info, "Width: "+w+"\n") || !strings.Contains(info, "Height: "+h+"\n") ||
			!strings.Contains(info, "No error") {
			t.Errorf("%s: webpinfo wants %s × %s without errors: %s", file, w, h, info)
		}
	}
	for _, line := range strings.Split(tool(t, "exiftool", "-G1", "-a", "-s", dir), "\n") {
		group, _, _ := strings.Cut(line, "]")
		switch strings.TrimPrefix(group, "[") {
		case "RIFF", "System", "File", "ExifTool", "Composite":
		default:
			if strings.HasPrefix(group, "[") {
				t.Errorf("exiftool finds metadata: %s", line)
			}
		}
	}
}

// ImageMagick's -auto-orient is the reference, with the files' profile (Generic RGB, of a
// gamma of 1.8) converted by littleCMS.
func TestSharedUpright(t *testing.T) {
	tier.Slow(t)
	dir := t.TempDir()
	srgb := filepath.Join("testdata", "srgb.icc")
	for _, path := range sharedImages(t, "exif/landscape_*", "exif/portrait_*") {
		name := strings.TrimSuffix(filepath.Base(path), ".jpg")
		tool(t, "convert", path, "-auto-orient", "-profile", srgb, filepath.Join(dir, name+".png"))
		f, err := os.Open(filepath.Join(dir, name+".png"))
		must(t, err)
		want, err := png.Decode(f)
		f.Close()
		must(t, err)
		if d := difference(shown(t, rendered(t, filetest.Read(t, path)).Main), want); d > 6 {
			t.Errorf("%s: the mean difference is %.1f levels, want at most 6", name, d)
		}
	}
}

// Pictures of public reports, which were refused or shown as noise: what they show is in their README.
func TestSharedField(t *testing.T) {
	for _, tt := range []struct {
		name        string
		size        image.Point
		first, last color.NRGBA // of the upper left and the lower right
	}{
		{"jpeg_without_eoi.jpg", image.Pt(96, 64), color.NRGBA{255, 0, 0, 255}, color.NRGBA{0, 0, 255, 255}},
		{"tiff_planar_tiled_deflate.tif", image.Pt(32, 16), color.NRGBA{255, 0, 0, 255}, color.NRGBA{0, 0, 255, 255}},
		{"bmp_32bit_bitfields.bmp", image.Pt(32, 16), color.NRGBA{255, 0, 0, 255}, color.NRGBA{0, 0, 255, 255}},
		{"bmp_16bit_565.bmp", image.Pt(32, 16), color.NRGBA{255, 0, 0, 255}, color.NRGBA{0, 0, 255, 255}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, path := range sharedImages(t, "../field/"+tt.name) {
				m := shown(t, rendered(t, filetest.Read(t, path)).Main)
				if m.Rect.Size() != tt.size {
					t.Fatalf("size = %v, want %v", m.Rect.Size(), tt.size)
				}
				w, h := tt.size.X, tt.size.Y
				if got := m.NRGBAAt(w/6, h/6); !near(got, tt.first, 60) {
					t.Errorf("upper left = %v, want %v", got, tt.first)
				}
				if got := m.NRGBAAt(w-w/6, h-h/6); !near(got, tt.last, 60) {
					t.Errorf("lower right = %v, want %v", got, tt.last)
				}
			}
		})
	}
}

// difference is the mean one of the channels of images that should be of one size.
func difference(got, want image.Image) float64 {
	if got.Bounds().Size() != want.Bounds().Size() {
		return 255
	}
	a, b, sum := imaging.Clone(got).Pix, imaging.Clone(want).Pix, 0
	for i := range a {
		d := int(a[i]) - int(b[i])
		sum += max(d, -d)
	}
	return float64(sum) / float64(len(a))
}

// The alpha of each pixel survives within 2 levels.
func TestSharedAlpha(t *testing.T) {
	tier.Slow(t)
	for _, path := range sharedImages(t, "made/alpha.png", "made/alpha.webp") {
		data := filetest.Read(t, path)
		h, err := sniff(data)
		must(t, err)
		src, err := Renderer{}.decode(context.Background(), h, data)
		must(t, err)
		main, worst, translucent := shown(t, rendered(t, data).Main), 0, 0
		for y := range h.Height {
			for x := range h.Width {
				want := int(color.NRGBAModel.Convert(src.At(x, y)).(color.NRGBA).A)
				if want < 255 {
					translucent++
				}
				d := int(main.NRGBAAt(x, y).A) - want
				worst = max(worst, d, -d)
			}
		}
		if worst > 2 || translucent == 0 {
			t.Errorf("%s: alpha differs by up to %d, want 2; %d pixels are not opaque, want some", filepath.Base(path),
				worst, translucent)
		}
	}
}

// The reference is heif-convert's picture of an iPhone's photo.
func TestSharedHEIC(t *testing.T) {
	tier.Slow(t)
	if !sandboxed {
		t.Skip("this build has no HEIC decoder")
	}
	if _, err := exec.LookPath("heif-convert"); err != nil {
		t.Skip("heif-convert is not installed")
	}
	for _, path := range sharedImages(t, "heic/IMG_5195.HEIC") {
		res := rendered(t, filetest.Read(t, path))
		out := filepath.Join(t.TempDir(), "a.png")
		tool(t, "heif-convert", path, out)
		f, err := os.Open(out)
		must(t, err)
		defer f.Close()
		want, err := png.Decode(f)
		must(t, err)
		if d := difference(shown(t, res.Main), fit(want, mainSide)); d > 4 || res.Format != HEIC ||
			res.Exif.Model != "iPhone 11 Pro Max" {
			t.Errorf("%s, %q, the mean difference is %.1f levels, want %s, iPhone 11 Pro Max and at most 4",
				res.Format, res.Exif.Model, d, HEIC)
		}
	}
}

// The variants state the turn and the mirroring that bring back the first picture, and a
// part of it that is 385 × 330 (exiftool: CleanAperture).
func TestSharedAVIF(t *testing.T) {
	tier.Slow(t)
	results := map[string]*Result{}
	for _, path := range sharedImages(t, "avif/kimono*") {
		results[filepath.Base(path)] = rendered(t, filetest.Read(t, path))
	}
	want := shown(t, results["kimono.avif"].Main)
	for _, tt := range []struct {
		name    string
		degrees int
	}{
		{"kimono.avif", 0},
		{"kimono.rotate90.avif", 90},
		{"kimono.mirror-vertical.avif", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res := results[tt.name]
			if d := difference(shown(t, res.Main), want); d > 4 || res.Rotation != tt.degrees || res.Format != AVIF {
				t.Errorf("%s: %s, %d degrees, the mean difference is %.1f levels, want %s, %d and at most 4", tt.name,
					res.Format, res.Rotation, d, AVIF, tt.degrees)
			}
		})
	}
	if p := results["kimono.crop.avif"].Main; p.Width != 385 || p.Height != 330 {
		t.Errorf("crop = %d × %d, want 385 × 330", p.Width, p.Height)
	}
}
