package areas

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"relais/internal/errtest"
	"relais/internal/filetest"
	"relais/internal/tier"
)

// An area is what a feature has: its attributes, how many edges, and the sum of the areas of its rings in m², where
// those that turn the other way count less.
type area struct {
	attributes map[string]string
	edges      int
	size       float64
}

// areasOf reads all features of a file.
func areasOf(f *File) (areas []area, err error) {
	err = f.Features(func(g Feature) error {
		a := area{attributes: g.Attributes}
		err := g.Edges(func(x1, y1, x2, y2 float64) {
			a.edges++
			a.size += (x1*y2 - x2*y1) / 2
		})
		a.size = math.Abs(a.size)
		areas = append(areas, a)
		return err
	})
	return areas, err
}

func openAreas(path, tmp string) ([]area, *File, error) {
	f, err := Open(context.Background(), path, tmp, 1<<20)
	if err != nil {
		return nil, nil, err
	}
	areas, err := areasOf(f)
	return areas, f, errors.Join(err, f.Close())
}

// What testdata/make.sh wrote into its archives.
var made = []area{
	{map[string]string{"operateur": "20801", "debit": "2.5", "niveau": "TBC"}, 12, 7e6},
	{map[string]string{"operateur": "-5", "debit": "1000000000000000000000", "niveau": "très «bon»"}, 4, 9e6},
}

var compareAreas = cmp.AllowUnexported(area{})

func TestArchives(t *testing.T) {
	for _, name := range strings.Fields("lzma lzma2 plain solid stored") {
		t.Run(name, func(t *testing.T) {
			tmp := t.TempDir()
			got, f, err := openAreas(filepath.Join("testdata", name+".7z"), tmp)
			errtest.Must(t, err)
			if diff := cmp.Diff(made, got, compareAreas); diff != "" || f.EPSG != 2154 {
				t.Errorf("EPSG:%d: %s", f.EPSG, diff)
			}
			checkEmpty(t, tmp)
		})
	}
}

func checkEmpty(t *testing.T, folder string) {
	t.Helper()
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("got %v, %v, want an empty folder", left, err)
	}
}

func TestArchivesThatAreNotRead(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		is         error
	}{
		{"two", "several GeoPackages", ErrArchive},
		{"none", "none of its 1 files", ErrArchive},
		{"encrypted", "encrypted", ErrArchive},
		{"encrypted-header", "encrypted", ErrArchive},
		{"bzip2", "method 040202", ErrArchive},
		{"filtered", "2 methods", ErrArchive},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tmp := t.TempDir()
			_, _, err := openAreas(filepath.Join("testdata", tt.name+".7z"), tmp)
			if !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q and %v", err, tt.want, tt.is)
			}
			checkEmpty(t, tmp)
		})
	}
}

func TestArchiveIsBounded(t *testing.T) {
	tmp := t.TempDir()
	if _, err := Open(t.Context(), "testdata/lzma.7z", tmp, 1000); !errors.Is(err, ErrTooLarge) {
		t.Errorf("got %v, want %v", err, ErrTooLarge)
	}
	// 55 bytes that claim 400,000,000 streams, whose checksums are all there.
	header := "\x01\x04\x06\x00\xff\x00\x84\xd7\x17\x00\x00\x00\x00\x0a\x01"
	path := filetest.New(t, "bomb.7z", archiveOf("", header))
	if _, err := Open(t.Context(), path, tmp, 1<<20); !errors.Is(err, ErrArchive) || !strings.Contains(err.Error(), "400000000") {
		t.Errorf("got %v, want %v", err, ErrArchive)
	}
	checkEmpty(t, tmp)
}

// A file that was cut or changed is an error, or has what the file had. It never ends the program.
func TestDamage(t *testing.T) {
	tier.Slow(t)
	tmp := t.TempDir()
	for _, name := range []string{"lzma.7z", "lzma2.7z", "plain.7z", "couv.gpkg"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join("testdata", name)
			if name == "couv.gpkg" {
				path = unpacked(t)
			}
			whole := filetest.Read(t, path)
			damaged := filepath.Join(t.TempDir(), "damaged")
			for n := 0; n < len(whole); n += 1 + len(whole)/150 {
				filetest.Write(t, damaged, whole[:n])
				if got, _, err := openAreas(damaged, tmp); err == nil {
					t.Errorf("%d of %d bytes: got %v, want an error", n, len(whole), got)
				}
				changed := append([]byte(nil), whole...)
				changed[n] ^= 0x55
				filetest.Write(t, damaged, changed)
				got, _, err := openAreas(damaged, tmp)
				if err == nil && strings.HasSuffix(name, ".7z") && !cmp.Equal(got, made, compareAreas) {
					t.Errorf("byte %d changed: got %v", n, got)
				}
			}
		})
	}
	checkEmpty(t, tmp)
}

// unpacked returns the path of testdata's GeoPackage.
func unpacked(t testing.TB) string {
	t.Helper()
	tmp := t.TempDir()
	f, err := Open(t.Context(), "testdata/lzma.7z", tmp, 1<<20)
	errtest.Must(t, err)
	defer f.Close()
	names, err := filepath.Glob(filepath.Join(tmp, "*.gpkg"))
	errtest.Must(t, err)
	return filetest.New(t, "couv.gpkg", filetest.Read(t, names[0]))
}

func TestOpenOfOtherFiles(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       error
	}{
		{"empty", "", ErrUnknown},
		{"text", "operateur;niveau\n20801;TBC\n", ErrUnknown},
		{"list", "[1]", ErrUnknown},
		{"object", `{"type":"Topology"}`, ErrUnsupported},
		{"only a signature", signatureSQLite, ErrDamaged},
		{"only the other signature", signature7z, ErrDamaged},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Open(t.Context(), filetest.New(t, "file", tt.text), t.TempDir(), 1); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
	path := unpacked(t)
	filetest.Write(t, path+"-wal", "frames")
	if _, err := Open(t.Context(), path, t.TempDir(), 1); err == nil || !strings.Contains(err.Error(), "couv.gpkg-wal") {
		t.Errorf("got %v, want an error about the second file", err)
	}
}

func TestFeaturesStopsAtAnError(t *testing.T) {
	f, err := Open(t.Context(), unpacked(t), t.TempDir(), 1)
	errtest.Must(t, err)
	defer f.Close()
	stop, calls := errors.New("enough"), 0
	err = f.Features(func(Feature) error { calls++; return stop })
	if !errors.Is(err, stop) || calls != 1 {
		t.Errorf("got %v after %d features, want %v after 1", err, calls, stop)
	}
}

func TestColumnsOf(t *testing.T) {
	for _, tt := range []struct {
		sql  string
		want string
		last int // with a DEFAULT
	}{
		{`CREATE TABLE "a" ( "fid" INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, "geom" MULTIPOLYGON, "n" TEXT(20))`, "fid geom n", -1},
		{"CREATE TABLE a(name TEXT, srs_id INTEGER NOT NULL, PRIMARY KEY(SRS_ID))", "name srs_id", -1},
		{`CREATE TABLE a("fid" INTEGER DEFAULT NULL, x TEXT, CONSTRAINT pk PRIMARY KEY("fid" AUTOINCREMENT))`, "fid x", -1},
		{"CREATE TABLE a(x TEXT, y INTEGER, PRIMARY KEY(x), CHECK (y))", "x y", -1},
		{"CREATE TABLE a(y INTEGER, PRIMARY KEY(y, x), x INTEGER DEFAULT -1, z TEXT DEFAULT (NULL), UNIQUE(y))", "y x z", 2},
		{"CREATE TABLE a(y, x TEXT DEFAULT 'zz', z)", "y x z", 1},
		{"CREATE TABLE a(x, y DEFAULT (1, 2), [z z] REAL, `w``w` TEXT DEFAULT ',)', PRIMARY KEY (x, y))", "x y z z w`w", 3},
		{"create table a (-- first, or\n \"pri\"\"mary\" text/* , */, id integer not null primary key, check (id > 0))", `pri"mary id`, -1},
		{"CREATE TABLE a(a text primary key, \"check\" INTEGER, été int)", "a check été", -1},
	} {
		got, last, err := columnsOf(tt.sql)
		if text := strings.Join(got, " "); err != nil || text != tt.want || last != tt.last {
			t.Errorf("%s: got %q, %d, %v", tt.sql, text, last, err)
		}
	}
	for _, sql := range []string{"", "CREATE TABLE a", "CREATE TABLE a(", "CREATE TABLE a()", "CREATE TABLE a(x, y AS (x + 1))",
		"CREATE TABLE a(\"x", "CREATE TABLE a(x /*", fmt.Sprintf("CREATE TABLE a(%sx)", strings.Repeat("x, ", 300))} {
		if got, _, err := columnsOf(sql); err == nil {
			t.Errorf("%.60s: got %q, want an error", sql, got)
		}
	}
}

// A row from before a column was added lacks it. With a DEFAULT, its value is in no row.
func TestAddedColumn(t *testing.T) {
	// A header of two bytes, whose second says that the only column is a whole number of one byte: section 2.1 of the file format.
	r := row{database: &database{}, id: 1, size: 3, local: []byte("\x02\x01\x05")}
	added := table{columns: []string{"x", "y", "z"}, filled: -1}
	if got, err := added.values(r); err != nil || !cmp.Equal(got, attributes{"x": "5"}) {
		t.Errorf("got %v, %v, want only x", got, err)
	}
	added.filled = 1
	if got, err := added.values(r); !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), `"y"`) {
		t.Errorf("got %v, %v, want an error that names y", got, err)
	}
}

// Reading ends with its context.
func TestReadingIsStopped(t *testing.T) {
	tmp := t.TempDir()
	text := filetest.New(t, "a.json", collection)
	ctx, stop := context.WithCancel(t.Context())
	for _, path := range []string{text, unpacked(t)} {
		f, err := Open(ctx, path, tmp, 1<<20)
		errtest.Must(t, err)
		defer f.Close()
		defer func() {
			if _, err := areasOf(f); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: reading areas: %v, want %v", path, err, context.Canceled)
			}
		}()
	}
	stop()
	for _, path := range []string{text, unpacked(t), "testdata/lzma.7z", "testdata/lzma2.7z", "testdata/stored.7z"} {
		if _, err := Open(ctx, path, tmp, 1<<20); !errors.Is(err, context.Canceled) || errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v, want %v", path, err, context.Canceled)
		}
	}
	checkEmpty(t, tmp)
}

// The checksum of a folder is that of its only file, if the list of its files has none.
func TestChecksumOfFolder(t *testing.T) {
	text := filetest.Read(t, unpacked(t))
	number := func(n int) string { return "\xff" + string(binary.LittleEndian.AppendUint64(nil, uint64(n))) }
	for _, wrong := range []uint32{0, 1} {
		sum := string(binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE(text)+wrong))
		header := "\x01\x04" + // as DOC/7zFormat.txt has it: a header, streams
			"\x06\x00\x01\x09" + number(len(text)) + "\x00" + // one stream
			"\x07\x0b\x01\x00" + "\x01\x01\x00" + "\x0c" + number(len(text)) + "\x0a\x01" + sum + "\x00" + // one folder, stored
			"\x08\x00" + "\x00" + // its files, without sizes and checksums
			"\x05\x01\x11\x0f\x00a\x00.\x00g\x00p\x00k\x00g\x00\x00\x00\x00" + "\x00" // names
		got, _, err := openAreas(filetest.New(t, "a.7z", archiveOf(string(text), header)), t.TempDir())
		switch {
		case wrong == 0 && (err != nil || !cmp.Equal(got, made, compareAreas)):
			t.Errorf("got %v, %v", got, err)
		case wrong != 0 && (!errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "checksum")):
			t.Errorf("a wrong checksum: got %v", err)
		}
	}
}

// A page that has one large row many times, or itself as a child, has an end.
func TestHostilePages(t *testing.T) {
	for _, tt := range []struct {
		name string
		kind byte
		cell string
		want string
	}{
		{"rows", 13, "\x82\x2c\x01\x02\x00", "more bytes than the file"}, // 300 bytes, number 1, a null
		{"circle", 5, "\x00\x00\x00\x01\x01", "has no end"},              // page 1, up to number 1
	} {
		t.Run(tt.name, func(t *testing.T) {
			page := make([]byte, 512)
			copy(page, signatureSQLite)
			page[16] = 512 >> 8
			page[100], page[104] = tt.kind, 20 // cells
			for i := 108; i < 152; i += 2 {
				page[i+1] = 160
			}
			copy(page[160:], tt.cell)
			_, err := Open(t.Context(), filetest.New(t, "a.gpkg", page), t.TempDir(), 1)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}
