package httpapi

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"relais/api"
	"relais/api/endpoint"
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
func media(s *Server, x *exchange) {
	size, ok := strings.CutSuffix(x.vars["image"], ".webp")
	if !ok || !slices.Contains(photos.Sizes, photos.Size(size)) {
		s.fail(x, api.ErrNotFound)
		return
	}
	if err := s.env(x).CheckUsable(api.DataPhotos); err != nil {
		s.fail(x, api.PublicError(nil, err))
		return
	}
	image, err := s.Photos.Image(x.vars["photoId"], photos.Size(size))
	switch {
	case errors.Is(err, photos.ErrNoPhoto):
		s.fail(x, api.ErrNoPhoto)
		return
	case errors.Is(err, store.ErrAway) && !errors.Is(err, store.ErrDamaged):
		s.fail(x, api.PublicError(&endpoint.Op[*api.Env]{}, err))
		return
	case err != nil:
		s.Log.Error("an image cannot be read", "requestId", x.id, "photo", x.vars["photoId"], "error", err)
		s.fail(x, api.ErrInternal)
		return
	}
	x.sharedCacheable = true
	h := x.w.Header()
	// An image never changes, so its address is its tag.
	tag := `"` + x.vars["photoId"] + "-" + size + `"`
	h["Etag"], h["Cache-Control"], h["Access-Control-Allow-Origin"] = []string{tag}, mediaCached, anyOrigin
	h["Content-Security-Policy"] = mediaPolicy
	if etagMatches(x.r.Header["If-None-Match"], tag) {
		x.sendHeader(http.StatusNotModified)
		return
	}
	if x.r.Method != http.MethodHead && !x.reserve(admit.Cost{Bytes: int64(len(image))}) {
		s.fail(x, api.ErrTooManyAnswers)
		return
	}
	h["Content-Type"], h["Content-Length"] = webpType, []string{strconv.Itoa(len(image))}
	x.sendHeader(http.StatusOK)
	if x.r.Method != http.MethodHead {
		x.Write(image) // a client that went away misses nothing
	}
}
