package access

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// ParseOrigin reads an origin as an operator writes it: http or https, a host and perhaps a port.
// It returns the form that browsers send (RFC 6454, section 6.2): in lower case, without a default
// port. A lone / at the end is dropped. A path, a query, a fragment, a user or a wildcard is an
// error that says so. A host that is not ASCII must be written in its xn-- form.
func ParseOrigin(text string) (string, error) {
	origin, err := parseOrigin(strings.TrimSpace(text))
	if err != nil {
		return "", fmt.Errorf("origin %.100q: %w", text, err)
	}
	return origin, nil
}

var defaultPorts = map[string]string{"http": "80", "https": "443"}

func parseOrigin(text string) (string, error) {
	// This is checked before ToLower, which turns a few other letters into ASCII.
	if strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", errors.New("there is a blank or a character that is not ASCII; a host has an xn-- form for those")
	}
	scheme, rest, ok := strings.Cut(strings.ToLower(text), "://")
	if !ok || defaultPorts[scheme] == "" {
		return "", errors.New("it must start with http:// or https://")
	}
	rest = strings.TrimSuffix(rest, "/")
	if i := strings.IndexAny(rest, `/\?#@`); i >= 0 {
		return "", fmt.Errorf("only scheme, host and port belong here, and there is a %q", rest[i])
	}
	host, port, err := cutPort(rest)
	if err != nil {
		return "", err
	}
	if host, err = canonicalHost(host); err != nil {
		return "", err
	}
	if port == "" || port == defaultPorts[scheme] {
		return scheme + "://" + host, nil
	}
	return scheme + "://" + host + ":" + port, nil
}

func cutPort(s string) (host, port string, err error) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 || strings.HasSuffix(s, "]") {
		return s, "", nil
	}
	n, err := strconv.ParseUint(s[i+1:], 10, 16)
	if err != nil || n == 0 {
		return "", "", fmt.Errorf("the port %q is not from 1 to 65535", s[i+1:])
	}
	return s[:i], strconv.FormatUint(n, 10), nil
}

// canonicalHost returns an address in the form that browsers write. It refuses hosts that browsers
// would write in another form than the operator did.
func canonicalHost(host string) (string, error) {
	if inner, ok := strings.CutPrefix(host, "["); ok {
		addr, err := netip.ParseAddr(strings.TrimSuffix(inner, "]"))
		if err != nil || !addr.Is6() || addr.Is4In6() || addr.Zone() != "" {
			return "", fmt.Errorf("%s is not an IPv6 address in brackets, without a zone and not IPv4-mapped", host)
		}
		return "[" + addr.String() + "]", nil
	}
	labels := strings.Split(host, ".")
	for _, label := range labels {
		if !isLabel(label) {
			return "", fmt.Errorf("%q is not a host in full, such as www.example.org", host)
		}
	}
	if isNumber(labels[len(labels)-1]) {
		if _, err := netip.ParseAddr(host); err != nil {
			return "", fmt.Errorf("%q ends in a number and is not an IPv4 address", host)
		}
	}
	return host, nil
}

func isLabel(s string) bool {
	return s != "" && len(s) <= 63 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-_") == ""
}

// isNumber reports whether browsers treat a host that ends in this label as an IPv4 address (WHATWG
// URL, "ends in a number").
func isNumber(label string) bool {
	if hex, ok := strings.CutPrefix(label, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(label, "0123456789") == ""
}
