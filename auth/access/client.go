package access

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"relais/internal/fold"
)

// A Mode is what kind of program a client is.
type Mode string

// The modes.
const (
	Browser Mode = "BROWSER" // a page: named origins, no signature
	Server  Mode = "SERVER"  // a backend: named addresses, signature where asked for
	Mobile  Mode = "MOBILE"  // an app: a signature on every request
)

// Values lists the modes.
func (Mode) Values() []string { return []string{string(Browser), string(Server), string(Mobile)} }

// UnmarshalText accepts a mode in any case.
func (m *Mode) UnmarshalText(b []byte) error {
	return oneOf((*string)(m), Mode("").Values(), string(b))
}

// A Scope is what a key may be used for.
type Scope string

// The scopes of api.md.
const (
	AntennasRead      Scope = "antennas:read"
	StatsRead         Scope = "stats:read"
	PhotosRead        Scope = "photos:read"
	PhotosWrite       Scope = "photos:write"
	NetworkStatusRead Scope = "network-status:read"
	ANFRRead          Scope = "anfr:read"
	SpeedtestRead     Scope = "speedtest:read"
	CoverageRead      Scope = "coverage:read"
	InternalAI        Scope = "internal:ai" // the tool server's signed-in tools
)

// ReadScopes are the scopes that change nothing.
var ReadScopes = []Scope{AntennasRead, StatsRead, PhotosRead, NetworkStatusRead, ANFRRead, SpeedtestRead, CoverageRead}

// allRead stands for ReadScopes in a list of scopes.
const allRead = "all-read"

// Values lists the scopes.
func (Scope) Values() []string {
	list := make([]string, 0, len(ReadScopes)+2)
	for _, s := range ReadScopes {
		list = append(list, string(s))
	}
	return append(list, string(PhotosWrite), string(InternalAI))
}

// ParseScopes reads scopes separated by commas; all-read is every read scope.
func ParseScopes(text string) (scopes []Scope, err error) {
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		list := ReadScopes
		if !fold.EqualASCII(part, allRead) {
			var s string
			if err := oneOf(&s, append(Scope("").Values(), allRead), part); err != nil {
				return nil, fmt.Errorf("scope %q: %w", part, err)
			}
			list = []Scope{Scope(s)}
		}
		for _, s := range list {
			if !slices.Contains(scopes, s) {
				scopes = append(scopes, s)
			}
		}
	}
	return scopes, nil
}

// ShortScopes returns scopes as ParseScopes reads them, with all-read for all that only read.
func ShortScopes(scopes []Scope) []Scope {
	others := slices.DeleteFunc(slices.Clone(scopes), func(s Scope) bool { return slices.Contains(ReadScopes, s) })
	if len(scopes)-len(others) < len(ReadScopes) {
		return scopes
	}
	return append([]Scope{allRead}, others...)
}

func oneOf(dst *string, values []string, text string) error {
	i := slices.IndexFunc(values, func(v string) bool { return fold.EqualASCII(v, text) })
	if i < 0 {
		return fmt.Errorf("one of %s", strings.Join(values, ", "))
	}
	*dst = values[i]
	return nil
}

// Limits are how many requests a client has in each minute and each day, and how many of these one
// address may use; 0 means no limit.
type Limits struct {
	Minute        int `json:"minute"`
	Day           int `json:"day"`
	VisitorMinute int `json:"visitorMinute,omitempty"`
	VisitorDay    int `json:"visitorDay,omitempty"`
}

// DefaultLimits are those of api.md.
var DefaultLimits = Limits{Minute: 60, Day: 10_000}

// A Client is a program that may call the service.
type Client struct {
	ID                 string         `json:"id"`
	Name               string         `json:"name"`
	Mode               Mode           `json:"mode"`
	Scopes             []Scope        `json:"scopes"`
	Origins            []string       `json:"origins"` // in canonical form
	CIDRs              []netip.Prefix `json:"cidrs"`
	Limits             Limits         `json:"limits"`
	Created            time.Time      `json:"created"`
	Expires            *time.Time     `json:"expires"`
	RequireSignature   bool           `json:"requireSignature"`
	RequireAttestation bool           `json:"requireAttestation"`
	Partner            bool           `json:"partner"` // may write, where its scopes say so
	Keys               []Key          `json:"keys"`
}

// A Key is a key of a client, without its secret part.
type Key struct {
	Prefix   string     `json:"prefix"` // the public part
	Created  time.Time  `json:"created"`
	Expires  *time.Time `json:"expires"`
	Revoked  *time.Time `json:"revoked"`
	LastUsed *time.Time `json:"lastUsed"` // to about a minute
}

// live reports whether the key can be used. It does not look at the client's own end.
func (k *Key) live(now time.Time) bool {
	return k.Revoked == nil && (k.Expires == nil || now.Before(*k.Expires))
}

// LiveKeys is the number of the client's keys that can be used.
func (c *Client) LiveKeys(now time.Time) (n int) {
	if c.ended(now) {
		return 0
	}
	for i := range c.Keys {
		if c.Keys[i].live(now) {
			n++
		}
	}
	return n
}

// ended reports whether the client's time is over.
func (c *Client) ended(now time.Time) bool { return c.Expires != nil && !now.Before(*c.Expires) }

// Signs reports whether the client's requests must be signed.
func (c *Client) Signs() bool { return c.Mode == Mobile || c.RequireSignature }

// Bounds of what describes a client.
const (
	maxName    = 100 // characters
	maxEntries = 100 // origins, CIDRs
	maxKeys    = 100
	maxLimit   = 1_000_000_000
)

// Check fails if the client lacks what its mode needs.
func (c *Client) Check() error {
	unprintable := func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }
	switch {
	case strings.TrimSpace(c.Name) == "" || utf8.RuneCountInString(c.Name) > maxName ||
		strings.ContainsFunc(c.Name, unprintable):
		return fmt.Errorf("a client needs a name of 1 to %d printable characters", maxName)
	case !slices.Contains(Mode("").Values(), string(c.Mode)):
		return fmt.Errorf("a client needs a mode: one of %s", strings.Join(Mode("").Values(), ", "))
	case len(c.Scopes) == 0:
		return fmt.Errorf("a client needs scopes: of %s, or %s", strings.Join(Scope("").Values(), ", "), allRead)
	case c.Mode == Browser && slices.Contains(c.Scopes, InternalAI):
		return fmt.Errorf("a BROWSER client cannot have the scope %s: its key is public, and everybody would act "+
			"as its account", InternalAI)
	case c.Mode == Browser && len(c.Origins) == 0:
		return fmt.Errorf("a BROWSER client needs at least one origin")
	case c.Mode != Browser && len(c.Origins) > 0:
		return fmt.Errorf("only a BROWSER client has origins")
	case c.Mode == Server && len(c.CIDRs) == 0:
		return fmt.Errorf("a SERVER client needs at least one CIDR")
	case c.Mode == Browser && len(c.CIDRs) > 0:
		return fmt.Errorf("a BROWSER client has no CIDRs: its requests come from its visitors")
	case c.Mode == Browser && c.RequireSignature:
		return fmt.Errorf("a BROWSER client cannot sign: a page can keep no secret")
	case len(c.Origins) > maxEntries || len(c.CIDRs) > maxEntries:
		return fmt.Errorf("a client has at most %d origins and CIDRs", maxEntries)
	case c.Limits.Minute < 1 || c.Limits.Day < 1 || c.Limits.Minute > maxLimit || c.Limits.Day > maxLimit:
		return fmt.Errorf("limits are from 1 to %d", maxLimit)
	case min(c.Limits.VisitorMinute, c.Limits.VisitorDay) < 0 ||
		max(c.Limits.VisitorMinute, c.Limits.VisitorDay) > maxLimit:
		return fmt.Errorf("limits of a visitor are from 1 to %d, or 0 for none", maxLimit)
	case c.Mode == Server && (c.Limits.VisitorMinute > 0 || c.Limits.VisitorDay > 0):
		return fmt.Errorf("a SERVER client has no limits of visitors: its requests come from its own addresses")
	}
	return nil
}
