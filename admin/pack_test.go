package admin

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"relais/archive"
	"relais/coverage"
	"relais/geo"
	"relais/internal/folder"
	"relais/internal/store"
	"relais/market"
	"relais/site"
	"relais/snapshot"
)

// restrictedRegister is one of BE that may not be redistributed.
func restrictedRegister(t *testing.T) string {
	t.Helper()
	list := market.Get(market.BE).NeedPermission
	if len(list) == 0 {
		t.Fatal("BE has no register that needs permission, want one")
	}
	return list[0]
}

// register writes a snapshot and notes it.
func register(t *testing.T, dir folder.Dir, code market.Code, date string, registers []string, ids ...string) {
	t.Helper()
	writeRegister(t, dir, code, date, registers, ids...)
	var noted []market.Code
	must(t, Call(context.Background(), dir, NoteEditions{Markets: []market.Code{code}}, &noted, quiet))
}

// writeRegister writes a snapshot: sites at every hundredth of a degree to the north, in the first areas.
func writeRegister(t *testing.T, dir folder.Dir, code market.Code, date string, registers []string, ids ...string) {
	t.Helper()
	m := market.Get(code)
	b := snapshot.NewBuilder(m, statusesOf(code))
	b.SourceDate, b.UpdatedAt, b.Registers = date, date+"T00:00:00", registers
	for i, id := range ids {
		must(t, b.Add(&site.Site{ID: id, SourceCode: id, Area: min(i, len(m.Areas)-1), Height: site.Unknown,
			AntennaHeight: site.Unknown, Position: geo.Point{Lat: 50.8 + float64(i)/100, Lng: 4.3},
			Stations: []site.Station{{Code: id}}, Emissions: []site.Emission{{System: "LTE 800", Generation: site.G4}}}))
	}
	_, err := b.Write(dir.Snapshot(string(m.Code)))
	must(t, err)
}

// editionsOf returns the dates and sizes of the editions of a market in a pack.
func editionsOf(t *testing.T, to folder.Dir, code market.Code) (texts []string) {
	t.Helper()
	db, err := store.OpenReadOnly(filepath.Join(string(to), ArchivesFile))
	must(t, err)
	defer db.Close()
	all, err := archive.Open(db, nil).Editions(code)
	must(t, err)
	for _, e := range all {
		texts = append(texts, fmt.Sprint(e.Date, " ", e.Sites))
	}
	return texts
}

// A pack has the editions of its sites, but not those with rows that may not be redistributed.
func TestPackedEditions(t *testing.T) {
	dir := folder.Dir(t.TempDir())
	register(t, dir, market.BE, "2026-01-01", nil, "a", "b")
	register(t, dir, market.BE, "2026-02-01", []string{restrictedRegister(t)}, "a", "b", "secret")
	register(t, dir, market.BE, "2026-03-01", nil, "a", "b", "c", "d")
	for _, served := range []bool{false, true} {
		for _, tt := range []struct {
			name string
			spec PackSpec
			want string
			left int
		}{
			{"a market", PackSpec{Market: market.BE}, "[2026-01-01 2 2026-03-01 4]", 1},
			{"with permission", PackSpec{Market: market.BE, Restricted: true},
				"[2026-01-01 2 2026-02-01 3 2026-03-01 4]", 0},
			{"a disc", PackSpec{Disc: &geo.Disc{Center: geo.Point{Lat: 50.82, Lng: 4.3}, Radius: 1200}},
				"[2026-01-01 1 2026-03-01 3]", 1},
		} {
			t.Run(fmt.Sprintf("%s, served %t", tt.name, served), func(t *testing.T) {
				if served {
					_, stop := serve(t, dir)
					defer stop()
				}
				to := folder.Dir(filepath.Join(t.TempDir(), "data"))
				r, err := Pack(t.Context(), dir, tt.spec, to, quiet)
				must(t, err)
				if got := fmt.Sprint(editionsOf(t, to, market.BE)); got != tt.want {
					t.Errorf("got editions %s, want %s", got, tt.want)
				}
				if len(r.LeftOut) != tt.left || tt.left > 0 && !strings.Contains(r.LeftOut[0], "1 edition") {
					t.Errorf("left out: got %q, want %d", r.LeftOut, tt.left)
				}
				info, err := os.Stat(filepath.Join(string(to), ArchivesFile))
				if err != nil || info.Mode().Perm() != 0o644 {
					t.Errorf("got %v, %v; want a file that everybody can read", info, err)
				}
			})
		}
	}
}

// A pack has the places of the Flemish register without what needs permission, if that can be told from the rest.
func TestPackedWithoutAntennas(t *testing.T) {
	be := market.Get(market.BE)
	for _, tt := range []struct {
		name  string
		other market.Register
		bit   uint8
		want  []string // ids, nil for no pack
	}{
		{"antennas of the query service", be.OtherRegisters[1], 4, []string{"both", "own"}},
		{"antennas of Brussels", be.OtherRegisters[2], 8, []string{"own"}},
		{"the list of BIPT", be.OtherRegisters[0], 2, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir, to := folder.Dir(t.TempDir()), folder.Dir(filepath.Join(t.TempDir(), "data"))
			b := snapshot.NewBuilder(be, nil)
			b.SourceDate, b.UpdatedAt, b.Registers = "2026-01-02", "2026-01-02T00:00:00", []string{be.Source, tt.other.Source}
			for id, registers := range map[string]uint8{"own": 1, "both": 1 | tt.bit, "other": tt.bit} {
				if id == "both" && !tt.other.Adds || id == "other" && tt.other.Adds {
					continue
				}
				must(t, b.Add(&site.Site{ID: id, Area: -1, Position: geo.Point{Lat: 51, Lng: 4}, Registers: registers,
					Stations: []site.Station{{}}, Emissions: []site.Emission{{System: "LTE 800", Status: -1}},
					Antennas: []site.Antenna{{}}}))
			}
			_, err := b.Write(dir.Snapshot("BE"))
			must(t, err)
			r, err := Pack(t.Context(), dir, PackSpec{Market: market.BE}, to, quiet)
			if tt.want == nil {
				if err == nil || !strings.Contains(err.Error(), tt.other.Source) {
					t.Errorf("got %v, %v; want an error that names %s", r, err, tt.other.Source)
				}
				return
			}
			must(t, err)
			packed, err := snapshot.ReadFile(to.Snapshot("BE"), market.BE)
			must(t, err)
			var ids []string
			for i := range packed.Len() {
				ids = append(ids, packed.ID(i))
			}
			if want := "BE: " + tt.other.Source + " may not be"; !slices.Equal(ids, tt.want) || len(r.LeftOut) != 1 ||
				!strings.HasPrefix(r.LeftOut[0], want) || r.Markets[0].Sites != len(ids) || r.Markets[0].Source != be.Source {
				t.Errorf("got %q, %q, %+v; want %q, and %q left out", ids, r.LeftOut, r.Markets, tt.want, want)
			}
		})
	}
}

// A site that is gone belongs to the area that it was in.
func TestPackedEditionsOfAnArea(t *testing.T) {
	dir := folder.Dir(t.TempDir())
	register(t, dir, market.CA, "2026-01-01", nil, "a", "gone", "other")
	register(t, dir, market.CA, "2026-02-01", nil, "a")
	register(t, dir, market.CA, "2026-03-01", nil, "a", "new", "c", "d")
	to := folder.Dir(filepath.Join(t.TempDir(), "data"))
	_, err := Pack(t.Context(), dir, PackSpec{Market: market.CA, Areas: []string{market.Get(market.CA).Areas[1].Code}}, to,
		quiet)
	must(t, err)
	want := "[2026-01-01 1 2026-02-01 0 2026-03-01 1]"
	if got := fmt.Sprint(editionsOf(t, to, market.CA)); got != want {
		t.Errorf("got editions %s, want %s", got, want)
	}
}

// A measurement belongs to the area of the nearest site, however far that is.
func TestPackedMeasurementsOfAnArea(t *testing.T) {
	dir, ca := folder.Dir(t.TempDir()), market.Get(market.CA)
	register(t, dir, market.CA, "2026-01-01", nil, "a", "b", "c", "d")
	snap, err := snapshot.ReadFile(dir.Snapshot("CA"), market.CA)
	must(t, err)
	lat, lng := snap.Positions()
	for _, p := range []geo.Point{{Lat: 50.8, Lng: 4.3}, {Lat: 50.812, Lng: 4.31}, {Lat: 50.9, Lng: 4.2}, {Lat: 48, Lng: 4.3},
		{Lat: 90}, {Lat: -90}, {Lat: -50.82, Lng: -175.7}, {Lat: -50.7, Lng: -175.7}, {Lat: -50.9, Lng: -175.7}} {
		area, least := -1, math.Inf(1)
		for i := range snap.Len() {
			at := geo.Point{Lat: geo.Degrees(lat[i]), Lng: geo.Degrees(lng[i])}
			if d := geo.Distance(p, at); d < least {
				area, least = snap.Area(i), d
			}
		}
		for i := range 4 {
			c, err := newPackChoice(PackSpec{Areas: []string{ca.Areas[i].Code}}, ca, snap)
			must(t, err)
			if got := c.holds(p); got != (i == area) {
				t.Errorf("%v is in area %d: got %t; the nearest site is of %d, %.0f m away", p, i, got, area, least)
			}
		}
	}
}

// While a server makes a pack, only its user can read it.
func TestPackIsPrivateWhileItIsMade(t *testing.T) {
	dir := folder.Dir(t.TempDir())
	register(t, dir, market.BE, "2026-01-01", nil, "a")
	s, stop := serve(t, dir)
	defer stop()
	temporary := t.TempDir()
	must(t, os.Chmod(temporary, 0o700))
	must(t, s.pack(t.Context(), PackSpec{Market: market.BE}, folder.Dir(temporary)))
	if info, err := os.Stat(temporary); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("got %v, %v; want a folder for its owner alone", info.Mode(), err)
	}
}

// What a folder lacks is said with what to do.
func TestEmptyPacks(t *testing.T) {
	dir := folder.Dir(t.TempDir())
	disc := PackSpec{Disc: &geo.Disc{Center: geo.Point{Lat: 1, Lng: 1}, Radius: 1000}}
	refused := func(spec PackSpec, want string) {
		t.Helper()
		if _, err := Pack(t.Context(), dir, spec, folder.Dir(t.TempDir()), quiet); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	refused(disc, "the folder has no register: run relais ingest")
	register(t, dir, market.BE, "2026-01-01", nil, "a")
	refused(disc, "no site of the folder is in the area")
	refused(PackSpec{Market: market.CH}, "the folder has no register of CH: run relais ingest")
}

// A pack names each publisher of its maps once, and the newest edition.
func TestPublishersOfPackedMaps(t *testing.T) {
	arcep, bipt := coverage.Publisher{Authority: "ARCEP", Source: "Mon réseau mobile"}, coverage.Publisher{Authority: "BIPT/IBPT"}
	var got PackCoverage
	for _, i := range []coverage.Info{{Publisher: arcep, Edition: "2026-06-30"}, {Publisher: bipt, Edition: "2026-07-01", Synthetic: true},
		{Publisher: arcep, Edition: "2026-03-31"}} {
		got.add(&i)
	}
	want := PackCoverage{Maps: 3, Edition: "2026-07-01", Publishers: []coverage.Publisher{arcep, bipt}, Synthetic: true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
