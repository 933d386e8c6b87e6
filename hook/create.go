package hook

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"relais/internal/publicnet"
	"relais/internal/store"
)

// A Spec is a hook to create. Filter must have been checked.
type Spec struct {
	URL    string `json:"url"`
	Events []Kind `json:"events"`
	Filter string `json:"filter"`
	Format Format `json:"format,omitempty"`
	// Private says that the server sends to private addresses, and without TLS.
	Private bool `json:"-"`
}

// Bounds.
const (
	mostHooks   = 100
	maxURL      = 2048 // bytes
	maxFilter   = 2048 // bytes
	secretBytes = 32
)

// secretPrefix begins the secrets of Standard Webhooks.
const secretPrefix = "whsec_"

// An Issued is a hook with its secret, which is shown once.
type Issued struct {
	Hook
	Secret string `json:"secret"` // whsec_ and the key in base64
}

// Check returns an *InvalidError if the hook cannot be created.
func (n *Spec) Check() error {
	_, err := n.check()
	return err
}

// check returns the address, or an *InvalidError.
func (n *Spec) check() (*url.URL, error) {
	for _, k := range n.Events {
		if !slices.Contains(k.Values(), string(k)) {
			return nil, &InvalidError{"events", fmt.Sprintf("%.40q is not one of %s", k, strings.Join(k.Values(), ", "))}
		}
	}
	if len(n.Events) == 0 {
		return nil, &InvalidError{"events", "want some of " + strings.Join(Kind("").Values(), ", ")}
	}
	if len(n.Filter) > maxFilter {
		return nil, &InvalidError{"filter", fmt.Sprintf("it has more than %d bytes", maxFilter)}
	}
	u, err := url.Parse(n.URL)
	if err != nil || len(n.URL) > maxURL || u.Host == "" || u.Hostname() == "" || u.Opaque != "" || u.Fragment != "" ||
		u.Scheme != "https" && u.Scheme != "http" { // the address itself may have a password
		return nil, &InvalidError{"url", "want an address such as https://example.org/relais, without a fragment"}
	}
	if err := n.Format.check(u); err != nil {
		return nil, err
	}
	if n.Private {
		return u, nil
	}
	if u.Scheme != "https" {
		return nil, &InvalidError{"url", "want https; only relais serve --hook-private sends to addresses without TLS: " +
			"create the hook while it runs"}
	}
	a, err := netip.ParseAddr(u.Hostname())
	if name := "." + strings.ToLower(strings.TrimSuffix(u.Hostname(), ".")); strings.HasSuffix(name, ".localhost") {
		a, err = netip.IPv6Loopback(), nil // RFC 6761, section 6.3
	}
	if err == nil {
		if err := publicnet.Check(a); err != nil {
			return nil, &InvalidError{"url", err.Error() + "; only relais serve --hook-private sends there: " +
				"create the hook while it runs"}
		}
	}
	return u, nil
}

// hidden returns an address without its user, the values of its query, and what follows the first
// segment of its path: many receivers have a token there.
func hidden(u *url.URL) string {
	shown := *u
	shown.User = nil
	first, rest, _ := strings.Cut(strings.TrimPrefix(u.EscapedPath(), "/"), "/")
	var names []string
	for part := range strings.SplitSeq(u.RawQuery, "&") {
		if name, _, ok := strings.Cut(part, "="); ok {
			names = append(names, name+"=…")
		}
	}
	shown.RawQuery, shown.Path, shown.RawPath = "", "", ""
	text := shown.String()
	if u.Path != "" {
		text += "/" + first
	}
	if rest != "" {
		text += "/…"
	}
	if len(names) > 0 {
		text += "?" + strings.Join(names, "&")
	}
	return text
}

// Create adds a hook. It gets the events that happen from now on. The sealing key must have been
// made. Errors: *InvalidError, those of the store.
func (s *Store) Create(n Spec) (*Issued, error) {
	u, err := n.check()
	if err != nil {
		return nil, err
	}
	key := make([]byte, secretBytes)
	rand.Read(key) // never fails
	r := &record{Hook: Hook{ID: "hook-" + strings.ToLower(rand.Text()[:12]), URL: hidden(u), Events: unique(n.Events),
		Filter: n.Filter, Format: n.Format, Created: s.second()}}
	text, err := json.Marshal(secrets{u.String(), key})
	if err != nil {
		return nil, err
	}
	if r.Sealed, err = s.sealer.Seal(string(text), purpose(r.ID)); err != nil {
		return nil, err
	}
	err = s.update(func(tx *store.Tx) error {
		if n := len(s.hooks.All()); n >= mostHooks {
			return &InvalidError{"hook", fmt.Sprintf("there are %d, which is the most: delete some", n)}
		} else if n == 0 {
			if err := s.skip(tx); err != nil {
				return err
			}
		}
		return s.hooks.Put(tx, r.ID, r)
	})
	if err != nil {
		return nil, err
	}
	return &Issued{r.Hook, secretPrefix + base64.StdEncoding.EncodeToString(key)}, nil
}

func unique(list []Kind) []Kind {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}
