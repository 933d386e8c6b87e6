package ised

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"relais/site"
)

// leftOut counts invalid values in rows that are served.
type leftOut struct{ heights, azimuths, frequencies, physicals, dates int }

// String describes the values, "" without any.
func (l leftOut) String() string {
	var parts []string
	for _, x := range []struct {
		n    int
		what string
	}{{l.heights, "heights"}, {l.azimuths, "azimuths"}, {l.frequencies, "frequencies"},
		{l.physicals, "physical cell ids"}, {l.dates, "upload dates of the future"}} {
		if x.n > 0 {
			parts = append(parts, fmt.Sprint(x.n, " ", x.what))
		}
	}
	if parts == nil {
		return ""
	}
	return "values out of range were left out: " + strings.Join(parts, ", ")
}

// parseNumber parses a decimal number. It rejects NaN, Inf and 0x10.
func parseNumber(b []byte) (float64, bool) {
	if len(b) == 0 || len(b) > 32 ||
		slices.ContainsFunc(b, func(c byte) bool { return (c < '0' || c > '9') && c != '.' && c != '-' && c != '+' }) {
		return 0, false
	}
	x, err := strconv.ParseFloat(string(b), 64)
	return x, err == nil
}

// maxMetres is higher than any structure.
const maxMetres = 1000

// metres parses a height in metres and returns millimetres, -1 if it is unknown.
func (c *country) metres(raw []byte) int32 {
	if len(raw) == 0 {
		return -1
	}
	h, ok := parseNumber(raw)
	if !ok || h < 0 || h > maxMetres {
		c.left.heights++
		return -1
	}
	return int32(math.Round(h * 1000))
}

// azimuth parses degrees from true north, rounded to 0 to 359. Omnidirectional antennas
// have no azimuth: they are marked O, Y or OMNI. N is ISED's letter for "non-directional",
// but with an azimuth other than 0 it probably means "no".
func (c *country) azimuth(raw, omni []byte) (uint32, bool) {
	if len(raw) == 0 {
		return 0, false
	}
	a, ok := parseNumber(raw)
	if !ok || a < 0 || a > 360 {
		c.left.azimuths++
		return 0, false
	}
	whole := uint32(math.Floor(a+0.5)) % 360
	switch string(bytes.ToUpper(omni)) {
	case "O", "Y", "OMNI":
		return 0, false
	case "N":
		return whole, whole != 0
	}
	return whole, true
}

// hertz parses a frequency in MHz within the category's range.
func (c *country) hertz(raw []byte, category int) (uint32, bool) {
	if len(raw) == 0 {
		return 0, false
	}
	mhz, ok := parseNumber(raw)
	if k := categories[category]; !ok || mhz < k.low || mhz > k.top {
		c.left.frequencies++
		return 0, false
	}
	return uint32(math.Round(mhz * 1e6)), true
}

// physical parses the PCI of an LTE or 5G cell. For older cells the column has other
// numbers.
func (c *country) physical(raw []byte, g site.Generation) (uint32, bool) {
	top := map[site.Generation]uint64{site.G4: 503, site.G5: 1007}[g]
	if len(raw) == 0 || top == 0 {
		return 0, false
	}
	n, err := strconv.ParseUint(string(raw), 10, 32)
	if err != nil || n > top {
		c.left.physicals++
		return 0, false
	}
	return uint32(n), true
}

// An ECI has 28 bits: the eNB's number and 8 bits of the cell. All ones mean unknown.
const (
	cellBits = 8
	maxECI   = 1<<28 - 2
	maxENB   = 1<<20 - 1
)

// otherCells are parts of texts with numbers that are not an ECI in decimals.
var otherCells = []string{"ENB", "NODEB", "GNB", "BTS", "LAC", "TAC", "HEX", "0X"}

// parseECI finds the ECI in an LTE cell's free text: the whole field, or its only number
// that is too large for an eNB. If the text mentions other numbers, it must also contain
// the eNB's. A decimal number does not begin with 0.
func parseECI(raw []byte) (eci uint32, ok bool) {
	if n, whole := digits(raw); whole {
		return n, n >= 1<<cellBits && n <= maxECI && raw[0] != '0'
	}
	upper := bytes.ToUpper(raw)
	words := bytes.FieldsFunc(upper, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i, word := range words {
		words[i] = bytes.TrimPrefix(word, []byte("LTE"))
		n, whole := digits(words[i])
		if !whole || n <= maxENB { // with letters in it, a name or a hexadecimal number
			continue
		}
		if n > maxECI || words[i][0] == '0' || ok && n != eci {
			return 0, false
		}
		eci, ok = n, true
	}
	others := slices.ContainsFunc(otherCells, func(part string) bool { return bytes.Contains(upper, []byte(part)) })
	return eci, ok && (!others || slices.ContainsFunc(words, func(word []byte) bool {
		n, whole := digits(word)
		return whole && n == eci>>cellBits
	}))
}

// digits reads at most nine digits.
func digits(b []byte) (n uint32, ok bool) {
	if len(b) == 0 || len(b) > 9 {
		return 0, false
	}
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + uint32(c-'0')
	}
	return n, true
}
