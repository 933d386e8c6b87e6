package cli

import (
	"log/slog"
	"strings"
	"testing"

	"relais/admin"
	"relais/community"
	"relais/internal/folder"
)

func TestBugs(t *testing.T) {
	dir := t.TempDir()
	s, err := admin.Open(folder.Dir(dir), "test", slog.New(slog.DiscardHandler))
	must(t, err)
	b, _, err := s.Community.Submit(community.NewBug{Title: "Wrong \x1b[31mred", Text: "It is\nwrong.",
		User: "somebody"})
	must(t, err)
	must(t, s.Close())
	for _, tt := range []struct {
		args []string
		exit int
		says string
	}{
		{[]string{"bug", "list", "--data", dir}, done, `open   Wrong \x1b[31mred`},
		{[]string{"bug", "list", "--data", dir, "--json"}, done, `"text":"It is\nwrong."`},
		{[]string{"bug", "list", "--data", dir, "--limit", "0"}, wrongUse, "--limit"},
		{[]string{"bug", "close", "--data", dir, "bug:none"}, failed, "no such bug"},
		{[]string{"bug", "close", "--data", dir}, wrongUse, "bug"},
		{[]string{"bug", "close", "--data", dir, b.ID, "--answer", "mended"}, done, b.ID + " is closed"},
		{[]string{"bug", "list", "--data", dir}, done, "0 bugs"},
		{[]string{"bug", "list", "--data", dir, "--all"}, done, "mended"},
	} {
		var out, errs strings.Builder
		exit := Main(t.Context(), tt.args, Streams{&out, &errs})
		if exit != tt.exit || !strings.Contains(out.String()+errs.String(), tt.says) {
			t.Errorf("relais %v: exit %d, want %d with %q\n%s%s", tt.args, exit, tt.exit, tt.says, &out, &errs)
		}
	}
}
