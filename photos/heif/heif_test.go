package heif

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSample(t *testing.T) {
	f, err := Parse(sample().file())
	if err != nil {
		t.Fatal(err)
	}
	if f.Brand != "avif" || !f.HasBrand("mif1") || f.Codec() != "av01" {
		t.Errorf("brands = %q %q, codec = %q; want avif with mif1, av01", f.Brand, f.Brands, f.Codec())
	}
	p := f.Primary()
	if p.ID != 3 || p.Width != 100 || p.Height != 48 || p.Unknown != "" {
		t.Errorf("primary = %+v, want item 3 of 100 × 48", p)
	}
	want := []Transform{Crop{Fraction{90, 1}, Fraction{80, 2}, Fraction{-2, 2}, Fraction{0, 1}}, Rotation(1),
		Mirror{false}}
	if diff := cmp.Diff(want, p.Transforms); diff != "" {
		t.Errorf("transforms (-want +got):\n%s", diff)
	}
	if c := (Color{1, 13, 6, true}); p.Color == nil || *p.Color != c {
		t.Errorf("colour = %v, want %v", p.Color, c)
	}
	g, err := p.Grid()
	if err != nil || g.Rows != 1 || g.Columns != 2 || g.Width != 100 || g.Height != 48 {
		t.Fatalf("grid = %+v, %v; want 1 × 2 tiles, 100 × 48 pixels", g, err)
	}
	for i, want := range []string{"first tile", "second tile"} {
		if data, err := g.Tiles[i].Data(); err != nil || string(data) != want {
			t.Errorf("wrong tile %d: %q, %v, want no error and data = %v", i, data, err, want)
		}
	}
	if n, err := f.Pixels(); err != nil || n != 2*64*48 {
		t.Errorf("pixels = %d, %v; want %d", n, err, 2*64*48)
	}
	alpha, pre := p.Alpha()
	if alpha == nil || alpha.ID != 4 || !pre || alpha.Unknown != "xyzw" {
		t.Errorf("alpha = %+v, premultiplied = %v; want item 4, true", alpha, pre)
	}
	if blob, err := f.Exif(); err != nil || string(blob) != "MM\x00\x2a and so on" {
		t.Errorf("wrong Exif %q, %v, want no error and blob = %q", blob, err, "MM\x00\x2a and so on")
	}
}

func TestDamage(t *testing.T) {
	long := make([]uint16, maxItems)
	for _, c := range []struct {
		name, want string
		damage     func(*layout)
	}{
		{"no pitm", "no pitm box", func(l *layout) { l.pitm = nil }},
		{"two pitm", "twice", func(l *layout) { l.pitm = append(l.pitm, l.pitm...) }},
		{"primary item", "no item 9", func(l *layout) { l.pitm = fullbox("pitm", 0, uint16(9)) }},
		{"items", "4294967295 items", func(l *layout) { l.iinf = fullbox("iinf", 1, uint32(1<<32-1)) }},
		{"one id", "item 1 occurs twice",
			func(l *layout) { l.iinf = fullbox("iinf", 0, uint16(2), infe(1, "av01"), infe(1, "av01")) }},
		{"iloc version", "not supported", func(l *layout) { l.iloc = fullbox("iloc", 3) }},
		{"iloc numbers", "number of 3 bytes",
			func(l *layout) { l.iloc = fullbox("iloc", 1, uint16(0x3400), uint16(0)) }},
		{"iloc short", "is cut off", func(l *layout) { l.iloc = fullbox("iloc", 1, uint16(0x4400), uint16(7)) }},
		{"one place", "item 1 occurs twice", func(l *layout) {
			l.iloc = fullbox("iloc", 1, uint16(0x4400), uint16(2), location(1, 0, 0, 1), location(1, 0, 0, 1))
		}},
		{"overflow", "offset", func(l *layout) {
			l.iloc = fullbox("iloc", 0, uint16(0x8880), uint16(1), uint16(1), uint16(0), uint64(1<<63), uint16(1),
				uint64(1<<63), uint64(1))
		}},
		{"references", "references", func(l *layout) { l.iref = fullbox("iref", 0, mk("dimg", uint16(3), uint16(9))) }},
		{"property", "no property 99", func(l *layout) {
			l.iprp = mk("iprp", mk("ipco"), fullbox("ipma", 0, uint32(1), uint16(1), uint8(1), uint8(99)))
		}},
		{"transforms", "more than 8 transforms", func(l *layout) {
			l.iprp = mk("iprp", mk("ipco", mk("irot", uint8(1))),
				fullbox("ipma", 0, uint32(1), uint16(1), uint8(9), strings.Repeat("\x01", 9)))
		}},
		{"crop", "denominator", func(l *layout) { l.iprp = mk("iprp", mk("ipco", mk("clap", make([]byte, 32)))) }},
		{"box", "states", func(l *layout) { l.iprp = mk("iprp", uint32(99), "ipco") }},
		{"tiles", "with 0 tiles", func(l *layout) { l.iref = nil }},
		{"too many tiles", "with 8192 tiles",
			func(l *layout) { l.iref = fullbox("iref", 0, ref("dimg", 3, ones(long)...)) }},
		{"loop", "made from itself",
			func(l *layout) { l.iref = fullbox("iref", 0, ref("dimg", 3, 1, 2), ref("dimg", 2, 3)) }},
		{"grid outside", "states 5 bytes",
			func(l *layout) { l.iloc = fullbox("iloc", 1, uint16(0x4400), uint16(1), location(3, 1, 4, 5)) }},
		{"grid in items", "not supported",
			func(l *layout) { l.iloc = fullbox("iloc", 1, uint16(0x4400), uint16(1), location(3, 2, 0, 8)) }},
		{"grid too long", "longer than",
			func(l *layout) { l.iloc = fullbox("iloc", 1, uint16(0x4400), uint16(1), location(3, 0, 0, 99)) }},
		{"no place", "has no bytes", func(l *layout) { l.iloc = fullbox("iloc", 1, uint16(0x4400), uint16(0)) }},
	} {
		l := sample()
		c.damage(&l)
		f, err := Parse(l.file())
		if err == nil {
			_, err = f.Primary().Grid()
		}
		if err == nil {
			_, err = f.Pixels()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error = %v, want %q", c.name, err, c.want)
		}
	}
}

func ones(ids []uint16) []uint16 {
	for i := range ids {
		ids[i] = 1
	}
	return ids
}

func TestExtents(t *testing.T) {
	l := sample()
	l.iloc = fullbox("iloc", 2, uint16(0x4440), uint32(2),
		uint32(1), uint16(0), uint16(0), uint32(start), uint16(2), uint32(6), uint32(4), uint32(0), uint32(5),
		uint32(2), uint16(0), uint16(0), uint32(0), uint16(2), uint32(0), uint32(0), uint32(0), uint32(0))
	f, err := Parse(l.file())
	if err != nil {
		t.Fatal(err)
	}
	if data, err := f.items[1].Data(); err != nil || string(data) != "tilefirst" {
		t.Errorf("data = %q, %v; want tilefirst", data, err)
	}
	if _, err := f.items[2].Data(); err == nil {
		t.Error("an item longer than the file was read, want an error")
	}
}

func TestEnds(t *testing.T) {
	data := sample().file()
	for n := range data {
		if f, err := Parse(data[:n]); err == nil {
			t.Errorf("the first %d bytes were parsed as %v, want an error", n, f)
		}
	}
	if _, err := Parse(mk("ftyp", "mif3", uint32(0))); !errors.Is(err, ErrUnsupported) {
		t.Errorf("brand mif3: error = %v, want ErrUnsupported", err)
	}
	if !HasSignature(data) || !HasSignature(ftyp) || HasSignature(data[8:]) || HasSignature(nil) {
		t.Error("HasSignature is wrong for a file, its ftyp box, its rest or nil")
	}
}

// The figures are those of exiftool (ImageSpatialExtent, Rotation, CleanAperture),
// the pixels of a grid those of its tiles.
func TestReal(t *testing.T) {
	for _, c := range []struct {
		path, codec   string
		width, height uint32
		pixels        uint64
		exif          string
	}{
		{"avif/fox.profile0.10bpc.yuv420.odd-width.odd-height.avif", "av01", 1203, 799, 1203 * 799, ""},
		{"avif/kimono.rotate90.avif", "av01", 1024, 722, 1024 * 722, ""},
		{"avif/sofa_grid1x5_420.avif", "av01", 1024, 770, 1024 * 154 * 5, ""},
		{"avif/sunrise.avif", "av01", 1024, 640, 1024 * 640, "II*\x00"},
		{"heic/IMG_5195.HEIC", "hvc1", 2566, 3313, 512 * 512 * 42, "MM\x00*"},
		{"heic/example.heic", "hvc1", 1280, 854, 1280 * 854, ""},
		{"heic/with-alpha-512x512.heic", "hvc1", 512, 512, 512 * 512, ""},
		{"made/trunc.heic", "hvc1", 4032, 3024, 512 * 512 * 48, "MM\x00*"},
	} {
		data, err := os.ReadFile("../../../shared/data/images/" + c.path)
		if err != nil {
			t.Skip("no test images:", err)
		}
		f, err := Parse(data)
		if err != nil {
			t.Errorf("%s: %v, want no error", c.path, err)
			continue
		}
		n, err := f.Pixels()
		if p := f.Primary(); err != nil || p.Width != c.width || p.Height != c.height || n != c.pixels ||
			f.Codec() != c.codec {
			t.Errorf("%s: got %s, %d × %d, %d pixels, %v; want %s, %d × %d, %d pixels", c.path, f.Codec(), p.Width,
				p.Height, n, err, c.codec, c.width, c.height, c.pixels)
		}
		if blob, err := f.Exif(); err != nil || !strings.HasPrefix(string(blob), c.exif) ||
			(c.exif == "") != (blob == nil) {
			t.Errorf("%s: Exif = %.8q, %v; want prefix %q", c.path, blob, err, c.exif)
		}
	}
}

func FuzzParse(f *testing.F) {
	data := sample().file()
	f.Add(data)
	f.Add(data[:len(data)/2])
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Parse(data)
		if err != nil {
			return
		}
		file.Codec()
		file.Pixels() // it may fail, but not panic
		file.Primary().Alpha()
		if blob, err := file.Exif(); err == nil && len(blob) > len(data) {
			t.Errorf("got %d bytes of Exif, want at most %d", len(blob), len(data))
		}
		for _, it := range file.items {
			it.Grid()
			if item, err := it.Data(); err == nil && len(item) > len(data) {
				t.Errorf("got an item of %d bytes, want at most %d", len(item), len(data))
			}
		}
	})
}
