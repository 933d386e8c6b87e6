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
		{[]string{"bug", "list", "--data", dir}, exitDone, `open   Wrong \x1b[31mred`},
		{[]string{"bug", "list", "--data", dir, "--json"}, exitDone, `"text":"It is\nwrong."`},
		{[]string{"bug", "list", "--data", dir, "--limit", "0"}, exitUsage, "--limit"},
		{[]string{"bug", "close", "--data", dir, "bug:none"}, exitFailed, "no such bug"},
		{[]string{"bug", "close", "--data", dir}, exitUsage, "bug"},
		{[]string{"bug", "close", "--data", dir, b.ID, "--answer", "mended"}, exitDone, b.ID + " is closed"},
		{[]string{"bug", "list", "--data", dir}, exitDone, "0 bugs"},
		{[]string{"bug", "list", "--data", dir, "--all"}, exitDone, "mended"},
	} {
		var out, errs strings.Builder
		exit := Main(t.Context(), tt.args, Streams{&out, &errs})
		if exit != tt.exit || !strings.Contains(out.String()+errs.String(), tt.says) {
			t.Errorf("relais %v: exit %d, want %d with %q\n%s%s", tt.args, exit, tt.exit, tt.says, &out, &errs)
		}
	}
}
