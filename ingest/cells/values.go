package cells

import (
	"bytes"
	"math"
	"strconv"

	"relais/geo"
	"relais/site"
)

// parseDigits parses an unsigned integer below 2^64.
func parseDigits(b []byte) (n uint64, ok bool) {
	for _, c := range b {
		if c < '0' || c > '9' || n > (math.MaxUint64-9)/10 {
			return 0, false
		}
		n = n*10 + uint64(c-'0')
	}
	return n, len(b) > 0
}

// Number parses a number of a cell or base station. It returns 0 for an unknown one, which
// apps write as "", "-", -1, 0, 1, 1<<31-1 or 1<<63-1.
func Number(b []byte) (n uint64, ok bool) {
	if len(b) == 0 || string(b) == "-" || string(b) == "-1" {
		return 0, true
	}
	n, ok = parseDigits(b)
	if n <= 1 || n == math.MaxInt32 || n == math.MaxInt64 {
		n = 0
	}
	return n, ok
}

// LocalECI returns the ECI of a cell of LTE that NetMonster states together with its eNB: the cell is then the one
// within the eNB, 0 to 255, and 0 and 1 are real ones. It returns the number itself without an eNB, and where it is
// the whole ECI of that eNB, and 0 if it is unknown. ok is false for a number that fits neither.
func LocalECI(cell, node []byte) (eci uint64, ok bool) {
	eci, ok = Number(cell)
	enb, known := Number(node)
	if !ok || !known || enb == 0 || eci>>site.ECICellBits == enb {
		return eci, ok
	}
	if local, isNumber := parseDigits(cell); isNumber && local>>site.ECICellBits == 0 {
		return enb<<site.ECICellBits | local, enb <= MaxENB
	}
	return eci, eci == 0
}

// Greatest identifiers.
const (
	MaxECI   = 1<<28 - 1
	MaxNCI   = 1<<36 - 1
	MaxENB   = 1<<20 - 1
	MaxPCI   = 503 // of LTE
	MaxNRPCI = 1007
)

// parsePCI parses a PCI, -1 if it is unknown or invalid in the generation. A 0 counts as
// unknown: apps also write it for that.
func parsePCI(b []byte, g generation) int {
	n, ok := parseDigits(b)
	if !ok || n == 0 || n > MaxNRPCI || g == lte && n > MaxPCI {
		return -1
	}
	return int(n)
}

// networkCode parses a PLMN, 0 if it is invalid. Codes are compared as numbers, because
// many tables lack leading zeros; no country has codes that differ only in these.
func networkCode(country, network []byte) uint32 {
	c, ok1 := parseDigits(country)
	n, ok2 := parseDigits(network)
	if !ok1 || !ok2 || len(country) != 3 || len(network) > 3 {
		return 0
	}
	return uint32(c*1000 + n)
}

// joinedCode parses a PLMN in one field.
func joinedCode(b []byte) uint32 {
	if len(b) < 5 {
		return 0
	}
	return networkCode(b[:3], bytes.TrimLeft(b[3:], " -/"))
}

// parsePosition parses coordinates in degrees. The point 0, 0 means an unknown position.
func parsePosition(lat, lng []byte) (p geo.Point, ok bool) {
	if !isNumeric(lat) || !isNumeric(lng) {
		return p, false
	}
	var err1, err2 error
	p.Lat, err1 = strconv.ParseFloat(string(lat), 64)
	p.Lng, err2 = strconv.ParseFloat(string(lng), 64)
	return p, err1 == nil && err2 == nil && p.Valid() && p != geo.Point{}
}
