package update

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Sizes, in bytes, of other servers' texts.
const (
	maxAddress = 4096 // of what servers take
	maxShown   = 300
	maxError   = 500  // of a file
	maxProblem = 1000 // of a source
)

var errAddress = errors.New("the url must be a full address with http or https, without a user name")

// parseAddress parses the address of a file or catalogue.
func parseAddress(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case len(text) > maxAddress:
		return nil, fmt.Errorf("%w: it has %d bytes, over %d", errAddress, len(text), maxAddress)
	case err != nil: // it may have a password anywhere
		return nil, errAddress
	case u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil:
		return nil, fmt.Errorf("%w: %q", errAddress, redacted(u))
	}
	return u, nil
}

// baseOf is the last part of an address's path.
func baseOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return path.Base(u.Path)
}

var (
	queryPairs = regexp.MustCompile(`([^&;=]+)=[^&;]*`)
	secrets    = regexp.MustCompile(`(?i)key|token|secret|pass|pwd|auth|sig|cred|session|code|jwt|user`)
)

// redacted returns an address that may be shown: without user name and fragment, and without
// the values of query members with names such as "key".
func redacted(u *url.URL) string {
	query := queryPairs.ReplaceAllStringFunc(u.RawQuery, func(pair string) string {
		raw, _, _ := strings.Cut(pair, "=")
		if name, err := url.QueryUnescape(raw); err != nil || secrets.MatchString(name) {
			return raw + "=…"
		}
		return pair
	})
	shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath, RawQuery: query}
	if u.User != nil {
		shown.User = url.User("user")
	}
	return truncate(shown.String(), maxShown)
}

// truncate returns at most limit bytes of a text.
func truncate(text string, limit int) string {
	const more = "…"
	if len(text) > limit {
		end := limit - len(more)
		for end > 0 && !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end] + more
	}
	return strings.ToValidUTF8(text, "?")
}
