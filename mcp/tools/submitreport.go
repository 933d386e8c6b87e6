package tools

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"relais/api"
	"relais/api/endpoint"
	"relais/api/view"
	"relais/auth/account"
	"relais/community"
	"relais/geo"
	"relais/index"
	"relais/internal/fold"
	"relais/market"
	"relais/outage"
	"relais/site"
)

var submitReport = endpoint.New(endpoint.Decl{
	Name: "community_submit_report", Title: "Report an outage", SignedIn: true, Writes: true,
	Summary: "Reports, for who signed in, that an operator's network does not work at a site or place. Where somebody reported one of the operator within 300 m in the last 24 hours, it confirms that report instead; three people, who reported it among them, make it confirmed. Ask before you submit. Look with community_list_observations_nearby first, and at sites_hs_nearby for what the operator says.",
}, sendReport)

type submitReportParams struct {
	tokenParams
	Operator  api.Operator   `param:"operator" required:"true" doc:"The operator whose network does not work: a key of capabilities_guide." example:"SFR"`
	Site      string         `param:"siteId" max:"128" doc:"The site, where it is known: siteKey, site id, national code or station number. Else lat and lon." example:"fr-23444"`
	Lat       *float64       `param:"lat" min:"-90" max:"90" doc:"Where it does not work, WGS84 degrees; without siteId." example:"48.8584"`
	Lon       *float64       `param:"lon" min:"-180" max:"180" doc:"Longitude." example:"2.2945"`
	Market    *market.Code   `param:"market" doc:"The market; default: that of the site, else FR."`
	Severity  severity       `param:"severity" default:"down" doc:"down when nothing works, else degraded."`
	Services  serviceList    `param:"services" doc:"What does not work: of data, voice, sms, with commas in between." example:"data,voice"`
	Networks  technologyList `param:"technologies" doc:"On which networks: of 2g, 3g, 4g, 5g, with commas in between." example:"4g,5g"`
	StartedAt instant        `param:"startedAt" doc:"Since when, ISO 8601 with its zone; default: now. At most 30 days ago." example:"2026-11-21T08:30:00Z"`
	Reason    string         `param:"reason" max:"500" doc:"What is known of the cause. It is shown to everybody: no names, numbers or addresses of people."`
}

// Check holds the rules over several parameters.
func (p *submitReportParams) Check() error {
	switch at := p.Lat != nil && p.Lon != nil; {
	case p.Site == "" && !at:
		return &endpoint.ParamError{Param: "siteId", Want: "missing: give siteId, or lat and lon"}
	case p.Site != "" && (p.Lat != nil || p.Lon != nil):
		return &endpoint.ParamError{Param: "lat, lon", Want: "not with siteId: the site's position counts"}
	case p.Operator == market.AllOperators:
		return &endpoint.ParamError{Param: "operator", Value: string(p.Operator),
			Want: "one operator: report each outage by itself"}
	}
	return nil
}

// A severity is an outage.Severity as a parameter.
type severity string

// Values lists the severities.
func (severity) Values() []string { return []string{string(outage.Down), string(outage.Degraded)} }

type (
	// A serviceList is words of outage.AllServices, a technologyList those of
	// outage.AllTechnologies, with commas in between.
	serviceList    string
	technologyList string
	// An instant is a time of RFC 3339.
	instant string
)

// UnmarshalText accepts any order and case.
func (l *serviceList) UnmarshalText(b []byte) error {
	words, err := matchWords(outage.AllServices, string(b))
	*l = serviceList(strings.Join(words, ","))
	return err
}

// UnmarshalText accepts any order and case.
func (l *technologyList) UnmarshalText(b []byte) error {
	words, err := matchWords(outage.AllTechnologies, string(b))
	*l = technologyList(strings.Join(words, ","))
	return err
}

// UnmarshalText accepts a time with its zone.
func (i *instant) UnmarshalText(b []byte) error {
	if _, err := time.Parse(time.RFC3339, string(b)); err != nil {
		return errors.New("a time with its zone, such as 2026-11-21T08:30:00Z")
	}
	*i = instant(b)
	return nil
}

// split splits a list at commas and blanks: assistants write both.
func split(words string) []string {
	return strings.FieldsFunc(words, func(r rune) bool { return r == ',' || r == ' ' })
}

// matchWords returns the words of all that a text names, in the order of all: equal lists are then equal texts.
func matchWords(all []string, text string) (list []string, err error) {
	given := split(text)
	for _, word := range all {
		if slices.ContainsFunc(given, func(g string) bool { return fold.EqualASCII(g, word) }) {
			list = append(list, word)
		}
	}
	for _, g := range given {
		if !slices.ContainsFunc(all, func(word string) bool { return fold.EqualASCII(g, word) }) {
			return nil, errors.New("one or several of " + strings.Join(all, ", ") + ", with commas in between")
		}
	}
	return list, nil
}

// A ReportReceipt is the outcome of a report.
type ReportReceipt struct {
	Receipt
	Outage *ReportedOutage `json:"outage" doc:"As /outages shows it."`
}

func sendReport(r *Reading, _ context.Context, p *submitReportParams) (*ReportReceipt, error) {
	n, err := p.report(r)
	if err != nil {
		return nil, err
	}
	return submit(r, "community_submit_report", account.Outage, p.Token,
		p, func(token string) (*ReportReceipt, account.Fact, error) {
			n.User, n.Token, n.Program = r.Person.ID, token, r.Person.Client != ""
			if err := r.Submissions.Community.ValidateReport(n); err != nil {
				return nil, account.Fact{}, &api.Error{Status: 400, Code: "INVALID_PARAMETER", Message: err.Error()}
			}
			report, made, err := r.Submissions.Community.ReportOrConfirm(n)
			if err == nil && !sameOutage(report, n) { // of a token whose first answer is not kept
				err = errTokenUsed
			}
			if err != nil {
				return nil, account.Fact{}, err
			}
			a := &ReportReceipt{Receipt{ID: report.ID, State: string(report.State), New: made, ShownAt: []string{
				r.apiPage("/outages?market=%s&operator=%s&source=community&lat=%v&lon=%v&radiusKm=1", report.Market,
					report.Operator, report.Lat, report.Lng),
				"community_list_observations_nearby", "me_reports_status"}}, r.newReportedOutage(report)}
			return a, account.Fact{Kind: account.Outage, Ref: report.ID}, nil
		})
}

// sameOutage reports whether a report can be the one that n made or confirmed. ReportOrConfirm takes one within
// 300 m; the metre more is for positions that were rounded.
func sameOutage(report *community.Report, n community.NewReport) bool {
	return report.Market == n.Market && fold.EqualASCII(report.Operator, n.Operator) &&
		geo.Distance(report.Point(), n.At) < 301
}

// report returns the report of the parameters, without its user.
func (p *submitReportParams) report(r *Reading) (n community.NewReport, err error) {
	n = community.NewReport{Market: market.Default, Operator: string(p.Operator), Reason: p.Reason,
		Severity: outage.Severity(p.Severity),
		Services: split(string(p.Services)), Technologies: split(string(p.Networks))}
	if p.StartedAt != "" {
		if n.StartedAt, err = time.Parse(time.RFC3339, string(p.StartedAt)); err != nil {
			return n, err
		}
	}
	if p.Market != nil {
		n.Market = *p.Market
	}
	if p.Site == "" {
		n.At = geo.Point{Lat: *p.Lat, Lng: *p.Lon}
		_, err = p.Operator.Position(market.Get(n.Market))
		return n, err
	}
	loaded, at, err := siteParams{p.Site, p.Market}.find(r)
	if err != nil {
		return n, err
	}
	operator, err := p.Operator.Position(loaded.Table)
	if err != nil {
		return n, err
	}
	if !loaded.Has(at, operator) {
		return n, &endpoint.ParamError{Param: "operator", Value: string(p.Operator), Want: "an operator of the site"}
	}
	var s site.Site
	loaded.Site(at, &s)
	v := view.NewSummary(loaded.Snap, &s)
	n.Market, n.At, n.SiteKey = loaded.Table.Code, s.Position, index.Key(loaded.Table.Code, s.ID)
	n.SiteName = n.SiteKey // answers name the site by nothing else
	n.Commune, n.Address = *cmp.Or(v.Location.Commune, new(string)), *cmp.Or(v.Location.Address, new(string))
	return n, nil
}
