package cli

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"relais/geo"
	"relais/internal/folder"
	"relais/market"
	"relais/site"
	"relais/snapshot"
)

func TestArchiveDiff(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	if out, errs, code := command(t.Context(), "archive", "add", "--data", dir, observatory(t, "2026-08-20", 3),
		observatory(t, "2026-08-27", 5)); code != exitDone {
		t.Fatalf("archive add: exit %d, %s%s", code, out, errs)
	}
	for _, tt := range []struct {
		name string
		args []string
		code int
		want []string // in what is printed, or in the error
	}{
		{"all", []string{"2026-08-20", "2026-08-27"}, exitDone,
			[]string{"site-added", "operator-added", "LTE 800", "6 changes from 2026-08-20 to 2026-08-27 of FR: 2 site-added"}},
		{"days between", []string{"2026-08-26", "2026-12-24"}, exitDone, []string{"6 changes from 2026-08-20 to 2026-08-27"}},
		{"nothing", []string{"2026-08-27", "2026-08-27"}, exitDone, []string{"0 changes from 2026-08-27 to 2026-08-27 of FR\n"}},
		{"filters", []string{"2026-08-20", "2026-08-27", "--technology", "lte 800", "--operator", "SFR", "--generation", "4G",
			"--band", "800", "--department", "75", "--kind", "system-added", "--bbox=2,48,3,49"}, exitDone,
			[]string{"2 changes", "of 6: 2 system-added"}},
		{"a disc", []string{"2026-08-20", "2026-08-27", "--kind=site-added", "--disc=48.83,2.35,0.5"}, exitDone, []string{"1 change "}},
		{"another market", []string{"2026-08-20", "2026-08-27", "--market", "DROM"}, exitDone, []string{"0 changes"}},
		{"too early", []string{"2020-01-01", "2026-08-27"}, exitFailed, []string{"2026-08-20, the first edition of FR"}},
		{"no edition", []string{"2026-08-20", "2026-08-27", "--market", "CH"}, exitFailed, []string{"CH has no edition"}},
		{"no date", []string{"2026-02-30", "2026-08-27"}, exitUsage, []string{"2026-02-30", "YYYY-MM-DD"}},
		{"turned round", []string{"2026-08-27", "2026-08-20"}, exitUsage, []string{"earlier date first"}},
		{"an unknown kind", []string{"2026-08-20", "2026-08-27", "--kind", "new"}, exitUsage, []string{"--kind", "site-removed"}},
		{"an unknown operator", []string{"2026-08-20", "2026-08-27", "--operator", "X"}, exitUsage, []string{"--operator", "FREE"}},
		{"a system that did not change", []string{"2026-08-20", "2026-08-27", "--technology", "5G NR 3500"}, exitDone,
			[]string{"0 changes", "of 6", "no snapshot of FR", "these changes are of LTE 800"}},
		{"a band that did not change", []string{"2026-08-20", "2026-08-27", "--band", "3500"}, exitDone, []string{"0 changes"}},
		{"no band", []string{"2026-08-20", "2026-08-27", "--band", "C"}, exitUsage, []string{"--band", "MHz"}},
		{"a system, nothing changed", []string{"2026-08-27", "2026-08-27", "--technology", "LTE 800"}, exitDone, []string{"0 changes"}},
		{"a large disc", []string{"2026-08-20", "2026-08-27", "--disc=48,2,51"}, exitUsage, []string{"--disc", "at most 50"}},
		{"half a disc", []string{"2026-08-20", "2026-08-27", "--disc=48,2"}, exitUsage, []string{"--disc", "kilometres"}},
		{"a disc and a box", []string{"2026-08-20", "2026-08-27", "--disc=48,2,1", "--bbox=1,2,3,4"}, exitUsage,
			[]string{"exclude each other"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, errs, code := command(t.Context(), append([]string{"archive", "diff", "--data", dir}, tt.args...)...)
			for _, want := range tt.want {
				if !strings.Contains(out+errs, want) {
					t.Errorf("stdout %q, stderr %q, want %q", out, errs, want)
				}
			}
			if code != tt.code {
				t.Errorf("exit %d, want %d: %s", code, tt.code, errs)
			}
		})
	}
	out, errs, code := command(t.Context(), "archive", "diff", "--data", dir, "2026-08-20", "2026-08-27", "--json")
	var body struct {
		Data []struct{ Kind, Date, PreviousDate string }
		Meta struct {
			Total, Returned int
			Net             bool
		}
	}
	if err := json.Unmarshal([]byte(out), &body); err != nil || code != exitDone || len(body.Data) != 6 ||
		body.Meta.Returned != 6 || !body.Meta.Net || body.Data[0].PreviousDate != "2026-08-20" {
		t.Errorf("exit %d, stdout %q, stderr %q, %v; want six changes", code, out, errs, err)
	}
}

// With the market's snapshot, communes and systems are known as /changes knows them.
func TestArchiveDiffWithRegister(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	if out, errs, code := command(t.Context(), "archive", "add", "--data", dir, observatory(t, "2026-08-20", 3),
		observatory(t, "2026-08-27", 5)); code != exitDone {
		t.Fatalf("archive add: exit %d, %s%s", code, out, errs)
	}
	diff := func(args ...string) (out, errs string, code int) {
		return command(t.Context(), append([]string{"archive", "diff", "--data", dir, "2026-08-20", "2026-08-27"}, args...)...)
	}
	communes := func() (id string, names map[string]bool) {
		out, errs, code := diff("--json")
		var body struct {
			Data []struct {
				Site struct {
					ID      string
					Commune *string
				}
			}
		}
		if err := json.Unmarshal([]byte(out), &body); err != nil || code != exitDone || len(body.Data) == 0 {
			t.Fatalf("exit %d, %q, %q, %v; want changes", code, out, errs, err)
		}
		names = map[string]bool{}
		for _, c := range body.Data {
			if c.Site.Commune == nil {
				names[c.Site.ID+" null"] = true
			} else {
				names[c.Site.ID+" "+*c.Site.Commune] = true
			}
		}
		return body.Data[0].Site.ID, names
	}
	id, names := communes()
	if !names[id+" null"] || len(names) != 2 {
		t.Errorf("without a snapshot: got %v, want two sites without communes", names)
	}
	m := market.Get(market.FR)
	var statuses []string
	for _, status := range m.Statuses {
		statuses = append(statuses, status.Name)
	}
	b := snapshot.NewBuilder(m, statuses)
	b.SourceDate, b.UpdatedAt = "2026-08-27", "2026-08-27T00:00:00"
	err := b.Add(&site.Site{ID: id, SourceCode: id, Area: 0, Height: site.Unknown, AntennaHeight: site.Unknown,
		Commune: "Ici", Position: geo.Point{Lat: 48.8, Lng: 2.3}, Stations: []site.Station{{Code: id}},
		Emissions: []site.Emission{{System: "5G NR 3500", Generation: site.G5}}})
	must(t, err)
	if _, err := b.Write(folder.Dir(dir).Snapshot("FR")); err != nil {
		t.Fatal(err)
	}
	if _, names := communes(); !names[id+" Ici"] || len(names) != 2 {
		t.Errorf("with a snapshot: got %v, want Ici and a site without a commune", names)
	}
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--technology", "LTE 8000"}, exitUsage, "5G NR 3500, LTE 800"},
		{[]string{"--band", "801"}, exitUsage, "800, 3500"},
		{[]string{"--technology", "5G NR 3500"}, exitDone, "0 changes"},
		{[]string{"--technology", "lte 800"}, exitDone, "2 changes"},
	} {
		if out, errs, code := diff(tt.args...); code != tt.code || !strings.Contains(out+errs, tt.want) {
			t.Errorf("%q: exit %d, %q, %q; want exit %d with %q", tt.args, code, out, errs, tt.code, tt.want)
		}
	}
}
