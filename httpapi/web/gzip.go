package web

import (
	"strconv"
	"strings"
)

// takesGzip reports whether a header Accept-Encoding allows gzip.
func takesGzip(header []string) bool {
	allowed := false
	for part := range strings.SplitSeq(strings.Join(header, ","), ",") {
		coding, params, _ := strings.Cut(part, ";")
		if coding = strings.ToLower(strings.TrimSpace(coding)); coding == "gzip" || coding == "x-gzip" {
			return quality(params) > 0
		}
		allowed = allowed || coding == "*" && quality(params) > 0
	}
	return allowed
}

// quality returns the parameter q, 1 if it is missing, 0 if it is wrong.
func quality(params string) float64 {
	for param := range strings.SplitSeq(params, ";") {
		if name, text, _ := strings.Cut(param, "="); strings.EqualFold(strings.TrimSpace(name), "q") {
			q, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
			if err != nil {
				return 0
			}
			return q
		}
	}
	return 1
}
