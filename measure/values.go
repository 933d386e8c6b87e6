package measure

import (
	"bytes"
	"math"
	"strconv"
)

// absent reports whether a field states nothing.
func absent(b []byte) bool {
	switch string(b) {
	case "", "-", "null", "NULL", "None", "N/A", "n/a", "#VALEUR!": // the last is a spreadsheet's
		return true
	}
	return false
}

// fixedPoint reads a decimal number, with a point or a comma, as a whole number of steps of
// 10^-decimals. It returns false for anything else and for numbers over 53 bits.
func fixedPoint(b []byte, decimals int) (int64, bool) {
	digits, negative := b, false
	if len(digits) > 0 && (digits[0] == '-' || digits[0] == '+') {
		negative, digits = digits[0] == '-', digits[1:]
	}
	n, after, seen, point := int64(0), 0, 0, false
	for _, c := range digits {
		switch {
		case c == '.' || c == ',':
			if point {
				return 0, false
			}
			point = true
			continue
		case c < '0' || c > '9':
			return byFloat(b, decimals)
		}
		seen++
		if point {
			after++
		}
		switch {
		case after <= decimals:
			if n = n*10 + int64(c-'0'); n > 1<<53 {
				return 0, false
			}
		case after == decimals+1 && c >= '5': // half a step is rounded away from zero
			n++
		}
	}
	for ; after < decimals; after++ {
		if n *= 10; n > 1<<53 {
			return 0, false
		}
	}
	if negative {
		n = -n
	}
	return n, seen > 0
}

// byFloat reads a number with an exponent; see fixedPoint.
func byFloat(b []byte, decimals int) (int64, bool) {
	if len(b) > 32 || len(bytes.Trim(b, "+-.0123456789eE")) > 0 {
		return 0, false
	}
	v, err := strconv.ParseFloat(string(b), 64)
	v = math.Round(v * math.Pow10(decimals))
	return int64(v), err == nil && math.Abs(v) <= 1<<53
}

// numberBetween reads a number, and reports whether it is one in the range.
func numberBetween(b []byte, decimals int, low, high int64) (int64, bool) {
	if absent(b) {
		return 0, false
	}
	n, ok := fixedPoint(b, decimals)
	return n, ok && n >= low && n <= high
}

// levelOf reads a level in dBm or dB. Apps write numbers out of range for unknown levels.
func levelOf(b []byte, low, high int64) int16 {
	if n, ok := numberBetween(b, 2, low*100, high*100); ok {
		return int16(n)
	}
	return noLevel
}

// The bounds of levels: the range that 3GPP can report, and a little more, for values that apps compute.
const (
	lowSignal, highSignal = -200, -1 // 0 is what apps write for unknown
	lowRSRP, highRSRP     = -160, -20
	lowRSCP, highRSCP     = -125, -20
	lowRSRQ, highRSRQ     = -45, 20
	lowSNR, highSNR       = -50, 60
)

// Bounds of speeds and times, in Mbit/s and ms.
const (
	maxSpeed = 100_000
	maxPing  = 600_000
)

// speedOf reads a speed or a time, and reports whether it is valid or absent.
func speedOf(b []byte, limit int64) (int32, bool) {
	if absent(b) {
		return noSpeed, true
	}
	n, ok := numberBetween(b, 3, 0, limit*1000)
	return int32(n), ok
}

// number reads a whole number of at most four digits up to limit, -1 for anything else.
func number(b []byte, limit int) int {
	if len(b) == 0 || len(b) > 4 {
		return -1
	}
	n := 0
	for _, c := range b {
		if c < '0' || c > '9' {
			return -1
		}
		n = n*10 + int(c-'0')
	}
	if n > limit {
		return -1
	}
	return n
}
