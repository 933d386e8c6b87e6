package exif

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// maxClient is the most bytes of Exif that a client may send as JSON.
const maxClient = 64 << 10

const maxDepth = 8 // of nested brackets

// Client reads the fields from the JSON object that a client's own Exif reader has
// made: {"Make": "Canon", "GPSLatitude": 43.5, …}. Names are compared without case,
// punctuation and a group before a colon; the objects exif, gps, ifd0, image and tiff
// in it are read in the same way, and the first value of a name counts. Positions are signed
// decimals, or decimals or degrees, minutes and seconds with a separate hemisphere.
// The orientation is ignored, and so are values of other types or out of range.
func Client(text []byte) (Fields, error) {
	if len(text) > maxClient {
		return Fields{}, fmt.Errorf("it has %d bytes, want at most %d", len(text), maxClient)
	}
	if isDeep(text) {
		return Fields{}, fmt.Errorf("it is nested more than %d deep", maxDepth)
	}
	m := members{}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if err := m.object(dec); err != nil {
		return Fields{}, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return Fields{}, errors.New("something follows the JSON object")
	}
	f := Fields{Make: clean(m.text("make")), Model: clean(m.text("model")), Taken: moment(m.text("datetimeoriginal"))}
	lat, ok := m.coordinate("N", "S", "gpslatitude", "latitude")
	if lon, too := m.coordinate("E", "W", "gpslongitude", "longitude"); ok && too {
		f.Position = validPosition(lat, lon)
	}
	if degrees, ok := number(m["gpsimgdirection"]); ok {
		f.Direction = direction(degrees)
	}
	return f, nil
}

// isDeep reports whether objects and lists are nested more than maxDepth deep.
func isDeep(text []byte) bool {
	dec := json.NewDecoder(bytes.NewReader(text))
	for depth := 0; depth <= maxDepth; {
		switch token, err := dec.Token(); {
		case err != nil: // of the end too
			return false
		case token == json.Delim('{'), token == json.Delim('['):
			depth++
		case token == json.Delim('}'), token == json.Delim(']'):
			depth--
		}
	}
	return true
}

// members are an object's values by folded name.
type members map[string]any

// object reads the next object and its groups.
func (m members) object(dec *json.Decoder) error {
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return errors.New("it is not a JSON object")
	}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return fmt.Errorf("it is not JSON: %w", err)
		}
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return fmt.Errorf("it is not JSON: %w", err)
		}
		name, _ := t.(string)
		if err := m.add(folded(name), raw); err != nil {
			return err
		}
	}
	if _, err := dec.Token(); err != nil {
		return fmt.Errorf("it is not JSON: %w", err)
	}
	return nil
}

func (m members) add(name string, raw json.RawMessage) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if raw[0] == '{' {
		switch name {
		case "exif", "gps", "ifd0", "image", "tiff":
			return m.object(dec)
		}
		return nil
	}
	if _, ok := m[name]; ok {
		return nil
	}
	var v any
	if err := dec.Decode(&v); err != nil {
		return fmt.Errorf("it is not JSON: %w", err)
	}
	m[name] = v
	return nil
}

// folded returns the letters and digits of a name without its group, in lower case.
func folded(name string) string {
	name = name[strings.LastIndexByte(name, ':')+1:]
	return strings.Map(func(r rune) rune {
		switch {
		case 'A' <= r && r <= 'Z':
			return r - 'A' + 'a'
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
			return r
		}
		return -1
	}, name)
}

func (m members) text(name string) string {
	s, _ := m[name].(string)
	return s
}

// coordinate returns the first valid value of the names, in signed degrees.
func (m members) coordinate(plus, minus string, names ...string) (float64, bool) {
	for _, name := range names {
		ref := strings.ToUpper(strings.TrimSpace(m.text(name + "ref")))
		isPlus, isMinus := strings.HasPrefix(ref, plus), strings.HasPrefix(ref, minus)
		degrees, ok := number(m[name])
		if !ok && (isPlus || isMinus) { // three parts have no sign
			degrees, ok = sexagesimal(m[name])
		}
		switch {
		case !ok || ref != "" && !isPlus && !isMinus:
		case isMinus:
			return -math.Abs(degrees), true
		default:
			return degrees, true
		}
	}
	return 0, false
}

// sexagesimal reads degrees, minutes and seconds: three numbers in a list or a text.
func sexagesimal(v any) (float64, bool) {
	parts, _ := v.([]any)
	if s, ok := v.(string); ok {
		for _, part := range strings.Split(s, ",") {
			parts = append(parts, part)
		}
	}
	if len(parts) != 3 {
		return 0, false
	}
	sum := 0.0
	for i, unit := range []float64{1, 60, 3600} {
		n, ok := number(parts[i])
		if !ok || n < 0 || i > 0 && n >= 60 {
			return 0, false
		}
		sum += n / unit
	}
	return sum, true
}

// number reads a finite number, a text of one, or a fraction such as 281/100.
func number(v any) (float64, bool) {
	switch v := v.(type) {
	case json.Number:
		return decimal(string(v))
	case string:
		above, below, fraction := strings.Cut(v, "/")
		if !fraction {
			return decimal(v)
		}
		n, ok := decimal(above)
		d, too := decimal(below)
		return n / d, ok && too && d != 0
	}
	return 0, false
}

func decimal(s string) (float64, bool) {
	s = strings.TrimSpace(s)
	if strings.Trim(s, "+-.0123456789eE") != "" { // no NaN, Inf, hexadecimals
		return 0, false
	}
	n, err := strconv.ParseFloat(s, 64)
	return n, err == nil
}
