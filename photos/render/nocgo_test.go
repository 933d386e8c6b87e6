package render

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// linked lists the packages of a worker that are not of the standard library, each with its number of files in C.
func linked(t *testing.T, goos, arch, cgo string) map[string]string {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("go is not installed")
	}
	list := exec.Command("go", "list", "-deps", "-tags=netgo,osusergo,nodynamic",
		"-f", "{{if not .Standard}}{{.ImportPath}} {{len .CgoFiles}}{{len .CFiles}}{{len .CXXFiles}}{{len .SysoFiles}}{{end}}",
		"relais/photos/worker")
	list.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+arch, "CGO_ENABLED="+cgo, "GOFLAGS=")
	out, err := list.CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v: %s", err, out)
	}
	packages := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, files, _ := strings.Cut(strings.TrimSpace(line), " ")
		packages[name] = files
	}
	return packages
}

const inC, inWebAssembly, loader = "github.com/chai2010/webp", "github.com/gen2brain/webp", "github.com/ebitengine/purego"

// Where processes cannot be confined, no C reads a stranger's bytes: the program has none, and loads none.
func TestNoC(t *testing.T) {
	for _, system := range []string{"windows/amd64", "darwin/arm64", "darwin/amd64", "linux/amd64"} {
		t.Run(system, func(t *testing.T) {
			goos, arch, _ := strings.Cut(system, "/")
			packages := linked(t, goos, arch, "0")
			for name, files := range packages {
				if files != "0000" || name == inC || name == loader {
					t.Errorf("%s is linked in, with C: %s", name, files)
				}
			}
			if packages[inWebAssembly] == "" || packages["github.com/gen2brain/heic"] == "" {
				t.Error("libwebp or libheif is missing")
			}
		})
	}
}

// The program for Linux has one libwebp.
func TestOneLibwebp(t *testing.T) {
	packages := linked(t, "linux", "amd64", "1")
	if packages[inC] == "" || packages[inC] == "0000" || packages[inWebAssembly] != "" {
		t.Errorf("C: %q, WebAssembly: %q; want C alone", packages[inC], packages[inWebAssembly])
	}
}
