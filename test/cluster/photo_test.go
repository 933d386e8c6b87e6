//go:build linux

package cluster

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"mime/multipart"
)

// picture is a small photo.
func picture(width, height int) []byte {
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			m.Set(x, y, color.RGBA{uint8(x * 9), uint8(y * 9), uint8(x ^ y), 255})
		}
	}
	var b bytes.Buffer
	jpeg.Encode(&b, m, nil) // into memory
	return b.Bytes()
}

// photoForm is the body of an upload, and its type.
func photoForm(file []byte, description string) (body []byte, contentType string) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	w.WriteField("description", description) // into memory
	part, err := w.CreateFormFile("file", "photo.jpg")
	if err != nil {
		panic(err)
	}
	part.Write(file)
	w.Close()
	return b.Bytes(), w.FormDataContentType()
}
