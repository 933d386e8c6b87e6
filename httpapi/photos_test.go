package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"relais/api"
	"relais/api/endpoint"
	"relais/auth/access"
	"relais/community/audit"
	"relais/internal/admit"
	"relais/internal/folder"
	"relais/internal/store/storetest"
	"relais/photos"
	"relais/photos/exif"
	"relais/photos/render"
	"relais/photos/worker"
)

// newPhotos keeps photos in a folder of their own; what a file says is what becomes
// of it.
func newPhotos(t testing.TB) *photos.Store {
	t.Helper()
	dir := folder.Dir(t.TempDir())
	db := storetest.Open(t, string(dir)+"/photos.db", photos.Buckets...)
	kept := photos.Open(db, dir, time.Now)
	t.Cleanup(func() { kept.Close(); db.Close() })
	return kept
}

// fakeRender stands for the workers.
func fakeRender(_ context.Context, _ string, file io.Reader, size int64) (*render.Result, error) {
	text, err := io.ReadAll(file)
	if err != nil || int64(len(text)) != size {
		return nil, fmt.Errorf("%d bytes of %d: %w", len(text), size, err)
	}
	for says, err := range map[string]error{"busy": worker.ErrBusy, "large": render.ErrTooLarge, "heic": render.ErrHEIC,
		"damaged": render.ErrUnsupported, "broken": errors.New("disk on fire")} {
		if string(text) == says {
			return nil, err
		}
	}
	direction := 271.5
	r := &render.Result{Rotation: 90,
		Exif: exif.Fields{Model: "A camera", Direction: &direction, Position: &exif.Position{Lat: 48, Lon: 2}}}
	for name, p := range map[string]*render.Picture{"main": &r.Main, "thumb": &r.Thumbnail, "og": &r.OpenGraph} {
		p.WebP = []byte(name + " of " + string(text[:min(len(text), 20)]))
	}
	return r, nil
}

// ask sends a request for an operation: with fields in the body where it takes one,
// which get what it needs.
func ask(t testing.TB, s *Server, op *endpoint.Op[*api.Env], query string, fields map[string]string,
	i *access.Issued) *httptest.ResponseRecorder {
	t.Helper()
	target := mount + path(op)
	body, contentType := bodyOf(op, fields)
	headers := []string{"Content-Type", contentType}
	if i != nil {
		headers = append(headers, credentials(i, op.Method, target, time.Now(), body)...)
	}
	return send(t, s, op.Method, target+"?"+query, body, headers...)
}

func bodyOf(op *endpoint.Op[*api.Env], fields map[string]string) (body []byte, contentType string) {
	if op.Body == nil {
		return nil, ""
	}
	all := maps.Clone(fields)
	if all == nil {
		all = map[string]string{}
	}
	if op.Name == "photos.report" && all["reason"] == "" {
		all["reason"] = "spam"
	}
	if op.Asks {
		return []byte(`{"cells": [{"enb": "1"}]}`), endpoint.JSON
	}
	if op.Body.Type == endpoint.JSON {
		body, _ := json.Marshal(all)
		return body, endpoint.JSON
	}
	parts := []part{{"file", "f", "a photo"}}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if name == "file" {
			parts[0].content = all[name]
		} else {
			parts = append(parts, part{name, "", all[name]})
		}
	}
	return form(parts...)
}

func operationNamed(t testing.TB, name string) *endpoint.Op[*api.Env] {
	t.Helper()
	for _, op := range api.Operations() {
		if op.Name == name {
			return op
		}
	}
	t.Fatalf("no operation %s", name)
	return nil
}

// upload sends a photo of the site of every test.
func upload(t testing.TB, s *Server, fields map[string]string) *httptest.ResponseRecorder {
	t.Helper()
	return ask(t, s, operationNamed(t, "photos.upload"), "", fields, nil)
}

func TestPhotos(t *testing.T) {
	s := newServer(t)
	site := parse(t, get(t, s, "/sites/90000010"), 200)["data"].(object)
	operators := site["operators"].([]any)
	operator := operators[0].(string)
	before := get(t, s, "/sites/90000010/photos")
	if o := parse(t, before, 200); len(o["data"].([]any)) != 0 || o["meta"].(object)["total"] != json.Number("0") {
		t.Errorf("a site without photos: %v, want no data and total = 0", o)
	}
	w := upload(t, s, map[string]string{"description": "Two\r\nlines", "operator": strings.ToLower(operator),
		"anfrCode": site["anfrCode"].(string), "nationalSiteCode": "fr-90000010",
		"exifMetadata": `{"Make":"X","Model":"Not this","DateTimeOriginal":"2024:05:01 12:00:00"}`})
	up := parse(t, w, 201)
	photo, meta := up["data"].(object), up["meta"].(object)
	id := photo["id"].(string)
	image := "http://relais.test/media/photos/" + id + "/main.webp"
	wantMembers(t, photo, object{"siteId": "90000010", "caption": "Two\nlines", "approved": true, "operator": operator,
		"authorName": "every test", "imageUrl": image, "thumbnailUrl": strings.Replace(image, "main", "thumb", 1),
		"ogImageUrl": strings.Replace(image, "main", "og", 1)}, "the photo")
	if w.Header().Get("Location") != image || meta["source"] != "api_client" || meta["clientName"] != "every test" {
		t.Errorf("Location %q, meta %v, want %q, source = api_client and clientName = every test",
			w.Header().Get("Location"), meta, image)
	}
	public := photo["publicMetadata"].(object)
	wantMembers(t, public, object{"cameraModel": "A camera", "takenDate": "2024-05-01",
		"takenDateLabel": "1er mai 2024", "takenMonth": "2024-05", "takenMonthLabel": "mai 2024",
		"gpsImgDirectionDegrees": json.Number("271.5"),
		"orientationDegrees":     json.Number("90")}, "publicMetadata")
	if d, err := public["distanceToSiteMeters"].(json.Number).Int64(); err != nil || d < 1 || d > 2e6 || d%10 != 0 ||
		len(public) != 8 {
		t.Errorf("publicMetadata is %v, want 8 members and distanceToSiteMeters to ten metres", public)
	}
	after := get(t, s, "/sites/fr-90000010/photos?operator="+operator, "If-None-Match", before.Header().Get("Etag"))
	list := parse(t, after, 200)
	listed := list["data"].([]any)[0].(object)
	wantMembers(t, listed, object{"id": id, "likeCount": json.Number("0"), "commentCount": json.Number("0"),
		"uploadedAt": photo["uploadedAt"]}, "the list")
	if m := list["meta"].(object); m["total"] != json.Number("1") || m["limit"] != json.Number("20") ||
		m["hasMore"] != false || m["site"].(object)["fullAddress"] != site["fullAddress"] {
		t.Errorf("the list's meta is %v, want total = 1, limit = 20, hasMore = false and fullAddress = %v", m,
			site["fullAddress"])
	}
	if len(operators) > 1 {
		if o := parse(t, get(t, s, "/sites/90000010/photos?operator="+operators[1].(string)),
			200); len(o["data"].([]any)) != 0 {
			t.Errorf("the photo is listed for another operator: %v, want no data", o)
		}
	}
	tag := after.Header().Get("Etag")
	if w := get(t, s, "/sites/fr-90000010/photos?operator="+operator, "If-None-Match", tag); w.Code != 304 {
		t.Errorf("an unchanged list: %d, want 304", w.Code)
	}
	if _, err := s.Photos.Hide(id, audit.Decision{Why: "a face"}); err != nil {
		t.Fatal(err)
	}
	wantError(t, do(t, s, "GET", "/media/photos/"+id+"/main.webp", "If-None-Match", `"`+id+`-main"`), 404,
		"PHOTO_NOT_FOUND")
	if o := parse(t, get(t, s, "/sites/fr-90000010/photos?operator="+operator, "If-None-Match", tag),
		200); len(o["data"].([]any)) != 0 {
		t.Errorf("a hidden photo is listed: %v, want no data", o)
	}
}

func TestPhotoImages(t *testing.T) {
	s := newServer(t)
	id := parse(t, upload(t, s, nil), 201)["data"].(object)["id"].(string)
	for i, name := range []string{"main", "thumb", "og"} {
		target := "/media/photos/" + id + "/" + name + ".webp"
		w := do(t, s, "GET", target, "X-API-Key", "", "Origin", allowedOrigin)
		if w.Code != 200 || w.Body.String() != name+" of a photo" {
			t.Errorf("%s: status %d, body %q; want 200 and the image", name, w.Code, w.Body)
		}
		for _, tt := range []struct{ header, want string }{
			{"Content-Type", "image/webp"},
			{"Cache-Control", "public, max-age=300"},
			{"X-Content-Type-Options", "nosniff"},
			{"Content-Security-Policy", "default-src 'none'"},
			{"Access-Control-Allow-Origin", "*"},
			{"RateLimit", ""},
		} {
			t.Run(tt.header, func(t *testing.T) {
				if got := w.Header().Get(tt.header); got != tt.want {
					t.Errorf("%s has %s %q, want %q", name, tt.header, got, tt.want)
				}
			})
		}
		full := &answer{request: &request{server: s, address: netip.MustParseAddr("192.0.2.1")}}
		if !full.reserve(admit.Cost{Bytes: clientBytes / 2}) { // of an address that reads no images
			t.Fatal("something is under way")
		}
		wantError(t, do(t, s, "GET", target), 503, "BUSY")
		if other := do(t, s, "GET", target, "X-Test-Peer",
			"192.0.2.2:1"); other.Code != 200 {
			t.Errorf("%s for another address: %d, want 200", name, other.Code)
		}
		full.claim.Release()
		if again := do(t, s, "GET", target, "If-None-Match",
			w.Header().Get("Etag")); again.Code != 304 || again.Body.Len() != 0 {
			t.Errorf("%s again: %d, Body %v, want 304 and Body = 0", name, again.Code, again.Body.Len())
		}
		if head := do(t, s, "HEAD", target); head.Code != 200 || head.Body.Len() != 0 ||
			head.Header().Get("Content-Length") != fmt.Sprint([]int{15, 16, 13}[i]) {
			t.Errorf("HEAD of %s: got %d, %d bytes, Content-Length %s, want 200 without a body and %d", name,
				head.Code, head.Body.Len(), head.Header().Get("Content-Length"), []int{15, 16, 13}[i])
		}
	}
}

func TestUploadRefused(t *testing.T) {
	s := newServer(t)
	for _, tt := range []struct {
		name       string
		fields     map[string]string
		status     int
		code, says string
	}{
		{"damaged", map[string]string{"file": "damaged"}, 400, "UNSUPPORTED_IMAGE_FORMAT", "cannot be read"},
		{"large", map[string]string{"file": "large"}, 400, "IMAGE_TOO_LARGE", "too large"},
		{"HEIC", map[string]string{"file": "heic"}, 400, "HEIC_CONVERSION_FAILED", ""},
		{"busy", map[string]string{"file": "busy"}, 503, "BUSY", ""},
		{"broken", map[string]string{"file": "broken"}, 500, "PHOTO_UPLOAD_FAILED", "internal"},
		{"operator", map[string]string{"operator": "ZEOP"}, 400, "INVALID_OPERATOR", "ZEOP"},
		{"another site", map[string]string{"anfrCode": "90000011"}, 400, "INVALID_PARAMETER", "anfrCode"},
		{"no site", map[string]string{"sourceCode": "no such"}, 400, "INVALID_PARAMETER", "sourceCode"},
		{"no JSON", map[string]string{"exifMetadata": "{"}, 400, "INVALID_PARAMETER", "exifMetadata"},
		{"deep JSON", map[string]string{"clientExifMetadata": strings.Repeat("[", 10_000)}, 400, "INVALID_PARAMETER",
			"clientExifMetadata"},
		{"large JSON", map[string]string{"exifMetadata": `{"a":"` + strings.Repeat("x", 1<<20) + `"}`}, 400,
			"INVALID_PARAMETER", "exifMetadata"},
		{"two JSONs", map[string]string{"exifMetadata": "{}", "clientExifMetadata": "{}"}, 400, "INVALID_PARAMETER",
			"one of them"},
		{"20 MB + 1", map[string]string{"file": strings.Repeat("x", 20<<20+1)}, 400, "IMAGE_TOO_LARGE", "20971520"},
		{"22 MB", map[string]string{"file": strings.Repeat("x", 22<<20)}, 400, "IMAGE_TOO_LARGE", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := upload(t, s, tt.fields)
			wantError(t, w, tt.status, tt.code, tt.says)
			if (tt.status == 503) != (w.Header().Get("Retry-After") != "") {
				t.Errorf("status %d, Retry-After %q, want it with a 503 only", w.Code, w.Header().Get("Retry-After"))
			}
		})
	}
	body, contentType := form(part{"description", "", "no file"})
	key, _ := testKeys.Load(s.Gate)
	wantError(t, postTo(t, s, key.(string), "/sites/90000010/photos", contentType, bytes.NewReader(body)),
		400, "MISSING_FILE", "file")
	wantError(t, postTo(t, s, key.(string), "/sites/1/photos", contentType, bytes.NewReader(body)), 400, "MISSING_FILE",
		"file")
	body, contentType = form(part{"file", "f", "a photo"})
	wantError(t, postTo(t, s, key.(string), "/sites/1/photos", contentType, bytes.NewReader(body)), 404,
		"SITE_NOT_FOUND")
	wantError(t, get(t, s, "/sites/1/photos"), 404, "SITE_NOT_FOUND")
}

func TestUploadedDates(t *testing.T) {
	s := newServer(t)
	for _, tt := range []struct {
		exif string
		want any
	}{
		{`{"DateTimeOriginal":1e308,"GPSLatitude":1e308,"Model":["x"]}`, nil},
		{`{"DateTimeOriginal":"2024-05-31T01:02:03"}`, "2024-05-31"},
	} {
		t.Run(tt.exif, func(t *testing.T) {
			photo := parse(t, upload(t, s, map[string]string{"exifMetadata": tt.exif}), 201)["data"].(object)
			m := photo["publicMetadata"].(object)
			if got := m["takenDate"]; got != tt.want {
				t.Errorf("%s: taken %v, want %v", tt.exif, got, tt.want)
			}
			if _, text := m["takenMonth"].(string); !text {
				t.Errorf("%s: the month is %v", tt.exif, m["takenMonth"])
			}
		})
	}
	// Where somebody was is in no error, which may be kept.
	for _, text := range []string{`{"GPSLatitude":48.858370}x`, "48.858370\x00",
		`{"GPSLatitude":48.858370,"a":"` + strings.Repeat("x", 65<<10) + `"}`} {
		w := upload(t, s, map[string]string{"exifMetadata": text})
		wantError(t, w, 400, "INVALID_PARAMETER", "exifMetadata: ")
		if strings.Contains(w.Body.String(), "48.8") {
			t.Errorf("the answer is %s", w.Body)
		}
	}
}

func TestAddressesOfImages(t *testing.T) {
	s := newServer(t)
	shown := parse(t, upload(t, s, nil), 201)["data"].(object)["id"].(string)
	for _, name := range []string{"foo.webp", ".webp", "Main.webp", "%6dain.webp", "main.webp.webp",
		strings.Repeat("x", 5000) + ".webp"} {
		wantError(t, do(t, s, "GET", "/media/photos/"+shown+"/"+name), 404, "NOT_FOUND")
	}
	for _, target := range []string{"/media/photos/x/main.webp",
		"/media/photos/01a1fe0a-f5d7-7aa6-b32f-fd73a4e1e2c7/main.webp", "/media/photos/%2e%2e/main.webp",
		"/media/photos/x%2Fy/og.webp"} {
		wantError(t, do(t, s, "GET", target), 404, "PHOTO_NOT_FOUND")
	}
	for _, target := range []string{"/media/photos/x/main.png", "/media/photos/x/", "/media/photos/x",
		"/media/photos/x/y/main.webp"} {
		wantError(t, do(t, s, "GET", target), 404, "NOT_FOUND")
	}
}
