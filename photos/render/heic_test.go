//go:build nodynamic

package render

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/png"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"relais/internal/filetest"
	"relais/internal/tier"
	"relais/photos/heif"
)

// HEIC files of odd and small sizes, with opacity, with colours for each pixel and with
// one channel are read.
func TestHEICKinds(t *testing.T) {
	tier.Slow(t)
	quarter := func(c color.NRGBA) color.NRGBA { c.A = 64; return c }
	white, grey := color.NRGBA{255, 255, 255, 255}, color.NRGBA{51, 51, 51, 255}
	for _, tt := range []struct {
		name string
		size image.Point
		want []color.NRGBA
	}{
		{"odd.heic", image.Pt(151, 161), []color.NRGBA{red, green, blue, yellow}},
		{"444.heic", image.Pt(160, 144), []color.NRGBA{red, green, blue, yellow}},
		{"narrow.heic", image.Pt(90, 70), []color.NRGBA{red, green, blue, yellow}},
		{"alpha.heic", image.Pt(160, 144), []color.NRGBA{red, quarter(green), blue, quarter(yellow)}},
		{"grey.heic", image.Pt(160, 90), []color.NRGBA{white, grey, white, grey}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := filetest.Read(t, filepath.Join("testdata", tt.name))
			m, err := decodeHEIC(context.Background(), file)
			must(t, err)
			if m.Bounds().Size() != tt.size {
				t.Errorf("bounds = %v, want %v", m.Bounds(), tt.size)
			}
			corners(t, tt.name, straightOf(m), tt.want...)
			for x := range 40 {
				if got := straightOf(m).NRGBAAt(x, 0); !near(got, tt.want[0], 12) {
					t.Fatalf("pixel %d of the first row = %v, want %v", x, got, tt.want[0])
				}
			}
			res := rendered(t, file)
			if got := image.Pt(res.Main.Width, res.Main.Height); got != tt.size || res.Format != HEIC {
				t.Errorf("main = %v of %s, want %v of HEIC", got, res.Format, tt.size)
			}
			corners(t, tt.name+", rendered", shown(t, res.Main), tt.want...)
		})
	}
}

// A picture of one channel is written as one with colours, because the decoder does not know
// its layout otherwise.
func TestOneChannelStated(t *testing.T) {
	f, err := heif.Parse(filetest.Read(t, filepath.Join("testdata", "grey.heic")))
	must(t, err)
	if f.Primary().HEVC[chromaByte]&3 != monochrome {
		t.Fatal("the file of the test has colours, want one channel")
	}
	g, err := tiled(f.Primary())
	must(t, err)
	file, err := heicFile(g)
	must(t, err)
	again, err := heif.Parse(file)
	must(t, err)
	tiles, err := again.Primary().Grid()
	if err != nil || len(tiles.Tiles) != 1 {
		t.Fatalf("grid = %+v, %v; want one tile", tiles, err)
	}
	if got := tiles.Tiles[0].HEVC[chromaByte] & 3; got != chroma420 {
		t.Errorf("stated chroma = %d, want %d", got, chroma420)
	}
	one, _ := f.Primary().Data()
	two, err := tiles.Tiles[0].Data()
	if err != nil || !bytes.Equal(one, two) {
		t.Errorf("the coded picture is unreadable or changed: got %d bytes, %v, want %d", len(two), err, len(one))
	}
}

// Files whose HEVC configuration is cut off or wrong end in an error, not in a fault.
func TestHEVCConfig(t *testing.T) {
	tier.Slow(t)
	for _, name := range []string{"grey.heic", "alpha.heic", "narrow.heic"} {
		whole := filetest.Read(t, filepath.Join("testdata", name))
		at := bytes.Index(whole, []byte("hvcC"))
		for _, change := range []func([]byte){
			func(b []byte) { copy(b[at:], "free") },
			func(b []byte) { clear(b[at+4 : at+4+23]) },
			func(b []byte) { b[at+4+chromaByte] ^= 3 },
			func(b []byte) { b[at+4+22] = 255 },
			func(b []byte) { binary.BigEndian.PutUint16(b[at+4+23+3:], 0xffff) },
		} {
			file := bytes.Clone(whole)
			change(file)
			if _, err := renderer.Render(context.Background(), file); err != nil && !errors.Is(err, ErrHEIC) {
				t.Errorf("error = %v, want ErrHEIC or nil", err)
			}
		}
	}
}

// libheif's own program, if installed, makes the same pictures.
func TestHEICLikeLibheif(t *testing.T) {
	tier.Slow(t)
	if _, err := exec.LookPath("heif-convert"); err != nil {
		t.Skip("heif-convert is not installed")
	}
	files, _ := filepath.Glob(filepath.Join("testdata", "*.heic"))
	more, _ := filepath.Glob(filepath.Join("..", "..", "..", "shared", "data", "images", "heic", "*alpha*.heic"))
	if len(files) == 0 {
		t.Error("found no files to compare")
	}
	for _, file := range append(files, more...) {
		ours, err := decodeHEIC(context.Background(), filetest.Read(t, file))
		if err != nil {
			t.Errorf("%s: %v, want no error", file, err)
			continue
		}
		out := filepath.Join(t.TempDir(), "out.png")
		if said, err := exec.Command("heif-convert", file, out).CombinedOutput(); err != nil {
			t.Fatalf("heif-convert: %v: %s", err, said)
		}
		theirs, err := png.Decode(bytes.NewReader(filetest.Read(t, out)))
		must(t, err)
		if d := difference(straightOf(ours), straightOf(theirs)); d > 3 {
			t.Errorf("%s: mean difference = %.1f, want at most 3", file, d)
		}
	}
}

// The error names the unsupported codec, and what to do.
func TestUnsupportedHEICError(t *testing.T) {
	file := bytes.ReplaceAll(filetest.Read(t, filepath.Join("testdata", "narrow.heic")), []byte("hvc1"), []byte("j2k1"))
	_, err := renderer.Render(context.Background(), file)
	if !errors.Is(err, ErrHEIC) || !strings.Contains(err.Error(), "j2k1") || !strings.Contains(err.Error(), "JPEG") {
		t.Errorf("error = %v, want ErrHEIC that names j2k1 and JPEG", err)
	}
}
