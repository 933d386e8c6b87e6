// Package exif reads a few fields of a photo's Exif data. It cuts the data out of the file, copies
// the wanted tags into a small TIFF that is valid by construction, and passes only this TIFF to the
// library.
package exif

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode"

	"github.com/rwcarlsen/goexif/exif"
)

// Fields is the kept part of a photo's Exif data. A value that is not stated or
// not valid is zero or nil.
type Fields struct {
	Orientation int       // 1 to 8 as Exif numbers them, 0: not stated
	Make, Model string    // of the camera, at most 100 characters
	Taken       time.Time // when, by the camera's own clock, whose zone is not known
	Position    *Position
	Direction   *float64 // that the camera faced, degrees from 0 to 360
}

// A Position is in degrees on WGS 84, north and east positive.
type Position struct{ Lat, Lon float64 }

// Day is the date on which the photo was taken, YYYY-MM-DD, or "".
func (f Fields) Day() string {
	if f.Taken.IsZero() {
		return ""
	}
	return f.Taken.Format(time.DateOnly)
}

// Fill sets the fields that f lacks to those of other, except the orientation, which belongs
// to the pixels.
func (f *Fields) Fill(other Fields) {
	if f.Make == "" {
		f.Make = other.Make
	}
	if f.Model == "" {
		f.Model = other.Model
	}
	if f.Taken.IsZero() {
		f.Taken = other.Taken
	}
	if f.Position == nil {
		f.Position = other.Position
	}
	if f.Direction == nil {
		f.Direction = other.Direction
	}
}

// Read reads the fields of an image file. A file without Exif data has none. An error only says why
// some fields may be missing.
func Read(file []byte) (Fields, error) {
	blob, err := cut(file)
	if err != nil || blob == nil {
		return Fields{}, err
	}
	small, err := extract(blob)
	if err != nil {
		return Fields{}, fmt.Errorf("exif: %w", err)
	}
	return parse(small)
}

// parse reads a TIFF that extract made.
func parse(small []byte) (f Fields, err error) {
	defer func() {
		if v := recover(); v != nil {
			f, err = Fields{}, fmt.Errorf("exif: the decoder failed: %v", v)
		}
	}()
	x, err := exif.Decode(bytes.NewReader(small))
	if err != nil && (x == nil || exif.IsCriticalError(err)) {
		return Fields{}, fmt.Errorf("exif: %w", err)
	}
	if tag, err := x.Get(exif.Orientation); err == nil {
		if n, err := tag.Int(0); err == nil && 1 <= n && n <= 8 {
			f.Orientation = n
		}
	}
	f.Make, f.Model = clean(text(x, exif.Make)), clean(text(x, exif.Model))
	f.Taken = moment(text(x, exif.DateTimeOriginal))
	f.Position = position(x)
	if tag, err := x.Get(exif.GPSImgDirection); err == nil {
		if num, den, err := tag.Rat2(0); err == nil {
			f.Direction = direction(float64(num) / float64(den))
		}
	}
	return f, nil
}

func text(x *exif.Exif, name exif.FieldName) string {
	tag, err := x.Get(name)
	if err != nil {
		return ""
	}
	s, _ := tag.StringVal()
	return s
}

// position returns nil unless both coordinates have a hemisphere, which Exif
// states separately.
func position(x *exif.Exif) *Position {
	ns, ew := text(x, exif.GPSLatitudeRef), text(x, exif.GPSLongitudeRef)
	if ns != "N" && ns != "S" || ew != "E" && ew != "W" {
		return nil
	}
	lat, lon, err := x.LatLong()
	if err != nil {
		return nil
	}
	return validPosition(lat, lon)
}

// validPosition returns nil out of range and at 0, 0, which cameras write for "not known".
func validPosition(lat, lon float64) *Position {
	if !(math.Abs(lat) <= 90 && math.Abs(lon) <= 180) || lat == 0 && lon == 0 {
		return nil
	}
	return &Position{Lat: lat, Lon: lon}
}

func direction(degrees float64) *float64 {
	if !(0 <= degrees && degrees <= 360) {
		return nil
	}
	return &degrees
}

// moment reads a date and time as Exif writes them (2024:05:30 12:00:00), or
// with hyphens, or with T, or a date alone. Anything after the seconds, a fraction
// or a zone, is ignored.
func moment(s string) time.Time {
	s = strings.TrimSpace(s)
	if len(s) > len(time.DateTime) {
		s = s[:len(time.DateTime)]
	}
	for _, layout := range []string{"2006:01:02 15:04:05", time.DateTime, "2006-01-02T15:04:05", "2006:01:02",
		time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return t
		}
	}
	return time.Time{}
}

const maxText = 100 // characters

// clean removes control characters and invalid UTF-8, and truncates.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	s = strings.TrimSpace(s)
	n := 0
	for i := range s {
		if n++; n > maxText {
			return strings.TrimSpace(s[:i])
		}
	}
	return s
}

var errCut = errors.New("it is cut off")

// byteOrder reads the first four bytes of a TIFF.
func byteOrder(blob []byte) (order, error) {
	switch {
	case bytes.HasPrefix(blob, []byte("II*\x00")):
		return binary.LittleEndian, nil
	case bytes.HasPrefix(blob, []byte("MM\x00*")):
		return binary.BigEndian, nil
	}
	return nil, errors.New("it is not a TIFF")
}
