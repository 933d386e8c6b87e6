package exif

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bep/imagemeta"

	"relais/internal/filetest"
)

// tag is an entry for sample.
type tag struct {
	id, kind uint16
	count    uint32
	value    []byte
}

func ascii(id uint16, s string) tag {
	return tag{id, 2, uint32(len(s) + 1), append([]byte(s), 0)}
}

func rationals(order order, id uint16, numbers ...uint32) tag {
	var v []byte
	for _, n := range numbers {
		v = order.AppendUint32(v, n)
	}
	return tag{id, 5, uint32(len(numbers) / 2), v}
}

// sample writes a TIFF with a main directory, an Exif and a GPS one.
func sample(order order, main, sub, gps []tag) []byte {
	out := []byte("MM\x00*\x00\x00\x00\x00")
	if order == binary.LittleEndian {
		out = []byte("II*\x00\x00\x00\x00\x00")
	}
	dir := func(tags []tag) (at uint32) {
		entries := make([]entry, len(tags))
		for i, t := range tags {
			entries[i] = entry{t.id, t.kind, t.count, t.value}
		}
		at = uint32(len(out))
		out = appendDir(out, order, entries)
		return at
	}
	pointer := func(id uint16, to uint32) tag { return tag{id, 4, 1, order.AppendUint32(nil, to)} }
	main = append(slices.Clone(main), pointer(tagExif, dir(sub)), pointer(tagGPS, dir(gps)))
	at := dir(main)
	order.PutUint32(out[4:], at)
	return out
}

func whole(order order) []byte {
	return sample(order,
		[]tag{ascii(tagMake, "Ma\x1bker\xff "), ascii(tagModel, "Mödel "+strings.Repeat("é", 200)),
			{tagOrientation, 3, 1, order.AppendUint16(nil, 6)}},
		[]tag{ascii(tagTaken, "2024:05:30 12:34:56")},
		[]tag{ascii(1, "S"), rationals(order, 2, 10, 1, 30, 1, 36, 1), ascii(3, "W"),
			rationals(order, 4, 20, 1, 15, 1, 0, 1), rationals(order, 17, 2705, 10)})
}

func checkWhole(t *testing.T, name string, file []byte) {
	t.Helper()
	f, err := Read(file)
	if err != nil || f.Position == nil || f.Direction == nil {
		t.Fatalf("%s: fields = %+v, %v; want a direction and a position", name, f, err)
	}
	if f.Orientation != 6 || f.Make != "Maker" || f.Model != "Mödel "+strings.Repeat("é", 94) {
		t.Errorf("%s: wrong orientation %d, make %q or model %q, want 6, Maker and %q", name, f.Orientation, f.Make,
			f.Model, "Mödel "+strings.Repeat("é", 94))
	}
	if f.Day() != "2024-05-30" || *f.Direction != 270.5 {
		t.Errorf("%s: wrong day %s or direction %v, want 2024-05-30 and 270.5", name, f.Day(), *f.Direction)
	}
	if math.Abs(f.Position.Lat+10.51) > 1e-9 || math.Abs(f.Position.Lon+20.25) > 1e-9 {
		t.Errorf("%s: got position %v, want -10.51 and -20.25", name, *f.Position)
	}
}

func TestContainers(t *testing.T) {
	blob := whole(binary.BigEndian)
	checkWhole(t, "TIFF", blob)
	checkWhole(t, "TIFF, little-endian", whole(binary.LittleEndian))

	app1 := append([]byte("Exif\x00\x00"), blob...)
	jpeg := append([]byte("\xff\xd8\xff\xe0\x00\x04ab\xff\xff\xe1"), byte((len(app1)+2)>>8), byte(len(app1)+2))
	checkWhole(t, "JPEG", append(append(jpeg, app1...), "\xff\xda"...))

	png := []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x00IDAT\x35\xaf\x06\x1e")
	png = binary.BigEndian.AppendUint32(png, uint32(len(blob)))
	png = append(append(png, "eXIf"...), blob...)
	png = binary.BigEndian.AppendUint32(png, crc32.ChecksumIEEE(png[len(png)-len(blob)-4:]))
	checkWhole(t, "PNG", png)

	webp := []byte("RIFF\x00\x00\x00\x00WEBPVP8 \x03\x00\x00\x00abc\x00EXIF")
	webp = binary.LittleEndian.AppendUint32(webp, uint32(len(app1)))
	checkWhole(t, "WebP", append(webp, app1...))

	for n := range len(webp) {
		Read(webp[:n])
	}
	for n := range len(blob) {
		Read(blob[:n])
	}
}

// A file of 772 bytes that claims billions of values must cost nothing.
func TestForgedCounts(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	order := binary.LittleEndian
	forged := []tag{{tagOrientation, 3, 1, order.AppendUint16(nil, 8)}}
	for i := range 60 {
		forged = append(forged, tag{uint16(0x9000 + i), 5, 0x20000000 + 1, []byte("12345678")})
	}
	f, err := Read(sample(order, forged, []tag{{tagTaken, 2, 0xffffffff, []byte("12345678")}}, nil))
	if err != nil || f.Orientation != 8 || !f.Taken.IsZero() {
		t.Errorf("forged counts: got %+v, %v, want orientation 8 alone", f, err)
	}
	if file := shared(t, "made/goexif-oom-17GB.tif"); file != nil {
		Read(file)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("%d bytes were allocated, want few", n)
	}
}

func TestRefused(t *testing.T) {
	order := binary.BigEndian
	loop := sample(order, nil, nil, nil)
	main := order.Uint32(loop[4:])
	order.PutUint32(loop[main+2+8:], main) // the Exif directory is the main one
	for _, tt := range []struct {
		name string
		file []byte
	}{
		{"loop", loop},
		{"too many", sample(order, make([]tag, 990), make([]tag, 20), nil)},
		{"header only", []byte("MM\x00*")},
		{"outside", []byte("MM\x00*\xff\xff\xff\xff\x00\x00")},
		{"exif outside", sample(order, []tag{{tagExif, 4, 1, []byte("\xff\xff\xff\xf0")}}, nil, nil)},
		{"exif not a long", sample(order, []tag{{tagExif, 4, 2, []byte("12345678")}}, nil, nil)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if f, err := Read(tt.file); err == nil || f != (Fields{}) {
				t.Errorf("%s: %+v, %v, want %+v and an error", tt.name, f, err, Fields{})
			}
		})
	}
}

func TestNonsenseIsLeftOut(t *testing.T) {
	order := binary.BigEndian
	north, east := ascii(1, "N"), ascii(3, "E")
	for _, tt := range []struct {
		name string
		gps  []tag
	}{
		{"0, 0", []tag{north, rationals(order, 2, 0, 1, 0, 1, 0, 1), east, rationals(order, 4, 0, 1, 0, 1, 0, 1)}},
		{"0/0", []tag{north, rationals(order, 2, 0, 0, 0, 0, 0, 0), east, rationals(order, 4, 1, 1, 0, 1, 0, 1),
			rationals(order, 17, 0, 0)}},
		{"91 north", []tag{north, rationals(order, 2, 91, 1, 0, 1, 0, 1), east, rationals(order, 4, 1, 1, 0, 1, 0, 1)}},
		{"no hemisphere", []tag{rationals(order, 2, 1, 1, 0, 1, 0, 1), rationals(order, 4, 1, 1, 0, 1, 0, 1)}},
		{"361 degrees", []tag{rationals(order, 17, 361, 1)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := Read(sample(order, []tag{{tagOrientation, 3, 1, []byte{0, 9}}},
				[]tag{ascii(tagTaken, "0000:00:00 00:00:00")}, tt.gps))
			if err != nil || f != (Fields{}) || f.Day() != "" {
				t.Errorf("%s: %+v %v, %v, want %+v, no error and Day empty", tt.name, f, f.Position, err, Fields{})
			}
		})
	}
}

// shared returns a file of the shared test images, or nil without them.
func shared(t testing.TB, name string) []byte {
	t.Helper()
	file, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "data", "images", name))
	if err != nil {
		return nil
	}
	return file
}

// The other decoder's answers are the reference.
func TestAgainstImagemeta(t *testing.T) {
	root := filepath.Join("..", "..", "..", "shared", "data", "images")
	paths, _ := filepath.Glob(filepath.Join(root, "exif", "*"))
	if len(paths) == 0 {
		t.Skip("the shared images are not there")
	}
	paths = append(paths, filepath.Join(root, "heic", "IMG_5195.HEIC"), filepath.Join(root, "avif", "sunrise.avif"))
	formats := map[string]imagemeta.ImageFormat{".jpg": imagemeta.JPEG, ".png": imagemeta.PNG, ".webp": imagemeta.WebP,
		".HEIC": imagemeta.HEIF, ".avif": imagemeta.AVIF}
	for _, path := range paths {
		file := filetest.Read(t, path)
		var tags imagemeta.Tags
		if _, err := imagemeta.Decode(imagemeta.Options{R: bytes.NewReader(file),
			ImageFormat: formats[filepath.Ext(path)], Sources: imagemeta.EXIF,
			HandleTag: func(ti imagemeta.TagInfo) error {
				if !strings.Contains(ti.Namespace, "IFD1") {
					tags.Add(ti)
				}
				return nil
			}}); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		f, err := Read(file)
		if err != nil {
			t.Errorf("%s: %v, want no error", path, err)
		}
		compare(t, filepath.Base(path), f, tags)
	}
}

func compare(t *testing.T, name string, f Fields, tags imagemeta.Tags) {
	t.Helper()
	all := tags.EXIF()
	str := func(name string) string { s, _ := all[name].Value.(string); return strings.TrimSpace(s) }
	orientation, _ := all["Orientation"].Value.(uint16)
	if f.Orientation != int(orientation) || f.Make != str("Make") || f.Model != str("Model") {
		t.Errorf("%s: %d %q %q, reference %d %q %q, want %d, %q and %q", name, f.Orientation, f.Make, f.Model,
			orientation, str("Make"), str("Model"), int(orientation), str("Make"), str("Model"))
	}
	want, _ := time.Parse("2006:01:02 15:04:05", str("DateTimeOriginal"))
	if !f.Taken.Equal(want) {
		t.Errorf("%s: taken %v, reference %v", name, f.Taken, want)
	}
	lat, lon, err := tags.GetLatLong()
	if none := err != nil || lat == 0 && lon == 0; none != (f.Position == nil) {
		t.Errorf("%s: got position %v, want %v %v %v of the reference", name, f.Position, lat, lon, err)
	} else if !none && (math.Abs(f.Position.Lat-lat) > 1e-7 || math.Abs(f.Position.Lon-lon) > 1e-7) {
		t.Errorf("%s: got position %v, want %v %v of the reference", name, *f.Position, lat, lon)
	}
	if d, ok := all["GPSImgDirection"].Value.(interface{ Float64() float64 }); ok != (f.Direction != nil) {
		t.Errorf("%s: got direction %v, want %v of the reference", name, f.Direction, all["GPSImgDirection"].Value)
	} else if ok && math.Abs(d.Float64()-*f.Direction) > 1e-9 {
		t.Errorf("%s: got direction %v, want %v of the reference", name, *f.Direction, d.Float64())
	}
}

func FuzzRead(f *testing.F) {
	f.Add(whole(binary.BigEndian))
	f.Add(whole(binary.LittleEndian))
	f.Add(append([]byte("\xff\xd8\xff\xe1\x01\x00Exif\x00\x00"), whole(binary.LittleEndian)...))
	for _, name := range []string{"made/goexif-oom-17GB.tif", "exif/Canon_40D.jpg", "heic/hevc32.heif"} {
		if file := shared(f, name); file != nil {
			f.Add(file)
		}
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		fields, _ := Read(file)
		check(t, fields)
	})
}

// check asserts the ranges that hold for the fields of any source.
func check(t *testing.T, f Fields) {
	t.Helper()
	for _, s := range []string{f.Make, f.Model} {
		if s != clean(s) {
			t.Errorf("%q is not clean, want %q", s, clean(s))
		}
	}
	if f.Orientation < 0 || f.Orientation > 8 {
		t.Errorf("orientation %d is out of range, want at least 0 and at most 8", f.Orientation)
	}
	if p := f.Position; p != nil && !(math.Abs(p.Lat) <= 90 && math.Abs(p.Lon) <= 180 && *p != Position{}) {
		t.Errorf("position %v is out of range", *p)
	}
	if d := f.Direction; d != nil && !(*d >= 0 && *d <= 360) {
		t.Errorf("direction %v is out of range", *d)
	}
}
