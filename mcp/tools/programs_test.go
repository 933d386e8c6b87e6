package tools

import (
	"fmt"
	"testing"
)

// The accounts of API clients report, and confirm nobody's report: one operator may have
// many.
func TestClientsConfirmNothing(t *testing.T) {
	w := newTown(t)
	key, operator, _ := w.site(0)
	report := func(r *Reading, token string) object {
		t.Helper()
		made := mustCall(t, r, "community_submit_report",
			fmt.Sprintf(`{"clientToken":%q,"siteId":%q,"operator":%q}`, token, key, operator))
		return made["outage"].(object)
	}
	for i := range 4 {
		p, err := w.people.OfClient(fmt.Sprint("client", i), "A program")
		if err != nil {
			t.Fatal(err)
		}
		wantMembers(t, report(w.as(p), fmt.Sprint(i)), object{"confirmCount": 0.0, "state": "reported"},
			"after %d clients", i+1)
	}
	for i, want := range []string{"reported", "reported", "confirmed"} {
		wantMembers(t, report(w.as(w.someone(fmt.Sprint("person", i))), "1"), object{"confirmCount": float64(i + 1),
			"state": want}, "after %d people", i+1)
	}
}
