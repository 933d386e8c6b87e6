package admin

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"relais/auth/account"
	"relais/community"
	"relais/geo"
	"relais/internal/filetest"
	"relais/internal/folder"
	"relais/market"
)

// Bugs are listed and closed alike, whether a server has the stores or not, and check and
// backup know what people said.
func TestBugs(t *testing.T) {
	for _, served := range []bool{false, true} {
		dir, ctx := folder.Dir(t.TempDir()), context.Background()
		s, stop := serve(t, dir)
		var ids []string
		for _, title := range []string{"first", "second"} {
			b, _, err := s.Community.Submit(community.NewBug{Title: title, Text: "words", User: "somebody"})
			must(t, err)
			ids = append(ids, b.ID)
		}
		if _, _, err := s.Community.Validate(community.NewValidation{Market: market.FR, SiteKey: "fr-1",
			At: geo.Point{Lat: 48, Lng: 2}, Subject: community.Exists, User: "somebody"}); err != nil {
			t.Fatal(err)
		}
		if !served {
			stop()
		}
		var closed community.Bug
		if err := Call(ctx, dir, Decide{Act: "bug.close", ID: ids[0], Why: "done"}, &closed, quiet); err != nil ||
			closed.State != community.ClosedBug || closed.Answer != "done" {
			t.Errorf("served %v: %+v, %v, want no error, State = %v and Answer = done", served, closed, err,
				community.ClosedBug)
		}
		if err := Call(ctx, dir, Decide{Act: "bug.close", ID: "bug:x", Why: "done"}, &closed, quiet); err == nil ||
			!strings.Contains(err.Error(), "no such bug") {
			t.Errorf("served %v: %v, want an error with no such bug", served, err)
		}
		for _, all := range []bool{false, true} {
			var l BugList
			if err := Call(ctx, dir, ListBugs{all, Page{Limit: 10}}, &l, quiet); err != nil ||
				l.Total != map[bool]int{false: 1, true: 2}[all] || len(l.Bugs) != l.Total {
				t.Errorf("served %v: %+v, %v, want no error, Total = %v and len(l.Bugs) = %v", served, l, err,
					map[bool]int{false: 1, true: 2}[all], l.Total)
			}
		}
		restored := copyOf(t, dir)
		want := "0 unavailable sites, 0 outage reports, 1 validation, 2 bugs"
		if got := holdings(t, restored)[CommunityFile]; got != want {
			t.Errorf("served %v: got %q, want %q", served, got, want)
		}
	}
}

// What a deleted person validated stays and knows nobody.
func TestForgetValidations(t *testing.T) {
	dir, ctx := folder.Dir(t.TempDir()), context.Background()
	s, _ := serve(t, dir)
	var made account.Account
	must(t, Call(ctx, dir, CreateUser{"alice", "correct horse battery"}, &made, quiet))
	v, _, err := s.Community.Validate(community.NewValidation{Market: market.FR, SiteKey: "fr-1",
		At: geo.Point{Lat: 48, Lng: 2}, Subject: community.Exists, User: made.ID})
	must(t, err)
	known := func() bool {
		text := filetest.Read(t, filepath.Join(string(dir), CommunityFile))
		return bytes.Contains(text, []byte(`"users":["`))
	}
	if !known() {
		t.Error("no hash is stored")
	}
	must(t, Call(ctx, dir, DeleteUser{"alice"}, &made, quiet))
	must(t, Call(ctx, dir, CompactStores{}, new([]Compacted), quiet))
	if got := s.Community.OfSite("fr-1"); !slices.Equal(got, []community.Validation{v}) || known() {
		t.Errorf("%+v, %v; want %+v, false", got, known(), v)
	}
}
