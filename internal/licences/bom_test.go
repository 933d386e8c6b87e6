package licences

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/CycloneDX/cyclonedx-go"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"relais/internal/errtest"
	"relais/internal/filetest"
)

// must ends the test on an error of what it needs.
var must = errtest.Must

// build returns what a build of all modules would say about itself.
func build(t *testing.T, table *Table) *debug.BuildInfo {
	t.Helper()
	info := &debug.BuildInfo{GoVersion: "go1.26.8", Settings: []debug.BuildSetting{{Key: "GOARCH", Value: "arm64"},
		{Key: "-ldflags", Value: "secret"}}}
	for _, m := range table.Modules {
		if m.Name != sandboxModule { // a program with C does not link it
			info.Deps = append(info.Deps, &debug.Module{Path: m.Name, Version: m.Version})
		}
	}
	return info
}

func bill(t *testing.T) []byte {
	t.Helper()
	table, err := Load()
	must(t, err)
	info := build(t, table)
	parts, err := table.Of(info, "2.36-9+deb12u14")
	must(t, err)
	var b bytes.Buffer
	must(t, table.WriteBOM(&b, "v1.2.3", info, parts))
	return b.Bytes()
}

// The bill follows the schema of CycloneDX, which comes with its library.
func TestBillFollowsSchema(t *testing.T) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/CycloneDX/cyclonedx-go").Output()
	must(t, err)
	dir := filepath.Join(strings.TrimSpace(string(out)), "schema")
	compiler := jsonschema.NewCompiler()
	for name, file := range map[string]string{"http://cyclonedx.org/schema/bom-1.6.schema.json": "bom-1.6.schema.json",
		"http://cyclonedx.org/schema/spdx.schema.json":     "spdx.schema.json",
		"http://cyclonedx.org/schema/jsf-0.82.schema.json": "jsf-0.82.schemax.json"} {
		schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(filetest.Read(t, filepath.Join(dir, file))))
		must(t, err)
		must(t, compiler.AddResource(name, schema))
	}
	schema, err := compiler.Compile("http://cyclonedx.org/schema/bom-1.6.schema.json")
	must(t, err)
	for name, text := range map[string]string{"the bill": string(bill(t)),
		"an unknown licence": strings.Replace(string(bill(t)), `"MIT"`, `"MITT"`, 1)} {
		document, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		must(t, err)
		if err := schema.Validate(document); (err == nil) != (name == "the bill") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// The library of CycloneDX reads what was written.
func TestBillIsRead(t *testing.T) {
	var got cyclonedx.BOM
	must(t, cyclonedx.NewBOMDecoder(bytes.NewReader(bill(t)), cyclonedx.BOMFileFormatJSON).Decode(&got))
	versions := map[string]string{}
	for _, c := range *got.Components {
		versions[c.Name] = c.Version
		if c.Licenses == nil || len(*c.Licenses) != 1 {
			t.Errorf("%s has %v, want a licence", c.Name, c.Licenses)
		}
	}
	for name, want := range map[string]string{"std": "1.26.8", "glibc": "2.36-9+deb12u14", "libheif": "1.18.2",
		"maplibre-gl": "6.17.0", "go.etcd.io/bbolt": requiredVersion(t, "go.etcd.io/bbolt")} {
		if versions[name] != want {
			t.Errorf("%s has version %q, want %q", name, versions[name], want)
		}
	}
	refs := map[string]bool{}
	for _, c := range *got.Components {
		if refs[c.BOMRef] {
			t.Errorf("two components are %s", c.BOMRef)
		}
		refs[c.BOMRef] = true
	}
	if self := got.Metadata.Component; self.Name != "relais" || self.Version != "v1.2.3" ||
		!slices.Equal(*self.Properties, []cyclonedx.Property{{Name: "go:version", Value: "go1.26.8"},
			{Name: "go:GOARCH", Value: "arm64"}}) {
		t.Errorf("got %+v", self)
	}
	if links := (*got.Dependencies)[0]; links.Ref != "relais" || len(*links.Dependencies) != len(*got.Components) {
		t.Errorf("got %+v", links)
	}
}

func requiredVersion(t *testing.T, module string) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", module).Output()
	must(t, err)
	return strings.TrimSpace(string(out))
}

// A module that was replaced, as NOTICE says, has the version of what took its place.
func TestReplacedModule(t *testing.T) {
	table, err := Load()
	must(t, err)
	for _, tt := range []struct{ version, want string }{{"v9.0.0", "pkg:golang/github.com/gen2brain/heic@v9.0.0"},
		{"", "pkg:golang/github.com/gen2brain/heic"}} {
		parts, err := table.Of(&debug.BuildInfo{Deps: []*debug.Module{{Path: "github.com/gen2brain/heic", Version: "v0.4.5",
			Replace: &debug.Module{Path: "../heic", Version: tt.version}}}}, "")
		must(t, err)
		if got := parts[1]; got.URL != tt.want || got.Version != tt.version {
			t.Errorf("got %s, version %q, want %s, version %q", got.URL, got.Version, tt.want, tt.version)
		}
	}
}

// A program without C has none of what comes with it.
func TestProgramWithoutC(t *testing.T) {
	table, err := Load()
	must(t, err)
	info := build(t, table)
	count := func() (c, wasm int) {
		parts, err := table.Of(info, "")
		must(t, err)
		for _, p := range parts {
			if strings.HasPrefix(p.Use, "C, ") {
				c++
			} else if strings.HasPrefix(p.Use, "WebAssembly") {
				wasm++
			}
		}
		return c, wasm
	}
	with, wasm := count()
	info.Deps = slices.DeleteFunc(info.Deps, func(m *debug.Module) bool { return m.Path == webpModule })
	info.Deps = append(info.Deps, &debug.Module{Path: sandboxModule, Version: "v0.5.5"})
	without, more := count()
	if with != 3 || without != 0 || more != wasm+1 || wasm == 0 {
		t.Errorf("got %d parts in C and %d of WebAssembly, without C %d and %d; want 3, and without C none and one more",
			with, wasm, without, more)
	}
}

func TestUnknownModule(t *testing.T) {
	table, err := Load()
	must(t, err)
	info := build(t, table)
	info.Deps = append(info.Deps, &debug.Module{Path: "example.org/x"})
	if _, err := table.Of(info, ""); err == nil || !strings.Contains(err.Error(), "example.org/x") {
		t.Errorf("got %v, want an error that names the module", err)
	}
}
