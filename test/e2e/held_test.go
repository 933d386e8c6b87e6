//go:build lossfs

package e2e

import (
	"encoding/json"
	"strings"
	"testing"
)

// mostListed is a limit of a list that no round reaches.
const mostListed = "10000"

// lists are the commands that list the kinds of a ledger, and what they print.
var lists = []struct {
	kind, member, id string
	command          []string
}{
	{"client", "clients", "id", []string{"client", "list"}},
	{"account", "users", "id", []string{"user", "list"}},
	{"report", "reports", "id", []string{"outage", "list", "--market", "FR", "--limit", mostListed}},
	{"bug", "bugs", "id", []string{"bug", "list", "--limit", mostListed}},
	{"photo", "photos", "id", []string{"photo", "list", "--limit", mostListed}},
	{"photo report", "reports", "photoId", []string{"report", "list", "--limit", mostListed}},
	{"archive", "archives", "date", []string{"archive", "list"}},
}

// holdsAll compares a folder that nobody serves with a ledger: all of it is there, and
// relais check finds nothing wrong.
func (l *ledger) holdsAll(t *testing.T, dir, where string) {
	t.Helper()
	out, errs, code := relais(t, "check", "--data", dir, "--json")
	var r report
	if err := json.Unmarshal([]byte(out), &r); err != nil || !r.OK || code != 0 {
		t.Errorf("%s: check: got exit %d, %v; want 0: %s%s", where, code, err, out, errs)
		return
	}
	if got := r.count("speedtest"); got < l.speedtests {
		t.Errorf("%s: got %d speedtests, want the %d that were acknowledged", where, got, l.speedtests)
	}
	for _, list := range lists {
		there := map[string]bool{}
		for _, item := range listOf(t, dir, where, list.member, list.command) {
			o := item.(object)
			if report, ok := o["report"].(object); ok { // with its photo
				o = report
			}
			id, _ := o[list.id].(string)
			there[id] = true
		}
		lost := 0
		for id := range l.acknowledged[list.kind] {
			if !there[id] {
				lost++
			}
		}
		if lost > 0 {
			t.Errorf("%s: got %d of %d %ss lost, want none", where, lost, len(l.acknowledged[list.kind]), list.kind)
		}
		for id := range l.gone {
			if list.kind == "client" && there[id] {
				t.Errorf("%s: got client %s, whose deletion was acknowledged", where, id)
			}
		}
	}
}

func listOf(t *testing.T, dir, where, member string, args []string) []any {
	t.Helper()
	out, errs, code := relais(t, append(args, "--data", dir, "--json")...)
	var answer object
	if err := json.Unmarshal([]byte(out), &answer); err != nil || code != 0 {
		t.Errorf("%s: %s: got exit %d, %v; want 0: %s", where, strings.Join(args, " "), code, err, errs)
	}
	items, _ := answer[member].([]any)
	return items
}
