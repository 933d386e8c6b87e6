package cli

import (
	"strings"
	"testing"

	"relais/coverage"
	"relais/market"
)

// What an import noted of a map is printed below it.
func TestPrintMaps(t *testing.T) {
	var b strings.Builder
	l := &coverage.LayerReport{Info: coverage.Info{Market: market.FR, Operator: "SFR", Technology: "4G", Service: "data",
		Edition: "2026-06-30"}, Covered: 12, Note: "an older edition stays: no permission"}
	err := printMaps(&b, &coverage.Report{Files: []*coverage.FileReport{
		{Path: "maps/a.gpkg", Layers: []*coverage.LayerReport{l}}, {Path: "maps/b.gpkg", Error: "no areas"}}})
	const want = `a.gpkg: FR SFR 4G data, 2026-06-30, 12 km² covered, 0 bytes
  an older edition stays: no permission
b.gpkg: not imported: no areas
1 coverage map imported in 0.0 s; a server of the folder answers from them at once
`
	if err != nil || b.String() != want {
		t.Errorf("got %s, %v; want %s", &b, err, want)
	}
}

// An edition that is not the newest says so, and what was not imported is not answered from.
func TestPrintOtherMaps(t *testing.T) {
	l := &coverage.LayerReport{Info: coverage.Info{Market: market.FR, Operator: "SFR", Technology: "4G", Service: "data",
		Edition: "2026-03-31"}, Newest: "2026-06-30"}
	for _, tt := range []struct {
		file *coverage.FileReport
		want string
	}{
		{&coverage.FileReport{Path: "a.gpkg", Layers: []*coverage.LayerReport{l}},
			"0 bytes, kept as the edition before 2026-06-30\n1 coverage map imported in 0.0 s; a server"},
		{&coverage.FileReport{Path: "b.gpkg", Error: "no areas"}, "\n0 coverage maps imported in 0.0 s\n"},
	} {
		var b strings.Builder
		err := printMaps(&b, &coverage.Report{Files: []*coverage.FileReport{tt.file}})
		if err != nil || !strings.Contains(b.String(), tt.want) {
			t.Errorf("got %s, %v; want %s", &b, err, tt.want)
		}
	}
}
