package httpapi

import (
	"net/url"
	"strings"
)

// checkNames fails for a query parameter that the operation does not have: with a
// misspelt filter, the answer would be the whole country.
func (x *exchange) checkNames(o *operation) error {
	for rest := x.r.URL.RawQuery; rest != ""; {
		var pair string
		pair, rest, _ = strings.Cut(rest, "&")
		if pair == "" {
			continue
		}
		name, _, _ := strings.Cut(pair, "=")
		if strings.ContainsAny(name, "%+") {
			if text, err := url.QueryUnescape(name); err == nil {
				name = text
			}
		}
		if !o.Accepts(name) && !isIgnored(name) {
			return o.UnknownParam(name)
		}
	}
	return nil
}

// isIgnored reports whether a parameter is accepted and ignored: those that tools add for
// caches and statistics, a key in the query, and the market of a route without one.
func isIgnored(name string) bool {
	return strings.HasPrefix(name, "_") || strings.HasPrefix(name, "utm_") || name == "api_key" || name == "market"
}
