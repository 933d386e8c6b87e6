package snapshot

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"relais/geo"
	"relais/internal/errtest"
	"relais/internal/filetest"
	"relais/internal/tier"
	"relais/market"
	"relais/site"
)

// must ends the test on an error of what it needs.
var must = errtest.Must

var statuses = []string{"Projet approuvé", "Techniquement opérationnel", "En service"}

// randomSites returns n sites of FR that together use every field.
func randomSites(n int) []site.Site {
	r := rand.New(rand.NewPCG(7, uint64(n)))
	text := func(what string) string {
		if r.IntN(4) == 0 {
			return ""
		}
		return fmt.Sprintf("%s %d é", what, r.IntN(n+1))
	}
	length := func() float64 {
		if r.IntN(5) == 0 {
			return site.Unknown
		}
		return float64(r.IntN(3000)) / 10
	}
	sites := make([]site.Site, n)
	for i := range sites {
		s := site.Site{
			ID: fmt.Sprint(1000 + i), NationalCode: text("n"), SourceCode: text("sta"),
			Position: geo.Point{Lat: 41 + 10*r.Float64(), Lng: -5 + 14*r.Float64()}, Area: r.IntN(97) - 1,
			Commune: text("commune"), CommuneCode: text("insee"),
			PostalCode: text("cp"), MorePostal: []string{"", "3000", "3000/3010"}[i%3],
			Place: text("lieu"), Address: [3]string{text("a"), text("b"), text("c")},
			Height: length(), HeightText: text("27,2"),
			Nature:        site.Coded{Code: text("23"), Label: text("Pylône")},
			Owner:         site.Coded{Code: text("72"), Label: text("HIVORY")},
			AntennaHeight: length(),
			Implemented:   site.Date(r.IntN(800000)), Commissioned: site.Date(r.IntN(2) * 735000),
			FixedLink: r.IntN(2) == 0, SharedRadio: r.IntN(2) == 0,
			Crozon: r.IntN(2) == 0, CrozonLeader: text("SFR"),
		}
		var azimuths []uint16
		for a := r.IntN(50); a < 360 && r.IntN(4) > 0; a += 1 + r.IntN(120) {
			azimuths = append(azimuths, uint16(a))
			s.TxFrequencies = append(s.TxFrequencies, uint64(700000000+a*10000000))
			s.RxFrequencies = append(s.RxFrequencies, uint64(a))
		}
		for k := range 1 + r.IntN(4) {
			s.Stations = append(s.Stations, site.Station{
				Code: text("station"), Operator: r.IntN(4), OperatorSiteID: text("T1"),
			})
			for range r.IntN(5) {
				e := site.Emission{
					Station: k, System: fmt.Sprintf("LTE %d", 700+r.IntN(5)*100),
					Generation: site.Generation(r.IntN(6)), Status: r.IntN(4) - 1, On: site.Date(r.IntN(740000)),
					Azimuths: azimuths[:r.IntN(len(azimuths)+1)],
				}
				if len(e.Azimuths) > 0 {
					e.Origin = site.Origin(1 + r.IntN(site.Origins-1))
				}
				s.Emissions = append(s.Emissions, e)
			}
		}
		for range r.IntN(3) {
			s.Radio = append(s.Radio,
				site.RadioID{Kind: site.ENB, Operator: r.IntN(4), Value: uint64(r.IntN(1 << 20))},
				site.RadioID{Kind: site.GNB, Operator: r.IntN(4), Value: uint64(r.Uint32()), Bits: 24})
		}
		s.Registers = uint8(r.IntN(4))
		for e := range s.Emissions {
			if r.IntN(3) == 0 {
				s.Antennas = append(s.Antennas, site.Antenna{Emission: e, Azimuth: float64(r.IntN(3600)) / 10,
					Height: site.Quantity{Value: float64(r.IntN(500)) / 10, Unit: "m"}, Power: site.Quantity{Value: 52.5},
					Tilt: site.Quantity{Value: -2, Unit: "°"}, Electrical: site.Quantity{Value: float64(r.IntN(9))},
					Frequencies: []uint64{806e6, 1842.5e6}})
			}
		}
		sites[i] = s
	}
	return sites
}

func build(t testing.TB, sites []site.Site) *Builder {
	t.Helper()
	b := NewBuilder(market.Get(market.FR), statuses)
	b.SourceDate, b.UpdatedAt = "2026-08-27", "2026-08-27T16:11:53"
	for i := range sites {
		must(t, b.Add(&sites[i]))
	}
	return b
}

func file(t testing.TB, sites []site.Site) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "FR.snap")
	if _, err := build(t, sites).Write(path); err != nil {
		t.Fatal(err)
	}
	data := filetest.Read(t, path)
	return data
}

func TestRoundTrip(t *testing.T) {
	tier.Slow(t)
	sites := randomSites(2000)
	path := filepath.Join(t.TempDir(), "FR.snap")
	info, err := build(t, sites).Write(path)
	must(t, err)
	s, err := ReadFile(path, market.FR)
	must(t, err)
	if s.Len() != len(sites) || s.Version != info.Version || s.Bytes != info.Bytes {
		t.Errorf("%d sites, version %s, %d bytes; want %d sites and %+v", s.Len(), s.Version, s.Bytes, len(sites), info)
	}
	if !strings.HasPrefix(s.Version, "2026-08-27-") {
		t.Errorf("version = %s, want 2026-08-27- and a checksum", s.Version)
	}
	want := map[string]site.Site{}
	for _, x := range sites {
		x.Position = geo.Point{Lat: geo.Degrees(geo.Fix(x.Position.Lat)), Lng: geo.Degrees(geo.Fix(x.Position.Lng))}
		want[x.ID] = x
	}
	var got site.Site
	last := uint64(0)
	for i := range s.Len() {
		s.Site(i, &got)
		for k, e := range got.Emissions {
			if s.Systems[e.Order] != e.System {
				t.Fatalf("site %s: order %d of %+v is that of %s, want %s", got.ID, e.Order, e, s.Systems[e.Order],
					e.System)
			}
			got.Emissions[k].Order = 0
		}
		if diff := cmp.Diff(want[got.ID], got, cmpopts.EquateEmpty(), cmpopts.EquateNaNs()); diff != "" {
			t.Fatalf("site %s (-want +got)\n%s", got.ID, diff)
		}
		delete(want, got.ID)
		if at := geo.Hilbert(got.Position); at>>8 < last>>8 { // the file is in the order of unrounded positions
			t.Fatalf("site %d is out of Hilbert order: got %d after %d", i, at, last)
		} else {
			last = at
		}
	}
	if len(want) != 0 {
		t.Errorf("%d sites of %d are missing", len(want), len(sites))
	}
}

func TestSameSitesSameFile(t *testing.T) {
	if a, b := file(t, randomSites(100)), file(t, randomSites(100)); !bytes.Equal(a, b) {
		t.Error("two files of the same sites differ, want the same bytes")
	}
}

func TestAddRefuses(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*site.Site)
	}{
		{"no id", func(s *site.Site) { s.ID = "" }},
		{"off the Earth", func(s *site.Site) { s.Position.Lat = 91 }},
		{"NaN", func(s *site.Site) { s.Position.Lng = site.Unknown }},
		{"unknown operator", func(s *site.Site) { s.Stations[0].Operator = 4 }},
		{"negative operator", func(s *site.Site) { s.Stations[0].Operator = -1 }},
		{"unknown area", func(s *site.Site) { s.Area = 96 }},
		{"unknown station", func(s *site.Site) { s.Emissions = []site.Emission{{Station: len(s.Stations)}} }},
		{"unknown status", func(s *site.Site) { s.Emissions = []site.Emission{{Status: 3}} }},
		{"eNB over 20 bits", func(s *site.Site) { s.Radio = []site.RadioID{{Kind: site.ENB, Value: 1 << 20}} }},
	} {
		t.Run(c.name, func(t *testing.T) {
			sites := randomSites(3)
			b := build(t, nil)
			c.spoil(&sites[0])
			if err := b.Add(&sites[0]); err == nil || b.Len() != 0 {
				t.Errorf("Add() = %v with %d sites after it, want an error and 0", err, b.Len())
			}
		})
	}
}

// Every flipped bit and every cut is refused with the right error, which names the file.
func TestReadRefusesDamage(t *testing.T) {
	good := file(t, randomSites(3))
	if _, err := Read(good); err != nil {
		t.Fatal(err)
	}
	for i := range good {
		bad := slices.Clone(good)
		bad[i] ^= 0x10
		_, err := Read(bad)
		want := errDamaged
		switch {
		case i < 8:
			want = errForeign
		case i < 12:
			want = ErrVersion
		}
		if !errors.Is(err, want) {
			t.Fatalf("byte %d flipped: error = %v, want %v", i, err, want)
		}
	}
	dir := t.TempDir()
	for _, n := range []int{0, 1, 7, 31, 32, 100, len(good) - 1} {
		path := filepath.Join(dir, "FR.snap")
		filetest.Write(t, path, good[:n])
		_, err := ReadFile(path, market.FR)
		if !errors.Is(err, errDamaged) && !(n < headerBytes && errors.Is(err, errForeign)) {
			t.Errorf("cut to %d bytes: error = %v, want %v", n, err, errDamaged)
		} else if !strings.HasPrefix(err.Error(), "FR.snap: ") {
			t.Errorf("cut to %d bytes: error = %v, want one that begins with the file", n, err)
		}
	}
	if _, err := Read(append(slices.Clone(good), 0)); !errors.Is(err, errDamaged) {
		t.Errorf("one byte too many: error = %v, want %v", err, errDamaged)
	}
}

// reseal gives data a valid checksum, as an attacker would.
func reseal(data []byte) []byte {
	d := xxhash.New()
	io.Copy(d, io.MultiReader(bytes.NewReader(data[:checksumAt]), bytes.NewReader(data[checksumAt+8:])))
	binary.LittleEndian.PutUint64(data[checksumAt:], d.Sum64())
	return data
}

// readAll reads everything that a snapshot offers.
func readAll(s *Snapshot) (n int) {
	var x site.Site
	for i := range s.Len() {
		s.Site(i, &x)
		n += len(x.ID) + len(x.Stations)
		from, to := s.Stations(i)
		for r := from; r < to; r++ {
			n += len(s.StationCode(r))
		}
		s.EmissionKeys(i, func(k EmissionKey) { n += len(s.Systems[k.System]) + len(s.Operators[k.Operator]) })
		s.RadioIDs(i, func(id site.RadioID) { n += len(s.Operators[id.Operator]) })
		n += s.Area(i)
	}
	return n
}

// FuzzRead looks for a file with a valid checksum that Read accepts and whose use panics.
func FuzzRead(f *testing.F) {
	f.Add(file(f, randomSites(2)))
	f.Add(file(f, nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		data = slices.Clone(data) // the fuzzer's own bytes must stay as they are
		if len(data) >= headerBytes {
			binary.LittleEndian.PutUint64(data[16:], uint64(len(data)))
			reseal(data)
		}
		if s, err := Read(data); err == nil {
			readAll(s)
		}
	})
}

// Each value of the columns is changed, with a valid checksum, which a fuzzer without
// knowledge of the format seldom reaches.
func TestReadChecksEveryReference(t *testing.T) {
	tier.Slow(t)
	good := file(t, randomSites(2))
	refused := 0
	for i := headerBytes; i < len(good); i++ {
		for _, x := range []byte{0xff, 0x01, 0x80} {
			bad := slices.Clone(good)
			bad[i] ^= x
			if s, err := Read(reseal(bad)); err != nil {
				refused++
			} else {
				readAll(s)
			}
		}
	}
	if refused < len(good)/4 {
		t.Errorf("%d of %d changes were refused, want %d or more", refused, 3*len(good), len(good)/4)
	}
}

// A file that was written with another table of its market is refused: its rows refer
// to the table by position.
func TestAnotherTable(t *testing.T) {
	good := file(t, randomSites(2))
	for _, c := range []struct{ name, from, to string }{
		{"operator", `"BOUYGUES"`, `"BOUYGUEZ"`},
		{"area", `"2A"`, `"2C"`},
		{"status", `"En service"`, `"En cervice"`},
		{"market", `"market":"FR"`, `"market":"ZZ"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !bytes.Contains(good, []byte(c.from)) {
				t.Fatalf("the file has no %s", c.from)
			}
			_, err := Read(reseal(bytes.Replace(good, []byte(c.from), []byte(c.to), 1)))
			if !Refused(err) {
				t.Errorf("error = %v, want one that refuses the content", err)
			}
		})
	}
}

func BenchmarkRead(b *testing.B) {
	data := file(b, randomSites(20000))
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := Read(data); err != nil {
			b.Fatal(err)
		}
	}
}
