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
		if o := report(w.as(p), fmt.Sprint(i)); o["confirmCount"] != 0.0 || o["state"] != "reported" {
			t.Errorf("after %d clients: %v confirmations, %v, want 0.0 and reported", i+1, o["confirmCount"],
				o["state"])
		}
	}
	for i, want := range []string{"reported", "reported", "confirmed"} {
		if o := report(w.as(w.someone(fmt.Sprint("person", i))), "1"); o["confirmCount"] != float64(i+1) ||
			o["state"] != want {
			t.Errorf("after %d people: %v confirmations, %v, want %v and %v", i+1, o["confirmCount"], o["state"], i+1,
				want)
		}
	}
}
