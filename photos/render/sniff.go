package render

import (
	"bytes"
	"fmt"
	"image"
	"io"

	"golang.org/x/image/webp"

	"relais/photos/bmp"
	"relais/photos/chunk"
	"relais/photos/heif"
	"relais/photos/tiff"
)

// A Format is one of the image formats that are read.
type Format string

const (
	JPEG Format = "JPEG"
	PNG  Format = "PNG"
	WebP Format = "WebP"
	GIF  Format = "GIF"
	BMP  Format = "BMP"
	TIFF Format = "TIFF"
	HEIC Format = "HEIC" // HEIF with a brand for HEVC
	HEIF Format = "HEIF" // HEIF without such a brand
	AVIF Format = "AVIF"
	SVG  Format = "SVG"
)

// Limits of an image, checked before it is decoded.
const (
	maxPixels = 120_000_000
	maxMemory = 600_000_000 // bytes, estimated, that decoding takes
)

// An imageHeader is what an image file states about itself. It may be wrong.
type imageHeader struct {
	Format        Format
	Width, Height int // pixels as stored, before any rotation; an SVG's are those of its picture here
	perPixel      float64
}

// sniff recognises the format by content and reads the stated size of the image
// without decoding it. Its error is ErrUnsupported, ErrHEIC, or ErrTooLarge.
func sniff(data []byte) (imageHeader, error) {
	h := imageHeader{Format: format(data)}
	err := h.read(data)
	if err == nil && (h.Width <= 0 || h.Height <= 0) {
		err = fmt.Errorf("%d × %d pixels", h.Width, h.Height)
	}
	if err != nil {
		return h, h.failed(err)
	}
	if pixels := int64(h.Width) * int64(h.Height); pixels > maxPixels {
		return h, fmt.Errorf("%w: %d × %d pixels, the most are %d", ErrTooLarge, h.Width, h.Height, maxPixels)
	} else if need := float64(pixels) * h.perPixel; need > maxMemory {
		return h, fmt.Errorf("%w: %d × %d pixels of this kind take %.0f MB to decode, the most are %d", ErrTooLarge,
			h.Width, h.Height, need/1e6, int(maxMemory/1e6))
	}
	return h, nil
}

// memory estimates the bytes of a process that renders the image, from measurements of such
// processes: a photo of two megapixels took 100 MB, an HEIC of 24 took 750 MB.
func (h imageHeader) memory() int64 {
	const program, spare, spareHEIC = 80e6, 1.25, 2.3
	decoded := float64(h.Width) * float64(h.Height) * h.perPixel
	if h.Format == HEIC || h.Format == HEIF {
		return int64(program + spareHEIC*decoded)
	}
	return int64(program + spare*decoded)
}

func format(data []byte) Format {
	begins := func(s string) bool { return bytes.HasPrefix(data, []byte(s)) }
	switch {
	case begins(chunk.SignatureJPEG):
		return JPEG
	case begins(chunk.SignaturePNG):
		return PNG
	case begins("RIFF") && len(data) >= 12 && string(data[8:12]) == "WEBP":
		return WebP
	case begins("GIF87a"), begins("GIF89a"):
		return GIF
	case tiff.HasSignature(data):
		return TIFF
	case begins("BM") && len(data) >= 14 && bytes.Equal(data[6:10], make([]byte, 4)): // reserved zeros
		return BMP
	case heif.HasSignature(data): // the boxes decide, not the major brand
		if brand := string(data[8:12]); brand == "avif" || brand == "avis" {
			return AVIF
		}
		return HEIF
	case isSVG(data):
		return SVG
	}
	return ""
}

// read reads the size and estimates the bytes a pixel takes in the decoder.
func (h *imageHeader) read(data []byte) error {
	switch h.Format {
	case JPEG:
		if err := checkJPEG(data); err != nil {
			return err
		}
		return h.readJPEG(data)
	case PNG:
		return h.readPNG(data)
	case WebP:
		frame, canvas, err := stillWebP(data)
		if err != nil {
			return err
		}
		if err := h.config(frame.file, webp.DecodeConfig, 12); err != nil { // lossless: twice, and once converted
			return err
		}
		if inner := image.Pt(h.Width, h.Height); canvas != (image.Point{}) {
			if frame.at.X+inner.X > canvas.X || frame.at.Y+inner.Y > canvas.Y {
				return fmt.Errorf("the first frame does not fit in the canvas")
			}
			h.Width, h.Height = canvas.X, canvas.Y
		}
		return nil
	case GIF:
		return h.readGIF(data)
	case BMP:
		f, err := bmp.Parse(data)
		if err != nil {
			return err
		}
		h.Width, h.Height, h.perPixel = f.Width, f.Height, 4
		return nil
	case TIFF:
		f, err := tiff.Parse(data)
		if err != nil {
			return err
		}
		h.Width, h.Height = f.Width, f.Height
		h.perPixel = f.Memory() / float64(f.Width) / float64(f.Height)
		return nil
	case HEIF, AVIF:
		return h.readHEIF(data)
	case SVG:
		return h.readSVG(data)
	}
	return fmt.Errorf("it does not begin like any of the supported formats")
}

// config lets a decoder read the header.
func (h *imageHeader) config(data []byte, read func(io.Reader) (image.Config, error), perPixel float64) error {
	c, err := guarded(func() (image.Config, error) { return read(bytes.NewReader(data)) })
	h.Width, h.Height, h.perPixel = c.Width, c.Height, perPixel
	return err
}

// readHEIF takes the pixels of all tiles, which a decoder has to decode, for the size if they
// are more than the picture has.
func (h *imageHeader) readHEIF(data []byte) error {
	const perPixel = 12 // measured: 12 megapixels of AVIF take 180 MB, of HEIC more
	f, err := heif.Parse(data)
	if err != nil {
		return err
	}
	switch h.Format = HEIF; f.Codec() {
	case "av01":
		h.Format = AVIF
	case "hvc1", "hev1":
		for _, brand := range []string{"heic", "heix", "heim", "heis", "hevc", "hevx"} {
			if f.HasBrand(brand) {
				h.Format = HEIC
			}
		}
	}
	pixels, err := f.Pixels()
	if err != nil {
		return err
	}
	if pixels > maxPixels {
		return fmt.Errorf("%w: %d pixels, the most are %d", ErrTooLarge, pixels, maxPixels)
	}
	primary := f.Primary()
	h.Width, h.Height = int(primary.Width), int(primary.Height)
	if g, err := primary.Grid(); err == nil && h.Width == 0 {
		h.Width, h.Height = int(g.Width), int(g.Height)
	}
	if own := float64(h.Width) * float64(h.Height); own > 0 {
		h.perPixel = perPixel * max(1, float64(pixels)/own)
	}
	return nil
}
