package httpapi

import (
	"crypto/sha256"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"relais/auth/access"
)

// A refusal says what an honest caller can mend, and no more.
func TestRefusalHints(t *testing.T) {
	s := newServer(t)
	i := newClient(t, s, access.Mobile, access.ReadScopes, access.Limits{Minute: 1000, Day: 1000})
	target := mount + "/markets"
	send := func(headers ...string) *httptest.ResponseRecorder {
		return do(t, s, "GET", target, append([]string{"X-API-Key", ""}, headers...)...)
	}
	sign := func(secret string, at time.Time) string {
		return access.Sign(secret, at, "GET", target, sha256.Sum256(nil))
	}
	bearer := "Bearer " + i.APIKey
	wantError(t, send("X-API-Key", i.APIKey, "X-Sq-Signature", sign(i.SigningSecret, time.Now())), 401,
		"API_KEY_REQUIRED", "wrong header", "Authorization: Bearer")
	wantError(t, send("Authorization", bearer), 401, "SIGNATURE_REQUIRED", "missing", "X-Sq-Signature")
	for _, away := range []time.Duration{-time.Hour, time.Hour} {
		o := parse(t, send("Authorization", bearer, "X-Sq-Signature", sign(i.SigningSecret, time.Now().Add(away))), 401)
		message := o["error"].(string)
		var seconds int
		if _, err := fmt.Sscanf(message, "the signature's t is %d seconds", &seconds); err != nil || seconds < 3590 ||
			seconds > 3660 || o["code"] != "SIGNATURE_REQUIRED" {
			t.Errorf("%v away: %v, %v, seconds %v, want no error, seconds at least 3590, seconds at most 3660 and "+
				"code = SIGNATURE_REQUIRED", away, o, err, seconds)
		}
		if behind := strings.Contains(message, "behind"); behind != (away < 0) {
			t.Errorf("%v away: got %s, want ahead or behind as the sign says", away, message)
		}
	}
	const nothing = "the signature is missing or not valid"
	for _, tt := range []struct{ name, signature string }{
		{"another secret", sign("another", time.Now())},
		{"no form", "nonsense"},
		{"no v1", "t=1"},
		{"hexadecimal", sign(i.SigningSecret, time.Now())[:40]},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if o := parse(t, send("Authorization", bearer, "X-Sq-Signature", tt.signature),
				401); o["error"] != nothing {
				t.Errorf("%s: %v, want %q", tt.name, o["error"], nothing)
			}
		})
	}
	// Without a valid key nothing is told, not even of a clock.
	wantError(t, send("Authorization", "Bearer rk_0123456789ab_x", "X-Sq-Signature",
		sign("x", time.Now().Add(-time.Hour))), 401, "INVALID_API_KEY")
	if w := send("Authorization", bearer, "X-Sq-Signature", sign(i.SigningSecret, time.Now())); w.Code != 200 {
		t.Errorf("a good signature: %d %s, want 200", w.Code, w.Body)
	}
}
