package ingest

import (
	"compress/gzip"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"relais/index"
	"relais/market"
	"relais/site"
	"relais/snapshot"
)

const cellHeader = "radio,mcc,net,area,cell,unit,lon,lat,range,samples,changeable,created,updated,averageSignal\n"

// cell is a row of OpenCelliD, so many metres north of 46 N 3 E.
func cell(plmn string, eci int, metres float64) string {
	return fmt.Sprintf("LTE,%s,%s,9,%d,12,3.0,%.7f,1000,5,1,1309988245,1443599522,0\n", plmn[:3],
		strings.TrimLeft(plmn[3:], "0"), eci, 46+metres/111195)
}

// supports makes a support a row: operator and metres north of 46 N 3 E.
func supports(date string, list ...string) string {
	var b strings.Builder
	b.WriteString(header)
	for i, s := range list {
		var operator string
		var metres float64
		fmt.Sscan(s, &operator, &metres)
		fmt.Fprintf(&b, "%s;%d;LTE 800;;003;03001;4G;%sT10:00:00;00399%05d;\"%.7f , 3.0\";En service\n", operator,
			1+i, date, 1+i, 46+metres/111195)
	}
	return b.String()
}

// lookup returns the ids of the sites that a cell identifier leads to.
func (k kit) lookup(value uint64) []string {
	k.t.Helper()
	s := k.snapshot(market.FR)
	m, err := index.Load(s, func(*snapshot.Snapshot) index.Encode {
		return func(dst []byte, _ *site.Site) []byte { return dst }
	}, time.Now())
	must(k.t, err)
	var ids []string
	for _, hit := range m.Lookup(value, []index.RadioType{index.LookupCI}, index.Any) {
		ids = append(ids, s.ID(int(hit.Site)))
	}
	return ids
}

func TestCellsLeadToSites(t *testing.T) {
	k := newKit(t)
	inventory := supports("2026-08-27", "SFR 0", "ORANGE 100", "SFR 5000", "SFR 5500", "ORANGE 9000")
	r := k.must(k.file("o.csv", inventory), k.file("opencellid_208.csv", cellHeader+
		cell("20810", 25700, -100)+ // the only one of SFR
		cell("20810", 25956, -400)+ // too far from any
		cell("20810", 26212, 5250)+ // between two
		cell("20810", 26468, 90)+ // Orange's is nearer
		cell("20801", 26724, 0)+
		cell("20815", 26980, 0)+ // Free has no site
		cell("22801", 27236, 0)+
		cell("27077", 27492, 0)),
		k.file("ids.ntm", "4G;999;99;0;0000;0;-1;0.0;0.0;sentinel\n4G;208;01;0;1;500;5;46.1;3.0;X\n"))
	for _, tt := range []struct {
		eci  uint64
		want []string
	}{{25700, []string{"1"}}, {25956, nil}, {26212, nil}, {26468, []string{"1"}}, {26724, []string{"2"}},
		{26980, nil}, {27236, nil}, {27492, nil}, {500<<8 | 1, []string{"5"}}} {
		if got := k.lookup(tt.eci); !slices.Equal(got, tt.want) {
			t.Errorf("cell %d leads to %v, want %v", tt.eci, got, tt.want)
		}
	}
	f := r.Files[len(r.Files)-1]
	if f.Kind != "cells-opencellid" || f.Rows != 8 || f.Served != 3 ||
		fmt.Sprint(f.Rejected) != "map[network of another market:1 no site of the operator within 300 m:2 several sites of the operator within 300 m:1 unknown network:1]" {
		t.Errorf("got %+v, want Kind = cells-opencellid, Rows = 8, Served = 3 and Rejected = %q", f,
			"map[network of another market:1 no site of the operator within 300 m:2 several sites of the operator within 300 m:1 unknown network:1]")
	}
	if n := r.Markets[0].Enriched[snapshot.RadioIDs]; n != 3 {
		t.Errorf("%d sites with radio identifiers, want 3", n)
	}
}

// Cells alone go to the inventory that is kept, a new inventory gets the cells that are
// kept, and those of another country take nobody's place.
func TestKeptCells(t *testing.T) {
	k := newKit(t)
	k.must(k.file("o.csv", supports("2026-08-20", "SFR 0", "SFR 2000")))
	r := k.must(k.file("opencellid_208.csv", cell("20810", 25700, 100)))
	if len(r.Files) != 2 || !r.Files[0].Kept || r.Files[1].Kept || !slices.Equal(k.lookup(25700), []string{"1"}) {
		t.Errorf("r.Files = %+v, k.lookup(25700) = %v; want len(r.Files) = 2, r.Files[0].Kept, !r.Files[1].Kept, "+
			`k.lookup(25700) = []string{"1"}`, r.Files, k.lookup(25700))
	}
	k.must(k.file("opencellid_340.csv", cell("34001", 25700, 100)))
	r = k.must(k.file("o2.csv", supports("2026-08-27", "SFR 0", "SFR 2000")),
		k.file("netmonster.ntm", "4G;208;10;100;9;101;2147483647;46.017;3.0;X [eNBI:101:100];1300\n"))
	if len(r.Files) != 4 || !slices.Equal(k.lookup(25700), []string{"1"}) ||
		!slices.Equal(k.lookup(25956), []string{"2"}) {
		t.Errorf("r.Files = %+v, k.lookup(25700) = %v, k.lookup(25956) = %v; want len(r.Files) = 4, "+
			`k.lookup(25700) = []string{"1"}, k.lookup(25956) = []string{"2"}`, r.Files, k.lookup(25700),
			k.lookup(25956))
	}
	if files, err := CheckKept(t.Context(), k.dir); err != nil || len(files) != 4 {
		t.Errorf("files = %+v, err = %v; want no error, len(files) = 4", files, err)
	}
	// What would take the identifiers away is refused.
	_, err := k.run(false, both, k.file("opencellid_208.csv", cell("20810", 25700, 400)),
		k.file("netmonster.ntm", "4G;208;10;100;9;101;2147483647;46.5;3.0;X [eNBI:101:100];1300\n"))
	if err == nil || !strings.Contains(err.Error(), "FR: cells of 2 sites would be lost (0 now, 2 then)") {
		t.Errorf(`err = %v; want an error with "FR: cells of 2 sites would be lost (0 now, 2 then)"`, err)
	}
}

// Real cells are not given to made-up sites, nor made-up cells to real ones.
func TestCellsOfAnotherWorld(t *testing.T) {
	k := newKit(t)
	refused := func(path, want string) {
		t.Helper()
		before := k.state()
		if _, err := k.run(true, both, path); !errors.Is(err, ErrNoBase) || !strings.Contains(err.Error(), want) ||
			!maps.Equal(before, k.state()) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	realCells, madeUp := k.file("opencellid_208.csv", cell("20810", 25700, 100)), k.file("SYNTHETIC_208.csv",
		cell("20810", 25700, 100))
	refused(realCells, "no anfr-observatoire among the files, and none is kept")
	k.must(k.file("SYNTHETIC_o.csv", supports("2026-08-20", "SFR 0")), madeUp)
	refused(realCells, "opencellid_208.csv is real, and the anfr-observatoire that is kept in "+
		filepath.Join(string(k.dir), "sources", "FR")+" is demonstration data: the two cannot be mixed")
	inventory := k.file("o.csv", supports("2026-08-20", "SFR 0"))
	if r := k.must(inventory, realCells); len(r.Files) != 2 || len(r.Notes) != 2 || // the other one: no site of DROM
		!strings.Contains(r.Notes[0], "2 kept files are not used any more: demonstration data") {
		t.Errorf(`r = %+v; want len(r.Files) = 2, len(r.Notes) = 2, r.Notes[0] with "2 kept files are not `+
			`used any more: demonstration data"`, r)
	}
	refused(madeUp, "SYNTHETIC_208.csv is demonstration data, and the anfr-observatoire that is kept in")
}

// The two tables that end in .ntm are told apart: one names supports, the other does
// not.
func TestTwoKindsOfNTM(t *testing.T) {
	k := newKit(t)
	r := k.must(k.file("o.csv", supports("2026-08-20", "SFR 0")), k.file("a.ntm", "4G;208;10;0;1;500;1;46.1;3.0;X\n"),
		k.file("b.ntm", "4G;208;10;100;1;500;1;46.0;3.0;X [eNBI:500:100];1300\n"))
	got := ""
	for _, f := range r.Files {
		got += fmt.Sprint(f.Kind, " ", f.Served, " ")
	}
	if want := "anfr-observatoire 1 radio-ntm 1 cells-netmonster 1 "; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// An observatoire that is compressed with gzip is ingested, kept and checked.
func TestGzipObservatory(t *testing.T) {
	k := newKit(t)
	var b strings.Builder
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(supports("2026-08-20", "SFR 0", "SFR 2000"))); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	r := k.must(k.file("observatoire.csv.gz", b.String()))
	if len(r.Markets) != 2 || r.Markets[0].Sites != 2 {
		t.Errorf("markets %+v, want 2 sites of FR", r.Markets)
	}
	files, err := CheckKept(t.Context(), k.dir)
	if err != nil || len(files) != 1 || files[0].Err != nil {
		t.Errorf("kept files %+v, error %v; want one without an error", files, err)
	}
	if r := k.must(k.file("opencellid_208.csv", cell("20810", 25700, 100))); r.Markets[0].Sites != 2 {
		t.Errorf("with the kept observatoire: %+v, want 2 sites", r.Markets)
	}
}
