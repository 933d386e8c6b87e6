// Package accept reads headers of the kind of Accept-Encoding.
package accept

import (
	"strconv"
	"strings"
)

// Quality returns the quality that the lines of Accept-Encoding give to a coding, 0 for one that is not wanted, and
// reports whether they name the coding: x-gzip is gzip, and * is any that is not named.
func Quality(header []string, coding string) (quality float64, named bool) {
	other := 0.0
	for _, line := range header {
		for part := range strings.SplitSeq(line, ",") {
			name, params, _ := strings.Cut(part, ";")
			name = strings.TrimSpace(name)
			q := qualityOf(params)
			if strings.EqualFold(name, coding) || strings.EqualFold(name, "x-"+coding) {
				return q, true
			}
			if name == "*" {
				other = q
			}
		}
	}
	return other, false
}

// qualityOf returns the parameter q, 1 if it is missing, 0 if it is invalid.
func qualityOf(params string) float64 {
	for param := range strings.SplitSeq(params, ";") {
		key, text, _ := strings.Cut(param, "=")
		if !strings.EqualFold(strings.TrimSpace(key), "q") {
			continue
		}
		q, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil || !(q >= 0) {
			return 0
		}
		return q
	}
	return 1
}
