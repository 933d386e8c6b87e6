// Package jsontext appends values in JSON. It is for answers of thousands of values, where encoding/json
// takes too long.
package jsontext

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
)

const null = "null"

// AppendNumber appends a number with at most seven decimals, or null for NaN. This is much faster than
// finding the shortest text of a float64.
func AppendNumber(dst []byte, x float64) []byte {
	if math.IsNaN(x) {
		return append(dst, null...)
	}
	n := int64(math.Round(x * 1e7))
	if n < 0 {
		dst, n = append(dst, '-'), -n
	}
	dst = strconv.AppendInt(dst, n/1e7, 10)
	rest := n % 1e7
	if rest == 0 {
		return dst
	}
	dst = append(dst, '.')
	for unit := int64(1e6); rest > 0; unit /= 10 {
		dst = append(dst, byte('0'+rest/unit))
		rest %= unit
	}
	return dst
}

// AppendString appends a string. Most strings are words and names, which rarely need escaping. Bytes that
// are not UTF-8 become U+FFFD.
func AppendString(dst []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= 0x80 {
			return appendEscaped(dst, s)
		}
	}
	return append(append(append(dst, '"'), s...), '"')
}

func appendEscaped(dst []byte, s string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil { // never, for a string
		return append(dst, null...)
	}
	return append(dst, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
}
