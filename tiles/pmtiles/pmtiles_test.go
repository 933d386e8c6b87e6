package pmtiles

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"relais/geo"
	"relais/internal/errtest"
)

// foreign is an archive that go-pmtiles 1.31.2 made (pmtiles convert) of an MBTiles file with the tiles that
// foreignTile describes: 13,542 tiles, 9,534 entries, 212 contents, 3 leaf directories, as it printed.
const foreign = "testdata/foreign.pmtiles"

// foreignTile returns the text that is, compressed, a tile of the archive, "" for a tile that it lacks.
func foreignTile(z, x, y int) string {
	west, north, east, south := 472>>(10-z), 320>>(10-z), 600>>(10-z), 400>>(10-z)
	if z <= 3 {
		west, north, east, south = 0, 0, 1<<z-1, 1<<z-1
	}
	switch {
	case x < west || x > east || y < north || y > south, z > 3 && (x*5+y*3)%23 == 0:
		return ""
	case (x/4+y/4)%3 == 0:
		return "sea"
	}
	return fmt.Sprintf("tile %d", (z*z+x*x*7+y*y*13)%211)
}

func open(t *testing.T, path string) File {
	t.Helper()
	f, err := os.Open(path)
	errtest.Must(t, err)
	t.Cleanup(func() { f.Close() })
	src, err := NewFile(f)
	errtest.Must(t, err)
	return src
}

// texts returns what is in all tiles of an archive, by their ids.
func texts(t *testing.T, src Source) map[uint64]string {
	t.Helper()
	h, err := ReadHeader(t.Context(), src)
	errtest.Must(t, err)
	list, err := h.entriesOf(t.Context(), src, []span{{0, firstOf(lastZoom + 1)}})
	errtest.Must(t, err)
	all := map[uint64]string{}
	for _, e := range list {
		packed, err := read(t.Context(), src, int64(h.sections[tileSection].at+e.offset), int64(e.length))
		errtest.Must(t, err)
		z, err := gzip.NewReader(bytes.NewReader(packed))
		errtest.Must(t, err)
		text, err := io.ReadAll(z)
		errtest.Must(t, err)
		for i := range uint64(e.run) {
			all[e.id+i] = string(text)
		}
	}
	if h.Tiles != uint64(len(all)) || h.entries != uint64(len(list)) {
		t.Errorf("the header states %d tiles and %d entries, there are %d and %d", h.Tiles, h.entries, len(all), len(list))
	}
	return all
}

// The directories of another writer are read as it wrote them.
func TestForeign(t *testing.T) {
	got, n := texts(t, open(t, foreign)), 0
	for z := range 11 {
		for x := range 1 << z {
			for y := range 1 << z {
				want := foreignTile(z, x, y)
				if got[tileID(z, uint32(x), uint32(y))] != want {
					t.Fatalf("tile %d/%d/%d: got %q, want %q", z, x, y, got[tileID(z, uint32(x), uint32(y))], want)
				}
				if want != "" {
					n++
				}
			}
		}
	}
	if n != 13542 || len(got) != n {
		t.Errorf("%d tiles, want the %d of 13542", len(got), n)
	}
}

// cut makes an archive of an area, and returns it with its plan.
func cut(t *testing.T, src Source, maxZoom int, area ...geo.Box) (File, *Plan) {
	t.Helper()
	plan, err := NewPlan(t.Context(), src, area, maxZoom)
	errtest.Must(t, err)
	path := filepath.Join(t.TempDir(), "cut.pmtiles")
	f, err := os.Create(path)
	errtest.Must(t, err)
	last := int64(0)
	errtest.Must(t, plan.Write(t.Context(), src, f, 0, func(done int64) error { last = done; return nil }))
	errtest.Must(t, f.Close())
	if last != plan.Read {
		t.Errorf("%d bytes are done, want %d", last, plan.Read)
	}
	out := open(t, path)
	if out.Size() != plan.Size {
		t.Errorf("%d bytes, want %d", out.Size(), plan.Size)
	}
	return out, plan
}

// A cut has the tiles that touch its boxes, and no others. Which ones do is decided here by the edges of each tile.
func TestCut(t *testing.T) {
	src := open(t, foreign)
	for _, tt := range []struct {
		name    string
		maxZoom int
		area    []geo.Box
	}{
		{"everything", 10, []geo.Box{{South: -85, West: -180, North: 85, East: 180}}},
		{"France", 9, []geo.Box{{South: 41, West: -5.6, North: 51.5, East: 9.8}}},
		{"a town", 10, []geo.Box{{South: 48.05, West: -1.75, North: 48.15, East: -1.6}}},
		{"a point", 14, []geo.Box{{South: 48, West: 2, North: 48, East: 2}}},
		{"two boxes", 10, []geo.Box{{South: 43, West: 1, North: 44, East: 2}, {South: 43.5, West: 1.5, North: 47, East: 2.5}}},
		{"over the antimeridian", 3, []geo.Box{{South: -10, West: 170, North: 10, East: -170}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, plan := cut(t, src, tt.maxZoom, tt.area...)
			got, n := texts(t, out), 0
			for z := range min(tt.maxZoom, 10) + 1 {
				for x := range 1 << z {
					for y := range 1 << z {
						if want := foreignTile(z, x, y); want != "" && touches(z, x, y, tt.area) {
							if n++; got[tileID(z, uint32(x), uint32(y))] != want {
								t.Fatalf("tile %d/%d/%d: got %q, want %q", z, x, y, got[tileID(z, uint32(x), uint32(y))], want)
							}
						}
					}
				}
			}
			if n == 0 || len(got) != n || !plan.clustered {
				t.Errorf("%d tiles, want %d", len(got), n)
			}
		})
	}
}

// touches reports whether a tile touches a box, in fractions of the world's sides.
func touches(z, x, y int, area []geo.Box) bool {
	side := 1 / float64(int(1)<<z)
	part := func(lat, lng float64) (float64, float64) {
		s := geo.Mercator(geo.Fix(lat), geo.Fix(lng))
		return float64(s.X) / (1 << 32), float64(s.Y) / (1 << 32)
	}
	for _, whole := range area {
		for _, b := range whole.Split() {
			west, north := part(b.North, b.West)
			east, south := part(b.South, b.East)
			left, top := float64(x)*side, float64(y)*side
			if west < left+side && east >= left && north < top+side && south >= top {
				return true
			}
		}
	}
	return false
}

// What an earlier call has written is not read again.
func TestWriteGoesOn(t *testing.T) {
	src, area := open(t, foreign), []geo.Box{{South: 43, West: -2, North: 49, East: 6}}
	whole, plan := cut(t, src, 10, area...)
	want, err := read(t.Context(), whole, 0, whole.Size())
	errtest.Must(t, err)
	for _, stop := range []int64{0, 1, plan.Read / 3, plan.Read - 1, plan.Read} {
		f, err := os.Create(filepath.Join(t.TempDir(), "part"))
		errtest.Must(t, err)
		defer f.Close()
		first := &counted{Source: src, left: stop}
		err = plan.Write(t.Context(), first, f, 0, func(int64) error { return nil })
		if stop < plan.Read && !errors.Is(err, errStop) {
			t.Fatalf("got %v, want it stopped", err)
		}
		second := &counted{Source: src, left: 1 << 40}
		errtest.Must(t, plan.Write(t.Context(), second, f, stop, func(int64) error { return nil }))
		got, err := os.ReadFile(f.Name())
		errtest.Must(t, err)
		if !bytes.Equal(got, want) || first.read != stop || first.read+second.read != plan.Read {
			t.Errorf("stopped after %d: read %d and %d bytes, want %d together, and the same file", stop, first.read,
				second.read, plan.Read)
		}
	}
}

var errStop = errors.New("stopped")

// A counted source counts the bytes that it gives, and fails after some.
type counted struct {
	Source
	left, read int64
}

func (c *counted) Copy(ctx context.Context, w io.Writer, at, n int64) error {
	part := min(n, c.left)
	c.left -= part
	c.read += part
	if err := c.Source.Copy(ctx, w, at, part); err != nil || part == n {
		return err
	}
	return errStop
}

// changed returns the archive with other bytes.
func changed(t *testing.T, change func(b []byte) []byte) Source {
	t.Helper()
	b, err := os.ReadFile(foreign)
	errtest.Must(t, err)
	return memory(change(b))
}

// memory is an archive in memory.
type memory []byte

func (m memory) Size() int64 { return int64(len(m)) }

func (m memory) Copy(_ context.Context, w io.Writer, at, n int64) error {
	_, err := io.Copy(w, io.NewSectionReader(bytes.NewReader(m), at, n))
	return err
}

// root returns an archive with another root directory, which is not compressed, behind its header.
func root(list ...entry) Source {
	h := &Header{internal: plain, tiles: gzipped, MaxZoom: 5}
	text := appendDirectory(nil, list)
	end := headerSize + uint64(len(text))
	h.sections = [4]section{{headerSize, uint64(len(text))}, {end, 2}, {headerSize, 1 << 10}, {headerSize, 1 << 10}}
	return memory(append(append(append(h.append(nil), text...), "{}"...), make([]byte, 2<<10)...))
}

// Archives that are damaged, or made to do harm, are errors.
func TestDamaged(t *testing.T) {
	world := []geo.Box{{South: -85, West: -180, North: 85, East: 180}}
	for _, tt := range []struct {
		name string
		src  Source
		want string
	}{
		{"cut off", changed(t, func(b []byte) []byte { return b[:len(b)-1] }), "cut off"},
		{"another root", changed(t, func(b []byte) []byte { b[headerSize+20] ^= 0xff; return b }), "directory cannot be read"},
		{"a tile outside", root(entry{1, 1000, 25, 1}), "directory cannot be read"},
		{"a tile of 4 GB", root(entry{1, 0, 1<<32 - 1, 1}), "a tile of 4294967295 bytes"},
		{"a directory of 4 GB", root(entry{1, 0, 1<<32 - 1, 0}), "a directory of 4294967295 bytes"},
		{"an empty tile", root(entry{1, 0, 0, 1}), "directory cannot be read"},
		{"runs that overlap", root(entry{1, 0, 9, 5}, entry{3, 9, 9, 1}), "directory cannot be read"},
		{"the same tile twice", root(entry{1, 0, 9, 1}, entry{1, 9, 9, 1}), "directory cannot be read"},
		{"contents that overlap", root(entry{1, 0, 9, 1}, entry{2, 3, 9, 1}), "overlap"},
		{"leaves outside", root(entry{1, 1 << 40, 9, 0}), "directory cannot be read"},
		{"more leaves than there are", root(entry{1, 0, 900, 0}, entry{2, 0, 900, 0}), "entries"},
		{"no tile of the area", root(entry{1 << 40, 0, 9, 1}), ErrNoTiles.Error()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := NewPlan(t.Context(), tt.src, world, 5)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// Behind the entries of a directory there is nothing.
func TestDirectoryEnds(t *testing.T) {
	text := appendDirectory(nil, []entry{{1, 0, 9, 2}})
	if _, err := parseDirectory(text, plain); err != nil {
		t.Error(err)
	}
	if _, err := parseDirectory(append(text, 0), plain); !errors.Is(err, errDirectory) {
		t.Errorf("got %v, want %v", err, errDirectory)
	}
}

// Runs are joined as long as their number fits.
func TestMerged(t *testing.T) {
	got := merged([]entry{{1, 0, 9, 1}, {2, 0, 9, 1}, {3, 0, 9, math.MaxUint32 - 1}})
	if want := []entry{{1, 0, 9, 2}, {3, 0, 9, math.MaxUint32 - 1}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A directory that is a leaf of itself ends.
func TestLeafOfItself(t *testing.T) {
	h := &Header{internal: plain, tiles: gzipped, MaxZoom: 5}
	text := appendDirectory(nil, []entry{{1, 0, 0, 0}})
	text = appendDirectory(nil, []entry{{1, 0, uint32(len(text)), 0}})
	h.sections = [4]section{{headerSize, uint64(len(text))}, {headerSize, 0}, {headerSize, uint64(len(text))}, {headerSize, 1}}
	src := memory(append(h.append(nil), text...))
	if _, err := Check(t.Context(), src); err == nil || !strings.Contains(err.Error(), "too deep") {
		t.Errorf("got %v, want it to end", err)
	}
}

func FuzzParseDirectory(f *testing.F) {
	f.Add(appendDirectory(nil, []entry{{1, 0, 9, 2}, {5, 9, 9, 0}}))
	f.Fuzz(func(t *testing.T, text []byte) {
		list, err := parseDirectory(text, plain)
		if err != nil {
			return
		}
		again, err := parseDirectory(appendDirectory(nil, list), plain)
		if err != nil || len(again) != len(list) {
			t.Errorf("%d entries come back as %d, %v", len(list), len(again), err)
		}
	})
}
