package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// An update fetches the operators' files in a server, next to one and without one, and
// answers state how they are.
func TestUpdateFeeds(t *testing.T) {
	c := makeCountry(t, 200)
	a := newAuthority(t)
	file := func(codes ...string) (text []byte) {
		text = []byte("Sites hors service\n\ncode_site_op;departement;commune;Lat;Lon;4Gdata;debut\n")
		for _, code := range codes {
			text = fmt.Appendf(text, "%s;63;CLERMONT;45.77;3.08;HS;2026-08-20 06:10:00\n", code)
		}
		return text
	}
	sources := filepath.Join(t.TempDir(), "sources.json")
	if err := os.WriteFile(sources,
		fmt.Appendf(nil, `{"files":[{"name":"hs","market":"FR","operator":"SFR","find":"url","url":"%s/hs.csv","licence":"made up"}]}`, a.URL), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Dir(c.dir)) // a server elsewhere finds the files all the same
	update := func(want int, words string) {
		t.Helper()
		out, errs, code := relais(t, "update", "--data", filepath.Base(c.dir), "--sources", sources, "--json")
		var r struct {
			Sources []struct {
				Markets []string
				Feeds   []struct{ Operator, State string }
			}
		}
		if err := json.Unmarshal([]byte(out), &r); code != want || !strings.Contains(errs+out, words) || err != nil ||
			len(r.Sources) != 1 || len(r.Sources[0].Feeds) != 1 {
			t.Fatalf("update: exit %d, want %d with %q: %s%s %v", code, want, words, out, errs, err)
		}
	}
	a.publish(file("1", "2"))
	update(0, `"state":"available"`)
	s := serve(t, func(cmd *exec.Cmd) { cmd.Dir = "/" }, "serve", "--data", c.dir)
	is := func() string {
		o := s.ask("/outages?operator=SFR")
		meta := o["meta"].(object)
		feed := meta["operatorFeed"].(object)
		text := fmt.Sprint(feed["exists"], " ", feed["available"])
		for _, e := range s.ask("/sites-hs?operator=SFR")["data"].([]any) {
			text += fmt.Sprint(" ", e.(object)["code_site_op"])
		}
		return text
	}
	expect := func(when, want string) {
		t.Helper()
		if got := is(); got != want {
			t.Errorf("%s: %s, want %s", when, got, want)
		}
	}
	expect("updated before", "true true 1 2")
	a.publish(file("3"))
	update(0, `"status":"updated"`)
	expect("updated next to the server", "true true 3")
	a.publish([]byte("<html>Sorry"))
	update(1, "an HTML page")
	expect("a page", "true false 3")
	a.publish(file("3"))
	update(0, `"status":"unchanged"`)
	expect("the good file again", "true true 3")
	s.stop()
	s = serve(t, nil, "serve", "--data", c.dir, "--update-every", "1s", "--sources", sources)
	a.publish(file("4", "5"))
	if !waitFor(func() bool { return is() == "true true 4 5" }) {
		t.Errorf("%s %s", is(), s.log)
	}
	a.publish([]byte("<html>Sorry"))
	if !waitFor(func() bool { return is() == "true false 4 5" }) {
		t.Errorf("%s %s", is(), s.log)
	}
	if !waitFor(func() bool {
		_, ready := s.get("/readyz")
		problems, _ := ready["update"].(object)["problems"].(object)
		return strings.Contains(fmt.Sprint(problems["FR"]), "hs: an HTML page")
	}) {
		t.Errorf("/readyz says nothing of the page: %s", s.log)
	}
	s.stop()
	out, errs, code := relais(t, "check", "--data", c.dir, "--json")
	if code != 0 || !strings.Contains(out, `"notes":[]`) {
		t.Errorf("check: %d %s%s", code, out, errs)
	}
}
