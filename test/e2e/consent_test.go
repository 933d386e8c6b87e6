//go:build linux

package e2e

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// appCallback is Cursor's address on a person's machine.
const appCallback = "cursor://anysphere.cursor-mcp/oauth/callback"

// Chromium follows a consent to the program on the person's machine, also when a program on the web sends
// people on to it, as cursor.com and vscode.dev do.
func TestConsentForAnAppInChromium(t *testing.T) {
	needChromium(t)
	dir := newFolder(t)
	ada := newPerson(t, dir, "ada", "seventeen lamp posts")
	s := serve(t, dir)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Referer() != "" {
			t.Errorf("the program gets the referrer %s, want none", r.Referer())
		}
		http.Redirect(w, r, appCallback+"?"+r.URL.RawQuery, http.StatusFound)
	}))
	defer web.Close()
	b := openTab(t)
	var asked []string
	b.heard = func(method string, params json.RawMessage) {
		var sent struct{ Request struct{ URL string } }
		if method == "Network.requestWillBeSent" && json.Unmarshal(params, &sent) == nil {
			asked = append(asked, sent.Request.URL)
		}
	}
	b.must("Network.enable", nil, nil)
	for _, redirect := range []string{web.URL + "/callback", appCallback} {
		t.Run(redirect, func(t *testing.T) {
			asked = nil
			b.open(s.base + "/oauth/authorize?" + url.Values{"response_type": {"code"}, "redirect_uri": {redirect},
				"client_id": {registers(t, s.base, redirect)}, "code_challenge_method": {"S256"},
				"code_challenge": {"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"}}.Encode())
			b.fill("#name", ada.Name)
			b.fill("#password", ada.password)
			b.press("button[value=allow]")
			if !waitFor(func() bool {
				_ = b.call("Page.getNavigationHistory", nil, nil) // hears what happens
				return slices.ContainsFunc(asked, func(to string) bool { return strings.HasPrefix(to, appCallback+"?code=rc_") })
			}) {
				t.Errorf("the browser asked for %q, want %s with a code at the end", asked, appCallback)
			}
		})
	}
}
