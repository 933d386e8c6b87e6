//go:build linux

package e2e

import (
	"fmt"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Two servers that share the markets answer, behind the proxy of docs/cluster.md, what one
// server with all of them answers.
func TestMarketsBehindAProxy(t *testing.T) {
	t.Parallel()
	haproxy := &proxyKinds[3]
	haproxy.path(t)
	dir := filepath.Join(t.TempDir(), "demo")
	s, _ := demonstrate(t, dir, func(*exec.Cmd) {})
	s.stop()
	letIn(t, dir)
	blocks := blocksBelow(t, "../../docs/cluster.md", "## Inventories that do not fit one node")
	address := freeAddress(t)
	base := []string{"--base-url", "http://" + address} // which answers have in them
	var parts []*server
	for line := range strings.Lines(blocks[0]) {
		_, markets, ok := strings.Cut(strings.TrimSpace(line), "--markets ")
		if !ok {
			t.Fatalf("the page's first block: got %q, want relais serve with --markets", line)
		}
		parts = append(parts, servePart(t, copyOf(t, dir), append(base, "--markets", markets)))
	}
	all := serve(t, dir, base...)
	if len(parts) != 2 {
		t.Fatalf("the page has %d groups of servers, want 2", len(parts))
	}
	checkParts(t, all, parts)
	block := strings.Replace(blocks[1], "127.0.0.1:8081", strings.TrimPrefix(parts[1].base, "http://"), 1)
	haproxy.start(t, block, address, strings.TrimPrefix(parts[0].base, "http://"))
	proxied := &server{t: t, base: "http://" + address, key: all.key}
	requests := 0
	for market := range all.readyz()["markets"].(object) {
		for _, path := range requestsOf(all, market) {
			requests++
			want, got := all.get(path), proxied.get(path)
			if want.status != http.StatusOK || len(want.body) < 50 {
				t.Errorf("%s: got %s, want 200 and something to compare", path, want)
			}
			if diff := cmp.Diff(content(want), content(got)); got.status != want.status || diff != "" {
				t.Errorf("%s: got %d, want %d, and of all markets (-), of the group (+):\n%s", path, got.status, want.status,
					diff)
			}
		}
	}
	if requests < 50 {
		t.Errorf("%d requests, want at least 50", requests)
	}
}

// content is the body without what no two answers have in common.
func content(a answer) any {
	if o := a.object(); o != nil {
		delete(o, "requestId")
		return o
	}
	return string(a.body)
}

// servePart serves some markets of a folder, and waits until they are loaded.
func servePart(t *testing.T, dir string, flags []string) *server {
	t.Helper()
	s := start(t, nil, append([]string{"serve", "--data", dir}, flags...)...)
	s.waitUntil("something is loaded", func() bool { return s.get("/readyz").status == http.StatusOK })
	return s
}

// checkParts compares what servers of some markets have loaded, and what they refuse.
func checkParts(t *testing.T, all *server, parts []*server) {
	t.Helper()
	loaded := object{}
	for i, s := range parts {
		other := parts[1-i].readyz()["markets"].(object)
		for _, m := range s.list("/markets") {
			state := m.(object)
			code := state["market"].(string)
			if state["loaded"] == true {
				loaded[code] = state
			}
			if _, there := other[code]; !there {
				continue
			}
			if state["loaded"] != false || state["sites"] != 0.0 {
				t.Errorf("%s: got loaded %v and %v sites, want what the other server has loaded left out", code,
					state["loaded"], state["sites"])
			}
			a := s.get("/external/v1/antennas?market=" + code)
			if a.status != http.StatusServiceUnavailable || a.code() != "NOT_READY" {
				t.Errorf("%s: got %s, want 503 and NOT_READY", code, a)
			}
		}
	}
	want := object{}
	for _, m := range all.list("/markets") {
		if m.(object)["loaded"] == true {
			want[m.(object)["market"].(string)] = m
		}
	}
	if diff := cmp.Diff(want, loaded); diff != "" || len(want) < 5 {
		t.Errorf("markets of a server with all (-), of both together (+):\n%s", diff)
	}
}

// requestsOf returns requests of each kind for a market, of pages too.
func requestsOf(s *server, market string) (paths []string) {
	s.t.Helper()
	const api, query = "/external/v1", "?market="
	sites := s.list("/antennas?limit=3&offset=7&market=" + market)
	low := strings.ToLower(market)
	paths = []string{
		api + "/antennas?limit=5&market=" + market, api + "/antennas?limit=5&market=" + low,
		api + fmt.Sprintf("/antennas?market=%%%02X%s&limit=2", market[0], market[1:]),
		"/api/external/v1/antennas?limit=1&market=" + market,
		api + "/antennas/export?format=geojson&operator=ALL&market=" + market,
		api + "/tiles/" + market + ".json", api + "/tiles/" + low + ".json",
		api + "/tiles/" + market + "/0/0/0.mvt",
	}
	for _, item := range sites {
		site := item.(object)
		key, id := site["siteKey"].(string), url.PathEscape(site["id"].(string))
		code := url.QueryEscape(site["sourceCode"].(string))
		paths = append(paths, "/site/"+key, api+"/antennas/"+url.PathEscape(key), api+"/sites/"+strings.ToUpper(key),
			api+"/sites/"+id+query+market, api+"/sites/"+key+query+low,
			api+"/sites/"+strings.Replace(key, "-", "%2D", 1), api+"/antennas/search"+query+market+"&sourceCode="+code)
	}
	return paths
}
