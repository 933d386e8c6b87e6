package render

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Where processes cannot be confined, no C reads a stranger's bytes: the program has none, and loads none.
func TestNoC(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("go is not installed")
	}
	for _, system := range []string{"windows/amd64", "darwin/arm64", "darwin/amd64"} {
		t.Run(system, func(t *testing.T) {
			goos, arch, _ := strings.Cut(system, "/")
			list := exec.Command("go", "list", "-deps", "-tags=netgo,osusergo,nodynamic",
				"-f", "{{.ImportPath}} {{.Standard}} {{len .CgoFiles}} {{len .CFiles}}{{len .CXXFiles}}{{len .SysoFiles}}", "relais/photos/worker")
			list.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+arch, "CGO_ENABLED=0", "GOFLAGS=")
			out, err := list.CombinedOutput()
			if err != nil {
				t.Fatalf("go list: %v: %s", err, out)
			}
			sandboxes := 0
			for line := range strings.Lines(string(out)) {
				f := strings.Fields(line)
				switch name := f[0]; {
				case name == "github.com/chai2010/webp", name == "github.com/ebitengine/purego":
					t.Errorf("%s is linked in, which runs C", name)
				case name == "github.com/gen2brain/webp", name == "github.com/gen2brain/heic":
					sandboxes++
				case f[1] == "false" && (f[2] != "0" || f[3] != "000"):
					t.Errorf("%s has files in C: %s", name, line)
				}
			}
			if sandboxes != 2 {
				t.Errorf("%d of libwebp and libheif are sandboxed, want 2", sandboxes)
			}
		})
	}
}
