package render

import (
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"relais/internal/filetest"
)

// photo returns 12 megapixels with detail and noise.
func photo() *image.YCbCr {
	m := image.NewYCbCr(image.Rect(0, 0, 4032, 3024), image.YCbCrSubsampleRatio420)
	state := uint32(1)
	for i := range m.Y {
		state = state*1664525 + 1013904223
		x, y := i%4032, i/4032
		m.Y[i] = uint8((x*y/1500+x/16)&127) + uint8(state>>28) + 32
	}
	for i := range m.Cb {
		m.Cb[i], m.Cr[i] = uint8(i/2016/12+60), uint8(i%2016/16+60)
	}
	return m
}

// benched returns the file that BENCH_JPEG names, or a made one.
func benched(b *testing.B) []byte {
	b.Helper()
	if path := os.Getenv("BENCH_JPEG"); path != "" {
		return filetest.Read(b, path)
	}
	return asJPEG(b, photo())
}

func BenchmarkRender(b *testing.B) {
	data := benched(b)
	b.ReportAllocs()
	for b.Loop() {
		rendered(b, data)
	}
}

// BenchmarkVips makes the same three files with vipsthumbnail, one process after the other.
func BenchmarkVips(b *testing.B) {
	if _, err := exec.LookPath("vipsthumbnail"); err != nil {
		b.Skip("vipsthumbnail is not installed")
	}
	dir := b.TempDir()
	in := filepath.Join(dir, "in.jpg")
	filetest.Write(b, in, benched(b))
	for b.Loop() {
		for _, args := range [][]string{{"-s", "1920x1920>"}, {"-s", "400x400", "-m", "centre"},
			{"-s", "1200x630", "-m", "centre"}} {
			tool(b, "vipsthumbnail", append([]string{in, "-o", filepath.Join(dir, "out.webp[Q=80,strip]")}, args...)...)
		}
	}
}
