package exif

import (
	"bytes"

	"relais/photos/chunk"
	"relais/photos/heif"
)

// preamble precedes the TIFF always in JPEG, and sometimes elsewhere.
var preamble = []byte("Exif\x00\x00")

// cut returns the Exif TIFF of a file, or nil. The beginning decides the format: JPEG APP1
// (Exif 2.3, 4.7.2), PNG eXIf, WebP EXIF, the Exif item of HEIF and AVIF (ISO/IEC
// 23008-12, A.2.1), and TIFF itself.
func cut(file []byte) ([]byte, error) {
	if _, err := byteOrder(file); err == nil {
		return file, nil
	}
	for marker, content := range chunk.JPEG(file) {
		if blob, ok := bytes.CutPrefix(content, preamble); ok && marker == 0xe1 {
			return blob, nil
		}
	}
	for name, content := range chunk.PNG(file) {
		if name == "eXIf" {
			return bytes.TrimPrefix(content, preamble), nil
		}
	}
	for name, content := range chunk.RIFF(file, "WEBP") {
		if name == "EXIF" {
			return bytes.TrimPrefix(content, preamble), nil
		}
	}
	return cutHEIF(file)
}

func cutHEIF(file []byte) ([]byte, error) {
	if !heif.HasSignature(file) {
		return nil, nil
	}
	f, err := heif.Parse(file)
	if err != nil {
		return nil, err
	}
	blob, err := f.Exif()
	return bytes.TrimPrefix(blob, preamble), err
}
