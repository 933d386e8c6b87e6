package httpapi

import (
	"context"
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"relais/auth/access"
	"relais/internal/folder"
	"relais/photos"
	"relais/photos/render"
)

// A folder that cannot be written to says so, before it works.
func TestReadOnlyPhotos(t *testing.T) {
	s := newServer(t)
	s.Photos = photos.Open(nil, folder.Dir(t.TempDir()), time.Now)
	s.Uploads.Render = func(context.Context, string, io.Reader, int64) (*render.Result, error) {
		t.Error("an image was rendered for nothing")
		return nil, nil
	}
	wantError(t, upload(t, s, nil), 503, "NOT_WRITABLE", "cannot be written to")
	wantError(t, ask(t, s, operationNamed(t, "photos.report"), "", nil, nil), 503, "NOT_WRITABLE",
		"cannot be written to")
	if o := parse(t, get(t, s, "/sites/90000010/photos"), 200); len(o["data"].([]any)) != 0 {
		t.Errorf("the list is %v, want no data", o)
	}
}

// A server that may not decode what strangers send says how that can be changed.
func TestNoUploads(t *testing.T) {
	s := newServer(t)
	s.Uploads.Render = nil
	wantError(t, upload(t, s, nil), 503, "NOT_WRITABLE", "--accept-unconfined-uploads")
	parse(t, get(t, s, "/sites/90000010/photos"), 200)
}

func TestPhotoReports(t *testing.T) {
	s := newServer(t)
	id := parse(t, upload(t, s, nil), 201)["data"].(object)["id"].(string)
	key, _ := testKeys.Load(s.Gate)
	report := func(photo, body string) *httptest.ResponseRecorder {
		return postTo(t, s, key.(string), "/photos/"+photo+"/report", "application/json", strings.NewReader(body))
	}
	first := parse(t, report(id, `{"reason":"SPAM"}`), 202)["data"].(object)
	if first["photoId"] != id || first["siteId"] != "90000010" || first["reason"] != "spam" ||
		first["description"] != "" || first["status"] != "pending" || len(first) != 7 {
		t.Errorf("the report is %v, want photoId = %v, siteId = 90000010, reason = spam, description empty, "+
			"status = pending and len(first) = 7", first, id)
	}
	long := strings.Repeat("é", 2000) // characters, not bytes
	again := parse(t, report(id, `{"reason":"other","description":"`+long+`"}`), 202)["data"].(object)
	wantMembers(t, again, object{"reportId": first["reportId"], "createdAt": first["createdAt"], "reason": "other",
		"description": long}, "a second report")
	for _, tt := range []struct{ body, want string }{
		{`{"reason":"spam"}`, long}, {`{"reason":"spam","description":null}`, long},
		{`{"reason":"spam","description":"short"}`, "short"},
		{`{"reason":"privacy"}`, "short"}, {`{"reason":"quality","description":""}`, ""}, {`{"reason":"spam"}`, ""},
	} {
		wantMembers(t, parse(t, report(id, tt.body), 202)["data"].(object), object{"reportId": first["reportId"],
			"description": tt.want}, "after %s the report", tt.body)
	}
	if list, total, err := s.Photos.Reports(photos.ReportFilter{}, 10, 0); err != nil || total != 1 ||
		list[0].Report.ClientName != "every test" {
		t.Errorf("the queue has %d reports, %v, ClientName %v, want 1, no error and ClientName = every test", total,
			err, list[0].Report.ClientName)
	}
	if w := get(t, s, "/sites/90000010/photos"); len(parse(t, w, 200)["data"].([]any)) != 1 {
		t.Error("a report hid the photo")
	}
	wantError(t, report(id, `{"reason":"dislike"}`), 400, "INVALID_PARAMETER", "reason")
	wantError(t, report(id, `{}`), 400, "INVALID_PARAMETER", "reason")
	wantError(t, report(id, `{"reason":"spam","description":"`+long+`x"}`), 400, "INVALID_PARAMETER", "description",
		"2000")
	wantError(t, report("01a1fe0a-f5d7-7aa6-b32f-fd73a4e1e2c7", `{"reason":"spam"}`), 404, "PHOTO_NOT_FOUND")
	wantError(t, report("..", `{"reason":"spam"}`), 404, "PHOTO_NOT_FOUND")
	wantError(t, postTo(t, s, key.(string), "/photos/"+id+"/report", "text/plain", strings.NewReader(`{}`)), 415,
		"UNSUPPORTED_MEDIA_TYPE")
	reader := newClient(t, s, access.Server, access.ReadScopes, access.DefaultLimits)
	wantError(t, postTo(t, s, reader.APIKey, "/photos/"+id+"/report", "application/json",
		strings.NewReader(`{"reason":"spam"}`)), 403, "INSUFFICIENT_SCOPE")
}

// A signed upload of 20 MB: the signature is over the form as it was sent. The same
// request again is the same photo.
func TestSignedUpload(t *testing.T) {
	s := newServer(t)
	i := newClient(t, s, access.Mobile, []access.Scope{access.PhotosWrite}, access.DefaultLimits)
	body, contentType := form(part{"file", "photo.jpg", strings.Repeat("x", 20<<20)})
	target := mount + "/sites/90000010/photos"
	headers := append(credentials(i, "POST", target, time.Now(), body), "Content-Type", contentType)
	first := parse(t, send(t, s, "POST", target, body, headers...), 201)["data"].(object)["id"]
	w := send(t, s, "POST", target, body, headers...)
	if again := parse(t, w, 201)["data"].(object)["id"]; again != first ||
		w.Header().Get("Idempotent-Replayed") != "true" || w.Header().Get("Location") == "" {
		t.Errorf("photo %v, then %v, %v, want %v, Idempotent-Replayed = true and Location set", first, again,
			w.Header(), first)
	}
	body[len(body)-1] ^= 1
	wantError(t, send(t, s, "POST", target, body, headers...), 401, "SIGNATURE_REQUIRED")
}
