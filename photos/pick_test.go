package photos

import (
	"slices"
	"strings"
	"testing"

	"relais/community/audit"
	"relais/internal/folder"
)

// Photos that are shown are copied with their images, without the client that sent them.
func TestCopyShown(t *testing.T) {
	s, c := fresh(t)
	shown, hidden := add(t, s, newOf("fr-1", "SFR", 1)), add(t, s, newOf("fr-1", "SFR", 2))
	elsewhere := add(t, s, newOf("fr-2", "SFR", 3))
	c.set(noon.AddDate(0, 1, 0))
	later := add(t, s, newOf("fr-1", "", 4))
	if _, err := s.Hide(hidden.ID, audit.Decision{Why: "not right"}); err != nil {
		t.Fatal(err)
	}
	dir := folder.Dir(t.TempDir())
	n, lost, err := s.CopyShown(t.Context(), dir, func(key string) bool { return key == "fr-1" })
	if n != 2 || lost != nil || err != nil {
		t.Fatalf("got %d photos, %v, %v; want 2", n, lost, err)
	}
	to, _ := opened(t, dir, c.now)
	mustBeWhole(t, to, 2)
	for number, p := range map[int]*Photo{1: shown, 4: later} {
		wantImage(t, to, p.ID, Main, imagesOf(number))
		got, err := to.get(p.ID)
		if err != nil || got.ClientID != "" || got.AuthorName != p.AuthorName || got.Caption != p.Caption {
			t.Errorf("photo %s: got %+v, %v; want it without its client", p.ID, got, err)
		}
	}
	for _, p := range []*Photo{hidden, elsewhere} {
		if _, err := to.get(p.ID); err == nil {
			t.Errorf("photo %s of %s is copied", p.ID, p.SiteKey)
		}
	}
	captions, total := list(t, to, "fr-1", "", 10, 0)
	if before, _ := list(t, s, "fr-1", "", 10, 0); total != 2 || !slices.Equal(captions, before) {
		t.Errorf("list: got %s, want %s", strings.Join(captions, ", "), strings.Join(before, ", "))
	}
}
