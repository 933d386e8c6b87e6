package anfr

import (
	"bytes"
	"strconv"
	"strings"
)

// parseFixed parses a decimal number with a point or a comma, and optionally an exponent,
// into units of 10^-digits. It rounds half away from zero.
func parseFixed(b []byte, digits int) (int64, bool) {
	if i := max(bytes.IndexByte(b, 'e'), bytes.IndexByte(b, 'E')); i > 0 {
		exponent, err := strconv.Atoi(string(b[i+1:]))
		if err != nil || exponent < -digits || exponent > 12 {
			return 0, false
		}
		b, digits = b[:i], digits+exponent
	}
	negative := len(b) > 0 && b[0] == '-'
	if negative {
		b = b[1:]
	}
	n, seen, fraction := int64(0), 0, -1
	for _, c := range b {
		switch {
		case c >= '0' && c <= '9':
			seen++
			if fraction >= 0 {
				fraction++
			}
			if fraction == digits+1 && c >= '5' {
				n++
			}
			if fraction <= digits {
				if n > 1<<59 {
					return 0, false
				}
				n = n*10 + int64(c-'0')
			}
		case (c == '.' || c == ',') && fraction < 0:
			fraction = 0
		default:
			return 0, false
		}
	}
	if seen == 0 {
		return 0, false
	}
	for fraction = max(fraction, 0); fraction < digits; fraction++ {
		if n > 1<<59 {
			return 0, false
		}
		n *= 10
	}
	if negative {
		n = -n
	}
	return n, true
}

// parseWhole parses an unsigned integer of at most nine digits.
func parseWhole(b []byte) (uint32, bool) {
	if len(b) == 0 || len(b) > 9 {
		return 0, false
	}
	n := uint32(0)
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + uint32(c-'0')
	}
	return n, true
}

// stationCodeLength is the length of a station number: three characters of
// department, three of the licensee, four of a serial.
const stationCodeLength = 10

// A stationCode is a station number as an integer of base 36. Lost leading zeros do not
// change it.
type stationCode uint64

func parseStation(b []byte) (stationCode, bool) {
	if len(b) < 4 || len(b) > stationCodeLength {
		return 0, false
	}
	n := stationCode(0)
	for _, c := range b {
		switch {
		case c >= '0' && c <= '9':
			n = n*36 + stationCode(c-'0')
		case c >= 'A' && c <= 'Z':
			n = n*36 + stationCode(c-'A') + 10
		case c >= 'a' && c <= 'z':
			n = n*36 + stationCode(c-'a') + 10
		default:
			return 0, false
		}
	}
	return n, true
}

func (s stationCode) String() string {
	var b [stationCodeLength]byte
	for i := stationCodeLength - 1; i >= 0; i-- {
		b[i] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[s%36]
		s /= 36
	}
	return string(b[:])
}

// padZeros restores the leading zeros of a code of digits that a spreadsheet removed.
func padZeros(b []byte, length int) []byte {
	if len(b) == 0 || len(b) >= length {
		return b
	}
	for _, c := range b {
		if c < '0' || c > '9' {
			return b
		}
	}
	return append(bytes.Repeat([]byte("0"), length-len(b)), b...)
}

// validText returns a text as published, tabs and other controls included. It replaces
// bytes that are not UTF-8.
func validText(b []byte) string { return strings.ToValidUTF8(string(b), "\ufffd") }
