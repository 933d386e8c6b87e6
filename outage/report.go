package outage

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"relais/geo"
	"relais/market"
	"relais/store"
)

// A State is how far the life of a report is.
type State string

// The states: a report is confirmed by NeededConfirmations, dormant after Patience
// without news until there is some, and closed when it is resolved or rejected.
const (
	Reported  State = "reported"
	Confirmed State = "confirmed"
	Dormant   State = "dormant"
	Resolved  State = "resolved"
	Rejected  State = "rejected"
)

// States are all of them.
var States = []State{Reported, Confirmed, Dormant, Resolved, Rejected}

const (
	NeededConfirmations = 3              // by different users, none of them the reporter
	Patience            = 24 * time.Hour // that a report stays without news
)

// idPrefix begins the ids of reports, by api.md.
const idPrefix = "community:"

// A Report is an outage that somebody reported. Who did is not in it. Times are UTC, to
// the second.
type Report struct {
	ID           string      `json:"id"` // community: and a UUID
	Market       market.Code `json:"market"`
	Operator     string      `json:"operator"`          // key
	SiteKey      string      `json:"siteKey,omitempty"` // "": of no site
	SiteName     string      `json:"siteName,omitempty"`
	Address      string      `json:"address,omitempty"`
	Commune      string      `json:"commune,omitempty"`
	Area         string      `json:"area,omitempty"` // code of the market's table, when the position tells
	Lat          float64     `json:"lat"`
	Lng          float64     `json:"lng"`
	Severity     Severity    `json:"severity"`
	Services     []string    `json:"services"`     // of AllServices
	Technologies []string    `json:"technologies"` // of AllTechnologies
	Reason       string      `json:"reason,omitempty"`
	StartedAt    time.Time   `json:"startedAt"`
	CreatedAt    time.Time   `json:"createdAt"`
	NewsAt       time.Time   `json:"newsAt"` // the report or the last confirmation
	ClosedAt     *time.Time  `json:"closedAt,omitempty"`
	Why          string      `json:"why,omitempty"` // it was rejected: for moderators
	State        State       `json:"state"`         // in the file, dormant is as before
	Confirms     int         `json:"confirmCount"`

	// OperatorConfirmed: the operator has an entry within 300 m; of open reports.
	OperatorConfirmed bool `json:"-"`
}

// Point is where the outage was reported.
func (r *Report) Point() geo.Point { return geo.Point{Lat: r.Lat, Lng: r.Lng} }

// Remaining is how many confirmations are missing, nil when none can come any more.
func (r *Report) Remaining() *int {
	if !r.open() {
		return nil
	}
	n := max(0, NeededConfirmations-r.Confirms)
	return &n
}

func (r *Report) open() bool { return r.State != Resolved && r.State != Rejected }

// at is a copy of the report as it is at a time.
func (r *Report) at(now time.Time) *Report {
	c := *r
	if c.open() && now.Sub(c.NewsAt) > Patience {
		c.State = Dormant
	}
	return &c
}

// A record is a report as it is stored. Users stand in it as hashes that differ from
// report to report, so that the file tells neither who they are nor what else they said.
type record struct {
	Report
	Reporter   []byte   `json:"reporter,omitempty"` // nil: forgotten
	Confirmers [][]byte `json:"confirmers,omitempty"`
	Token      []byte   `json:"token,omitempty"` // key in tokensBucket
}

// hash is the first bytes of a digest of texts, none of which has a NUL.
func hash(texts ...string) []byte {
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	return sum[:16]
}

func (r *record) hash(user string) []byte { return hash("user", r.ID, user) }

// NewReport is what somebody says.
type NewReport struct {
	Market                                      market.Code
	Operator                                    string // key, in any case
	At                                          geo.Point
	SiteKey, SiteName, Address, Commune, Reason string
	Severity                                    Severity // "": Down
	Services, Technologies                      []string
	StartedAt                                   time.Time // zero: now
	User                                        string    // an opaque id of who says it
	Program                                     bool      // the user is no person: it confirms nothing
	// Token, when it is not "", names this call among those of the user: a second one
	// with the same token returns the report that the first one made.
	Token string
}

// Bounds of what is said.
const (
	maxText  = 2000 // bytes
	maxID    = 200  // bytes of a user's id or a token
	maxAge   = 30 * 24 * time.Hour
	maxAhead = 5 * time.Minute // that clocks may differ
)

// report makes the report, or says what is wrong.
func (n *NewReport) report(now time.Time) (*Report, error) {
	m := market.Get(n.Market)
	if m == nil {
		return nil, fmt.Errorf("%w: no market %.20q", ErrOperator, n.Market)
	}
	operator, err := operatorOf(m, n.Operator)
	if err == nil {
		err = n.check(m, now)
	}
	if err != nil {
		return nil, err
	}
	r := &Report{
		Market: m.Code, Operator: operator, SiteKey: n.SiteKey, SiteName: n.SiteName, Address: n.Address,
		Commune: n.Commune, Area: areaOf(m, "", "", n.At), Lat: geo.Degrees(geo.Fix(n.At.Lat)),
		Lng:      geo.Degrees(geo.Fix(n.At.Lng)),
		Severity: n.Severity, Services: inOrder(AllServices, n.Services),
		Technologies: inOrder(AllTechnologies, n.Technologies),
		Reason:       n.Reason, StartedAt: n.StartedAt.UTC().Truncate(time.Second), CreatedAt: now, NewsAt: now,
		State: Reported,
	}
	if r.Severity == "" {
		r.Severity = Down
	}
	if n.StartedAt.IsZero() {
		r.StartedAt = now
	}
	return r, nil
}

func (n *NewReport) check(m *market.Market, now time.Time) error {
	switch {
	case !n.At.Valid() || !holds(m, n.At):
		return fmt.Errorf("the position %v, %v is not in the market %s", n.At.Lat, n.At.Lng, m.Code)
	case n.Severity != "" && n.Severity != Down && n.Severity != Degraded:
		return fmt.Errorf("the severity %.50q is neither %s nor %s", n.Severity, Down, Degraded)
	case !n.StartedAt.IsZero() && (n.StartedAt.After(now.Add(maxAhead)) || n.StartedAt.Before(now.Add(-maxAge))):
		return fmt.Errorf("the beginning %s is in the future or over 30 days ago",
			n.StartedAt.UTC().Format(time.RFC3339))
	}
	for _, text := range []string{n.SiteKey, n.SiteName, n.Address, n.Commune, n.Reason} {
		if len(text) > maxText || !utf8.ValidString(text) {
			return fmt.Errorf("a text of %d bytes, of at most %d, in UTF-8: %.50q", len(text), maxText, text)
		}
	}
	if err := among("service", AllServices, n.Services); err != nil {
		return err
	}
	if err := among("technology", AllTechnologies, n.Technologies); err != nil {
		return err
	}
	if len(n.Token) > maxID || strings.Contains(n.Token, "\x00") {
		return fmt.Errorf("a token of %d bytes, of at most %d without NUL", len(n.Token), maxID)
	}
	return checkUser(n.User)
}

// checkUser does not repeat the id in its error: it might end in a log.
func checkUser(user string) error {
	if user == "" || len(user) > maxID || strings.Contains(user, "\x00") {
		return fmt.Errorf("the id of a user has %d bytes, of 1 to %d without NUL", len(user), maxID)
	}
	return nil
}

func among(what string, all, some []string) error {
	for _, s := range some {
		if !slices.Contains(all, s) {
			return fmt.Errorf("the %s %.50q is none of %s", what, s, strings.Join(all, ", "))
		}
	}
	return nil
}

func inOrder(all, some []string) []string {
	list := []string{}
	for _, s := range all {
		if slices.Contains(some, s) {
			list = append(list, s)
		}
	}
	return list
}

// parseID returns the key of an id. Error: ErrNoReport.
func parseID(id string) (uuid.UUID, error) {
	rest, ok := strings.CutPrefix(id, idPrefix)
	u, err := uuid.Parse(rest)
	if !ok || err != nil || u.String() != rest {
		return u, ErrNoReport
	}
	return u, nil
}

func parseRecord(k, text []byte) (*record, error) {
	r := &record{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("outage report %x: %w", k, err)
	}
	u, err := parseID(r.ID)
	if err != nil || string(u[:]) != string(k) {
		return nil, fmt.Errorf("outage report %x: it is stored as %q", k, r.ID)
	}
	m := market.Get(r.Market)
	if m == nil || !slices.Contains(m.OperatorKeys(), r.Operator) || !r.Point().Valid() || r.State == Dormant ||
		!slices.Contains(States, r.State) {
		return nil, fmt.Errorf("outage report %s: of the operator %q of %q at %v, %q", r.ID, r.Operator, r.Market,
			r.Point(), r.State)
	}
	return r, nil
}

// getRecord reads a report. Error: ErrNoReport.
func getRecord(tx *store.Tx, id string) (*record, error) {
	u, err := parseID(id)
	if err != nil {
		return nil, err
	}
	b := tx.Bucket([]byte(reportsBucket))
	if b == nil {
		return nil, ErrNoReport
	}
	text := b.Get(u[:])
	if text == nil {
		return nil, ErrNoReport
	}
	return parseRecord(u[:], text)
}

func (r *record) put(tx *store.Tx) error {
	u, err := parseID(r.ID)
	if err != nil {
		return err
	}
	return putJSON(tx, reportsBucket, u[:], r)
}
