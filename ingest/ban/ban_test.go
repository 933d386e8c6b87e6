package ban

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"relais/ingest/source"
	"relais/ingest/source/sourcetest"
	"relais/internal/errtest"
)

// must ends the test on an error of what it needs.
var must = errtest.Must

// testdata/adresses-59.csv and adresses-01.csv are rows of the published files of these departments, with the columns of
// earlier files and of present ones, as public programs have them in their tests and documentation.
func TestRead(t *testing.T) {
	for _, tt := range []struct {
		file         string
		rows         int
		first, last  string
		lat, lng     float64 // of the last
		commune, zip string
	}{
		{"adresses-59.csv", 27, "Chemin Hem Lenglet", "Rue d'En Bas", 50.235541, 3.212705, "Abancourt", "59268"},
		{"adresses-01.csv", 2, "Place du Pese Lait", "Chemin de la Ferm de la Montagne", 45.996182, 5.431677,
			"L'Abergement-de-Varey", "01640"},
	} {
		t.Run(tt.file, func(t *testing.T) {
			f := sourcetest.Detect(t, filepath.Join("testdata", tt.file), []*source.Kind{Kind})
			var first, last string
			var end Address
			r, err := Read(&f, nil, func(a *Address) error {
				if first == "" {
					first = string(a.Street)
				}
				last, end.At = string(a.Street), a.At
				if string(a.Commune) != tt.commune || string(a.Postcode) != tt.zip || string(a.Area) != tt.zip[:2] {
					t.Errorf("commune = %s %s in %s, want %s %s", a.Postcode, a.Commune, a.Area, tt.zip, tt.commune)
				}
				return nil
			})
			must(t, err)
			sourcetest.WantAccounted(t, r)
			if r.Served != tt.rows || first != tt.first || last != tt.last || end.At.Lat != tt.lat || end.At.Lng != tt.lng {
				t.Errorf("got %d rows from %q to %q at %v, want %d from %q to %q at %v, %v", r.Served, first, last, end.At,
					tt.rows, tt.first, tt.last, tt.lat, tt.lng)
			}
			if r.Warning != "" {
				t.Errorf("warning = %q, want none", r.Warning)
			}
		})
	}
}

func TestRejected(t *testing.T) {
	text, err := os.ReadFile("testdata/adresses-01.csv")
	must(t, err)
	lines := strings.SplitAfter(string(text), "\n")
	row := lines[1]
	change := func(old, new string) string { return strings.Replace(row, old, new, 1) }
	path := filepath.Join(t.TempDir(), "adresses.csv")
	must(t, os.WriteFile(path, []byte(lines[0]+row+change(";Place du Pese Lait;", ";;")+change(";01002;", ";1002;")+
		change("5.425179", "")+change("46.005447", "north")+change("46.005447", "NaN")+change("46.005447", "6.005447")+
		change(";01002;", ";98818;")+change(";01002;", ";97502;")+"cut;short\n"), 0o600))
	f := sourcetest.Detect(t, path, []*source.Kind{Kind})
	r, err := Read(&f, nil, func(*Address) error { return nil })
	must(t, err)
	sourcetest.WantAccounted(t, r)
	want := map[string]int{noStreet: 1, noCommune: 1, noPosition: 3, outside: 1, otherTerritory: 2}
	for reason, n := range want {
		if r.Rejected[reason] != n {
			t.Errorf("rejected for %q: got %d rows, want %d", reason, r.Rejected[reason], n)
		}
	}
	if r.Rows != 10 || r.Served != 1 || r.Unused[otherTerritory] != 2 {
		t.Errorf("got %d rows, %d served, unused %v; want 10, 1, two of other territories", r.Rows, r.Served, r.Unused)
	}
	stop := errors.New("stop")
	if _, err := Read(&f, nil, func(*Address) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("error = %v, want that of yield", err)
	}
}

func TestMarketOf(t *testing.T) {
	for code, want := range map[string]string{"59001": "FR 59", "2A004": "FR 2A", "97411": "DROM 974", "97120": "DROM 971"} {
		m, i := MarketOf(Area(code))
		if m == nil || string(m.Code)+" "+m.Areas[i].Code != want {
			t.Errorf("market of %s = %v, %d; want %s", code, m, i, want)
		}
	}
	for _, code := range []string{"97502", "98818", "99138", "20001"} {
		if m, _ := MarketOf(Area(code)); m != nil {
			t.Errorf("market of %s = %s, want none", code, m.Code)
		}
	}
}

func TestSplit(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "other.csv")
	must(t, os.WriteFile(other, []byte("a;b\n1;2\n"), 0o600))
	text, err := os.ReadFile("testdata/adresses-59.csv")
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, "adresses-59.csv"), text, 0o600)) // next to the other one
	addresses, others := Split([]string{"testdata/adresses-59.csv", other, "testdata", dir, filepath.Join(dir, "missing")})
	if len(addresses) != 2 || len(others) != 3 {
		t.Errorf("addresses = %v, others = %v; want the file and its folder, and the other three", addresses, others)
	}
	if _, err := Find([]string{other}); err == nil {
		t.Error("Find accepts a file that is not a table of addresses")
	}
}
