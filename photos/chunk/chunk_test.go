package chunk

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"slices"
	"testing"
)

func TestJPEG(t *testing.T) {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 300, 8)), nil); err != nil {
		t.Fatal(err)
	}
	// Fill, a standalone marker and rubbish between the segments.
	file := append([]byte("\xff\xd8\xff\xff\xe0\x00\x04ab\xff\xd0rubbish\xff\x00"), b.Bytes()[2:]...)
	var got []string
	for marker, body := range JPEG(file) {
		got = append(got, fmt.Sprintf("%02x %d", marker, len(body)))
	}
	// Quantisation, frame header and Huffman tables of the standard library's encoder.
	if want := []string{"e0 2", "db 130", "c0 9", "c4 208"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestPNG(t *testing.T) {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 3, 8))); err != nil {
		t.Fatal(err)
	}
	var got []string
	for name := range PNG(b.Bytes()) {
		got = append(got, name)
	}
	if want := []string{"IHDR", "IDAT", "IEND"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestRIFF(t *testing.T) {
	file := []byte("RIFF\x20\x00\x00\x00WEBPabcd\x03\x00\x00\x00xyz\x00efgh\x00\x00\x00\x00ijkl\xff\xff\xff\xffz")
	var got []string
	for name, body := range RIFF(file, "WEBP") {
		got = append(got, name+" "+string(body))
	}
	if want := []string{"abcd xyz", "efgh "}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for range RIFF(file, "WAVE") {
		t.Error("a file of another form yields a chunk, want none")
	}
}

func FuzzChunks(f *testing.F) {
	f.Add([]byte("\xff\xd8\xff\xe0\x00\x04ab\xff\xda"))
	f.Add([]byte(SignaturePNG + "\x00\x00\x00\x01IHDRx\x00\x00\x00\x00"))
	f.Add([]byte("RIFF\x20\x00\x00\x00WEBPabcd\x03\x00\x00\x00xyz"))
	f.Fuzz(func(t *testing.T, data []byte) {
		sum := 0
		for _, body := range JPEG(data) {
			sum += len(body)
		}
		for _, body := range PNG(data) {
			sum += len(body)
		}
		for _, body := range RIFF(data, "WEBP") {
			sum += len(body)
		}
		if sum > len(data) {
			t.Errorf("chunks have %d bytes of %d", sum, len(data))
		}
	})
}
