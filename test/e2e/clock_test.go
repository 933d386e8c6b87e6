package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"relais/internal/filetest"
)

// receivedAt makes a folder that nobody serves one whose last data came at a time, by the
// clock of then.
func receivedAt(t *testing.T, dir string, at time.Time) {
	t.Helper()
	path := filepath.Join(dir, "stores.json")
	var noted object
	if err := json.Unmarshal(filetest.Read(t, path), &noted); err != nil {
		t.Fatal(err)
	}
	noted["clock"] = object{"receipt": at.UTC().Truncate(time.Second)}
	text, err := json.Marshal(noted)
	if err == nil {
		err = os.WriteFile(path, text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A clock that is far from when data came last deletes nothing, and is warned of at the start
// and in /readyz. When it is accepted, what is too old goes.
func TestFarClock(t *testing.T) {
	dir := newFolder(t)
	text := "timestamp,lat,lng,download_mbps\n"
	for i := range 40 {
		text += fmt.Sprintf("%s,45.%d,3,50\n", ago(100*24*time.Hour), 1000+i)
	}
	run(t, "speedtest", "import", "--data", dir, "--market", "FR", filetest.New(t, "old.csv", text))
	// started is a server that has looked for what is too old; it has so many speedtests.
	started := func(looked string, want int) *server {
		t.Helper()
		s := serve(t, dir, "--keep-measures", "30d")
		s.waitUntil("the log says "+looked, func() bool { return strings.Contains(s.log.String(), looked) })
		s.measured()
		if got := len(s.list("/speedtests?days=365&limit=1000")); got != want {
			t.Errorf("speedtests: got %d, want %d", got, want)
		}
		return s
	}
	last := time.Now().AddDate(0, 0, -400)
	receivedAt(t, dir, last)
	s := started("what is old stays, because the system clock may be wrong", 40)
	if want := `level=WARN msg="the system clock may be wrong"`; !strings.Contains(s.log.String(), want) {
		t.Errorf("log: got %s, want %s", s.log, want)
	}
	warnings := fmt.Sprint(s.readyz()["warnings"])
	for _, want := range []string{last.UTC().Format(time.DateOnly), "--accept"} {
		if !strings.Contains(warnings, want) {
			t.Errorf("warnings of /readyz: got %s, want %q", warnings, want)
		}
	}
	s.stop()
	run(t, "check", "--data", dir, "--accept")
	s = started("measures=40", 0)
	if got := s.readyz()["warnings"]; got != nil {
		t.Errorf("warnings of /readyz after the clock was accepted: got %v, want none", got)
	}
}
