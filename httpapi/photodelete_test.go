package httpapi

import (
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"relais/auth/access"
)

// uploadAs sends a photo as a client, and returns what is answered about it.
func uploadAs(t *testing.T, s *Server, i *access.Issued) object {
	t.Helper()
	body, contentType := form(part{"file", "photo.jpg", "x"})
	return parse(t, askAs(t, s, i, "POST", "/sites/90000010/photos", contentType, body), 201)["data"].(object)
}

// signedAt is the time of askAs's last signature. No two have the same second, or the same request again would
// get the first answer.
var signedAt time.Time

// askAs asks with all that the mode of a client needs.
func askAs(t *testing.T, s *Server, i *access.Issued, method, path, contentType string, body []byte,
) *httptest.ResponseRecorder {
	t.Helper()
	if signedAt = signedAt.Add(time.Second); signedAt.Before(time.Now()) {
		signedAt = time.Now()
	}
	return send(t, s, method, mount+path, body,
		append(credentials(i, method, mount+path, signedAt, body), "Content-Type", contentType)...)
}

// A SERVER client deletes what it sent; others need the token of the upload's answer, which only they
// get. What is not theirs does not exist for them.
func TestDeletePhoto(t *testing.T) {
	s := newServer(t)
	client := func(mode access.Mode) *access.Issued {
		return newClient(t, s, mode, []access.Scope{access.PhotosWrite}, access.DefaultLimits)
	}
	server, another := client(access.Server), client(access.Server)
	remove := func(i *access.Issued, id any, token string) *httptest.ResponseRecorder {
		path := "/photos/" + id.(string)
		if token != "" {
			path += "?deleteToken=" + url.QueryEscape(token)
		}
		return askAs(t, s, i, "DELETE", path, "", nil)
	}
	t.Run("SERVER", func(t *testing.T) {
		sent := uploadAs(t, s, server)
		if _, there := sent["deleteToken"]; there || sent["approved"] != true {
			t.Errorf("the upload answers %v, want approved and no deleteToken", sent)
		}
		wantError(t, remove(another, sent["id"], ""), 404, "PHOTO_NOT_FOUND")
		wantError(t, remove(client(access.Browser), sent["id"], ""), 404, "PHOTO_NOT_FOUND")
		wantMembers(t, parse(t, remove(server, sent["id"], ""), 200)["data"].(object), object{"id": sent["id"],
			"siteId": "90000010", "deleted": true}, "deleted")
		wantError(t, remove(server, sent["id"], ""), 404, "PHOTO_NOT_FOUND")
		wantError(t, do(t, s, "GET", "/media/photos/"+sent["id"].(string)+"/main.webp"), 404, "PHOTO_NOT_FOUND")
	})
	for _, mode := range []access.Mode{access.Browser, access.Mobile} {
		t.Run(string(mode), func(t *testing.T) {
			i := client(mode)
			sent := uploadAs(t, s, i)
			token, _ := sent["deleteToken"].(string)
			if len(token) < 22 { // 128 bits in base64
				t.Fatalf("deleteToken = %q, want a random text", token)
			}
			wantError(t, remove(i, sent["id"], ""), 404, "PHOTO_NOT_FOUND")
			wantError(t, remove(i, sent["id"], token[1:]+"A"), 404, "PHOTO_NOT_FOUND")
			wantError(t, remove(i, uploadAs(t, s, i)["id"], token), 404, "PHOTO_NOT_FOUND")
			parse(t, remove(i, sent["id"], token), 200)
			wantError(t, remove(i, sent["id"], token), 404, "PHOTO_NOT_FOUND")
		})
	}
	reader := newClient(t, s, access.Server, access.ReadScopes, access.DefaultLimits)
	wantError(t, remove(reader, "01a1fe0a-f5d7-7aa6-b32f-fd73a4e1e2c7", ""), 403, "INSUFFICIENT_SCOPE")
}

// With photos held, the answer says so, and nothing of the photo is shown.
func TestHeldPhoto(t *testing.T) {
	s := newServer(t)
	s.Uploads.Hold = true
	sent := parse(t, upload(t, s, nil), 201)["data"].(object)
	if sent["approved"] != false {
		t.Errorf("approved = %v, want false", sent["approved"])
	}
	id := sent["id"].(string)
	if o := parse(t, get(t, s, "/sites/90000010/photos"), 200); len(o["data"].([]any)) != 0 {
		t.Errorf("the list has %v", o["data"])
	}
	for _, size := range []string{"main", "thumb", "og"} {
		wantError(t, do(t, s, "GET", "/media/photos/"+id+"/"+size+".webp"), 404, "PHOTO_NOT_FOUND")
	}
	if page := do(t, s, "GET", "/site/fr-90000010").Body.String(); strings.Contains(page, id) {
		t.Error("the page of the site shows it")
	}
}
