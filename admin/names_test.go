package admin

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"relais/auth/access"
	"relais/auth/account"
	"relais/community"
	"relais/geo"
	"relais/hook"
	"relais/internal/folder"
	"relais/market"
	"relais/photos"
)

func TestIdentify(t *testing.T) {
	records := []candidate{{"x-abcd1", "Alpha"}, {"x-abcd2", "Beta"}, {"x-abce1", "Beta"}, {"x-1234", "abcd"},
		{"x-9999", "x-1234"}, {"x-777", ""}, {"x-8888", "ALPHABET"}, {"x-8889", "Alphabet"}}
	k := kind{plural: "things", list: "thing list", prefix: "x-", sameName: strings.EqualFold,
		find: func(*Stores, string) ([]candidate, error) { return records, nil }}
	for _, tt := range []struct {
		name, text, want string
		says             []string // of the error
	}{
		{"whole id", "x-abcd1", "x-abcd1", nil},
		{"whole id before a name", "x-1234", "x-1234", nil},
		{"name", "alpha", "x-abcd1", nil},
		{"name to the letter", "Alphabet", "x-8889", nil},
		{"name of two in another case", "alphabet", "", []string{"2 things", "x-8888", "x-8889"}},
		{"name before the beginning of an id", "abcd", "x-1234", nil},
		{"name of two", "Beta", "", []string{"2 things", "x-abcd2", "x-abce1", `"Beta"`, "whole id"}},
		{"beginning", "x-abce", "x-abce1", nil},
		{"beginning without the mark", "abce", "x-abce1", nil},
		{"beginning of two", "x-abcd", "", []string{"2 things", "begin", "x-abcd1", "x-abcd2"}},
		{"too short", "x-77", "x-77", nil},
		{"the mark alone", "x-", "x-", nil},
		{"nothing", "", "", nil},
		{"unknown", "zzzz", "zzzz", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := k.identify(nil, tt.text)
			if got != tt.want || (err == nil) != (tt.says == nil) {
				t.Errorf("identify(%q) = %q, %v; want %q, error %v", tt.text, got, err, tt.want, tt.says)
			}
			for _, say := range tt.says {
				if err != nil && (!strings.Contains(err.Error(), say) || !errors.Is(err, errManyMeant)) {
					t.Errorf("error = %v, want %q in it", err, say)
				}
			}
		})
	}
	records = nil
	for _, end := range "abcdefghijkl" {
		records = append(records, candidate{"x-0000" + string(end), ""})
	}
	if _, err := k.identify(nil, "0000"); err == nil || !strings.Contains(err.Error(), "x-0000h and 4 more") {
		t.Errorf("twelve candidates: %v, want 8 of them and 4 more", err)
	}
}

// Every command that names a record takes the beginning of its id.
func TestEveryCommandResolves(t *testing.T) {
	s, _ := serve(t, folder.Dir(t.TempDir()))
	var client access.Issued
	var person account.Account
	var h hook.Issued
	for answer, c := range map[any]Command{&client: spec("Backend"), &person: CreateUser{"alice", "correct horse battery"},
		&h: CreateHook{hook.Spec{URL: "https://hooks.example/x", Events: []hook.Kind{"bug"}}}} {
		must(t, Call(context.Background(), s.Dir, c, answer, quiet))
	}
	photo := addPhoto(t, s, "main")
	report, err := s.Photos.Report(photos.NewReport{PhotoID: photo.ID, ClientID: client.ID,
		ClientName: "Backend", Reason: "other"})
	must(t, err)
	outage, _, err := s.Community.AddReport(community.NewReport{Market: market.FR, Operator: "orange",
		At: geo.Point{Lat: 48.8585, Lng: 2.2946}, User: "somebody"})
	must(t, err)
	bug, _, err := s.Community.Submit(community.NewBug{Title: "first", Text: "words", User: "somebody"})
	must(t, err)
	for name, id := range map[string]string{"client": client.ID, "user": person.ID, "hook": h.ID, "photo": photo.ID,
		"report": report.ID, "bug": bug.ID, "outage": outage.ID} {
		if got, err := kinds[name].identify(s, id[:len(id)-3]); got != id || err != nil {
			t.Errorf("%s %q means %q, %v; want %q", name, id[:len(id)-3], got, err, id)
		}
	}
	for name, d := range commands {
		for _, field := range []string{"Client", "User", "Hook"} {
			f, ok := d.of.FieldByName(field)
			if ok && f.Type.Kind() == reflect.String && len(f.Index) == 1 && name != "Decide" && d.kind == nil {
				t.Errorf("%s.%s has no tag record: a command names its record", name, field)
			}
		}
	}
	var shown access.Client
	must(t, Call(context.Background(), s.Dir, ShowClient{client.ID[:len(client.ID)-4]}, &shown, quiet))
	if shown.ID != client.ID {
		t.Errorf("over the socket: %s, want %s", shown.ID, client.ID)
	}
}
