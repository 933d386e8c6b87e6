package main

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// allowed is the import map: for every package of the module, the packages of
// the module that it may import. A line may name only packages of the lines
// above it, and a package that is missing here may not exist. What helps tests only has
// a name that ends in test, and may be on no line but its own.
var allowed = []struct {
	name    string
	imports string
}{
	{"geo", ""},
	{"fold", ""},
	{"cgroup", ""},
	{"folder", ""},
	{"data", ""},
	{"killtest", ""},
	{"photos/heif", ""},
	{"photos/avif", "photos/heif"},
	{"photos/chunk", ""},
	{"photos/exif", "photos/chunk photos/heif"},
	{"photos/icc", ""},
	{"photos/render", "photos/avif photos/chunk photos/exif photos/heif photos/icc"},
	{"market", "fold geo"},
	{"site", "geo"},
	{"question", "fold market site"},
	{"snapshot", "geo folder market site"},
	{"sighting", "geo site snapshot"},
	{"ingest/table", "fold"},
	{"ingest/items", ""},
	{"ingest/source", "market site snapshot ingest/items ingest/table"},
	{"archive/column", ""},
	{"ingest/anfr", "archive/column data fold geo market site snapshot ingest/source ingest/table"},
	{"ingest/bakom", "fold geo market site snapshot ingest/source ingest/table"},
	{"ingest/cells", "fold geo market sighting site snapshot ingest/source ingest/table"},
	{"ingest/belgium", "fold geo market site snapshot ingest/source ingest/table"},
	{"ingest/ised", "fold geo market site snapshot ingest/source ingest/table"},
	{"ingest", "folder market snapshot ingest/anfr ingest/bakom ingest/belgium ingest/cells ingest/ised ingest/source"},
	{"photos/confine", ""},
	{"photos/worker", "photos/confine photos/exif photos/render"},
	{"limit", ""},
	{"retention", ""},
	{"inventory", "folder retention"},
	{"backup", "folder"},
	{"store", "folder"},
	{"access", "fold folder limit store"},
	{"account", "fold limit store"},
	{"photos", "fold folder store"},
	{"archive", "archive/column fold geo market site store ingest/anfr ingest/source ingest/table"},
	{"outage", "fold geo market store ingest/source ingest/table"},
	{"community", "fold geo market outage site store"},
	{"update", "data folder ingest market outage snapshot"},
	{"measure", "fold folder geo ingest/cells ingest/source ingest/table market retention sighting site store"},
	{"admin", "access account archive backup community folder ingest ingest/source inventory market measure outage " +
		"photos retention site snapshot store"},
	{"demo", "data geo market ingest/table"},
	{"radio", "geo market sighting site"},
	{"index", "fold folder geo market sighting site snapshot"},
	{"view", "archive archive/column community index market measure outage photos site snapshot"},
	{"index/indextest", "demo folder index ingest market site snapshot view"},
	{"endpoint", "fold"},
	{"ops", "access archive community endpoint fold geo index market measure outage photos photos/exif " +
		"photos/render photos/worker site store view"},
	{"tools", "account archive archive/column community endpoint fold geo index limit market measure ops outage " +
		"photos question radio site view"},
	{"web", "limit ops site view"},
	{"mcp", "access account fold limit ops tools view"},
	{"httpapi", "access archive community endpoint geo index limit market measure ops photos sighting view"},
	{"oauth", "account limit"},
	{"cli", "access account admin archive cgroup community demo folder geo httpapi index ingest " +
		"ingest/source market mcp measure oauth ops outage photos photos/worker site snapshot store tools update " +
		"view web"},
	{"bench", "demo folder httpapi index snapshot view"},
	{"", "cli"},
	{"e2e", ""},
}

func TestImportMap(t *testing.T) {
	var above []string
	may := map[string][]string{}
	for _, p := range allowed {
		may[p.name] = strings.Fields(p.imports)
		for _, im := range may[p.name] {
			if !slices.Contains(above, im) {
				t.Errorf("the map lets %q import %q, which does not stand above it", p.name, im)
			}
			if strings.HasSuffix(im, "test") {
				t.Errorf("the map lets %q import %q, which is for tests", p.name, im)
			}
		}
		above = append(above, p.name)
	}
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); seen++ {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, "relais"), "/")
		imports, ok := may[name]
		if !ok {
			t.Errorf("package %s is not on the map", p.ImportPath)
		}
		for _, im := range p.Imports {
			if own, ok := strings.CutPrefix(im, "relais/"); ok && !slices.Contains(imports, own) {
				t.Errorf("%s imports %s, which the map does not allow", p.ImportPath, own)
			}
		}
	}
	if seen != len(allowed) {
		t.Errorf("%d packages, the map has %d", seen, len(allowed))
	}
}
