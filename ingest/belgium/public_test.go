package belgium

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"relais/geo"
	"relais/ingest/source/sourcetest"
	"relais/internal/filetest"
	"relais/market"
	"relais/site"
	"relais/snapshot"
	"relais/snapshot/snapshottest"
)

// What everybody may see of the register with the antennas of both regions is what the register alone gives: ids, dates,
// fields and counts. The files of antennas have a later day in their names, and a site of Brussels stands three metres
// from a dossier.
func TestPublic(t *testing.T) {
	register := collection(crs,
		row{"5", "2014-01-02", "S1", "Korenlei 10, 9000 Gent", "Proximus NV", "D5", at(105000, 194000)}.String(),
		row{"6", "", "S2", "", "Telenet Group BVBA", "D6", at(105004, 194000)}.String(),
		row{"7", "2015-01-02", "S3", "", "Orange Belgium NV", "D7", at(105002, 194000)}.String(),
		row{"8", "2016-01-02", "S4", "", "Proximus NV", "D8", at(149000, 170000)}.String(),
		row{"9", "2017-01-02", "S5", "", "Citymesh NV", "D9", at(120000, 190000)}.String())
	flanders := answers(map[string][]string{"operators": operators,
		"dossiers": {approved("1", "a", "2020-05-06", ""), approved("2", "b", "2021-05-06", ""), approved("3", "b", "2021-05-06", "")},
		"antennas": {stated("1", "1", "1", "S1", 2, "azimut", "120", "hoogte", "32.5"), stated("2", "6", "2", "S2", 4),
			stated("3", "5", "2", "S2", 4)},
		"emissions": {emits("1", "806"), emits("1", "1842.5"), emits("2", "3600")}})
	near := geo.FromLambert72(149003, 170000)
	brussels, err := json.Marshal(map[string]any{"list": map[string]any{}, "items": map[string]any{
		"17": map[string]any{"meta": nil, "permitantennas": map[string]any{
			"1": panel(near.Lng, near.Lat, transmits("Proximus", "LTE 800", 120, 31.25), transmits("Orange", "LTE 800", 1, 1))}},
		"18": map[string]any{"meta": nil, "permitantennas": map[string]any{
			"1": panel(4.35, 50.85, transmits("Proximus", "5G 3500", 240, 31))}}}})
	must(t, err)

	alone, want, _ := build(t, files(t, register))
	dir, list := t.TempDir(), files(t, register)
	for name, text := range map[string]string{"antennas-2026-02-03.json": flanders, "brussels-2026-02-04.json": string(brussels)} {
		path := filepath.Join(dir, name)
		filetest.Write(t, path, text)
		list = append(list, sourcetest.Detect(t, path, Kinds))
	}
	all, sites, _ := build(t, list)
	if s := sites["5"]; len(sites) != len(want)+2 || len(s.Antennas) != 3 || !s.FixedLink || len(sites["8"].Stations) != 1 ||
		len(sites["bru-17"].Stations) != 2 {
		t.Fatalf("%d sites, %+v; want %d with those of Brussels apart, and antennas", len(sites), s, len(want)+2)
	}
	public, err := snapshot.Public(all)
	must(t, err)
	// The order of texts is that of adding.
	same := cmp.Options{cmpopts.EquateNaNs(), cmpopts.EquateEmpty()}
	if diff := cmp.Diff(want, snapshottest.Sites(t, public), same); diff != "" {
		t.Errorf("sites of the register alone (-) and public ones (+):\n%.3000s", diff)
	}
	if diff := cmp.Diff(alone.Meta, public.Meta, same); diff != "" {
		t.Errorf("meta of the register alone (-) and public one (+):\n%s", diff)
	}
	if again, err := snapshot.Public(public); err != nil || again != public {
		t.Errorf("public of what is public: another snapshot, %v", err)
	}
}

// BIPT's list says things about places of the register which cannot be told apart, and antennas alone leave nothing.
func TestNotPublic(t *testing.T) {
	be := market.Get(market.BE)
	flemish, brussels := be.OtherRegisters[1].Source, be.OtherRegisters[2].Source
	for _, tt := range []struct {
		registers []string
		bits      uint8
		apart     bool
	}{
		{nil, 0, false}, {[]string{be.Source}, 0, false},
		{[]string{be.Source, flemish}, 4, true}, {[]string{be.Source, brussels}, 8, true},
		{[]string{be.Source, flemish, brussels}, 12, true}, {[]string{brussels}, 8, false},
		{[]string{be.Source, be.OtherRegisters[0].Source}, 2, false},
		{[]string{be.Source, be.OtherRegisters[0].Source, flemish}, 6, false},
	} {
		t.Run(fmt.Sprint(tt.registers), func(t *testing.T) {
			if bits, apart := be.Withheld(tt.registers); bits != tt.bits || apart != tt.apart {
				t.Errorf("Withheld: %b, %v; want %b, %v", bits, apart, tt.bits, tt.apart)
			}
			b := snapshot.NewBuilder(be, nil)
			b.SourceDate, b.UpdatedAt, b.Registers = "2026-01-02", "2026-01-02T00:00:00", tt.registers
			must(t, b.Add(&site.Site{ID: "1", Area: -1, Position: geo.Point{Lat: 51, Lng: 4}, Registers: 1,
				Stations: []site.Station{{}}}))
			s := snapshottest.Reread(t, b)
			public, err := snapshot.Public(s)
			if must(t, err); (public == s) != (tt.bits == 0) || (public != nil) != (tt.bits == 0 || tt.apart) {
				t.Errorf("Public: %v, want it %v, and another one %v", public != nil, tt.bits == 0 || tt.apart, tt.bits != 0)
			}
		})
	}
}
