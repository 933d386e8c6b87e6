package admin

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"relais/address"
	"relais/geo"
	"relais/internal/folder"
	"relais/market"
)

// withAddresses returns a folder with registers, and the streets of two communes of the Nord and the Ain.
func withAddresses(t *testing.T) folder.Dir {
	t.Helper()
	dir := folder.Dir(t.TempDir())
	register(t, dir, market.BE, "2026-01-01", nil, "a", "b")
	register(t, dir, market.FR, "2026-01-01", nil, "a", "b", "c") // in 01, 02 and 03
	_, err := address.Ingest(t.Context(), address.Options{Dir: dir, Now: time.Now(),
		Paths: []string{"../ingest/ban/testdata/adresses-59.csv", "../ingest/ban/testdata/adresses-01.csv"}})
	must(t, err)
	return dir
}

func TestAddressesAreChecked(t *testing.T) {
	dir := withAddresses(t)
	finding := func() (f File, text string) {
		r, err := CheckFolder(t.Context(), dir)
		must(t, err)
		for _, other := range r.Files {
			if other.Kind == "addresses" {
				f = other
			}
		}
		if len(r.Notes) != 0 {
			t.Errorf("notes = %q, want none", r.Notes)
		}
		d, err := Doctor(t.Context(), dir, nil)
		must(t, err)
		for _, other := range d.Findings {
			if other.Check == folder.AddressesName {
				text = string(other.Severity) + ": " + other.Text
			}
		}
		return f, text
	}
	f, text := finding()
	if f.Path != "addresses/FR.streets" || !strings.HasPrefix(f.Detail, "10 streets in 2 communes of ") || f.Problem != "" ||
		text != "ok: "+f.Detail {
		t.Errorf("got %+v and %q, want 10 streets in 2 communes, without a problem", f, text)
	}
	bytes, err := os.ReadFile(address.Path(dir))
	must(t, err)
	bytes[20] ^= 1 // in a commune, which only check reads
	must(t, os.WriteFile(address.Path(dir), bytes, 0o600))
	if f, _ = finding(); !strings.Contains(f.Problem, "damaged") || f.Detail != "" {
		t.Errorf("got %+v, want a problem", f)
	}
	must(t, os.WriteFile(address.Path(dir), bytes[:len(bytes)-1], 0o600))
	if _, text = finding(); !strings.HasPrefix(text, "wrong: ") {
		t.Errorf("doctor: %q, want a problem", text)
	}
}

func TestAddressesStayOutOfBackups(t *testing.T) {
	dir := withAddresses(t)
	if !HasAddresses(dir) {
		t.Error("the folder has no addresses, want some")
	}
	if copied := copyOf(t, dir); HasAddresses(copied) {
		t.Errorf("%s has addresses, want none", copied)
	}
}

func TestAddressesArePacked(t *testing.T) {
	dir := withAddresses(t)
	for _, tt := range []struct {
		name string
		spec PackSpec
		want int
	}{
		{"France", PackSpec{Market: market.FR}, 10},
		{"a department", PackSpec{Market: market.FR, Areas: []string{"01"}}, 2},
		{"another department", PackSpec{Market: market.FR, Areas: []string{"02"}}, 0},
		{"another country", PackSpec{Market: market.BE}, 0},
		// The sites are at 50.8 north, 4.3 east. Abancourt is 100 km from there.
		{"a disc", PackSpec{Disc: &geo.Disc{Center: geo.Point{Lat: 50.5, Lng: 4}, Radius: 70_000}}, 8},
		{"a disc without streets", PackSpec{Disc: &geo.Disc{Center: geo.Point{Lat: 50.8, Lng: 4.3}, Radius: 10_000}}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			to := folder.Dir(filepath.Join(t.TempDir(), "pack"))
			r, err := Pack(t.Context(), dir, tt.spec, to, quiet)
			must(t, err)
			info, err := address.Verify(address.Path(to))
			if tt.want == 0 {
				if r.Addresses != nil || !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("got %+v, %v; want no streets", r.Addresses, err)
				}
				return
			}
			must(t, err)
			if r.Addresses == nil || *r.Addresses != info || info.Streets != tt.want {
				t.Errorf("got %+v and %+v, want %d streets", r.Addresses, info, tt.want)
			}
		})
	}
}
