package admin

import (
	"bytes"
	"context"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"relais/auth/access"
	"relais/auth/account"
	"relais/community"
	"relais/geo"
	"relais/internal/folder"
	"relais/internal/tier"
	"relais/market"
)

// Accounts are made, changed and deleted alike, whether a server has the stores or not;
// what a person reported stays and knows nobody.
func TestUsers(t *testing.T) {
	tier.Slow(t)
	for _, served := range []bool{false, true} {
		dir := folder.Dir(t.TempDir())
		if served {
			serve(t, dir)
		}
		ctx := context.Background()
		ask := func(c Command, answer any) error { return Call(ctx, dir, c, answer, quiet) }
		var made, changed account.Account
		if err := ask(CreateUser{"Élodie", "correct horse battery"}, &made); err != nil || made.ID == "" ||
			made.Name != "Élodie" {
			t.Fatalf("served %v: %+v, %v, want no error, ID set and Name = Élodie", served, made, err)
		}
		var r OutageReport
		n := community.NewReport{Market: market.FR, Operator: "orange", At: geo.Point{Lat: 48.8585, Lng: 2.2946},
			User: made.ID}
		must(t, ask(ReportOutage{n}, &r))
		for _, c := range []struct {
			command  Command
			says     string
			disabled bool
		}{
			{Decide{Act: "user.disable", ID: "elodie"}, "", true},
			{Decide{Act: "user.enable", ID: made.ID}, "", false},
			{Decide{Act: "user.role", ID: "elodie", Role: account.Moderator}, "", false},
			{Decide{Act: "user.role", ID: "elodie", Role: "root"}, "not a role", false},
			{Decide{Act: "user.role", ID: "nobody", Role: account.Admin}, "no such account", false},
			{SetUserPassword{"elodie", "another long password"}, "", false},
			{SetUserPassword{"elodie", "short"}, "10 characters", false},
			{SetUserPassword{"nobody", "another long password"}, "no such account", false},
			{CreateUser{"ELODIE", "correct horse battery"}, "an account has this name", false},
			{DeleteUser{"nobody"}, "no such account", false},
		} {
			err := ask(c.command, &changed)
			if (c.says == "") != (err == nil) || err != nil &&
				(!strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "password\"")) ||
				changed.Disabled != c.disabled {
				t.Errorf("served %v: %T: got %+v, %v, want disabled %v and an error with %q", served, c.command,
					changed, err, c.disabled, c.says)
			}
		}
		var list []account.Account
		if err := ask(ListUsers{}, &list); err != nil || len(list) != 1 || list[0].ID != made.ID {
			t.Errorf("served %v: %+v, %v, want no error, len(list) = 1 and ID = %v", served, list, err, made.ID)
		}
		must(t, ask(DeleteUser{"elodie"}, &changed))
		if err := ask(ListUsers{}, &list); err != nil || len(list) != 0 {
			t.Errorf("served %v: %+v, %v, want none and no error", served, list, err)
		}
		must(t, ask(CompactStores{}, new([]Compacted)))
		for _, name := range []string{UsersFile, CommunityFile} {
			text, err := os.ReadFile(filepath.Join(string(dir), name))
			if err != nil || bytes.Contains(text, []byte(made.ID)) || bytes.Contains(text, []byte("lodie")) ||
				bytes.Contains(text, []byte(`"reporter"`)) {
				t.Errorf("served %v: %s knows the person: %v, %d bytes", served, name, err, len(text))
			}
		}
		var left OutageList
		if err := ask(ListOutages{Page: Page{Limit: 10}}, &left); err != nil || left.Total != 1 ||
			left.Reports[0].ID != r.ID {
			t.Errorf("served %v: %+v, %v, want no error, Total = 1 and ID = %v", served, left, err, r.ID)
		}
	}
}

// A client's account goes with the client, and users.db with a backup.
func TestUserOfClient(t *testing.T) {
	dir, ctx := folder.Dir(t.TempDir()), context.Background()
	s, _ := serve(t, dir)
	var issued access.Issued
	must(t, Call(ctx, dir, spec("Assistant"), &issued, quiet))
	p, err := s.Accounts.OfClient(issued.ID, issued.Name)
	must(t, err)
	must(t, errorOf(s.Accounts.Create(ctx, "alice", "correct horse battery")))
	filed := func() ([]byte, []account.Fact, error) { return nil, []account.Fact{{Kind: account.Bug, Ref: "1"}}, nil }
	if _, _, err := s.Accounts.Once(p.ID, "", account.Bug, filed); err != nil {
		t.Fatal(err)
	}
	restored := copyOf(t, dir)
	must(t, Call(ctx, dir, DeleteClient{Client: "Assistant"}, new(access.Client), quiet))
	if list := s.Accounts.List(); len(list) != 1 || list[0].Name != "alice" {
		t.Errorf("got %+v, want len(list) = 1 and Name = alice", list)
	}
	if got, bad := holdings(t, restored)[UsersFile], problems(t, restored); got != "2 accounts, 1 fact" || len(bad) > 0 {
		t.Errorf("got %q and the problems %q, want 2 accounts, 1 fact and none", got, bad)
	}
	other, _ := open(t, restored)
	if _, err := other.Accounts.Login(ctx, "alice", "correct horse battery",
		netip.MustParseAddr("192.0.2.1")); err != nil {
		t.Errorf("login in what was restored: %v", err)
	}
}
