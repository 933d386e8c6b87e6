package address

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"relais/geo"
	"relais/ingest/ban"
	"relais/internal/errtest"
	"relais/internal/fold"
	"relais/internal/folder"
	"relais/internal/tier"
)

// must ends the test on an error of what it needs.
var must = errtest.Must

// header has the columns that lib/formatters/csv-legacy.cjs of BaseAdresseNationale/ban-plateforme writes. Rows that tests
// make have them too.
const header = "id;id_fantoir;numero;rep;nom_voie;code_postal;code_insee;nom_commune;code_insee_ancienne_commune;" +
	"nom_ancienne_commune;x;y;lon;lat;type_position;alias;nom_ld;libelle_acheminement;nom_afnor;source_position;" +
	"source_nom_voie;certification_commune;cad_parcelles\n"

// row returns an address as the BAN's program writes it.
func row(number int, street, postcode, code, commune, hamlet string, lat, lng float64) string {
	return fmt.Sprintf("%s_0001_%05d;;%d;;%s;%s;%s;%s;;;0;0;%s;%s;entrée;;%s;;;commune;commune;1;\n", code, number, number,
		street, postcode, code, commune, strconv.FormatFloat(lng, 'f', 6, 64), strconv.FormatFloat(lat, 'f', 6, 64), hamlet)
}

const published = "../ingest/ban/testdata/"

func ingested(t testing.TB, dir folder.Dir, paths ...string) *Report {
	t.Helper()
	r, err := Ingest(t.Context(), Options{Dir: dir, Paths: paths, Now: time.Now()})
	must(t, err)
	return r
}

func write(t testing.TB, path, text string) string {
	t.Helper()
	must(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// all returns the streets of a folder.
func all(t testing.TB, dir folder.Dir) (list []Street) {
	t.Helper()
	b, err := NewStore(Path(dir)).open()
	must(t, err)
	defer b.file.Close()
	for n := range b.entries {
		streets, err := b.streets(int32(n))
		must(t, err)
		list = append(list, streets...)
	}
	return list
}

// A counted is what a scan of tables says about a street.
type counted struct {
	at    []geo.Point
	codes []string
}

// scan reads tables with encoding/csv. The keys are code and folded name, and mark for hamlets.
func scan(t testing.TB, paths ...string) map[string]*counted {
	t.Helper()
	found := map[string]*counted{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		must(t, err)
		r := csv.NewReader(bytes.NewReader(text))
		r.Comma = ';'
		rows, err := r.ReadAll()
		must(t, err)
		column := func(name string) int { return slices.Index(rows[0], name) }
		for _, f := range rows[1:] {
			lat, err1 := strconv.ParseFloat(f[column("lat")], 64)
			lng, err2 := strconv.ParseFloat(f[column("lon")], 64)
			if err1 != nil || err2 != nil {
				t.Fatal(err1, err2)
			}
			code, street, hamlet := f[column("code_insee")], f[column("nom_voie")], f[column("nom_ld")]
			names := []string{code + " " + fold.String(street)}
			if hamlet != "" && hamlet != street {
				names = append(names, code+" hamlet "+fold.String(hamlet))
			}
			for _, name := range names {
				if found[name] == nil {
					found[name] = &counted{}
				}
				found[name].at = append(found[name].at, geo.Point{Lat: lat, Lng: lng})
				found[name].codes = append(found[name].codes, f[column("code_postal")])
			}
		}
	}
	for name := range found { // a hamlet that is a street too
		code, rest, hamlet := strings.Cut(name, " hamlet ")
		if hamlet && found[code+" "+rest] != nil {
			delete(found, name)
		}
	}
	return found
}

// compare fails unless the streets are those of the tables: the number of addresses is right, and the position is one of
// them, as near to their median as any.
func compare(t *testing.T, got []Street, want map[string]*counted) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("got %d streets, want %d", len(got), len(want))
	}
	for _, s := range got {
		mark := " "
		if s.Hamlet {
			mark = " hamlet "
		}
		w := want[s.Code+mark+fold.String(s.Name)]
		if w == nil {
			t.Errorf("%+v is not in the tables", s)
			continue
		}
		if s.Numbers != len(w.at) || s.Postcode != w.codes[0] {
			t.Errorf("%s: got %d addresses in %s, want %d in %s", s.Name, s.Numbers, s.Postcode, len(w.at), w.codes[0])
		}
		median := geo.Point{Lat: medianOf(w.at, func(p geo.Point) float64 { return p.Lat }),
			Lng: medianOf(w.at, func(p geo.Point) float64 { return p.Lng })}
		own, least := math.Inf(1), math.Inf(1)
		for _, p := range w.at {
			own, least = min(own, geo.Distance(p, s.At)), min(least, geo.Distance(p, median))
		}
		if own > 1 || geo.Distance(s.At, median) > least+2 { // a step is one metre
			t.Errorf("%s: %v is %.1f m from an address, and %.1f m from the median; want 1 at most, and %.1f", s.Name, s.At, own,
				geo.Distance(s.At, median), least)
		}
	}
}

func medianOf(all []geo.Point, of func(geo.Point) float64) float64 {
	var list []float64
	for _, p := range all {
		list = append(list, of(p))
	}
	slices.Sort(list)
	return list[len(list)/2]
}

func TestIngestPublishedRows(t *testing.T) {
	dir := folder.Dir(t.TempDir())
	paths := []string{published + "adresses-59.csv", published + "adresses-01.csv"}
	r := ingested(t, dir, paths...)
	if r.Streets != 10 || r.Addresses != 29 || r.Communes != 2 || len(r.Files) != 2 {
		t.Errorf("got %+v, want 10 streets, 29 addresses, 2 communes", r.Info)
	}
	compare(t, all(t, dir), scan(t, paths...))
	if info, err := Verify(Path(dir)); err != nil || info != r.Info {
		t.Errorf("verify = %+v, %v; want %+v", info, err, r.Info)
	}
}

// made returns rows of communes that do not exist.
func made(seed uint64, communes int) (rows []string) {
	r := rand.New(rand.NewPCG(seed, 1))
	for c := range communes {
		code := fmt.Sprintf("35%03d", c+1)
		for s := range 1 + r.IntN(30) {
			name, hamlet := fmt.Sprintf("Rue de l'Été %d", s), ""
			if r.IntN(3) == 0 {
				name = fmt.Sprintf("Le Hameau %d", s)
			}
			lat, lng := 48+r.Float64()/3, -2+r.Float64()/3
			for n := range 1 + r.IntN(12) {
				spelled := name
				if r.IntN(4) == 0 {
					spelled = strings.ToUpper(name)
				}
				if r.IntN(5) == 0 {
					hamlet = fmt.Sprintf("Le Hameau %d", r.IntN(4))
				}
				rows = append(rows, row(n, spelled, fmt.Sprintf("35%d00", r.IntN(3)), code, "Ville "+code, hamlet,
					lat+r.Float64()/500, lng+r.Float64()/500))
			}
		}
	}
	return rows
}

// Rows may come in any order, and more of them than a draft holds.
func TestAnyOrderInBoundedMemory(t *testing.T) {
	rows := made(1, 40)
	r := rand.New(rand.NewPCG(2, 2))
	for _, shuffled := range []bool{false, true} {
		if shuffled {
			r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		}
		path := write(t, filepath.Join(t.TempDir(), "adresses-35.csv"), header+strings.Join(rows, ""))
		for _, most := range []int{1, 50, 1 << 20} {
			t.Run(fmt.Sprint(shuffled, most), func(t *testing.T) {
				got := drafted(t, path, most)
				compare(t, got, scan(t, path))
			})
		}
	}
}

// drafted ingests a table with a draft that holds few addresses, and returns the streets.
func drafted(t *testing.T, path string, most int) []Street {
	t.Helper()
	dir := folder.Dir(t.TempDir())
	r := &Report{Path: Path(dir)}
	files, err := ban.Find([]string{path})
	must(t, err)
	must(t, folder.Replace(r.Path, func(w io.Writer) error {
		return r.build(t.Context(), Options{Dir: dir}, files, w, most)
	}))
	return all(t, dir)
}

func TestGuards(t *testing.T) {
	dir, files := folder.Dir(t.TempDir()), t.TempDir()
	rows := made(3, 20)
	whole := write(t, filepath.Join(files, "adresses-2026-05-01.csv"), header+strings.Join(rows, ""))
	first := ingested(t, dir, whole)
	if first.Date != "2026-05-01" {
		t.Errorf("date = %s, want that of the name", first.Date)
	}
	half := header + strings.Join(rows[:len(rows)/2], "")
	for _, tt := range []struct{ name, text, want string }{
		{"adresses-2026-06-01.csv", half, "all departments at once"},
		{"adresses-2026-04-01.csv", header + strings.Join(rows, ""), "are of 2026-04-01"},
		{"adresses-2026-07-01.csv", header + row(1, "Rue", "98800", "98818", "Nouméa", "", -22.2, 166.4), "no usable address"},
		{"adresses-2026-07-02.csv", header, "a header and no row"},
	} {
		path := write(t, filepath.Join(files, tt.name), tt.text)
		if _, err := Ingest(t.Context(), Options{Dir: dir, Paths: []string{path}, Now: time.Now()}); err == nil ||
			!strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error = %v, want %q", tt.name, err, tt.want)
		}
	}
	if _, err := Ingest(t.Context(), Options{Dir: dir, Paths: []string{whole, write(t, filepath.Join(files, "again.csv"), half)},
		Now: time.Now()}); err == nil || !strings.Contains(err.Error(), "both have the commune 350") {
		t.Errorf("error = %v, want that two tables have a commune", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Ingest(ctx, Options{Dir: dir, Paths: []string{whole}, Now: time.Now()}); err == nil {
		t.Error("an ingest that was ended has no error")
	}
	if info, err := Verify(Path(dir)); err != nil || info != first.Info {
		t.Errorf("after refusals the folder has %+v, %v; want %+v", info, err, first.Info)
	}
	if names, err := os.ReadDir(filepath.Dir(Path(dir))); len(names) != 1 || err != nil {
		t.Errorf("the folder has %v, %v; want the file alone", names, err)
	}
	if _, err := Ingest(t.Context(), Options{Dir: dir, Paths: []string{filepath.Join(files, "adresses-2026-06-01.csv")}, Force: true,
		Now: time.Now()}); err != nil {
		t.Errorf("forced: %v", err)
	}
}

// Verify refuses a file with any byte changed, and no question panics on it.
func TestDamage(t *testing.T) {
	tier.Slow(t)
	dir := folder.Dir(t.TempDir())
	ingested(t, dir, published+"adresses-59.csv", published+"adresses-01.csv")
	text, err := os.ReadFile(Path(dir))
	must(t, err)
	path := filepath.Join(t.TempDir(), "x.streets")
	try := func(what string, text []byte) {
		write(t, path, string(text))
		if _, err := Verify(path); err == nil {
			t.Errorf("%s: Verify finds nothing", what)
		}
		_, _ = NewStore(path).Find(t.Context(), Question{Text: "rue du pont abancourt", Limit: 5})
	}
	for i := range text {
		for _, bit := range []byte{1, 0x80} {
			broken := bytes.Clone(text)
			broken[i] ^= bit
			try(fmt.Sprintf("byte %d ^ %d", i, bit), broken)
		}
	}
	for n := range text {
		try(fmt.Sprint("cut to ", n), text[:n])
	}
}

func TestCut(t *testing.T) {
	dir := folder.Dir(t.TempDir())
	r := ingested(t, dir, published+"adresses-59.csv", published+"adresses-01.csv")
	var cut bytes.Buffer
	info, err := Cut(Path(dir), &cut, func(s *Street) bool { return s.Code == "01002" })
	must(t, err)
	path := filepath.Join(t.TempDir(), "FR.streets")
	write(t, path, cut.String())
	got, err := Verify(path)
	must(t, err)
	if got != info || got.Streets != 2 || got.Addresses != 2 || got.Communes != 1 || got.Date != r.Date {
		t.Errorf("got %+v, want the two streets of 01002", got)
	}
	whole, err := Cut(Path(dir), &cut, func(*Street) bool { return true })
	must(t, err)
	if whole != r.Info {
		t.Errorf("cut with everything = %+v, want %+v", whole, r.Info)
	}
}
