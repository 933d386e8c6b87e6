package httpapi

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"relais/api"
	"relais/api/endpoint"
	"relais/catalog"
	"relais/internal/admit"
	"relais/internal/store"
	"relais/photos"
)

// mediaPath is the path of photos' images. Anybody who knows an address may see the image.
const mediaPath = "/media/photos/{photoId}/{image}"

var (
	webpType    = []string{"image/webp"}
	mediaCached = []string{"public, max-age=300"}
	anyOrigin   = []string{"*"}
	mediaPolicy = []string{"default-src 'none'"} // a page may frame an image
)

// media answers an image of a photo that is not hidden.
func media(w *answer, r *request) {
	s := r.server
	size, ok := strings.CutSuffix(r.vars["image"], ".webp")
	if !ok || !slices.Contains(photos.Sizes, photos.Size(size)) {
		w.fail(api.ErrNotFound)
		return
	}
	if err := r.env().Usable(catalog.DataPhotos); err != nil {
		w.fail(api.PublicError(nil, err))
		return
	}
	image, err := s.Photos.Image(r.vars["photoId"], photos.Size(size))
	switch {
	case errors.Is(err, photos.ErrNoPhoto):
		w.fail(api.ErrNoPhoto)
		return
	case errors.Is(err, store.ErrAway) && !errors.Is(err, store.ErrDamaged):
		w.fail(api.PublicError(&endpoint.Op[*api.Env]{}, err))
		return
	case err != nil:
		s.Log.Error("an image cannot be read", "requestId", r.id, "photo", r.vars["photoId"], "error", err)
		w.fail(api.ErrInternal)
		return
	}
	w.shared = true
	h := w.Header()
	// An image never changes, so its address is its tag.
	tag := `"` + r.vars["photoId"] + "-" + size + `"`
	h["Etag"], h["Cache-Control"], h["Access-Control-Allow-Origin"] = []string{tag}, mediaCached, anyOrigin
	h["Content-Security-Policy"] = mediaPolicy
	if etagMatches(r.Header["If-None-Match"], tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	if r.Method != http.MethodHead && !w.reserve(admit.Cost{Bytes: int64(len(image))}) {
		w.fail(api.ErrTooManyAnswers)
		return
	}
	h["Content-Type"], h["Content-Length"] = webpType, []string{strconv.Itoa(len(image))}
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		w.Write(image) // a client that went away misses nothing
	}
}
