package moderation

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"relais/photos"
)

// image answers an image of a photo, also of one that nobody else sees.
func (q *request) image() {
	id, name, _ := strings.Cut(strings.TrimPrefix(q.r.URL.Path, Path+"/images/"), "/")
	size, ok := strings.CutSuffix(name, ".webp")
	if !ok || !slices.Contains(photos.Sizes, photos.Size(size)) || q.r.Method == http.MethodPost {
		q.fail(photos.ErrNoPhoto)
		return
	}
	image, err := q.Stores.Photos.AnyImage(id, photos.Size(size))
	if err != nil {
		q.fail(err)
		return
	}
	h := q.w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Content-Type", "image/webp")
	h.Set("Content-Length", strconv.Itoa(len(image)))
	if q.r.Method != http.MethodHead {
		_, _ = q.w.Write(image) // fails only if the reader has gone away
	}
}
