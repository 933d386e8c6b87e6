package moderation

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"relais/community"
	"relais/internal/filetest"
	"relais/internal/store"
	"relais/photos"
)

// readTexts reads the texts of this package in a language.
func readTexts(t *testing.T, lang string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	if err := json.Unmarshal(filetest.Read(t, "words/moderation."+lang+".json"), &texts); err != nil {
		t.Fatal(err)
	}
	return texts
}

// Every act, reason and state that a page may show has a text.
func TestNamesHaveTexts(t *testing.T) {
	texts := readTexts(t, "en")
	var names []string
	for act := range acts {
		names = append(names, "act."+act)
	}
	for _, reason := range photos.Reason("").Values() {
		names = append(names, "reason."+reason)
	}
	for _, state := range []photos.State{photos.Shown, photos.Held, photos.Concealed} {
		names = append(names, "state."+string(state))
	}
	for _, state := range []community.ReportState{community.Reported, community.Confirmed, community.Dormant,
		community.Resolved, community.Rejected} {
		names = append(names, "state."+string(state))
	}
	for _, name := range names {
		if texts[name] == "" {
			t.Errorf("%s has no text", name)
		}
	}
}

// A form leads back to a page for moderators, and nowhere else.
func TestOwnPage(t *testing.T) {
	for _, tt := range []struct{ address, want string }{
		{"/moderation", "/moderation"},
		{"/moderation?lang=fr", "/moderation?lang=fr"},
		{"/moderation/photos?state=held&page=2", "/moderation/photos?state=held&page=2"},
		{"/moderation/photos/01a1fe0a-f5d7-7aa6-b32f-fd73a4e1e2c7", "/moderation/photos/01a1fe0a-f5d7-7aa6-b32f-fd73a4e1e2c7"},
		{"", Path},
		{"https://evil.example/moderation", Path},
		{"//evil.example/moderation", Path},
		{"/moderationevil", Path},
		{"/moderation@evil.example", Path},
		{"/moderation/../account", Path},
		{"/moderation//evil.example", Path},
		{"/moderation\\evil.example", Path},
		{"/moderation\r\nSet-Cookie: a=b", Path},
		{"/moderation?" + strings.Repeat("x", maxBack), Path},
	} {
		t.Run(tt.address[:min(len(tt.address), 60)], func(t *testing.T) {
			if got := ownPage(tt.address); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// When the cluster is away or the disk full, the page says to try again.
func TestFailures(t *testing.T) {
	texts := readTexts(t, "en")
	for _, tt := range []struct {
		err    error
		status int
	}{
		{photos.ErrNoPhoto, 404}, {fmt.Errorf("a decision: %w", store.ErrAway), 503}, {store.ErrUnknown, 503},
		{store.ErrRewound, 503}, {errors.New("a disk failed"), 500},
		{fmt.Errorf("photos.db: %w", syscall.ENOSPC), 503}, {photos.ErrReadOnly, 503},
	} {
		status, name, after := failure(tt.err)
		if status != tt.status || texts[name] == "" || (after > 0) != (status == 503) {
			t.Errorf("%v: got %d %q after %v, want %d, a text, and when to try again with 503", tt.err, status, texts[name],
				after, tt.status)
		}
	}
}
