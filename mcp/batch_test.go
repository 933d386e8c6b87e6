package mcp

import (
	"strings"
	"testing"
)

// Several calls in one body, which a version of the protocol allows, have each its own
// answer.
func TestAnswersOfABatch(t *testing.T) {
	w := serve(t, nil)
	one, two := callBody("sites_search", `{"limit":1}`), strings.Replace(callBody("sites_search", `{"limit":2}`), `"id":7`, `"id":8`, 1)
	_, body := post(t, w, "["+one+","+two+"]", sessionHeader, session(t, w), "Mcp-Protocol-Version", "2025-03-26")
	if n, m := strings.Count(body, `"returned":1,`), strings.Count(body, `"returned":2,`); n != 1 || m != 1 {
		t.Errorf("%d and %d answers: %.500s", n, m, body)
	}
}
