//go:build linux

package e2e

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"relais/demo"
	"relais/internal/outputtest"
)

// A folder whose name has blanks, accents and brackets is filled, served, killed, served again, copied and put back, on
// whatever system RELAIS_BINARY is for: make windows runs this test, and others, on the Windows program.
func TestEverySystem(t *testing.T) {
	home := filepath.Join(t.TempDir(), "Été à Genève (démo)")
	files, err := demo.Write(filepath.Join(home, "fichiers du 15"), 120)
	must(t, err)
	dir := filepath.Join(home, "données")
	run(t, append([]string{"ingest", "--data", dir, "FR,DROM"}, files...)...)
	letIn(t, dir)
	photos := photographer(t, dir)
	rows := readCSV(t, files[0])

	s := serve(t, dir)
	s.hasSites(rows)
	fails(t, 1, "in use", "serve", "--data", dir, "--listen", "127.0.0.1:0")
	sent := mustSendPhoto(t, s, photos.APIKey, picture(640, 480), map[string]string{"license": "CC BY 4.0"})
	s.kill() // what was acknowledged is on disk

	s = serve(t, dir)
	s.hasSites(rows)
	s.key = photos.APIKey
	list := s.ask("/sites/90000010/photos")["data"].([]any)
	if len(list) != 1 || list[0].(object)["id"] != sent.Data.ID {
		t.Errorf("photos after a kill: got %v, want %s", list, sent.Data.ID)
	}
	image := s.get(sent.Data.ImageURL[strings.Index(sent.Data.ImageURL, "/media/"):]) // the port is another one
	if got := http.DetectContentType(image.body); got != "image/webp" {
		t.Errorf("the photo: got %s, want image/webp", got)
	}

	copied, restored := filepath.Join(home, "copie"), filepath.Join(home, "rendu")
	run(t, "backup", "--data", dir, copied) // while it is served
	run(t, "check", "--backup", copied)
	s.stop()
	run(t, "check", "--data", dir)
	run(t, "compact", "--data", dir)
	run(t, "restore", copied, "--data", restored)
	run(t, "check", "--data", restored)
	key, _ := keys.Load(dir)
	keys.Store(restored, key)
	s = serve(t, restored)
	s.hasSites(rows)
	s.stop()
}

// hasSites checks the number of sites of France, and the position of one, against the register's rows.
func (s *server) hasSites(rows []map[string]string) {
	s.t.Helper()
	if got, want := s.meta("/antennas?limit=1")["total"], sitesOf(rows); got != want {
		s.t.Errorf("sites: got %v, want %v", got, want)
	}
}

// sitesOf is the number of sites of France in the register's rows.
func sitesOf(rows []map[string]string) float64 {
	supports := map[string]bool{}
	for _, row := range rows {
		if !strings.HasPrefix(row["sta_nm_dpt"], "97") {
			supports[row["sup_id"]] = true
		}
	}
	return float64(len(supports))
}

// The demonstration is made, served and stopped, twice in one folder. TestDemo, which knows more of it, needs a Unix.
func TestDemoUnderWine(t *testing.T) {
	if !wine {
		t.Skip("for make windows: TestDemo shows it here")
	}
	dir := filepath.Join(t.TempDir(), "démo")
	for range 2 {
		s := start(t, nil, "demo", "--data", dir)
		s.isLoaded(dir)
		if a := s.get("/"); a.status != http.StatusOK {
			t.Errorf("/: got %s, want 200", a)
		}
		s.stop()
	}
}

// A pack is opened in a folder of any name, and nothing in it changes. Under wine it is opened from every file system of
// a stick too, by the program and by the starter of Windows: TestStickStaysAsItIs opens them here.
func TestPackOnEverySystem(t *testing.T) {
	c := makeCountry(t, 120)
	stick := filepath.Join(t.TempDir(), "Été à Genève (démo)")
	program, name := ownProgram(t), ownName
	if wine {
		program, name = program+".exe", "relais-windows-amd64.exe"
	}
	run(t, "pack", "--data", c.dir, "--area", "FR", "--programs", programsWith(t, name, program), stick)
	shows := func(t *testing.T, dir string, open func(t *testing.T, stick string) (*server, func())) {
		before := filesOf(t, dir)
		s, stop := open(t, dir)
		if got, want := asked(s, "/antennas?market=FR&limit=1")["meta"].(object)["total"], sitesOf(c.rows); got != want {
			t.Errorf("sites: got %v, want %v", got, want)
		}
		s.showsMap()
		stop()
		if diff := cmp.Diff(before, filesOf(t, dir)); diff != "" {
			t.Errorf("serving changed the pack (-before +after)\n%s", diff)
		}
	}
	served := func(t *testing.T, dir string) (*server, func()) {
		s := serve(t, filepath.Join(dir, "data"))
		return s, s.stop
	}
	if !wine {
		shows(t, stick, served)
		return
	}
	onEveryFileSystem(t, stick, func(t *testing.T, dir string) {
		shows(t, dir, served)
		shows(t, dir, clickUnderWine)
	})
}

// clickUnderWine runs the starter of Windows on a stick, which ends at once, and returns the server that it leaves. A
// program in the place of the system's browser says where the map is.
func clickUnderWine(t *testing.T, stick string) (s *server, stop func()) {
	t.Helper()
	browser := t.TempDir()
	opened := filepath.Join(browser, "opened")
	script := "#!/bin/sh\necho \"$1\" >'" + opened + ".part' && mv '" + opened + ".part' '" + opened + "'\n"
	must(t, os.WriteFile(filepath.Join(browser, "xdg-open"), []byte(script), 0o755))
	cmd := exec.Command(filepath.Join(filepath.Dir(ownProgram(t)), "wine"), "cmd", "/c", "Open relais.cmd")
	cmd.Dir, cmd.Env = stick, append(os.Environ(), "PATH="+browser+":"+os.Getenv("PATH"))
	t.Cleanup(func() {
		for _, p := range programsOf(t, stick) { // of a test that failed
			_ = p.Kill()
		}
	})
	must(t, cmd.Run()) // without a pipe, which the program would keep open
	s = &server{t: t, log: &outputtest.Buffer{}}
	s.waitUntil("the browser shows the map", func() bool {
		address, err := os.ReadFile(opened)
		s.base = strings.TrimSuffix(string(address), "/\n")
		return err == nil
	})
	return s, func() {
		processes := programsOf(t, stick)
		if len(processes) != 1 {
			t.Errorf("%d programs run from the stick, want one", len(processes))
		}
		for _, p := range processes {
			must(t, p.Signal(os.Interrupt))
		}
		s.waitUntil("the program ends", func() bool { return len(programsOf(t, stick)) == 0 })
	}
}

// programsOf returns the processes under wine whose program is on a stick.
func programsOf(t *testing.T, stick string) (list []*os.Process) {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	must(t, err)
	for _, path := range lines {
		line, _ := os.ReadFile(path) // it may have ended
		if !strings.Contains(string(line), strings.ReplaceAll(stick, "/", `\`)+`\programs\`) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		must(t, err)
		p, err := os.FindProcess(pid)
		must(t, err)
		list = append(list, p)
	}
	return list
}
