// Package render makes the three pictures that are shown from an uploaded image. It is
// pure: bytes in, bytes out. It refuses images whose header states too much, but does not
// protect the process from decoders that run out of memory or time: run it in a process that
// can be killed.
package render

import (
	"context"
	"errors"
	"fmt"
	"image"
	"sync"

	"golang.org/x/sync/errgroup"

	"relais/photos/avif"
	"relais/photos/exif"
	"relais/photos/heif"
	"relais/photos/icc"
	"relais/photos/tiff"
)

var (
	// ErrTooLarge says that the image has too many pixels, or takes too much memory.
	ErrTooLarge = errors.New("the image is too large")
	// ErrUnsupported says that the image is damaged, or of an unsupported kind.
	ErrUnsupported = errors.New("the image cannot be read")
	// ErrHEIC says that a HEIC or HEIF image is damaged, or of an unsupported kind.
	ErrHEIC = errors.New("the HEIC image cannot be converted")
)

// failed wraps err in one of the errors above.
func (h imageHeader) failed(err error) error {
	kind := ErrUnsupported
	switch {
	case h.Format == HEIC, h.Format == HEIF:
		kind = ErrHEIC
	case errors.Is(err, avif.ErrTooLarge):
		kind = ErrTooLarge
	}
	if errors.Is(err, ErrTooLarge) || errors.Is(err, kind) {
		return err
	}
	return fmt.Errorf("%w: %w", kind, h.inWords(err))
}

// Sizes in pixels. Main fits into its square and is never enlarged; the other two are
// filled from the middle of the image, which is enlarged if necessary, so that
// they always have their size.
const (
	mainSide                        = 1920
	thumbnailSide                   = 400
	openGraphWidth, openGraphHeight = 1200, 630
	mainBytes                       = 2 << 20 // main aims to have fewer
)

// A Picture is a WebP file without metadata.
type Picture struct {
	WebP          []byte
	Width, Height int
}

// A Result is the rendered pictures of an image, and its metadata.
type Result struct {
	Format                     Format
	Main, Thumbnail, OpenGraph Picture
	Rotation                   int         // applied turn, degrees clockwise: 0, 90, 180 or 270; without mirroring
	Exif                       exif.Fields // of the file, including the position
}

// A Renderer renders images. The zero value does not decode AVIF. It is safe for concurrent use.
type Renderer struct {
	// Memory is how many bytes the process may take; 0 means maxMemory.
	Memory int64
	// AVIF decodes an AVIF image and applies its transforms.
	AVIF func(ctx context.Context, data []byte) (*avif.Picture, error)
}

// New returns a Renderer of every format. The decoders of AVIF and HEIC are compiled when they
// are first needed, in about half a second each.
func New() Renderer {
	compiled := sync.OnceValues(func() (*avif.Decoder, error) {
		return avif.NewDecoder(context.Background(), avif.Limits{Pixels: maxPixels, Memory: maxMemory})
	})
	return Renderer{AVIF: func(ctx context.Context, data []byte) (*avif.Picture, error) {
		d, err := compiled()
		if err != nil {
			return nil, err
		}
		return d.Decode(ctx, data)
	}}
}

// Render decodes an image and makes the three pictures. An error that is not one of the
// package's is the server's fault, or ctx's.
func (r Renderer) Render(ctx context.Context, data []byte) (*Result, error) {
	res, o, err := r.open(ctx, data)
	if err != nil {
		return nil, err
	}
	return res, res.make(ctx, o)
}

// An opened image is decoded, but neither turned upright nor in sRGB.
type opened struct {
	image.Image
	turn    orientation
	profile *icc.Profile
}

// open decodes an image. The result lacks its pictures.
func (r Renderer) open(ctx context.Context, data []byte) (*Result, opened, error) {
	o := opened{turn: upright}
	h, err := sniff(data)
	if err != nil {
		return nil, o, err
	}
	if r.Memory > 0 && h.memory() > r.Memory {
		return nil, o, fmt.Errorf("%w: decoding its %d × %d pixels takes about %d MB, this server has %d MB for an image",
			ErrTooLarge, h.Width, h.Height, h.memory()/1e6, r.Memory/1e6)
	}
	res := &Result{Format: h.Format}
	res.Exif, _ = exif.Read(data) // fields that cannot be read are left out
	switch h.Format {
	case TIFF:
		if f, err := tiff.Parse(data); err == nil {
			o.turn = orientation(f.Orientation)
		}
	case JPEG, PNG, WebP:
		o.turn = orientation(res.Exif.Orientation)
	}
	res.Rotation = o.turn.degrees()
	o.Image, err = r.decode(ctx, h, data)
	if ctx.Err() != nil {
		return nil, o, ctx.Err()
	}
	if err != nil {
		return nil, o, h.failed(err)
	}
	var coded *heif.Color
	switch h.Format {
	case HEIC, HEIF, AVIF: // the decoders turn the picture themselves
		res.Rotation = rotationHEIF(data)
		if p, ok := o.Image.(*avif.Picture); ok {
			o.Image, coded = p.NRGBA, &p.Color
		}
	}
	if o.profile, err = profileOf(h.Format, data, coded); err != nil {
		return nil, o, h.failed(err)
	}
	return res, o, nil
}

// make fills in the pictures. The smaller ones are encoded while main is, and are cut from
// it where it is large enough. Colours are converted last, because fewer pixels remain.
func (res *Result) make(ctx context.Context, o opened) error {
	main := o.main()
	work, ctx := errgroup.WithContext(ctx)
	work.Go(func() (err error) {
		res.Main, err = encodeBelow(ctx, o.profile.Convert(main), mainBytes)
		return err
	})
	work.Go(func() (err error) {
		wide := cover(main, o.Image, o.turn, openGraphWidth, openGraphHeight)
		if res.OpenGraph, err = encode(ctx, o.profile.Convert(wide), quality); err != nil {
			return err
		}
		square := cover(main, o.Image, o.turn, thumbnailSide, thumbnailSide)
		res.Thumbnail, err = encode(ctx, o.profile.Convert(square), quality)
		return err
	})
	return work.Wait()
}

// main returns the main picture, upright, before its colours are converted.
func (o opened) main() *image.NRGBA { return o.turn.apply(fit(o.Image, mainSide)) }
