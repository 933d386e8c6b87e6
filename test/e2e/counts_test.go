package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A torn tail of the file of counts is worth a note; damage in the middle is damage. A start
// drops the tail, and keeps what can be read around the damage.
func TestCheckTornCounts(t *testing.T) {
	c := makeCountry(t, 20)
	path := filepath.Join(c.dir, "quota.db")
	count := "*5\r\n$3\r\nset\r\n$5\r\nday:x\r\n$7\r\n20000:5\r\n$2\r\nae\r\n$10\r\n4000000000\r\n"
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	said := func() (detail, problem, note string) {
		r := check(t, c.dir)
		for _, f := range r.Files {
			if f.Path == "quota.db" {
				detail, problem = f.Detail, f.Problem
			}
		}
		if r.OK != (problem == "") {
			t.Errorf("ok: %t, of %+v", r.OK, r.Files)
		}
		for _, n := range r.Notes {
			if strings.HasPrefix(n, "quota.db: ") {
				note = n
			}
		}
		return detail, problem, note
	}
	write(count + "*5\r\n$3\r\nset\r\n$5\r\nday" + strings.Repeat("\x00", 500))
	if detail, problem, note := said(); detail != "1 count" || problem != "" || !strings.Contains(note, "520 bytes") {
		t.Errorf("a torn tail: %q, %q, %q", detail, problem, note)
	}
	write(count + "junk" + strings.ReplaceAll(count, "day:x", "day:y"))
	if detail, problem, note := said(); detail != "2 counts" || !strings.Contains(problem, "4 bytes") || note != "" {
		t.Errorf("damage in the middle: %q, %q, %q", detail, problem, note)
	}
}
