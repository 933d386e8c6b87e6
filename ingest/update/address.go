package update

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"strings"
	"unicode/utf8"
)

// maxAddress is the length, in bytes, of what servers take.
const maxAddress = 4096

var errAddress = errors.New("the url must be a full address with http or https, without a user name")

// parseAddress parses the address of a file or catalogue.
func parseAddress(text string) (*url.URL, error) {
	if len(text) > maxAddress {
		return nil, fmt.Errorf("%w: it has %d bytes, over %d", errAddress, len(text), maxAddress)
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil {
		return nil, fmt.Errorf("%w: %q", errAddress, redacted(text))
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

// bareURL returns an address without its user, query and fragment, which may be secret.
func bareURL(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

var (
	userInfo    = regexp.MustCompile(`//[^/?#]*@`)
	anyUserInfo = regexp.MustCompile(`//.*@`) // in an invalid address, a password may be anywhere
	queryPairs  = regexp.MustCompile(`([^&;=]+)=[^&;]*`)
	secrets     = regexp.MustCompile(`(?i)key|token|secret|pass|pwd|auth|sig|cred|session|code|jwt|user`)
)

// redacted returns an address that may be shown and kept: without user, password and
// fragment, and without the values of query members with names such as "key".
func redacted(text string) string {
	user := userInfo
	if _, err := url.Parse(text); err != nil {
		user = anyUserInfo
	}
	text, _, _ = strings.Cut(user.ReplaceAllString(text, "//…@"), "#")
	before, query, found := strings.Cut(text, "?")
	if found {
		before += "?"
	}
	return truncate(before+queryPairs.ReplaceAllStringFunc(query, func(pair string) string {
		raw, _, _ := strings.Cut(pair, "=")
		if name, err := url.QueryUnescape(raw); err != nil || secrets.MatchString(name) {
			return raw + "=…"
		}
		return pair
	}), maxShown)
}

// hashOf identifies an address that may be secret.
func hashOf(address string) string {
	sum := sha256.Sum256([]byte(address))
	return hex.EncodeToString(sum[:])
}

// Sizes, in bytes, of repeated texts of other servers.
const (
	maxShown   = 300
	maxError   = 500  // of a file
	maxProblem = 1000 // of a source
	maxTag     = 1000 // of a header that is sent back
)

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
