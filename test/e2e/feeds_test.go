//go:build linux

package e2e

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"relais/internal/filetest"
)

// An update fetches the operators' files in a server, next to one and without one, and
// answers state how they are.
func TestUpdateFeeds(t *testing.T) {
	dir, a := newFolder(t), newAuthority(t)
	file := func(codes ...string) (text string) {
		text = "Sites hors service\n\ncode_site_op;departement;commune;Lat;Lon;4Gdata;debut\n"
		for _, code := range codes {
			text += code + ";63;CLERMONT;45.77;3.08;HS;2026-08-20 06:10:00\n"
		}
		return text
	}
	sources := filetest.New(t, "sources.json", fmt.Sprintf(
		`{"files":[{"name":"hs","market":"FR","operator":"SFR","find":"url","url":"%s/hs.csv","licence":"none"}]}`, a.URL))
	t.Chdir(filepath.Dir(dir)) // a server elsewhere finds the files even so
	relative := []string{"update", "--data", filepath.Base(dir), "--sources", sources, "--json"}
	is := func(s *server) string {
		text := s.feed("/outages?operator=SFR") + ":"
		for _, e := range s.list("/sites-hs?operator=SFR") {
			text += fmt.Sprint(" ", e.(object)["code_site_op"])
		}
		return text
	}
	a.publish(file("1", "2"))
	if out, want := run(t, relative...), `"state":"available"`; !strings.Contains(out, want) {
		t.Errorf("update: got %s, want %s", out, want)
	}
	s := start(t, func(cmd *exec.Cmd) { cmd.Dir = "/" }, "serve", "--data", dir)
	for _, step := range []struct {
		name, publishes string
		code            int
		says, want      string
	}{
		{"updated before", file("1", "2"), 0, `"status":"unchanged"`, "available true, 2 entries: 1 2"},
		{"updated next to the server", file("3"), 0, `"status":"updated"`, "available true, 1 entries: 3"},
		{"a page", "<html>Sorry", 1, "an HTML page", "available false, 1 entries: 3"},
		{"the good file again", file("3"), 0, `"status":"unchanged"`, "available true, 1 entries: 3"},
	} {
		a.publish(step.publishes)
		out, errs, code := relais(t, relative...)
		if code != step.code || !strings.Contains(out+errs, step.says) {
			t.Errorf("%s: got exit %d, want %d with %q: %s%s", step.name, code, step.code, step.says, out, errs)
		}
		if got, want := is(s), "exists true, "+step.want; got != want {
			t.Errorf("%s: got %s, want %s", step.name, got, want)
		}
	}
	s.stop()
	s = serve(t, dir, "--update-every", "1s", "--sources", sources)
	a.publish(file("4", "5"))
	s.waitUntil("the new file is read", func() bool { return is(s) == "exists true, available true, 2 entries: 4 5" })
	a.publish("<html>Sorry")
	s.waitUntil("the page is refused", func() bool { return is(s) == "exists true, available false, 2 entries: 4 5" })
	s.waitUntil("/readyz has the problem", func() bool {
		return strings.Contains(fmt.Sprint(s.updateState()["problems"]), "hs: an HTML page")
	})
	s.stop()
	if r := check(t, dir); !r.OK || len(r.Notes) > 0 {
		t.Errorf("check: got problems %q, notes %q; want none", r.problems(), r.Notes)
	}
}
