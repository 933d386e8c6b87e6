package httpapi

import (
	"testing"

	"relais/auth/access"
)

// Who fails too often is told to wait, and a right key goes on from the same address. Until
// then all wrong keys get the same answer, whether the public part of one exists or not.
func TestFailedKeys(t *testing.T) {
	withinMinute()
	s := newServer(t)
	right := newClient(t, s, access.Server, access.ReadScopes, access.DefaultLimits).APIKey
	wantError(t, get(t, s, "/markets?api_key="+right, "X-API-Key", ""), 401, "API_KEY_REQUIRED")
	known := right[:len("rk_000000000000_")] + "wrong"
	one, other := get(t, s, "/markets", "X-API-Key", known), get(t, s, "/markets", "X-API-Key", "rk_000000000000_wrong")
	a, b := parse(t, one, 401), parse(t, other, 401)
	wantMembers(t, a, object{"code": b["code"], "error": b["error"]}, "a known key is answered")
	for range access.MaxFailures - 3 {
		wantError(t, get(t, s, "/markets", "X-API-Key", known), 401, "INVALID_API_KEY")
	}
	w := get(t, s, "/markets", "X-API-Key", known)
	wantError(t, w, 429, "RATE_LIMITED")
	if w.Header().Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	parse(t, get(t, s, "/markets", "X-API-Key", right), 200)
}
