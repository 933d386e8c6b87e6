package mcp

import (
	"net/http"
	"strings"
	"testing"

	"relais/auth/access"
	"relais/auth/account"
)

// The key of a partner may submit, and that of another client may only read.
func TestOnlyPartnersSubmit(t *testing.T) {
	w := serve(t, nil)
	reader := w.issue(t, nil)
	partner := w.issue(t, func(c *access.Client) { c.Partner = true })
	withKey := func(key string) []string { return []string{"X-API-Key", key} }
	for _, c := range []struct {
		name    string
		headers []string
		tool    string
		want    int
	}{
		{"reader reads", withKey(reader.APIKey), "me_whoami", http.StatusOK},
		{"reader submits", withKey(reader.APIKey), "bug_submit", http.StatusForbidden},
		{"partner reads", withKey(partner.APIKey), "me_whoami", http.StatusOK},
		{"partner submits", withKey(partner.APIKey), "bug_submit", http.StatusOK}, // the tool's error without arguments
		{"person submits", []string{"Authorization", w.token(t, "alice", account.Write)}, "bug_submit", http.StatusOK},
	} {
		t.Run(c.name, func(t *testing.T) {
			begin(t, w, c.headers...)
			resp, text := post(t, w, callBody(c.tool, "{}"), c.headers...)
			if resp.StatusCode != c.want {
				t.Errorf("status = %d, want %d: %.200s", resp.StatusCode, c.want, text)
			}
			if c.want == http.StatusForbidden && !strings.Contains(text, "--partner") {
				t.Errorf("the refusal does not name --partner: %.200s", text)
			}
		})
	}
	if n := len(w.people.List()); n != 3 { // a person and two clients
		t.Errorf("%d accounts, want 3", n)
	}
}
