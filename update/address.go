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

var errAddress = errors.New("the url is no address of http or https")

// address parses the address of a file or catalogue.
func address(text string) (*url.URL, error) {
	if len(text) > maxAddress {
		return nil, fmt.Errorf("%w: it has %d bytes, over %d", errAddress, len(text), maxAddress)
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil {
		return nil, fmt.Errorf("%w: %q", errAddress, shown(text))
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

// bare is an address without what may be secret in it.
func bare(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

var (
	users   = regexp.MustCompile(`//[^/?#]*@`)
	odd     = regexp.MustCompile(`//.*@`) // where the address is none, what is the user's may be anywhere
	pairs   = regexp.MustCompile(`([^&;=]+)=[^&;]*`)
	secrets = regexp.MustCompile(`(?i)key|token|secret|pass|pwd|auth|sig|cred|session|code|jwt|user`)
)

// shown is an address as it may be shown and kept: names and passwords, and what
// stands in the query under the name of something secret, are left out.
func shown(text string) string {
	user := users
	if _, err := url.Parse(text); err != nil {
		user = odd
	}
	text, _, _ = strings.Cut(user.ReplaceAllString(text, "//…@"), "#")
	before, query, has := strings.Cut(text, "?")
	if has {
		before += "?"
	}
	return brief(before+pairs.ReplaceAllStringFunc(query, func(pair string) string {
		raw, _, _ := strings.Cut(pair, "=")
		if name, err := url.QueryUnescape(raw); err != nil || secrets.MatchString(name) {
			return raw + "=…"
		}
		return pair
	}), maxShown)
}

// hashOf tells addresses apart where they are not kept as they are.
func hashOf(address string) string {
	sum := sha256.Sum256([]byte(address))
	return hex.EncodeToString(sum[:])
}

// Sizes, in bytes, of what others wrote and relais repeats.
const (
	maxShown   = 300
	maxError   = 500  // of a file
	maxProblem = 1000 // of a source
	maxTag     = 1000 // of a header that is sent back
)

// brief is a text of at most so many bytes.
func brief(text string, most int) string {
	const more = "…"
	if len(text) > most {
		end := most - len(more)
		for end > 0 && !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end] + more
	}
	return strings.ToValidUTF8(text, "?")
}
