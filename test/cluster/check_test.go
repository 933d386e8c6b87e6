//go:build linux

package cluster

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"relais/admin"
	"relais/auth/access"
	"relais/test/relaistest"
)

// A finding is what a node lacks of what was acknowledged.
type finding struct{ kind, id, why string }

// follows is how long nodes may take, after all is quiet, to have everything.
const follows = 15 * time.Second

// holdsAll looks on every node for everything that was acknowledged.
func (l *load) holdsAll(t *testing.T) {
	t.Helper()
	for _, n := range l.nodes {
		var missing []finding
		relaistest.WaitAtMost(follows, func() bool {
			missing = l.missingOn(n)
			return len(missing) == 0
		})
		for i, m := range missing {
			if i == 20 {
				t.Errorf("%s: and %d more", n.name, len(missing)-i)
				break
			}
			t.Errorf("%s: %s %s was acknowledged: %s", n.name, m.kind, m.id, m.why)
		}
	}
	t.Logf("acknowledged: %s", l.ledger)
}

// missingOn returns what a node lacks.
func (l *load) missingOn(n *node) (missing []finding) {
	lacks := func(kind, id, why string) { missing = append(missing, finding{kind, id, why}) }
	l.lookKeys(n, lacks)
	l.lookLists(n, lacks)
	l.lookPhotos(n, lacks)
	l.lookSubmitted(n, lacks)
	return missing
}

// get asks a node with the reader's key.
func (l *load) get(n *node, path string) (answer, error) {
	a, _, err := call(n.http, http.MethodGet, l.base+path, nil, "X-API-Key", l.country.reader.APIKey)
	if err == nil && a.status != http.StatusOK {
		err = fmt.Errorf("got %s, want 200", a)
	}
	return a, err
}

// list asks a node for a list of the API.
func (l *load) list(n *node, path string) ([]any, error) {
	a, err := l.get(n, path)
	list, ok := a.object()["data"].([]any)
	if err == nil && !ok {
		err = fmt.Errorf("got %s, want a list", a)
	}
	return list, err
}

// lookKeys uses every key, those that were revoked too.
func (l *load) lookKeys(n *node, lacks func(kind, id, why string)) {
	for kind, want := range map[string]int{"client": http.StatusOK, "revocation": http.StatusUnauthorized} {
		for id, key := range l.ledger.of(kind) {
			a, err := l.callWith(n, key)
			if err != nil || a.status != want {
				lacks(kind, id, fmt.Sprintf("got %d, %v, want %d", a.status, err, want))
			}
		}
	}
	var list []access.Client
	if _, err := n.command(admin.ListClients{}, &list); err != nil {
		lacks("client", "list", err.Error())
	}
	names := map[string]bool{}
	for i := range list {
		names[list[i].Name] = true
	}
	for id := range l.ledger.of("client") {
		if !names[id] {
			lacks("client", id, "it is not in the list of clients")
		}
	}
}

// callWith calls a node with a key, from one of many addresses: each may be wrong only so often.
func (l *load) callWith(n *node, key string) (answer, error) {
	from := fmt.Sprintf("127.%d.%d.%d", 1+rand.N(250), rand.N(250), 1+rand.N(250))
	a, _, err := call(n.http, http.MethodHead, l.base+"/external/v1/markets", nil, "X-API-Key", key,
		"X-Forwarded-For", from)
	return a, err
}

// lookLists looks for reports and bugs in the lists of moderators.
func (l *load) lookLists(n *node, lacks func(kind, id, why string)) {
	const page = 500
	ids := map[string]int{}
	for offset := 0; ; offset += page {
		var got admin.OutageList
		if _, err := n.command(admin.ListOutages{Page: admin.Page{Limit: page, Offset: offset}}, &got); err != nil {
			lacks("report", "list", err.Error())
			return
		}
		for _, r := range got.Reports {
			ids[r.ID] = r.Confirms
		}
		if len(got.Reports) < page {
			break
		}
	}
	for id := range l.ledger.of("report") {
		if _, ok := ids[id]; !ok {
			lacks("report", id, "it is not in the list")
		}
	}
	var bugs struct {
		Bugs []struct{ ID string }
	}
	if _, err := n.command(admin.ListBugs{All: true, Page: admin.Page{Limit: 10000}}, &bugs); err != nil {
		lacks("bug", "list", err.Error())
	}
	for id := range l.ledger.of("bug") {
		if !slices.ContainsFunc(bugs.Bugs, func(b struct{ ID string }) bool { return b.ID == id }) {
			lacks("bug", id, "it is not in the list")
		}
	}
}

// lookPhotos looks for photos in the lists of sites, and for images.
func (l *load) lookPhotos(n *node, lacks func(kind, id, why string)) {
	photos := l.ledger.of("photo")
	listed := map[string]bool{}
	for _, site := range l.country.sites {
		for offset := 0; ; offset += 50 {
			list, err := l.list(n, fmt.Sprintf("/external/v1/sites/%s/photos?limit=50&offset=%d", site, offset))
			if err != nil {
				lacks("photo", site, err.Error())
				break
			}
			for _, item := range list {
				id, _ := item.(object)["id"].(string)
				listed[id] = true
			}
			if len(list) < 50 {
				break
			}
		}
	}
	for i, id := range slices.Sorted(maps.Keys(photos)) {
		if !listed[id] {
			lacks("photo", id, "it is not in the list of its site")
		}
		_, thumb, _ := strings.Cut(photos[id], " ")
		if i%5 > 0 { // images of some are enough
			continue
		}
		if a, _, err := call(n.http, http.MethodGet, thumb, nil); err != nil || a.status != http.StatusOK {
			lacks("photo", id, fmt.Sprintf("its image %s: got %d, %v, want 200", thumb, a.status, err))
		}
	}
}

// lookSubmitted looks for speedtests and validations, as people do.
func (l *load) lookSubmitted(n *node, lacks func(kind, id, why string)) {
	tests := map[string]bool{}
	for offset := 0; ; offset += 500 {
		list, err := l.list(n, fmt.Sprintf("/external/v1/speedtests?market=FR&limit=500&offset=%d", offset))
		if err != nil {
			lacks("speedtest", "list", err.Error())
			break
		}
		for _, item := range list {
			at, _ := item.(object)["coordinates"].(object)
			tests[fmt.Sprintf("%.4f", at["lng"])] = true
		}
		if len(list) < 500 {
			break
		}
	}
	for lon := range l.ledger.of("speedtest") {
		if !tests[lon] {
			lacks("speedtest", lon, "it is not in the list")
		}
	}
	bySite := map[string]string{}
	validations := l.ledger.of("validation")
	for value, site := range validations {
		if bySite[site] == "" {
			var got any
			if _, err := tool(n.http, l.base, l.country.assistants[0].APIKey, "sites_get_validations", object{"siteId": site,
				"limit": 50}, &got); err != nil {
				lacks("validation", value, err.Error())
				continue
			}
			bySite[site] = fmt.Sprint(got)
		}
		if !strings.Contains(bySite[site], value) {
			lacks("validation", value, "it is not with its site "+site)
		}
	}
}
