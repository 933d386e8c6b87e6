package community

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"relais/geo"
	"relais/internal/store"
	"relais/market"
	"relais/outage"
)

// A ReportState is the state of a report.
type ReportState string

// The states. A report is confirmed after NeededConfirmations, and dormant after patience without
// news, until there is some. It is closed when it is resolved or rejected.
const (
	Reported  ReportState = "reported"
	Confirmed ReportState = "confirmed"
	Dormant   ReportState = "dormant"
	Resolved  ReportState = "resolved"
	Rejected  ReportState = "rejected"
)

// reportStates lists the states.
var reportStates = []ReportState{Reported, Confirmed, Dormant, Resolved, Rejected}

const (
	NeededConfirmations = 3              // by different users, none of them the reporter
	patience            = 24 * time.Hour // that a report stays without news
)

// reportPrefix begins the ids of reports, by api.md.
const reportPrefix = "community:"

// A Report is an outage that somebody reported, without the reporter. Times are UTC, to the
// second.
type Report struct {
	ID           string          `json:"id"` // community: and a UUID
	Market       market.Code     `json:"market"`
	Operator     string          `json:"operator"`          // key
	SiteKey      string          `json:"siteKey,omitempty"` // "": of no site
	SiteName     string          `json:"siteName,omitempty"`
	Address      string          `json:"address,omitempty"`
	Commune      string          `json:"commune,omitempty"`
	Area         string          `json:"area,omitempty"` // code of the market's table, when the position tells
	Lat          float64         `json:"lat"`
	Lng          float64         `json:"lng"`
	Severity     outage.Severity `json:"severity"`
	Services     []string        `json:"services"`     // of outage.AllServices
	Technologies []string        `json:"technologies"` // of outage.AllTechnologies
	Reason       string          `json:"reason,omitempty"`
	StartedAt    time.Time       `json:"startedAt"`
	CreatedAt    time.Time       `json:"createdAt"`
	NewsAt       time.Time       `json:"newsAt"` // the report or the last confirmation
	ClosedAt     *time.Time      `json:"closedAt,omitempty"`
	Why          string          `json:"why,omitempty"` // it was rejected: for moderators
	State        ReportState     `json:"state"`         // in the file, dormant is as before
	Confirms     int             `json:"confirmCount"`

	// OperatorConfirmed reports for an open report that the operator publishes an unavailable site
	// within 300 m.
	OperatorConfirmed bool `json:"-"`
}

// Point returns the place of the outage.
func (r *Report) Point() geo.Point { return geo.Point{Lat: r.Lat, Lng: r.Lng} }

// Place implements outage.Located.
func (r *Report) Place() (operator, area string, p geo.Point) { return r.Operator, r.Area, r.Point() }

// Remaining returns how many confirmations are missing, nil if none can come any more.
func (r *Report) Remaining() *int {
	if !r.open() {
		return nil
	}
	n := max(0, NeededConfirmations-r.Confirms)
	return &n
}

func (r *Report) open() bool { return r.State != Resolved && r.State != Rejected }

// stateAt returns the state of the report at a time.
func (r *Report) stateAt(now time.Time) ReportState {
	if r.open() && now.Sub(r.NewsAt) > patience {
		return Dormant
	}
	return r.State
}

// asOf returns a copy of the report in its state at a time, with these feeds.
func (r *Report) asOf(now time.Time, feeds *outage.Store) *Report {
	c := *r
	c.State = r.stateAt(now)
	c.OperatorConfirmed = r.open() && feeds.UnavailableNear(r.Market, r.Operator, r.Point(), sameOutageMetres)
	return &c
}

// A reportRecord is a report as it is stored. Users are hashes that differ from report to report,
// so that the file reveals neither who they are nor what else they reported.
type reportRecord struct {
	Report
	Reporter   []byte   `json:"reporter,omitempty"` // nil: forgotten
	Confirmers [][]byte `json:"confirmers,omitempty"`
	Token      []byte   `json:"token,omitempty"` // key in tokensBucket
}

func (r *reportRecord) hash(user string) []byte { return hash("user", r.ID, user) }

// A NewReport is a report to make.
type NewReport struct {
	Market                                      market.Code
	Operator                                    string // key, in any case
	At                                          geo.Point
	SiteKey, SiteName, Address, Commune, Reason string
	Severity                                    outage.Severity // "": outage.Down
	Services, Technologies                      []string
	StartedAt                                   time.Time // zero: now
	User                                        string    // an opaque id of who says it
	Program                                     bool      // the user is not a person: it confirms nothing
	// Token identifies the call, unless it is "": a second call of the user with the same token
	// returns the report of the first one.
	Token string
}

// Bounds of reports.
const (
	maxReportText = 2000 // bytes
	maxAge        = 30 * 24 * time.Hour
	maxAhead      = 5 * time.Minute // that clocks may differ
)

// report returns the report, or an error if a value is out of bounds.
func (n *NewReport) report(now time.Time) (*Report, error) {
	m := market.Get(n.Market)
	if m == nil {
		return nil, &InvalidError{"market", string(n.Market), "one of " + strings.Join(n.Market.Values(), ", ")}
	}
	operator, err := operatorOf(m, "operator", n.Operator)
	if err == nil {
		err = n.check(m, now)
	}
	if err != nil {
		return nil, err
	}
	r := &Report{
		Market: m.Code, Operator: operator, SiteKey: n.SiteKey, SiteName: n.SiteName, Address: n.Address,
		Commune: n.Commune, Area: areaAt(m, n.At), Lat: geo.Degrees(geo.Fix(n.At.Lat)),
		Lng: geo.Degrees(geo.Fix(n.At.Lng)), Severity: n.Severity,
		Services:     inOrder(outage.AllServices, n.Services),
		Technologies: inOrder(outage.AllTechnologies, n.Technologies),
		Reason:       n.Reason, StartedAt: n.StartedAt.UTC().Truncate(time.Second), CreatedAt: now, NewsAt: now,
		State: Reported,
	}
	if r.Severity == "" {
		r.Severity = outage.Down
	}
	if n.StartedAt.IsZero() {
		r.StartedAt = now
	}
	return r, nil
}

func (n *NewReport) check(m *market.Market, now time.Time) error {
	switch {
	case !n.At.Valid() || !m.Contains(n.At):
		return fmt.Errorf("the position %v, %v is not in the market %s", n.At.Lat, n.At.Lng, m.Code)
	case n.Severity != "" && n.Severity != outage.Down && n.Severity != outage.Degraded:
		return fmt.Errorf("the severity %.50q is neither %s nor %s", n.Severity, outage.Down, outage.Degraded)
	case !n.StartedAt.IsZero() && (n.StartedAt.After(now.Add(maxAhead)) || n.StartedAt.Before(now.Add(-maxAge))):
		return fmt.Errorf("the beginning %s is in the future or over 30 days ago",
			n.StartedAt.UTC().Format(time.RFC3339))
	}
	for _, text := range []string{n.SiteKey, n.SiteName, n.Address, n.Commune, n.Reason} {
		if len(text) > maxReportText || !utf8.ValidString(text) {
			return fmt.Errorf("a text of %d bytes, of at most %d, in UTF-8: %.50q", len(text), maxReportText, text)
		}
	}
	if err := among("service", outage.AllServices, n.Services); err != nil {
		return err
	}
	if err := among("technology", outage.AllTechnologies, n.Technologies); err != nil {
		return err
	}
	return checkIDs(n.User, n.Token)
}

func among(what string, all, some []string) error {
	for _, s := range some {
		if !slices.Contains(all, s) {
			return fmt.Errorf("the %s %.50q is not one of %s", what, s, strings.Join(all, ", "))
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

// reportKey returns the key of a report by its id. Error: ErrNoReport.
func reportKey(id string) (uuid.UUID, error) {
	rest, ok := strings.CutPrefix(id, reportPrefix)
	u, err := uuid.Parse(rest)
	if !ok || err != nil || u.String() != rest {
		return u, ErrNoReport
	}
	return u, nil
}

func parseReport(k, text []byte) (*reportRecord, error) {
	r := &reportRecord{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("outage report %x: %w", k, err)
	}
	u, err := reportKey(r.ID)
	if err != nil || string(u[:]) != string(k) {
		return nil, fmt.Errorf("outage report %x: it is stored as %q", k, r.ID)
	}
	m := market.Get(r.Market)
	if m == nil || !slices.Contains(m.OperatorKeys(), r.Operator) || !r.Point().Valid() || r.State == Dormant ||
		!slices.Contains(reportStates, r.State) {
		return nil, fmt.Errorf("outage report %s: of the operator %q of %q at %v, %q", r.ID, r.Operator, r.Market,
			r.Point(), r.State)
	}
	return r, nil
}

// getReport reads a report. Error: ErrNoReport.
func getReport(tx *store.Tx, id string) (*reportRecord, error) {
	u, err := reportKey(id)
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
	return parseReport(u[:], text)
}

// areaAt returns the code of the area at a position, "" if it is not known.
func areaAt(m *market.Market, p geo.Point) string {
	if i, ok := m.AreaAt(p); ok {
		return m.Areas[i].Code
	}
	return ""
}

func (r *reportRecord) put(tx *store.Tx) error {
	u, err := reportKey(r.ID)
	if err != nil {
		return err
	}
	return store.PutJSON(tx, reportsBucket, u[:], r)
}
