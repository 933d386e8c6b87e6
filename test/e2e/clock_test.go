package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// receivedAt makes a folder that nobody serves one whose last data came at a time, by the
// clock of then.
func receivedAt(t *testing.T, dir string, at time.Time) {
	t.Helper()
	path := filepath.Join(dir, "stores.json")
	text, err := os.ReadFile(path)
	var noted object
	if err == nil {
		err = json.Unmarshal(text, &noted)
	}
	if err != nil {
		t.Fatal(err)
	}
	noted["clock"] = object{"receipt": at.UTC().Truncate(time.Second)}
	if text, err = json.Marshal(noted); err == nil {
		err = os.WriteFile(path, text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A clock that is far from when data came last deletes nothing, and is warned of at the start
// and in /readyz. When it is accepted, what is too old goes.
func TestFarClock(t *testing.T) {
	dir := t.TempDir()
	letIn(t, dir)
	text := "timestamp,lat,lng,download_mbps\n"
	for i := range 40 {
		text += fmt.Sprintf("%s,45.%d,3,50\n", time.Now().AddDate(0, 0, -100).UTC().Format(time.RFC3339), 1000+i)
	}
	path := filepath.Join(t.TempDir(), "old.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, errs, code := relais(t, "speedtest", "import", "--data", dir, "--market", "FR", path); code != 0 {
		t.Fatal(errs)
	}
	// started is a server that has looked for what is too old, and how many speedtests it has.
	started := func(looked string) (s *server, left int) {
		t.Helper()
		s = serve(t, nil, "serve", "--data", dir, "--keep-measures", "30d")
		if !waitFor(func() bool { return strings.Contains(s.log.String(), looked) }) {
			t.Fatalf("the log does not say %q: %s", looked, s.log)
		}
		s.measured()
		return s, len(s.ask("/speedtests?days=365&limit=1000")["data"].([]any))
	}
	for _, tt := range []struct {
		name string
		at   time.Time
	}{
		{"400 days ahead", time.Now().AddDate(0, 0, -400)},
		{"ten years behind", time.Now().AddDate(10, 0, 0)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			receivedAt(t, dir, tt.at)
			s, left := started("what is old stays, because the system clock may be wrong")
			if left != 40 {
				t.Errorf("%s: %d speedtests", tt.name, left)
			}
			if !strings.Contains(s.log.String(), `level=WARN msg="the system clock may be wrong"`) {
				t.Errorf("%s: no warning at the start: %s", tt.name, s.log)
			}
			_, ready := s.get("/readyz")
			warnings, _ := ready["warnings"].([]any)
			if len(warnings) != 1 || !strings.Contains(warnings[0].(string), tt.at.UTC().Format("2006-01-02")) ||
				!strings.Contains(warnings[0].(string), "--accept") {
				t.Errorf("%s: /readyz: %v", tt.name, ready)
			}
			if code := s.stop(); code != 0 || len(segments(t, dir)) == 0 {
				t.Errorf("%s: exit %d", tt.name, code)
			}
		})
	}
	if _, errs, code := relais(t, "check", "--data", dir, "--accept"); code != 0 {
		t.Fatal(errs)
	}
	s, left := started("measures=40")
	if left != 0 {
		t.Errorf("%d speedtests after the clock was accepted", left)
	}
	if _, ready := s.get("/readyz"); ready["warnings"] != nil {
		t.Errorf("/readyz: %v", ready)
	}
}
