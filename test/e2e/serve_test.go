package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// A new snapshot is served soon, without one failed answer; a
// damaged one is refused and the old data goes on; a second server is refused.
func TestReloadUnderRequests(t *testing.T) {
	c := makeCountry(t, 800)
	s := serve(t, nil, "serve", "--data", c.dir)
	if !waitFor(func() bool { return s.version("DROM") != "" }) {
		t.Fatalf("not ready: %s", s.log)
	}
	_, errs, code := relais(t, "serve", "--data", c.dir, "--listen", "127.0.0.1:0")
	if code != 1 || !strings.Contains(errs, fmt.Sprintf("process %d", s.cmd.Process.Pid)) {
		t.Errorf("a second server: exit %d: %s", code, errs)
	}

	var asked, failed atomic.Int64
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				asked.Add(1)
				if err := consistent(s); err != nil {
					failed.Add(1)
					t.Error(err)
					return
				}
			}
		})
	}
	before := s.version("FR")
	newer := filepath.Join(t.TempDir(), "SYNTHETIC_observatoire_2026-01-22.csv")
	text, err := os.ReadFile(c.files[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(newer,
		bytes.ReplaceAll(text, []byte(";2026-01-15T12:00:00;"), []byte(";2026-01-22T12:00:00;")), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, errs, code := relais(t, "ingest", "--data", c.dir, "FR,DROM", newer); code != 0 {
		t.Fatalf("ingest: %d %s%s", code, out, errs)
	}
	start := time.Now()
	if !waitFor(func() bool {
		return strings.HasPrefix(s.version("FR"), "2026-01-22") && strings.HasPrefix(s.version("DROM"), "2026-01-22")
	}) {
		t.Errorf("after %s the server still has %s", patience, s.version("FR"))
	}
	t.Logf("the new snapshots are served after %s", time.Since(start).Round(time.Millisecond))
	if n := len(s.ask("/antennas/90000010")["data"].(object)["radio"].(object)["azimuts"].([]any)); n == 0 {
		t.Error("a weekly file alone lost the azimuths")
	}

	good := s.version("FR")
	if good == before {
		t.Error("the version did not change")
	}
	snap := filepath.Join(c.dir, "snapshots", "FR.snap")
	whole, err := os.ReadFile(snap)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		what string
		bad  []byte
	}{
		{"truncated", whole[:len(whole)/2]},
		{"flipped", flip(whole)},
		{"foreign", []byte("PNG, not a snapshot at all, but long enough for a header")},
	} {
		t.Run(tt.what, func(t *testing.T) {
			replace(t, snap, tt.bad)
			if !waitFor(func() bool { _, o := s.get("/readyz"); return o["problems"] != nil }) {
				t.Errorf("%s: /readyz says nothing", tt.what)
			}
			if s.version("FR") != good || s.ask("/antennas?limit=1")["meta"].(object)["sourceDate"] != "2026-01-22" {
				t.Errorf("%s: the old data is gone", tt.what)
			}
			_, errs, code := relais(t, "snapshot", "verify", "--data", c.dir)
			if code != 1 || !strings.Contains(errs, "FR.snap") {
				t.Errorf("%s: snapshot verify: %d %s", tt.what, code, errs)
			}
			replace(t, snap, whole)
			if !waitFor(func() bool { _, o := s.get("/readyz"); return o["problems"] == nil }) {
				t.Errorf("%s: the whole file is not taken again", tt.what)
			}
		})
	}
	enough := waitFor(func() bool { return asked.Load() >= 100 || failed.Load() > 0 })
	close(stop)
	wg.Wait()
	if failed.Load() > 0 || !enough {
		t.Errorf("%d of %d requests failed", failed.Load(), asked.Load())
	}
	if code := s.stop(); code != 0 {
		t.Errorf("SIGTERM: exit %d", code)
	}
}

// consistent asks for FR and DROM in one answer and for a page, and makes sure
// that each answer is of one data version.
func consistent(s *server) error {
	r, err := s.fetch("/external/v1/markets")
	if err != nil {
		return err
	}
	defer r.Body.Close()
	var o struct {
		Data []struct {
			Market     string
			SourceDate *string
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&o); err != nil || r.StatusCode != 200 {
		return fmt.Errorf("/markets: %d %w", r.StatusCode, err)
	}
	if fr, drom := o.Data[0].SourceDate, o.Data[1].SourceDate; fr == nil || drom == nil || *fr != *drom {
		return fmt.Errorf("FR is of %v, DROM of %v in one answer", fr, drom)
	}
	page, err := s.fetch("/external/v1/antennas?limit=500")
	if err != nil {
		return err
	}
	defer page.Body.Close()
	text, err := io.ReadAll(page.Body)
	if err != nil || page.StatusCode != 200 {
		return fmt.Errorf("/antennas: %d %w", page.StatusCode, err)
	}
	old, young := bytes.Contains(text, []byte("2026-01-15")), bytes.Contains(text, []byte("2026-01-22"))
	if old == young {
		return fmt.Errorf("a page of mixed data")
	}
	return nil
}

func flip(b []byte) []byte {
	b = bytes.Clone(b)
	b[len(b)/2] ^= 1
	return b
}

// replace puts a file in the place of another, as ingest does.
func replace(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path+".new", text, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

// readOnly takes the locks out of a folder and everybody's leave to write to it, and
// returns what starts a program as somebody whom that holds for.
func readOnly(t *testing.T, dir string) func(*exec.Cmd) {
	for _, name := range []string{"serve.lock", "ingest.lock"} {
		os.Remove(filepath.Join(dir, name))
	}
	var folders []string
	if err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			folders = append(folders, path)
			return os.Chmod(path, 0o555)
		}
		return os.Chmod(path, 0o444)
	}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // who is not root could not remove what is in them
		for _, path := range folders {
			os.Chmod(path, 0o755)
		}
	})
	nobody := func(cmd *exec.Cmd) {}
	if os.Getuid() == 0 { // root writes everywhere: the servers run as somebody else
		for above := dir; above != "/" && above != os.TempDir(); above = filepath.Dir(above) {
			if info, err := os.Stat(above); err == nil && info.Mode().Perm()&0o005 != 0o005 {
				os.Chmod(above, info.Mode().Perm()|0o055)
			}
		}
		path, err := binary()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		nobody = func(cmd *exec.Cmd) {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		}
	}
	return nobody
}

// A folder that the server may not write to is served all the same, by several
// servers at once.
func TestReadOnlyFolder(t *testing.T) {
	c := makeCountry(t, 200)
	nobody := readOnly(t, c.dir)
	for range 2 {
		s := serve(t, nobody, "serve", "--data", c.dir)
		if !waitFor(func() bool { return s.version("FR") != "" }) {
			t.Fatalf("not ready: %s", s.log)
		}
		s.ask("/antennas/90000010")
		if !strings.Contains(s.log.String(), "read-only") {
			t.Errorf("the log does not say that the folder is read-only: %s", s.log)
		}
	}
}

// A client that does not finish its header is let go, and one whose header has no
// end is told so; others are answered meanwhile.
func TestClientsThatDoNotBehave(t *testing.T) {
	t.Parallel()
	c := makeCountry(t, 200)
	s := serve(t, nil, "serve", "--data", c.dir)
	if !waitFor(func() bool { return s.version("FR") != "" }) {
		t.Fatalf("not ready: %s", s.log)
	}
	dial := func() net.Conn {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.base, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		return conn
	}
	slow, start := dial(), time.Now()
	if _, err := io.WriteString(slow, "GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: "); err != nil {
		t.Fatal(err)
	}
	huge := dial()
	// it ends with the connection
	go io.WriteString(huge, "GET /healthz HTTP/1.1\r\nHost: x\r\nX-Huge: "+strings.Repeat("a", 2<<20))
	huge.SetReadDeadline(time.Now().Add(time.Minute))
	answer := make([]byte, 64)
	if n, err := io.ReadAtLeast(huge, answer, 12); err != nil ||
		!strings.HasPrefix(string(answer[:n]), "HTTP/1.1 431") {
		t.Errorf("a header without an end: %q, %v", answer[:n], err)
	}
	s.ask("/markets")
	slow.SetReadDeadline(start.Add(time.Minute))
	_, err := io.ReadAll(slow)
	if took := time.Since(start); err != nil || took < 5*time.Second || took > time.Minute {
		t.Errorf("a header that does not end: closed after %s, %v", took, err)
	}
}
