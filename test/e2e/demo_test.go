package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestDemo(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "demo")
	// What a first run leaves that is killed while it ingests.
	left := filepath.Join(dir, "sources", "FR", "20260101T000000Z-1")
	if err := errors.Join(os.MkdirAll(left, 0o755),
		os.WriteFile(filepath.Join(left, "observatoire.csv.zst"), nil, 0o644),
		os.WriteFile(filepath.Join(dir, "ingest.lock"), nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	var out lockedBuffer
	started := time.Now().UTC()
	s := serve(t, func(cmd *exec.Cmd) { cmd.Stdout = &out }, "demo", "--data", dir)
	if !waitFor(func() bool { return s.version("FR") != "" && s.version("CH") != "" }) {
		t.Fatalf("not ready: %s", s.log)
	}
	if m := regexp.MustCompile(`X-API-Key: (\S+)'`).FindStringSubmatch(out.String()); m != nil {
		s.key = m[1]
	}
	lines := regexp.MustCompile(
		`curl (?:-H 'X-API-Key: \S+' )?(?:--compressed )?(?:-o \S+ )?'([^']+)'`).FindAllStringSubmatch(out.String(), -1)
	if len(lines) < 5 || !strings.Contains(out.String(), "synthetic") {
		t.Errorf("printed: %s", out.String())
	}
	for _, l := range lines {
		if code, o := s.get(strings.TrimPrefix(l[1], s.base)); code != 200 {
			t.Errorf("%s: %d %v", l[1], code, o["error"])
		}
	}
	s.acrossMarkets()
	first := s.inTime(out.String())
	if code := s.stop(); code != 0 {
		t.Errorf("exit = %d, want 0", code)
	}
	for _, market := range []string{"FR", "DROM", "CA", "BE", "CH"} {
		if !strings.Contains(s.log.String(), market+": ") {
			t.Errorf("no count of %s: %s", market, s.log)
		}
	}
	// Of an older relais: the demonstration is made again.
	snap := filepath.Join(dir, "snapshots", "FR.snap")
	text, err := os.ReadFile(snap)
	if err != nil {
		t.Fatal(err)
	}
	text[8]++ // the version of the format
	replace(t, snap, text)
	out = lockedBuffer{}
	s = serve(t, func(cmd *exec.Cmd) { cmd.Stdout = &out }, "demo", "--data", dir)
	if !waitFor(func() bool { return s.version("FR") != "" && strings.Contains(out.String(), "Stop with") }) {
		t.Errorf("an older demonstration: %s", s.log)
	}
	s.key = regexp.MustCompile(`X-API-Key: (\S+)'`).FindStringSubmatch(out.String())[1]
	if again := s.inTime(out.String()); !maps.Equal(again, first) &&
		time.Now().UTC().Format(time.DateOnly) == started.Format(time.DateOnly) {
		t.Errorf("shown again on the same day: %v, was %v", again, first)
	}
	s.stop()
	s.onAStick(t, dir)
	if _, errs, code := relais(t, "demo", "--data", t.TempDir()+"/..", "--listen", "127.0.0.1:0"); code != 1 ||
		!strings.Contains(errs, "neither empty nor a demonstration") {
		t.Errorf("demo over a folder of something else: %d %s", code, errs)
	}
}

// onAStick shows the demonstration from a folder that cannot be written to: keys are printed
// that work, and the folder stays as it is.
func (*server) onAStick(t *testing.T, dir string) {
	t.Helper()
	nobody := readOnly(t, dir)
	before, err := os.ReadFile(filepath.Join(dir, "clients.db"))
	if err != nil {
		t.Fatal(err)
	}
	var out lockedBuffer
	s := serve(t, func(cmd *exec.Cmd) { cmd.Stdout = &out; nobody(cmd) }, "demo", "--data", dir)
	if !waitFor(func() bool { return s.version("FR") != "" && strings.Contains(out.String(), "Stop with") }) {
		t.Fatalf("not ready from a folder that cannot be written to: %s%s", out.String(), s.log)
	}
	if !strings.Contains(out.String(), "cannot be written to") {
		t.Errorf("it is not said that the keys are of this run only: %s", out.String())
	}
	s.key = regexp.MustCompile(`X-API-Key: (\S+)'`).FindStringSubmatch(out.String())[1]
	if list := s.ask("/antennas?limit=2")["data"].([]any); len(list) != 2 {
		t.Errorf("%d antennas with the printed key", len(list))
	}
	s.stop()
	if after, err := os.ReadFile(filepath.Join(dir, "clients.db")); err != nil || !bytes.Equal(after, before) {
		t.Errorf("clients.db was changed: %v", err)
	}
}

// inTime asks for what changes in time, by the paths that were printed and by others:
// each answer has something, and all of it says that it is made up. It returns how much
// there is.
func (s *server) inTime(printed string) map[string]int {
	s.t.Helper()
	found := map[string]int{}
	for path, says := range map[string]func(item object) any{
		"/outages?source=operator": func(o object) any { return o["siteName"] },
		"/outages?source=community": func(
			o object) any {
			return o["siteName"].(string) + fmt.Sprint(o["reason"])
		},
		"/sites-hs": func(
			o object) any {
			return o["code_site_op"].(string) + o["raw"].(object)["raison"].(string)
		},
		"/speedtests?limit=1000":                            func(o object) any { return o["mobileOperator"] },
		"/speedtests/site?siteId=fr-90000001&bestOnly=true": func(o object) any { return o["mobileOperator"] },
		"/coverage/points?technology=5G&limit=5000":         func(o object) any { return o["mobileOperator"] },
		"/coverage/points?operator=FREE&limit=5000":         func(o object) any { return o["mobileOperator"] },
	} {
		route, _, _ := strings.Cut(path, "?")
		if !strings.Contains(printed, "/external/v1"+route) {
			s.t.Errorf("no line with %s: %s", route, printed)
		}
		list := s.ask(path)["data"].([]any)
		found[path] = len(list)
		for _, item := range list {
			if text := says(item.(object)); !strings.Contains(fmt.Sprint(text), "SYNTHETIC") {
				s.t.Fatalf("%s does not say that it is synthetic: %v", path, item)
			}
		}
		if len(list) == 0 {
			s.t.Errorf("%s: nothing", path)
		}
	}
	if feed := s.ask("/sites-hs")["meta"].(object)["operatorFeed"].(object); feed["exists"] != true ||
		feed["available"] != true {
		s.t.Errorf("feed = %v, want it available", feed)
	}
	states := map[any]int{}
	for _, o := range s.ask("/outages?source=community")["data"].([]any) {
		states[o.(object)["state"]]++
	}
	if states["confirmed"] != 1 || states["reported"] != 2 {
		s.t.Errorf("reports are %v", states)
	}
	dates := s.ask("/anfr/archives")
	for _, date := range dates["data"].([]any) {
		changes, of := s.archived("/anfr/archive/" + date.(string))
		all, whole := s.archived("/anfr/archive/" + date.(string) + "?view=full")
		found["changed "+date.(string)], found["archived "+date.(string)] = changes, all
		for _, label := range []any{dates["meta"].(object)["sourceLabel"], of, whole} {
			if !strings.HasPrefix(fmt.Sprint(label), "SYNTHETIC") {
				s.t.Errorf("the archive of %s is of %v", date, label)
			}
		}
	}
	if n := found["changed 2026-01-15"]; len(dates["data"].([]any)) != 2 || n == 0 || n > 2000 ||
		found["archived 2026-01-15"] != 20000 || !strings.Contains(printed, "/anfr/archive/2026-01-15'") {
		s.t.Errorf("wrong numbers of data: %v", found)
	}
	return found
}

// archived is how many supports an answer of the archive has, and of what it is. They are
// many, and only counted.
func (s *server) archived(path string) (n int, label any) {
	s.t.Helper()
	r, err := s.fetch("/external/v1" + path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	var answer struct {
		Data map[string]json.RawMessage
		Meta object
	}
	if err := errors.Join(err, json.Unmarshal(text, &answer)); err != nil || r.StatusCode != 200 {
		s.t.Fatalf("%s: %s, %v", path, r.Status, err)
	}
	return len(answer.Data), answer.Meta["sourceLabel"]
}

// acrossMarkets asks for what the markets of the demonstration have in common.
func (s *server) acrossMarkets() {
	s.t.Helper()
	loaded := map[string]object{}
	for _, m := range s.ask("/markets")["data"].([]any) {
		if m := m.(object); m["loaded"] == true {
			loaded[m["market"].(string)] = m
		}
	}
	for market, key := range map[string]string{"CA": "ca-", "BE": "be-"} {
		list := s.ask("/antennas?limit=1&offset=7&market=" + market)["data"].([]any)
		if len(list) != 1 || !strings.HasPrefix(list[0].(object)["siteKey"].(string), key) ||
			!strings.Contains(list[0].(object)["sourceLabel"].(string), "SYNTHETIC") {
			s.t.Errorf("%s: %v", market, list)
			continue
		}
		site := list[0].(object)
		if got := s.ask("/antennas/" +
			url.PathEscape(site["siteKey"].(string)))["data"].(object); got["id"] != site["id"] ||
			got["market"] != market {
			s.t.Errorf("%v finds %v of %v", site["siteKey"], got["id"], got["market"])
		}
		found := s.ask("/antennas/search?market=" + market + "&sourceCode=" +
			url.QueryEscape(site["sourceCode"].(string)))["data"].([]any)
		if len(found) == 0 {
			s.t.Errorf("%s: sourceCode %v finds nothing", market, site["sourceCode"])
		}
	}
	if ch := loaded["CH"]; loaded["FR"] == nil || loaded["DROM"] == nil || ch == nil || ch["sites"] != 1500.0 ||
		ch["sourceDate"] != "2026-01-15" {
		s.t.Errorf("loaded: %v", loaded)
	}
	list := s.ask("/antennas?market=CH&operator=SALT_CH&generation=5G&limit=1")
	sites := list["data"].([]any)
	if len(sites) != 1 {
		s.t.Fatalf("no Swiss site: %v", list)
	}
	site := sites[0].(object)
	key := site["siteKey"].(string)
	if !strings.HasPrefix(key, "ch-salt-") || !strings.Contains(site["sourceLabel"].(string), "SYNTHETIC") ||
		site["sourceAuthority"] != "BAKOM/OFCOM" ||
		!strings.Contains(list["meta"].(object)["sourceLabel"].(string), "SYNTHETIC") || site["status"] == nil {
		s.t.Errorf("wrong Swiss site %v", site)
	}
	for _, path := range []string{"/antennas/", "/sites/"} {
		got := s.ask(path + url.PathEscape(key))
		if m := got["meta"].(object)["market"]; m != "CH" {
			s.t.Errorf("%s%s is of %v", path, key, m)
		}
	}
	for _, question := range []string{"sourceCode=" + url.QueryEscape(site["sourceCode"].(string)),
		"q=" + strings.TrimPrefix(key, "ch-salt-")} {
		found := s.ask("/antennas/search?market=CH&" + question)["data"].([]any)
		if len(found) != 1 || found[0].(object)["siteKey"] != key {
			s.t.Errorf("%s finds %v", question, found)
		}
	}
	none := s.ask("/antennas?market=PT")
	if reason, _ := none["meta"].(object)["sourceUnavailableReason"].(string); len(none["data"].([]any)) != 0 ||
		reason == "" {
		s.t.Errorf("PT: %v", none)
	}
	if code, o := s.get("/external/v1/antennas?operator=SALT_CH&market=FR"); code != 400 ||
		o["code"] != "INVALID_OPERATOR" {
		s.t.Errorf("a Swiss operator in France: %d %v", code, o)
	}
}

// Names of installations are free text: what is not safe in a path is escaped there,
// and statuses are found as they are published.
func TestSwissNames(t *testing.T) {
	names := []string{"Salt A/B", "Salt ../etc", "Salt 50%25 ü?#&;+", "Swisscom .", "Sunrise a.b-c_d~'(x)"}
	var features []object
	for i, name := range names {
		features = append(features,
			object{"type": "Feature", "geometry": object{"type": "Point", "coordinates": []int{2600000 + i, 1200000}},
				"properties": object{"station": name, "koord": "", "typ_en": "Outdoor ≤ 6 Werp",
					"techno_en": "Technology 3G", "bewilligung_en": "Site data sheet 2024-01-02"}})
	}
	text, err := json.Marshal(object{"type": "FeatureCollection", "features": features})
	if err != nil {
		t.Fatal(err)
	}
	dir, file := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "x.json")
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	if out, errs, code := relais(t, "ingest", "--data", dir, "ch", file); code != 0 {
		t.Fatalf("%d %s%s", code, out, errs)
	}
	keys.Store(dir, createClient(t, dir, "--name", "x", "--mode", "server", "--cidr", "127.0.0.1/32", "--scopes",
		"all-read").APIKey)
	s := serve(t, nil, "serve", "--data", dir)
	if !waitFor(func() bool { return s.version("CH") != "" }) {
		t.Fatalf("not ready: %s", s.log)
	}
	for _, name := range names {
		key := "ch-" + strings.ReplaceAll(strings.ToLower(name), " ", "-")
		got := s.ask("/antennas/" + url.PathEscape(key))
		if data := got["data"].(object); fmt.Sprint(data["sourceCode"], data["siteKey"], data["technologies"],
			data["status"]) != fmt.Sprint(name, key, "[UMTS]", "Outdoor ≤ 6 Werp") {
			t.Errorf("%s: %v", name, data)
		}
	}
	for query, want := range map[string]float64{"status=" + url.QueryEscape("outdoor ≤ 6 werp"): 5,
		"status=" + url.QueryEscape("Outdoor > 6 Werp"): 0, "operator=salt_ch": 3} {
		if got := s.ask("/antennas?market=CH&" + query)["meta"].(object)["totalMatched"]; got != want {
			t.Errorf("%s: %v, want %v", query, got, want)
		}
	}
}
