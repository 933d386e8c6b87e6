package docs

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"relais/api"
	"relais/internal/tier"
)

// The vectors are what HMAC-SHA256 gives, by the library and by openssl.
func TestVectors(t *testing.T) {
	want := []string{"8a3702752019283ab8b85d4439b83ac104ff7925aff416416d1ef53f51d33bdc",
		"823ae9c5d9c46b0919e9522081fc000d462a61b052eebce88483d00927f9a74f"}
	for i, v := range Vectors {
		t.Run(v.Method, func(t *testing.T) {
			mac := hmac.New(sha256.New, []byte(v.Secret))
			io.WriteString(mac, v.Text())
			sum := hex.EncodeToString(mac.Sum(nil))
			if header := "t=1790000000,v1=" + sum; v.Header() != header || sum != want[i] {
				t.Errorf("header %s, want %s and %s", v.Header(), header, want[i])
			}
			openssl := command(t, "openssl", "dgst", "-sha256", "-hmac", v.Secret, "-r")
			openssl.Stdin = strings.NewReader(v.Text())
			out, err := openssl.Output()
			if got, _, _ := strings.Cut(string(out), " "); err != nil || got != sum {
				t.Errorf("openssl: %s, %v; want %s", out, err, sum)
			}
		})
	}
}

// command returns a command, or skips the test where the program is not installed.
func command(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skip(err)
	}
	return exec.Command(path, args...)
}

// The programs of the guide make the vector's header.
func TestSigningPrograms(t *testing.T) {
	programs := map[string]string{}
	for _, b := range readGuide("en", "signatures", base).Blocks {
		programs[b.Folded] = b.Code
	}
	for _, tt := range []struct{ language, command, file string }{
		{"Shell", "sh", "sign.sh"}, {"JavaScript", "node", "sign.mjs"}, {"Python", "python3", "sign.py"},
	} {
		t.Run(tt.language, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), tt.file)
			if err := os.WriteFile(file, []byte(programs[tt.language]), 0o600); err != nil {
				t.Fatal(err)
			}
			out, err := command(t, tt.command, file).CombinedOutput()
			if want := "X-Sq-Signature: " + Vectors[0].Header() + "\n"; err != nil || string(out) != want {
				t.Errorf("got %q, %v; want %q", out, err, want)
			}
		})
	}
}

// The lines of each language send the request, with the key of the environment.
func TestCodeLines(t *testing.T) {
	tier.Slow(t)
	var got string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // of a request that is compared below
		kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
		key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ") + r.Header.Get("X-API-Key")
		photo := strings.Contains(string(body), "a photo")
		got = fmt.Sprintf("%s %s %s %s %v", r.Method, r.URL.RequestURI(), key, kind, photo)
		io.WriteString(w, "{}")
	}))
	defer server.Close()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "photo.jpg"), []byte("a photo"), 0o600); err != nil {
		t.Fatal(err)
	}
	commands := map[string][]string{"curl": {"sh"}, "JavaScript": {"node", "--input-type=module"}, "Python": {"python3"}}
	for _, op := range api.Operations() {
		switch op.Name {
		case "antennas.list", "tiles.get", "photos.upload", "photos.report", "photos.delete": // one of each kind
		default:
			continue
		}
		want := fmt.Sprintf("%s %s%s rk_test ", op.Method, mount, op.Example.Target)
		if op.Body != nil {
			want += op.Body.Type
		}
		want += fmt.Sprint(" ", op.Name == "photos.upload")
		for _, c := range codeOf(op, server.URL) {
			line := commands[c.Language]
			if line == nil {
				continue // Swift and Kotlin are rarely installed
			}
			t.Run(op.Name+" "+c.Language, func(t *testing.T) {
				if c.Language == "Python" && command(t, "python3", "-c", "import requests").Run() != nil {
					t.Skip("the library requests is not installed")
				}
				program := command(t, line[0], line[1:]...)
				program.Stdin, program.Dir, program.Env = strings.NewReader(c.Text), folder, append(os.Environ(), "KEY=rk_test")
				out, err := program.CombinedOutput()
				if err != nil || got != want {
					t.Errorf("asked %q, want %q; %v:\n%s", got, want, err, out)
				}
			})
		}
	}
}
