package cells

import (
	"bytes"
	"math"
	"strconv"

	"relais/geo"
)

// digits reads an unsigned integer without a sign, below 2^64.
func digits(b []byte) (n uint64, ok bool) {
	for _, c := range b {
		if c < '0' || c > '9' || n > (math.MaxUint64-9)/10 {
			return 0, false
		}
		n = n*10 + uint64(c-'0')
	}
	return n, len(b) > 0
}

// Number reads a number of a cell or base station. 0 is one that is not stated,
// which apps write as nothing, -, -1, 0, 1 or the greatest number of 31 or 63 bits.
func Number(b []byte) (n uint64, ok bool) {
	if len(b) == 0 || string(b) == "-" || string(b) == "-1" {
		return 0, true
	}
	n, ok = digits(b)
	if n <= 1 || n == math.MaxInt32 || n == math.MaxInt64 {
		n = 0
	}
	return n, ok
}

// Greatest identifiers.
const (
	MaxECI   = 1<<28 - 1
	MaxNCI   = 1<<36 - 1
	MaxENB   = 1<<20 - 1
	MaxPCI   = 503 // of LTE
	MaxNRPCI = 1007
)

// physical reads a physical cell id, -1 when it is not stated or none of the
// generation. A stated 0 cannot be told from the 0 that means unknown.
func physical(b []byte, g generation) int {
	n, ok := digits(b)
	if !ok || n == 0 || n > MaxNRPCI || g == lte && n > MaxPCI {
		return -1
	}
	return int(n)
}

// networkCode reads a PLMN, 0 when it is none. Codes are compared as numbers, because many tables have
// no leading zeros; no country has network codes that differ in them only.
func networkCode(country, network []byte) uint32 {
	c, ok1 := digits(country)
	n, ok2 := digits(network)
	if !ok1 || !ok2 || len(country) != 3 || len(network) > 3 {
		return 0
	}
	return uint32(c*1000 + n)
}

// joinedCode reads a PLMN whose two numbers stand in one field.
func joinedCode(b []byte) uint32 {
	if len(b) < 5 {
		return 0
	}
	return networkCode(b[:3], bytes.TrimLeft(b[3:], " -/"))
}

// position reads coordinates in degrees. The point 0, 0 in the Gulf of Guinea stands
// for a position that is not known.
func position(lat, lng []byte) (p geo.Point, ok bool) {
	if !numeric(lat) || !numeric(lng) {
		return p, false
	}
	var err1, err2 error
	p.Lat, err1 = strconv.ParseFloat(string(lat), 64)
	p.Lng, err2 = strconv.ParseFloat(string(lng), 64)
	return p, err1 == nil && err2 == nil && p.Valid() && p != geo.Point{}
}
