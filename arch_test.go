package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"relais/internal/errtest"
	"relais/market"
)

// layers is the house from top to bottom: folders, with all that is below them. A package belongs
// to the longest name that it begins with. It may import packages of its own layer and of the
// layers below. Datasets read files with the packages of ingest, which knows none of them; what it
// reads for the archives too, the commands pass on.
var layers = []struct{ name, folders string }{
	{"tests", "test index/indextest outage/history/historytest"},
	{"wiring", "main cli"},
	{"transports", "httpapi mcp auth/oauth"},
	{"operations", "api"},
	{"shapes and declarations", "api/view api/endpoint"},
	{"administration", "admin cluster"},
	{"questions", "catalog"},
	{"datasets that read others", "auth community demo export hook ingest/update photos tiles"},
	{"datasets", "address archive coverage index measure outage radio"},
	{"files of authorities", "ingest"},
	{"file formats", "snapshot site/observation"},
	{"vocabulary", "data geo market site"},
	{"plumbing", "internal"},
}

// rank returns the layer of a package, counted from the top, or -1, and the folder that it belongs to.
func rank(path string) (layer int, folder string) {
	path = strings.TrimPrefix(strings.TrimPrefix(path, "relais"), "/")
	if path == "" {
		path = "main"
	}
	layer = -1
	for i, l := range layers {
		for f := range strings.FieldsSeq(l.folders) {
			if (path == f || strings.HasPrefix(path, f+"/")) && len(f) > len(folder) {
				layer, folder = i, f
			}
		}
	}
	return layer, folder
}

// Imports point down, and no two folders import each other.
func TestLayers(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "./...").Output()
	errtest.Must(t, err)
	packages, known := 0, map[[2]string]string{} // a package by its folder and that of what it imports
	for list := json.NewDecoder(strings.NewReader(string(out))); list.More(); packages++ {
		var p struct {
			ImportPath string
			Imports    []string
		}
		errtest.Must(t, list.Decode(&p))
		own, folder := rank(p.ImportPath)
		if own < 0 {
			t.Errorf("package %s is in no layer: give its folder one", p.ImportPath)
			continue
		}
		for _, imported := range p.Imports {
			if !strings.HasPrefix(imported, "relais/") {
				continue
			}
			its, other := rank(imported)
			known[[2]string{folder, other}] = p.ImportPath
			if back := known[[2]string{other, folder}]; back != "" && folder != other {
				t.Errorf("%s imports %s, and %s imports a package of %s", p.ImportPath, imported, back, folder)
			}
			if its < own {
				t.Errorf("%s (%s) imports %s (%s), which is above it", p.ImportPath, layers[own].name, imported, layers[its].name)
			}
			if strings.HasSuffix(imported, "test") && !strings.HasSuffix(p.ImportPath, "test") {
				t.Errorf("%s imports %s, which is for tests", p.ImportPath, imported)
			}
		}
	}
	if packages < len(layers) {
		t.Errorf("got %d packages: go list finds too few", packages)
	}
}

// knowMarkets are the folders whose code may name a market: the table, the parsers of its sources, and
// what invents such sources. Everywhere else, a difference between markets is a column of the table.
var knowMarkets = strings.Fields("market ingest/anfr ingest/bakom ingest/ban ingest/belgium ingest/ised demo")

func TestMarketsAreRows(t *testing.T) {
	codes := strings.Join(market.Code("").Values(), "|")
	naming := regexp.MustCompile(`market\.(?:` + codes + `)\b|(?:[=!]=|case) "(?:` + codes + `)"`)
	files, named := 0, 0
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, d fs.DirEntry, err error) error {
		if name == "build" {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := os.ReadFile(name)
		files++
		for i, line := range strings.Split(string(text), "\n") {
			found := naming.FindString(line)
			switch {
			case found == "":
			case slices.Contains(knowMarkets, path.Dir(name)):
				named++
			default:
				t.Errorf("%s:%d: %s: take a column of package market, or market.Default", name, i+1, found)
			}
		}
		return err
	})
	if err != nil || files < 500 || named < 5 {
		t.Errorf("%d files that name markets %d times, %v: some were not read", files, named, err)
	}
}
