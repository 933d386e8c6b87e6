package render

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image/jpeg"
	"image/png"
	"io"

	"relais/photos/avif"
	"relais/photos/bmp"
	"relais/photos/chunk"
	"relais/photos/heif"
	"relais/photos/icc"
	"relais/photos/tiff"
)

// An unsupported is the error of an image that looks sound, but has
// something that is not supported.
type unsupported struct{ what, instead string }

func (u *unsupported) Error() string {
	return fmt.Sprintf("%s, which is not supported: save it as %s", u.what, u.instead)
}

var errCutOff = errors.New("the file is cut off: send it again from the beginning")

// inWords adds what a user can do about it to a decoder's error.
func (h imageHeader) inWords(err error) error {
	var (
		ofJPEG jpeg.UnsupportedError
		ofPNG  png.UnsupportedError
		ofTIFF tiff.UnsupportedError
		ofBMP  bmp.UnsupportedError
	)
	switch {
	case errors.As(err, &ofJPEG) && string(ofJPEG) == "luma/chroma subsampling ratio":
		return &unsupported{"the colours of this JPEG are sampled in an unusual way",
			"a JPEG of 4:4:4, 4:2:2 or 4:2:0, or as PNG"}
	case errors.As(err, &ofJPEG):
		return &unsupported{"this kind of JPEG has something unusual (" + string(ofJPEG) + ")", "an RGB JPEG or as PNG"}
	case errors.As(err, &ofPNG):
		return &unsupported{"this kind of PNG has something unusual (" + string(ofPNG) + ")",
			"JPEG or as a PNG of another kind"}
	case errors.As(err, &ofTIFF):
		return &unsupported{string(ofTIFF), "JPEG, PNG or an RGB TIFF with LZW"}
	case errors.Is(err, avif.ErrUnsupported), errors.Is(err, heif.ErrUnsupported), errors.Is(err, icc.ErrUnsupported):
		return fmt.Errorf("%w: save it as JPEG or PNG", err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errCutOff
	case errors.As(err, &ofBMP):
		return &unsupported{string(ofBMP), "PNG or JPEG"}
	}
	return err
}

// checkJPEG refuses a file without a frame that can be decoded (ITU-T T.81, table B.1).
func checkJPEG(data []byte) error {
	adobe, channels := false, byte(0)
	for marker, sof := range chunk.JPEG(data) {
		switch {
		case marker == 0xee && bytes.HasPrefix(sof, []byte("Adobe")):
			adobe = true
		case marker == 0xc3:
			return &unsupported{"this JPEG is lossless", "PNG"}
		case marker >= 0xc5 && marker <= 0xcf && marker != 0xc8 && marker != 0xcc:
			return &unsupported{"this JPEG is arithmetic-coded or hierarchical", "an ordinary JPEG"}
		case marker >= 0xc0 && marker <= 0xc2 && len(sof) >= 6:
			if sof[0] != 8 {
				return &unsupported{fmt.Sprintf("this JPEG has %d bits a channel", sof[0]),
					"a JPEG of 8 bits or as PNG"}
			}
			if channels = sof[5]; channels == 2 || channels > 4 {
				return &unsupported{fmt.Sprintf("this JPEG has %d channels", channels), "an RGB JPEG"}
			}
			if w, h := binary.BigEndian.Uint16(sof[3:]), binary.BigEndian.Uint16(sof[1:]); w == 0 || h == 0 {
				return errors.New("this JPEG does not state its size")
			}
		}
	}
	if channels == 4 && !adobe {
		return &unsupported{"this JPEG has four channels, and no mark of Adobe's says what they are", "an RGB JPEG"}
	}
	return nil
}
