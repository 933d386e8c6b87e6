package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
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

// check runs relais check and makes sure that it changes nothing, and that its exit
// code and its two forms say the same.
func check(t *testing.T, dir string) (r report) {
	t.Helper()
	before := listing(t, dir)
	out, errs, code := relais(t, "check", "--data", dir, "--json")
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("%v: %s%s", err, out, errs)
	}
	if r.OK != (code == 0) || r.OK != (len(r.problems()) == 0) {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
	text, _, again := relais(t, "check", "--data", dir)
	for _, f := range r.Files {
		if !strings.Contains(text, f.Path) || !strings.Contains(text, f.Problem) {
			t.Errorf("%+v is not in the table:\n%s", f, text)
		}
	}
	if again != code {
		t.Errorf("exit %d, with --json %d", again, code)
	}
	if after := listing(t, dir); after != before {
		t.Errorf("the check changed the folder:\n%s\n%s", before, after)
	}
	return r
}

// listing is the names, modes, sizes and times of a folder, without stores.json, which a
// server brings up to date each minute.
func listing(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err == nil && e.Name() != "stores.json" && path != dir {
			fmt.Fprintln(&all, path, info.Mode(), info.Size(), info.ModTime().UnixNano())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// damage changes a file in place, as a server or a disk has it open, and returns
// what changes it back.
func damage(t *testing.T, path string, change func(text []byte) []byte) (undo func()) {
	t.Helper()
	was, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write := func(text []byte) {
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := f.Truncate(int64(len(text))); err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteAt(text, 0); err != nil {
			t.Fatal(err)
		}
	}
	write(change(bytes.Clone(was)))
	return func() { write(was) }
}

// Every damage is named, with a server and without one.
func TestCheck(t *testing.T) {
	c := makeCountry(t, 300)
	app := createClient(t, c.dir, "--name", "App", "--mode", "mobile", "--scopes", "all-read")
	file := func(name string) string { return filepath.Join(c.dir, filepath.FromSlash(name)) }
	source := ""
	for _, f := range check(t, c.dir).Files {
		if f.Kind == "source" && strings.HasSuffix(f.Path, ".zst") && strings.Contains(f.Detail, "observatoire") {
			source = f.Path
		}
	}
	if source == "" {
		t.Fatal("no observatoire among the sources")
	}
	if err := os.WriteFile(file("notes.txt"), []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	sealed := regexp.MustCompile(`"sealed":"..........`)
	damages := []struct {
		path string
		want string
		do   func() (undo func())
	}{
		{"snapshots/FR.snap", "relais ingest", func() func() { return damage(t, file("snapshots/FR.snap"), flip) }},
		{"snapshots/DROM.snap", "not a relais snapshot", func() func() {
			return damage(t, file("snapshots/DROM.snap"), func(b []byte) []byte { return b[:10] })
		}},
		{"clients.db", app.ID, func() func() { // one letter of a sealed secret, in each copy that free pages have
			return damage(t, file("clients.db"), func(b []byte) []byte {
				return sealed.ReplaceAllFunc(b, func(m []byte) []byte { m[len(m)-1] ^= 'A' ^ 'B'; return m })
			})
		}},
		{"clients.db", "backup", func() func() { // the number of elements of each page but the first
			return damage(t, file("clients.db"), func(b []byte) []byte {
				for at := 3 * 4096; at+4096 <= len(b); at += 4096 {
					b[at+11] ^= 0x40
				}
				return b
			})
		}},
		{"secret.key", "32 bytes", func() func() {
			return damage(t, file("secret.key"), func(b []byte) []byte { return b[:31] })
		}},
		{"secret.key", "chmod 600", func() func() {
			os.Chmod(file("secret.key"), 0o644)
			return func() { os.Chmod(file("secret.key"), 0o600) }
		}},
		{"quota.db", "damaged", func() func() {
			return damage(t, file("quota.db"), func([]byte) []byte { return []byte("*1\r\n$99999999999999\r\n") })
		}},
		{source, "relais ingest", func() func() { return damage(t, file(source), flip) }},
		{source, "no such file", func() func() {
			os.Rename(file(source), c.dir+".aside")
			return func() { os.Rename(c.dir+".aside", file(source)) }
		}},
		{"sources/FR/manifest.json", "unexpected end", func() func() {
			return damage(t, file("sources/FR/manifest.json"), func(b []byte) []byte { return b[:len(b)/2] })
		}},
	}
	for _, served := range []bool{false, true} {
		if served {
			s := serve(t, nil, "serve", "--data", c.dir)
			if !waitFor(func() bool { _, err := os.Stat(file("admin.sock")); return err == nil && s.version("DROM") != "" }) {
				t.Fatalf("not ready: %s", s.log)
			}
		}
		r := check(t, c.dir)
		if !r.OK || len(r.Notes) != 1 || !strings.HasPrefix(r.Notes[0], "notes.txt: ") {
			t.Fatalf("served %v, a folder that is whole: %+v", served, r)
		}
		countsAreRight(t, c, r)
		for _, d := range damages {
			undo := d.do()
			r := check(t, c.dir)
			undo()
			if p := r.problems()[d.path]; !strings.Contains(p, d.want) {
				t.Errorf("served %v, %s, %s: %q", served, d.path, d.want, r.problems())
			}
			for path := range r.problems() {
				if path != d.path && path != "clients.db" { // which a lost key makes useless
					t.Errorf("served %v: %s is named in addition to %s", served, path, d.path)
				}
			}
		}
		if r := check(t, c.dir); !r.OK {
			t.Fatalf("served %v: problems after the damage was undone: %+v", served, r.problems())
		}
	}
}

// countsAreRight compares what a check says with the file that was ingested.
func countsAreRight(t *testing.T, c country, r report) {
	t.Helper()
	supports := map[string]bool{}
	for _, row := range c.rows {
		supports[row["sup_id"]] = true
	}
	sites, emissions := 0, 0
	for _, f := range r.Files {
		info, err := os.Stat(filepath.Join(c.dir, f.Path))
		if err != nil || info.Size() != f.Bytes {
			t.Errorf("%+v, %v", f, err)
		}
		var s, e int
		if n, _ := fmt.Sscanf(strings.ReplaceAll(f.Detail, ",", ""), "%d sites %d emissions of", &s, &e); n == 2 {
			sites, emissions = sites+s, emissions+e
		}
		if f.Kind == "store" &&
			f.Detail != map[string]string{"clients.db": "2 clients", "photos.db": "0 photos, 0 reports",
				"community.db": "0 unavailable sites, 0 outage reports, 0 validations, 0 bugs",
				"users.db":     "0 accounts, 0 facts",
				"archives.db":  fmt.Sprintf("1 archive, %d,%03d rows", len(c.rows)/1000, len(c.rows)%1000),
				"measures.db":  "0 files of measures"}[f.Path] {
			t.Errorf("%+v", f)
		}
	}
	if sites != len(supports) || emissions != len(c.rows) {
		t.Errorf("%d sites, %d emissions; the file has %d and %d", sites, emissions, len(supports), len(c.rows))
	}
}

func TestCheckOfOtherFolders(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none")
	for _, command := range []string{"check", "compact"} {
		if _, errs, code := relais(t, command, "--data", none); code != 1 || !strings.Contains(errs, "none") {
			t.Errorf("%s of a missing folder: %d %s", command, code, errs)
		}
	}
	empty := t.TempDir()
	if r := check(t, empty); !r.OK || len(r.Files) != 0 {
		t.Errorf("an empty folder: %+v", r)
	}
	for _, tt := range []struct{ name, text string }{
		{".clients.db.tmp-1", "x"},
		{"quota.db.damaged", "y"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := os.WriteFile(filepath.Join(empty, tt.name), []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
		})
	}
	if r := check(t, empty); !r.OK || len(r.Notes) != 2 || !strings.Contains(r.Notes[0], "temporary") ||
		!strings.Contains(r.Notes[1], "put aside") {
		t.Errorf("leftovers: %+v", r)
	}
}

// A folder that cannot be written to is checked and not compacted, also while it is
// served.
func TestCheckReadOnly(t *testing.T) {
	c := makeCountry(t, 200)
	createClient(t, c.dir, "--name", "app", "--mode", "mobile", "--scopes", "all-read") // has a secret to seal
	nobody := readOnly(t, c.dir)
	if err := os.Chmod(filepath.Join(c.dir, "secret.key"), 0o400); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 {
		if err := os.Chown(filepath.Join(c.dir, "secret.key"), 65534, 65534); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) (string, error) {
		path, err := binary()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(path, append(args, "--data", c.dir)...)
		nobody(cmd)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	before := listing(t, c.dir)
	for range 2 {
		if out, err := run("check"); err != nil || !strings.Contains(out, "2 clients\n") {
			t.Errorf("%v: %s", err, out)
		}
		if out, err := run("compact"); err == nil || !strings.Contains(out, "cannot be written to") {
			t.Errorf("%v: %s", err, out)
		}
		serve(t, nobody, "serve", "--data", c.dir)
	}
	if after := listing(t, c.dir); after != before {
		t.Errorf("changed:\n%s\n%s", before, after)
	}
}
