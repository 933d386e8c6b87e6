package render

import (
	"bytes"
	"image"
	"image/jpeg"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"relais/internal/filetest"
)

// A file that is cut anywhere is refused, unless every pixel is there: then it shows what the whole file shows.
func TestCutJPEG(t *testing.T) {
	if _, err := exec.LookPath("convert"); err != nil {
		t.Skip("convert is not installed")
	}
	dir := t.TempDir()
	filetest.Write(t, filepath.Join(dir, "photo.png"), asPNG(t, sample(50, 40)))
	for name, options := range map[string]string{
		"baseline": "", "progressive": "-interlace JPEG", "restarts": "-define jpeg:restart-interval=2",
		"grey": "-colorspace gray", "4:4:4": "-sampling-factor 1x1", "progressive, 4:4:4": "-interlace JPEG -sampling-factor 1x1",
	} {
		t.Run(name, func(t *testing.T) {
			command(t, dir, strings.Join(strings.Fields("convert photo.png -quality 90 "+options+" out.jpg"), " "))
			file := filetest.Read(t, filepath.Join(dir, "out.jpg"))
			whole, err := jpeg.Decode(bytes.NewReader(file))
			must(t, err)
			if !bytes.HasSuffix(file, []byte(endOfImageJPEG)) {
				t.Fatal("the file of the test has no end marker")
			}
			for n := range len(file) {
				m, err := decodeJPEG(file[:n])
				switch {
				case err != nil && n >= len(file)-2:
					t.Errorf("without the last %d bytes: error = %v, want none", len(file)-n, err)
				case err == nil && difference(m, whole) > 0:
					t.Fatalf("without the last %d bytes it is shown otherwise, want an error", len(file)-n)
				}
			}
		})
	}
}

// Most files are written by libjpeg-turbo, which Chromium has, too.
func jpegVariants(t *testing.T) formatTest {
	t.Helper()
	m := sample(96, 64)
	cut := func(file []byte) []byte { return file[:len(file)-2] }
	half := func(file []byte) []byte { return file[:len(file)/2] }
	segmentless := func(marker byte) func([]byte) []byte {
		return func(file []byte) []byte { return without(file, marker) }
	}
	return formatTest{sources: map[string]image.Image{"photo.png": m}, variants: []variant{
		{name: "jpg baseline", make: "convert photo.png OUT"},
		{name: "jpg progressive", make: "convert photo.png -interlace JPEG OUT"},
		{name: "jpg 4:4:4", make: "convert photo.png -sampling-factor 1x1 OUT"},
		{name: "jpg 4:2:2", make: "convert photo.png -sampling-factor 2x1 OUT", look: byBrowser},
		{name: "jpg 4:4:0", make: "convert photo.png -sampling-factor 1x2 OUT", look: byBrowser, bound: 3},
		{name: "jpg 4:1:1", make: "convert photo.png -sampling-factor 4x1 OUT", look: byBrowser, bound: 3},
		{name: "jpg 4:1:0", make: "convert photo.png -sampling-factor 4x2 OUT", look: byBrowser, bound: 4},
		{name: "jpg unusual sampling", make: "convert photo.png -sampling-factor 2x2,1x2,1x1 OUT",
			words: "sampled in an unusual way"},
		{name: "jpg sampling of 3", make: "convert photo.png -sampling-factor 3x1 OUT",
			words: "sampled in an unusual way"},
		{name: "jpg grey", make: "convert photo.png -colorspace gray OUT"},
		{name: "jpg RGB", make: "convert photo.png -colorspace RGB -set colorspace sRGB -define jpeg:colorspace=RGB OUT"},
		{name: "jpg YCCK", make: "convert photo.png -colorspace CMYK OUT"},
		{name: "jpg CMYK", make: "convert photo.png -colorspace CMYK OUT", change: func(file []byte) []byte {
			const transform = 11 // in Adobe's segment, behind its name, version and flags
			file[bytes.Index(file, []byte("Adobe"))+transform] = 0
			return file
		}},
		{name: "jpg restarts", make: "convert photo.png -define jpeg:restart-interval=3 OUT"},
		{name: "jpg without its end", make: "convert photo.png OUT", change: cut},
		{name: "jpg progressive without its end", make: "convert photo.png -interlace JPEG OUT", change: cut},
		{name: "jpg half", make: "convert photo.png OUT", change: half, words: "cut off"},
		{name: "jpg progressive, half", make: "convert photo.png -interlace JPEG OUT", change: half,
			words: "cut off"},
		{name: "jpg without Huffman tables", make: "convert photo.png OUT", change: segmentless(0xc4),
			words: "Huffman tables"},
		{name: "jpg without quantization tables", make: "convert photo.png OUT", change: segmentless(0xdb),
			words: "quantization tables"},
		{name: "jpg with a profile", make: "convert photo.png -profile " + displayP3(t) + " OUT", look: byBrowser},
		{name: "jpg on its side", make: "convert photo.png -orient RightTop -set exif:Orientation 6 OUT"},
	}}
}

// without removes the segments of a kind that come before the scan.
func without(file []byte, marker byte) []byte {
	out, rest := bytes.Clone(file[:2]), file[2:]
	for len(rest) > 4 && rest[1] != 0xda {
		length := 2 + int(rest[2])<<8 + int(rest[3])
		if rest[1] != marker {
			out = append(out, rest[:length]...)
		}
		rest = rest[length:]
	}
	return append(out, rest...)
}
