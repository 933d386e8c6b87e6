package tools

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"relais/api"
	"relais/internal/admit/tallytest"
)

// What a person may submit in an hour is counted over several servers.
func TestSubmitLimitOfTwoServers(t *testing.T) {
	w := newTown(t)
	ann := w.someone("Annabel")
	tally := tallytest.New()
	var servers [2]*SubmissionStores
	for i := range servers {
		servers[i] = NewSubmissionStores(w.community, tally)
	}
	say := func(i int) error {
		w.submissions = servers[i%2]
		key, _, _ := w.site(3)
		_, err := call(w.as(ann), "community_submit_validation",
			fmt.Sprintf(`{"clientToken":"%d","siteId":%q,"subject":"pci","value":"%d"}`, i, key, i))
		return err
	}
	for i := range hourlyLimit {
		if err := say(i); err != nil {
			t.Fatal(err)
		}
	}
	for i := range servers {
		if err := say(hourlyLimit + i); err == nil || !strings.Contains(err.Error(), "over the limit of 30") {
			t.Errorf("server %d after the limit: %v, want an error with the limit", i, err)
		}
		if left := mustCall(t, w.as(ann), "me_whoami", `{}`)["submissionsLeft"]; left != 0.0 {
			t.Errorf("server %d: %v left, want 0", i, left)
		}
	}
	w.at = w.at.Add(time.Hour)
	tally.Away = true
	err := say(hourlyLimit)
	if message, cause := api.PublicMessage(err); cause != nil || !strings.Contains(message, "nothing was taken") {
		t.Errorf("while the tally is away: %q, cause %v; want it said that nothing was taken", message, cause)
	}
	tally.Away = false
	if err := say(hourlyLimit); err != nil {
		t.Errorf("when it is there again: %v", err)
	}
}
