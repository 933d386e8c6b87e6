//go:build linux

package e2e

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"relais/internal/filetest"
	"relais/internal/outputtest"
)

// packedStick makes a stick with a country.
func packedStick(t *testing.T) string {
	t.Helper()
	c := makeCountry(t, 40)
	stick := filepath.Join(t.TempDir(), "Été à Genève (démo)")
	run(t, "pack", "--data", c.dir, "--area", "FR", stick)
	return stick
}

var mapAt = regexp.MustCompile(`The map is at (http://127\.0\.0\.1:\d+)/\n`)

// openStick runs a program that shows a stick, on a machine without a screen, and waits for the map. What the program
// has for the time being goes into the folder temporary.
func openStick(t *testing.T, stick, temporary string, command ...string) *server {
	t.Helper()
	s := &server{t: t, cmd: exec.Command(command[0], command[1:]...), log: &outputtest.Buffer{}}
	s.cmd.Env = append(slices.DeleteFunc(os.Environ(), func(e string) bool {
		return strings.HasPrefix(e, "DISPLAY=") || strings.HasPrefix(e, "WAYLAND_DISPLAY=")
	}), "TMPDIR="+temporary)
	s.cmd.Stdout, s.cmd.Stderr = s.log, s.log
	must(t, s.cmd.Start())
	t.Cleanup(func() {
		if s.cmd.ProcessState == nil { // it would wait for its program
			s.stop()
		}
	})
	s.waitUntil("the window says where the map is", func() bool {
		if m := mapAt.FindStringSubmatch(s.log.String()); m != nil {
			s.base = m[1]
		}
		return s.base != ""
	})
	for _, says := range []string{"Close this window or press Ctrl-C", "Fermez cette fenêtre"} {
		if !strings.Contains(s.log.String(), says) {
			t.Errorf("the window lacks %q: %s", says, s.log)
		}
	}
	s.isLoaded(filepath.Join(stick, "data"))
	return s
}

// The starter of a stick shows it, also from a place where programs cannot run. So do the program on the stick without
// arguments, and relais open.
func TestOpenStick(t *testing.T) {
	stick := packedStick(t)
	own := filepath.Join(stick, "programs", ownName)
	script := filepath.Join(stick, "open-relais.sh")
	for _, tt := range []struct {
		name    string
		mode    os.FileMode
		command []string
	}{
		{"the starter of Linux", 0o755, []string{"sh", script}},
		{"the starter of macOS", 0o755, []string{filepath.Join(stick, "Open relais.command")}},
		{"the starter where nothing runs", 0o644, []string{"sh", script}},
		{"a double click", 0o755, []string{own}},
		{"relais open", 0o755, []string{ownProgram(t), "open", stick}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			must(t, os.Chmod(own, tt.mode))
			temporary := t.TempDir()
			s := openStick(t, stick, temporary, tt.command...)
			if n := len(asked(s, "/antennas?market=FR")["data"].([]any)); n == 0 {
				t.Error("the map has no sites")
			}
			s.showsMap()
			if copied := strings.Contains(s.log.String(), "a copy in "+temporary); copied != (tt.mode == 0o644) {
				t.Errorf("a copy was made: %t: %s", copied, s.log)
			}
			s.stop()
			if entries, _ := os.ReadDir(temporary); len(entries) > 0 {
				t.Errorf("%v stay in the temporary folder", entries)
			}
		})
	}
}

// What is missing on a stick is said in both languages, and a folder that is not a stick is refused.
func TestStickThatCannotBeOpened(t *testing.T) {
	stick := packedStick(t)
	fails(t, 1, "is not a stick of relais pack", "open", t.TempDir())
	fails(t, 2, "this program is not on a stick", "open")
	for _, tt := range []struct{ remove, english, french string }{
		{filepath.Join("data", "pack.json"), "The map could not be shown", "La carte n'a pas pu"},
		{filepath.Join("programs", ownName), "no program for this computer", "pas de programme pour cet ordinateur"},
	} {
		must(t, os.Remove(filepath.Join(stick, tt.remove)))
		out, err := exec.Command("sh", filepath.Join(stick, "open-relais.sh")).CombinedOutput()
		if err == nil || !strings.Contains(string(out), tt.english) || !strings.Contains(string(out), tt.french) {
			t.Errorf("without %s: %v: %s, want an error with %q and %q", tt.remove, err, out, tt.english, tt.french)
		}
	}
}

// Texts show in Notepad, and cmd.exe and sh read the starters.
func TestTextsOfStick(t *testing.T) {
	stick := packedStick(t)
	for _, tt := range []struct {
		name  string
		lines int // 0: any
		crlf  bool
		mark  bool // of UTF-8
	}{
		{"READ ME.txt", 10, true, true}, {"LISEZ-MOI.txt", 10, true, true}, {"LICENCES.txt", 0, true, true},
		{"Open relais.cmd", 0, true, false}, {"Open relais.command", 0, false, false}, {"open-relais.sh", 0, false, false},
	} {
		text := string(filetest.Read(t, filepath.Join(stick, tt.name)))
		lines, returns := strings.Count(text, "\n"), strings.Count(text, "\r\n")
		if tt.crlf && returns != lines || !tt.crlf && returns != 0 || tt.lines != 0 && lines != tt.lines {
			t.Errorf("%s has %d lines, %d of them with CR LF; want %d lines, CR LF %t", tt.name, lines, returns, tt.lines, tt.crlf)
		}
		if strings.HasPrefix(text, "\ufeff") != tt.mark || strings.Contains(text, "@") && tt.mark {
			t.Errorf("%s: a mark of UTF-8 should be there: %t, and nothing to fill in: %.80q", tt.name, tt.mark, text)
		}
		if at := strings.IndexFunc(text, func(r rune) bool { return r > '~' }); at >= 0 && tt.name == "Open relais.cmd" {
			t.Errorf("%s has %.10q, which code pages show differently", tt.name, text[at:])
		}
	}
}

// notOnSticks is what Windows refuses in a name, by the rules for the names of files that Microsoft documents.
var notOnSticks = regexp.MustCompile(`(?i)[\x00-\x1f<>:"/\\|?*]|[. ]$|^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)`)

// checkNames checks that FAT, exFAT and NTFS can have the names of a stick's files.
func checkNames(t *testing.T, stick string) {
	t.Helper()
	same := map[string]string{} // by what a file system without case compares
	for path := range filesOf(t, stick) {
		if name := filepath.Base(path); path != stick && (notOnSticks.MatchString(name) || len(name) > 255) {
			t.Errorf("Windows cannot have the name %q", name)
		}
		folded := strings.ToLower(path)
		if other, ok := same[folded]; ok {
			t.Errorf("%s and %s are one file where case does not count", path, other)
		}
		same[folded] = path
	}
}

// Showing a stick changes nothing on it, whatever its file system: names, sizes, bytes and times stay. The folder is
// always tried, the images where this machine can mount them; TestPack has a folder that cannot be written to.
func TestStickStaysAsItIs(t *testing.T) {
	stick := packedStick(t)
	show := func(t *testing.T, dir string) {
		t.Helper()
		before := filesOf(t, dir)
		s := openStick(t, dir, t.TempDir(), "sh", filepath.Join(dir, "open-relais.sh"))
		if n := len(asked(s, "/antennas?market=FR")["data"].([]any)); n == 0 {
			t.Error("the map has no sites")
		}
		s.showsMap()
		for _, path := range []string{"/", "/stats", "/map/speedtests?market=FR", "/map/coverage/points?market=FR"} {
			if a := s.get(path); a.status != http.StatusOK {
				t.Errorf("%s: %s", path, a)
			}
		}
		s.stop()
		if diff := cmp.Diff(before, filesOf(t, dir)); diff != "" {
			t.Errorf("the stick changed (-before +after)\n%s", diff)
		}
	}
	onEveryFileSystem(t, stick, show)
}

// onEveryFileSystem shows a stick in its folder, and on images of sticks that can and cannot be written to.
func onEveryFileSystem(t *testing.T, stick string, show func(t *testing.T, dir string)) {
	t.Run("a folder", func(t *testing.T) { show(t, stick) })
	for _, kind := range []string{"vfat", "exfat"} {
		for _, writable := range []bool{true, false} {
			t.Run(kind+map[bool]string{true: ", writable", false: ", read-only"}[writable], func(t *testing.T) {
				image := makeImage(t, kind, stick)
				show(t, filepath.Join(mountImage(t, kind, image, writable), filepath.Base(stick)))
			})
		}
	}
}

// showsMap checks that the page loads nothing from elsewhere, and that its base map and its tiles are there.
func (s *server) showsMap() {
	s.t.Helper()
	page := s.get("/")
	loads := regexp.MustCompile(`(?:src|rel="stylesheet" href)="([^"]*)"`)
	for _, m := range loads.FindAllStringSubmatch(string(page.body), -1) {
		if !strings.HasPrefix(m[1], "/") || strings.HasPrefix(m[1], "//") {
			s.t.Errorf("the page loads %s, want nothing from elsewhere", m[1])
		}
	}
	base := regexp.MustCompile(`/map/a/[0-9a-f]+/base\.json`).Find(page.body)
	if a := s.get(string(base)); a.status != http.StatusOK || len(a.body) < 100_000 {
		s.t.Errorf("the base map %q: %d, %d bytes, want it", base, a.status, len(a.body))
	}
	if a := s.get("/map/tiles/FR/0/0/0.mvt"); a.status != http.StatusOK || len(a.body) == 0 {
		s.t.Errorf("the tile of the world: %d, %d bytes, want sites", a.status, len(a.body))
	}
}
