package coverage

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"relais/geo"
	"relais/internal/errtest"
	"relais/internal/filetest"
	"relais/market"
)

var must = errtest.Must

// testInfo describes a grid of 100 m in Brittany.
func testInfo(cols, rows int) Info {
	return Info{Market: market.FR, Operator: "ORANGE", Technology: "4G", Service: "data", Edition: "2026-06-30",
		Publisher: publisherOf(market.Get(market.FR)), EPSG: 2154, Metres: 100, Cell: 100, X0: 330000, Y0: 6760000, Cols: cols, Rows: rows,
		Words: arcepLevels, Outline: "FR"}
}

// patches returns values in patches of some cells, so that blocks pack as real ones do.
func patches(cols, rows int) [][]Value {
	rng, values := rand.New(rand.NewPCG(7, 7)), make([][]Value, rows)
	for row := range values {
		values[row] = make([]Value, cols)
	}
	for range 60 {
		x, y, r, v := rng.IntN(cols), rng.IntN(rows), 3+rng.IntN(40), Value(rng.IntN(4))
		for row := max(0, y-r); row < min(rows, y+r); row++ {
			for col := max(0, x-r); col < min(cols, x+r); col++ {
				values[row][col] = v
			}
		}
	}
	return values
}

func valuesOf(values [][]Value) filler {
	return each(len(values[0]), len(values), func(col, row int) Value { return values[row][col] })
}

// layerIn writes a layer into a folder and returns the store of it.
func layerIn(t *testing.T, dir string, info Info, values [][]Value) *Store {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b, &info, valuesOf(values)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, info.Name()+Suffix), b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return NewStore(dir)
}

func TestFileHasItsCells(t *testing.T) {
	const cols, rows = 300, 259 // the last blocks are not full
	values, dir := patches(cols, rows), t.TempDir()
	s := layerIn(t, dir, testInfo(cols, rows), values)
	l := s.Layers(Filter{})[0]
	counts := make([]int64, 4)
	for row := range values {
		for col, want := range values[row] {
			counts[want]++
			if got, err := l.cell(col, row); err != nil || got != want {
				t.Fatalf("cell %d, %d: %d, %v, want %d", col, row, got, err, want)
			}
		}
	}
	for v, n := range counts {
		if l.Cells[v] != n {
			t.Errorf("%d cells of %d, want %d", l.Cells[v], v, n)
		}
	}
	if info, err := Verify(filepath.Join(dir, l.Name()+Suffix)); err != nil || info.Operator != "ORANGE" {
		t.Errorf("verify: %v, %v", info, err)
	}
}

// A damaged file is an error, whichever byte is wrong, and so is one that is cut off.
func TestDamagedFile(t *testing.T) {
	info := testInfo(140, 130)
	values := patches(140, 130)
	var b bytes.Buffer
	if err := write(&b, &info, valuesOf(values)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x.grid")
	for i := range b.Len() {
		bad := bytes.Clone(b.Bytes())
		bad[i] ^= 0x40
		if err := os.WriteFile(path, bad, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Verify(path); err != nil {
			continue
		}
		s := NewStore(filepath.Dir(path)) // some bits mean nothing
		l := s.Layers(Filter{})[0]
		for row := range values {
			for col, want := range values[row] {
				if got, err := l.cell(col, row); err != nil || got != want {
					t.Fatalf("byte %d of %d is wrong, and nobody notices", i, b.Len())
				}
			}
		}
	}
	for _, n := range []int{0, 7, headBytes, b.Len() / 2, b.Len() - 1} {
		if err := os.WriteFile(path, b.Bytes()[:n], 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Verify(path); !errors.Is(err, ErrDamaged) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

// A cell whose value has no word is damage, though all sums are right.
func TestValueWithoutWord(t *testing.T) {
	info := testInfo(3, 2)
	info.Cells, info.Km2 = make([]int64, 4), make([]float64, 4)
	var b bytes.Buffer
	out, directory := begin(&b), []byte(nil)
	for _, g := range newGrids(info.Cols, info.Rows) {
		var c cells
		c.set(0, 0, 9)
		directory = out.block(directory, &c, &[maxValue + 1]int64{0: int64(g.cols*g.rows - 1), 3: 1}) // as if it were 3
	}
	must(t, out.finish(&info, directory))
	path := filetest.New(t, info.Name()+Suffix, b.Bytes())
	if _, err := Verify(path); !errors.Is(err, ErrDamaged) {
		t.Errorf("verify: %v, want damage", err)
	}
	s := NewStore(filepath.Dir(path))
	l := s.Layers(Filter{})[0]
	p := l.middle(0, 0)
	box := geo.Box{South: p.Lat - 0.001, West: p.Lng - 0.001, North: p.Lat + 0.001, East: p.Lng + 0.001}
	at := func(x, y float64) geo.Point {
		return geo.Point{Lat: box.North - (box.North-box.South)*y, Lng: box.West + (box.East-box.West)*x}
	}
	for name, ask := range map[string]func() error{
		"at":      func() error { _, err := s.At(Filter{}, p, 1000); return err },
		"count":   func() error { _, err := s.Count(Filter{}, []Weight{{p, 1}}); return err },
		"area":    func() error { _, err := s.Area(t.Context(), Filter{}, []geo.Box{box}); return err },
		"picture": func() error { return Picture([]*Layer{l}, 64, at, func(int, *Layer, *Word) {}) },
		"cut":     func() error { _, err := Cut(path, io.Discard, []geo.Box{box}); return err },
	} {
		if err := ask(); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v, want damage", name, err)
		}
	}
}

// What a store has follows its folder: files come, are replaced, are damaged and go.
func TestStoreFollowsItsFolder(t *testing.T) {
	dir := t.TempDir()
	s := NewStore(filepath.Join(dir, "coverage"))
	if s.Layers(Filter{}) != nil || s.Failed("") != nil {
		t.Error("a folder that is missing has layers")
	}
	values := patches(50, 50)
	if err := os.Mkdir(filepath.Join(dir, "coverage"), 0o755); err != nil {
		t.Fatal(err)
	}
	first := s.Version()
	layerIn(t, filepath.Join(dir, "coverage"), testInfo(50, 50), values)
	if n := len(s.Layers(Filter{})); n != 1 || s.Version() == first {
		t.Errorf("%d layers, version %s", n, s.Version())
	}
	withheld := testInfo(50, 50)
	withheld.Market, withheld.Operator, withheld.Publisher = market.BE, "PROXIMUS_BE", publisherOf(market.Get(market.BE))
	layerIn(t, filepath.Join(dir, "coverage"), withheld, values)
	if all, free := len(s.Layers(Filter{})), len(s.Layers(Filter{Free: true})); all != 2 || free != 1 {
		t.Errorf("%d layers, %d of them free, want 2 and 1", all, free)
	}
	path := filepath.Join(dir, "coverage", "damaged"+Suffix)
	if err := os.WriteFile(path, []byte("RELAISCV damaged"), 0o644); err != nil {
		t.Fatal(err)
	}
	if s.Failed("") == nil {
		t.Error("a damaged file is not reported")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := s.Failed(""); err != nil {
		t.Error(err)
	}
}

// A file that could not be opened once is tried again, and fails its own market only.
func TestFileThatComesLater(t *testing.T) {
	dir, later := t.TempDir(), filepath.Join(t.TempDir(), "later")
	if err := os.Symlink(later, filepath.Join(dir, "fr-x"+Suffix)); err != nil {
		t.Skip("no links here")
	}
	s := NewStore(dir)
	if s.Failed(market.FR) == nil || s.Failed(market.BE) != nil {
		t.Errorf("failed: %v, %v", s.Failed(market.FR), s.Failed(market.BE))
	}
	long := time.Now().Add(-time.Hour)
	if err := os.Chtimes(dir, long, long); err != nil {
		t.Fatal(err)
	}
	info, values := testInfo(20, 20), patches(20, 20)
	var b bytes.Buffer
	if err := write(&b, &info, valuesOf(values)); err != nil {
		t.Fatal(err)
	}
	_ = s.Version()
	if err := os.WriteFile(later, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	if s.Failed("") != nil || len(s.Layers(Filter{})) != 1 {
		t.Errorf("after the file came: %v, %d layers", s.Failed(""), len(s.Layers(Filter{})))
	}
}

// A file that cannot be used is not read again until it changes.
func TestFailureIsKept(t *testing.T) {
	values := patches(20, 20)
	info := testInfo(20, 20)
	var b bytes.Buffer
	must(t, write(&b, &info, valuesOf(values)))
	other := bytes.Clone(b.Bytes())
	other[len(magic)]++
	for _, tt := range []struct {
		name string
		bad  []byte
		want error
	}{{"damaged", b.Bytes()[:b.Len()-9], ErrDamaged}, {"version", other, ErrVersion}} {
		t.Run(tt.name, func(t *testing.T) {
			path := filetest.New(t, "fr-x"+Suffix, tt.bad)
			s := NewStore(filepath.Dir(path))
			if err := s.Failed(market.FR); !errors.Is(err, tt.want) {
				t.Fatalf("failed: %v, want %v", err, tt.want)
			}
			first := s.state
			if _ = s.Version(); s.Before(&Layer{}) != nil || s.Layers(Filter{}) != nil || s.Failed("") == nil || s.state != first {
				t.Error("the file was read again")
			}
			filetest.Write(t, path, b.Bytes())
			must(t, os.Chtimes(path, time.Now(), time.Now().Add(time.Minute)))
			if err := s.Failed(""); err != nil || len(s.Layers(Filter{})) != 1 {
				t.Errorf("after it was replaced: %v, %d layers", err, len(s.Layers(Filter{})))
			}
		})
	}
}

// A file that cannot be opened meanwhile is tried at each question, and nothing of the others is read again for that.
func TestFailureOfOneFile(t *testing.T) {
	dir, info := t.TempDir(), testInfo(20, 20)
	s := layerIn(t, dir, info, patches(20, 20))
	if err := os.Symlink("missing", filepath.Join(dir, "be-x"+Suffix)); err != nil {
		t.Skip("no links here")
	}
	if err := s.Failed("BE"); err == nil || s.Failed("FR") != nil || len(s.Layers(Filter{})) != 1 {
		t.Fatalf("failed: %v, France %v", err, s.Failed("FR"))
	}
	first := s.state
	if _, err := s.At(Filter{}, geo.Point{Lat: 48, Lng: -1.7}, 0); err != nil || s.Version() == "" || s.state != first {
		t.Errorf("%v: the folder has another state", err)
	}
}

// A part that is cut out answers as the whole does.
func TestCut(t *testing.T) {
	const cols, rows = 400, 390
	values, dir, to := patches(cols, rows), t.TempDir(), t.TempDir()
	s := layerIn(t, dir, testInfo(cols, rows), values)
	l := s.Layers(Filter{})[0]
	box := geo.Box{South: 47.98, West: -1.75, North: 48.05, East: -1.7}
	var b bytes.Buffer
	info, err := Cut(filepath.Join(dir, l.Name()+Suffix), &b, []geo.Box{box})
	if err != nil || info == nil || info.Cols >= cols {
		t.Fatalf("%v, %v", info, err)
	}
	if err := os.WriteFile(filepath.Join(to, "part"+Suffix), b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	part := NewStore(to)
	for lat := box.South; lat <= box.North; lat += 0.0007 {
		for lng := box.West; lng <= box.East; lng += 0.0009 {
			p := geo.Point{Lat: lat, Lng: lng}
			want, err := s.At(Filter{}, p, 0)
			if err != nil {
				t.Fatal(err)
			}
			got, err := part.At(Filter{}, p, 0)
			if err != nil || len(got) != 1 || got[0].Word != want[0].Word {
				t.Fatalf("%v: %v, %v, want %v", p, got, err, want[0].Word)
			}
		}
	}
	info, err = Cut(filepath.Join(dir, l.Name()+Suffix), &b, []geo.Box{{South: -21, West: 55, North: -20, East: 56}})
	if info != nil || err != nil {
		t.Errorf("La Réunion: %v, %v", info, err)
	}
}
