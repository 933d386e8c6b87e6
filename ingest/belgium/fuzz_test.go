package belgium

import (
	"path/filepath"
	"strings"
	"testing"

	"relais/ingest/source"
	"relais/internal/filetest"
	"relais/market"
	"relais/snapshot"
)

// FuzzBuild puts any bytes in the place of each kind of file, together with a good register, or with BIPT's list.
func FuzzBuild(f *testing.F) {
	good := []string{
		collection(crs, row{"1", "2018-01-01", "S", "Straat 1, 9000 Gent", "Proximus NV", "1", here}.String(),
			row{"2", "", "T", "x", "BASE", "2", here}.String()),
		biptList(biptRow(map[string]string{"Eigenaar1": "Proximus: x"})),
	}
	f.Add(2, `{"queries":{"antennas":{"head":{"vars":["antenne"]},"results":{"bindings":[
{"antenne":{"type":"uri","value":"a"},"geometry":{"type":"literal","value":"POINT(4.9 51.3)"}}]}}}}`)
	f.Add(3, `{"list":{"features":[]},"items":{"17":{"meta":{},"permitantennas":{"p":{"geometry":{"coordinates":[4.3,50.8,9]}}}}}}`)
	dir := f.TempDir()
	for kind, text := range good {
		f.Add(kind, text)
		f.Add(kind, strings.ReplaceAll(text, "104500", "3.7"))
		filetest.Write(f, filepath.Join(dir, Kinds[kind].Name), text)
	}
	f.Fuzz(func(t *testing.T, kind int, text string) {
		if kind < 0 || kind >= len(Kinds) {
			return
		}
		path := filetest.New(t, "x.json", text)
		other := 0
		if kind == 0 {
			other = 1
		}
		builders, reports, err := Build([]source.Found{
			{Input: &source.Input{Path: path}, Kind: Kinds[kind]},
			{Input: &source.Input{Path: filepath.Join(dir, Kinds[other].Name)}, Kind: Kinds[other]},
		}, nil, nil)
		if err != nil {
			return
		}
		for _, r := range reports {
			if r.Served < 0 || r.Served > r.Rows {
				t.Errorf("%s: %d of %d rows served; want r.Served >= 0, r.Served <= %v", r.Kind, r.Served, r.Rows,
					r.Rows)
			}
		}
		out := filepath.Join(t.TempDir(), "x.snap")
		if _, err := builders[0].Write(out); err != nil {
			t.Fatal(err)
		}
		if s, err := snapshot.ReadFile(out, market.BE); err != nil || s.Len() != builders[0].Len() ||
			s.Emissions() != s.StationRows() {
			t.Errorf("got %v, want the %d sites again, each station with an emission", err, builders[0].Len())
		}
	})
}
