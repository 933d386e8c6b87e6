package outage

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"relais/internal/filetest"
	"relais/internal/store/storetest"
	"relais/internal/tier"
	"relais/market"
)

// What is cleared is off the disk when the file is compacted; the file says
// that it needs it, and only then.
func TestClearedIsOffTheDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "community.db")
	db := storetest.Open(t, path, Buckets...)
	defer db.Close()
	s := reopen(t, db, newClock())
	if err := s.Clear(market.FR, "SFR"); err != nil {
		t.Error(err)
	}
	storetest.Compact(t, db, path, false)
	load(t, s, "SFR", strings.Replace(rowOf("1"), "panne", "a detail that must go", 1))
	load(t, s, "FREE", strings.Replace(rowOf("1"), "panne", "a detail that stays", 1))
	must(t, s.Clear(market.FR, "SFR"))
	if !bytes.Contains(filetest.Read(t, path), []byte("must go")) {
		t.Error("nothing was left: this proves nothing")
	}
	if text := storetest.Compact(t, db, path, true); bytes.Contains(text, []byte("must go")) ||
		!bytes.Contains(text, []byte("a detail that stays")) {
		t.Error("the feed is still on the disk, or another is not")
	}
}

// What a feed was before takes no space: nothing of it stays but the last good read.
func TestFeedKeepsNoPast(t *testing.T) {
	tier.Slow(t)
	path := filepath.Join(t.TempDir(), "community.db")
	db := storetest.Open(t, path, Buckets...)
	defer db.Close()
	c := newClock()
	s := reopen(t, db, c)
	var rows []string
	for i := range 400 {
		rows = append(rows, rowOf(fmt.Sprint(i)))
	}
	var first int
	for day := range 60 {
		c.at = c.at.Add(24 * time.Hour)
		load(t, s, "SFR", rows[:200+day*37%200]...)
		must(t, s.Failed(market.FR, "SFR", fmt.Errorf("HTTP %d", 500+day)))
		if size := len(filetest.Read(t, path)); day == 5 {
			first = size
		} else if day > 5 && size > 2*first {
			t.Fatalf("day %d: got %d bytes, want at most twice the first %d", day, size, first)
		}
	}
	if f := reopen(t, db, c).Feeds(market.FR)[0]; f.State() != Failed || f.Why != "HTTP 559" || f.Age(c.at) != 0 ||
		f.Served != 200+59*37%200 {
		t.Errorf("got %+v, want the last one, failed with HTTP 559", f)
	}
}
