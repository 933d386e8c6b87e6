//go:build linux

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"relais/internal/filetest"
)

// A report is what relais check --json prints.
type report struct {
	OK    bool
	Files []struct {
		Path, Kind, Detail, Problem string
		Bytes                       int64
	}
	Notes []string
}

// problems are those of the report, by file.
func (r *report) problems() map[string]string {
	m := map[string]string{}
	for _, f := range r.Files {
		if f.Problem != "" {
			m[f.Path] = f.Problem
		}
	}
	return m
}

// count adds up the numbers of what the files hold, such as speedtests.
func (r *report) count(what string) (sum int) {
	for _, f := range r.Files {
		n := 0
		if _, err := fmt.Sscanf(strings.ReplaceAll(f.Detail, ",", ""), "%d "+what, &n); err == nil {
			sum += n
		}
	}
	return sum
}

// check runs relais check and makes sure that it changes nothing, and that its exit
// code and its two forms say the same.
func check(t *testing.T, dir string) (r report) {
	t.Helper()
	before := listing(t, dir)
	out, errs, code := relais(t, "check", "--data", dir, "--json")
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("check: %v: %s%s", err, out, errs)
	}
	if r.OK != (code == 0) || r.OK != (len(r.problems()) == 0) {
		t.Errorf("check: got exit %d, ok %t and %d problems; want the same of all: %s", code, r.OK, len(r.problems()), errs)
	}
	text, _, again := relais(t, "check", "--data", dir)
	for _, f := range r.Files {
		if !strings.Contains(text, f.Path) || !strings.Contains(text, f.Problem) {
			t.Errorf("table: got\n%s\nwant %s with %q", text, f.Path, f.Problem)
		}
	}
	if again != code {
		t.Errorf("check: got exit %d, want %d as with --json", again, code)
	}
	if diff := cmp.Diff(before, listing(t, dir)); diff != "" {
		t.Errorf("the check changed the folder:\n%s", diff)
	}
	return r
}

// sound makes sure that a check finds nothing wrong.
func sound(t *testing.T, dir string) {
	t.Helper()
	if r := check(t, dir); !r.OK {
		t.Errorf("problems: got %q, want none", r.problems())
	}
}

// listing is the names, modes, sizes and times of a folder, without stores.json and
// quota.db, which a server brings up to date by itself.
func listing(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err == nil && e.Name() != "stores.json" && e.Name() != "quota.db" && path != dir {
			fmt.Fprintln(&all, path, info.Mode(), info.Size(), info.ModTime().UnixNano())
		}
		return err
	})
	must(t, err)
	return all.String()
}

// damage changes a file in place, as a server or a disk has it open, and returns
// what changes it back.
func damage(t *testing.T, path string, change func(text []byte) []byte) (undo func()) {
	t.Helper()
	was := filetest.Read(t, path)
	write := func(text []byte) {
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		must(t, err)
		defer f.Close()
		must(t, f.Truncate(int64(len(text))))
		if _, err := f.WriteAt(text, 0); err != nil {
			t.Fatal(err)
		}
	}
	write(change(bytes.Clone(was)))
	return func() { write(was) }
}

func flip(b []byte) []byte {
	b[len(b)/2] ^= 1
	return b
}

func half(b []byte) []byte { return b[:len(b)/2] }

var sealed = regexp.MustCompile(`"sealed":"..........`)

// flipSealed changes one letter of a sealed secret, in each copy that free pages have.
func flipSealed(b []byte) []byte {
	return sealed.ReplaceAllFunc(b, func(m []byte) []byte { m[len(m)-1] ^= 'A' ^ 'B'; return m })
}

// flipCounts changes the number of elements of each page but the first.
func flipCounts(b []byte) []byte {
	for at := 3 * 4096; at+4096 <= len(b); at += 4096 {
		b[at+11] ^= 0x40
	}
	return b
}

// keptObservatory is the path of the observatoire among the kept sources.
func keptObservatory(t *testing.T, dir string) string {
	t.Helper()
	for _, f := range check(t, dir).Files {
		if f.Kind == "source" && strings.HasSuffix(f.Path, ".zst") && strings.Contains(f.Detail, "observatoire") {
			return f.Path
		}
	}
	t.Fatal("no observatoire among the sources")
	return ""
}

// Every damage is named, with a server and without one.
func TestCheck(t *testing.T) {
	c := makeCountry(t, 300)
	app := newApp(t, c.dir)
	source := keptObservatory(t, c.dir)
	filetest.Write(t, filepath.Join(c.dir, "notes.txt"), "mine")
	damages := []struct {
		path, want string
		change     func([]byte) []byte // nil: the file is lost
	}{
		{"snapshots/FR.snap", "relais ingest", flip},
		{"snapshots/DROM.snap", "not a relais snapshot", func(b []byte) []byte { return b[:10] }},
		{"clients.db", app.ID, flipSealed},
		{"clients.db", "backup", flipCounts},
		{"secret.key", "32 bytes", func(b []byte) []byte { return b[:31] }},
		{"quota.db", "damaged", func([]byte) []byte { return []byte("*1\r\n$99999999999999\r\n") }},
		{source, "relais ingest", flip},
		{source, "no such file", nil},
		{"sources/FR/manifest.json", "unexpected end", half},
	}
	for _, served := range []bool{false, true} {
		if served {
			s := serve(t, c.dir)
			s.waitUntil("there is admin.sock", func() bool {
				_, err := os.Stat(filepath.Join(c.dir, "admin.sock"))
				return err == nil
			})
		}
		countsAreRight(t, c, check(t, c.dir))
		for _, d := range damages {
			t.Run(fmt.Sprintf("served %t/%s %s", served, d.path, d.want), func(t *testing.T) {
				file := filepath.Join(c.dir, filepath.FromSlash(d.path))
				undo := func() { os.Rename(c.dir+".aside", file) }
				if d.change != nil {
					undo = damage(t, file, d.change)
				} else if err := os.Rename(file, c.dir+".aside"); err != nil {
					t.Fatal(err)
				}
				got := check(t, c.dir)
				undo()
				if p := got.problems()[d.path]; !strings.Contains(p, d.want) {
					t.Errorf("got the problem %q, want one with %q", p, d.want)
				}
				for path := range got.problems() {
					if path != d.path && path != "clients.db" { // which a lost key makes useless
						t.Errorf("%s is named in addition", path)
					}
				}
				sound(t, c.dir)
			})
		}
	}
}

// countsAreRight compares what a check of a sound folder says with the file that was
// ingested.
func countsAreRight(t *testing.T, c country, r report) {
	t.Helper()
	if len(r.problems()) > 0 || len(r.Notes) != 1 || !strings.HasPrefix(r.Notes[0], "notes.txt: ") {
		t.Fatalf("got problems %q, notes %q; want a note on notes.txt", r.problems(), r.Notes)
	}
	supports := map[string]bool{}
	for _, row := range c.rows {
		supports[row["sup_id"]] = true
	}
	sites, emissions, stores := 0, 0, map[string]string{}
	for _, f := range r.Files {
		if info, err := os.Stat(filepath.Join(c.dir, f.Path)); err != nil || info.Size() != f.Bytes {
			t.Errorf("%s: got %d bytes, want those of %v, %v", f.Path, f.Bytes, info, err)
		}
		var s, e int
		if n, _ := fmt.Sscanf(strings.ReplaceAll(f.Detail, ",", ""), "%d sites %d emissions of", &s, &e); n == 2 {
			sites, emissions = sites+s, emissions+e
		}
		if f.Kind == "store" {
			stores[f.Path] = f.Detail
		}
	}
	if sites != len(supports) || emissions != len(c.rows) {
		t.Errorf("got %d sites, %d emissions; want %d and %d, as in the file", sites, emissions, len(supports),
			len(c.rows))
	}
	want := map[string]string{"clients.db": "2 clients", "photos.db": "0 photos, 0 reports",
		"outages.db":   "0 days of unavailable sites, 0 rows",
		"community.db": "0 unavailable sites, 0 outage reports, 0 validations, 0 bugs",
		"users.db":     "0 accounts, 0 facts",
		"archives.db":  fmt.Sprintf("1 archive, %d,%03d rows", len(c.rows)/1000, len(c.rows)%1000),
		"measures.db":  "0 files of measures"}
	if diff := cmp.Diff(want, stores); diff != "" {
		t.Errorf("stores: want (-), got (+):\n%s", diff)
	}
}

// A folder that cannot be written to is checked and not compacted, also while it is
// served.
func TestCheckReadOnly(t *testing.T) {
	c := makeCountry(t, 200)
	newApp(t, c.dir) // has a secret to seal
	nobody := readOnly(t, c.dir)
	key := filepath.Join(c.dir, "secret.key")
	must(t, os.Chmod(key, 0o400))
	if os.Getuid() == 0 {
		must(t, os.Chown(key, 65534, 65534))
	}
	before := listing(t, c.dir)
	for range 2 {
		if code, text := as(t, nobody, "check", "--data", c.dir); code != 0 || !strings.Contains(text, "2 clients\n") {
			t.Errorf("check: got exit %d, want 0 with 2 clients: %s", code, text)
		}
		if code, text := as(t, nobody, "compact", "--data", c.dir); code == 0 ||
			!strings.Contains(text, "cannot be written to") {
			t.Errorf("compact: got exit %d, want another than 0 with the reason: %s", code, text)
		}
		start(t, nobody, "serve", "--data", c.dir)
	}
	if diff := cmp.Diff(before, listing(t, c.dir)); diff != "" {
		t.Errorf("the folder has changed:\n%s", diff)
	}
}
