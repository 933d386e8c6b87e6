package account

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

const maxRedirect = 1000 // bytes

// CheckRedirect validates an address to which a program wants people to be redirected: https with a
// host, http on the same machine, or a scheme of the program (RFC 8252, 7). It refuses users,
// fragments, wildcards, and anything that two parsers might read differently. Error: ErrRedirect.
func CheckRedirect(text string) error {
	u, err := url.Parse(text)
	switch {
	case len(text) > maxRedirect || strings.Trim(text, plainBytes) != "":
		err = fmt.Errorf("it is over %d bytes long or has others than those of URLs", maxRedirect)
	case err != nil || u.String() != text:
		err = fmt.Errorf("it is not a URL in its plain form")
	case strings.ContainsAny(text, "*#") || u.User != nil || strings.Contains(u.Host, "@"):
		err = fmt.Errorf("it has a wildcard, fragment or user")
	case ownParams(u):
		err = fmt.Errorf("its query has what an answer adds: code, state, iss or error")
	case u.Scheme == "https":
		err = checkHost(u)
	case u.Scheme == "http":
		if _, _, ok := loopback(text); !ok {
			err = fmt.Errorf("http is for this machine alone: 127.0.0.1, [::1] or localhost")
		}
	case !isPrivate(u.Scheme):
		err = fmt.Errorf("the scheme is not a program's own")
	case u.Host == "" && !strings.HasPrefix(u.Path, "/"):
		err = fmt.Errorf("want an authority or a path after the scheme, as in example://callback")
	}
	if err != nil {
		return fmt.Errorf("%w: %.100q: %v", ErrRedirect, text, err)
	}
	return nil
}

// plainBytes are the bytes that a URL may have (RFC 3986), except ' ( ) * and #. Backslashes,
// blanks and quotes are not among them.
const plainBytes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/?[]@!$&+,;=%"

const hostBytes = "abcdefghijklmnopqrstuvwxyz0123456789-."

func checkHost(u *url.URL) error {
	if h := u.Hostname(); h == "" || strings.Trim(h, hostBytes) != "" ||
		!isPort(u.Port(), strings.HasSuffix(u.Host, ":")) {
		return fmt.Errorf("want a host in lower case and no port or one of 1 to 65535")
	}
	return nil
}

// isPort reports whether a port is valid or missing.
func isPort(port string, colon bool) bool {
	if port == "" {
		return !colon
	}
	n, err := strconv.ParseUint(port, 10, 16)
	return err == nil && n > 0 && port[0] != '0'
}

// ownParams reports whether the query has a parameter that an answer adds.
func ownParams(u *url.URL) bool {
	query, err := url.ParseQuery(u.RawQuery)
	for _, name := range []string{"code", "state", "iss", "error", "error_description"} {
		if query.Has(name) {
			return true
		}
	}
	return err != nil
}

// loopback splits an http address of the same machine, without its port.
func loopback(text string) (host, rest string, ok bool) {
	for _, host := range []string{"127.0.0.1", "[::1]", "localhost"} {
		rest, ok := strings.CutPrefix(text, "http://"+host)
		if !ok {
			continue
		}
		end := strings.IndexAny(rest, "/?")
		if end < 0 {
			end = len(rest)
		}
		port, colon := strings.CutPrefix(rest[:end], ":")
		if !colon && port != "" || !isPort(port, colon) {
			return "", "", false
		}
		return host, rest[end:], true
	}
	return "", "", false
}

// IsLoopback reports whether an address leads to the user's own machine.
func IsLoopback(redirect string) bool {
	_, _, ok := loopback(redirect)
	return ok
}

// Redirects reports whether the client registered an address for redirection. Addresses are
// compared byte by byte, except the port of a loopback address (RFC 8252, 7.3).
func (c *Client) Redirects(asked string) bool {
	for _, registered := range c.RedirectURIs {
		if asked == registered {
			return true
		}
		host, rest, ok := loopback(registered)
		askedHost, askedRest, askedOK := loopback(asked)
		if ok && askedOK && host == askedHost && rest == askedRest {
			return true
		}
	}
	return false
}
