package tools

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"relais/api/endpoint"
	"relais/api/view"
	"relais/auth/account"
	"relais/catalog"
	"relais/community"
	"relais/geo"
	"relais/market"
	"relais/measure"
)

var meTools = []*Tool{meWhoami, meSpeedtestsList, meSessionsList, meReportsStatus, meBugsStatus, meGamificationStats}

// kinds are the kinds of submissions, in the order of answers.
var kinds = []account.Kind{account.Outage, account.Speedtest, account.Validation, account.Bug}

var meWhoami = endpoint.New(endpoint.Decl{
	Name: "me_whoami", Title: "Who is signed in", SignedIn: true,
	Summary: "The account that these tools act for, what it submitted so far, and how much it may submit in this hour.",
}, whoami)

// Me is an account as its person sees it.
type Me struct {
	Name      string      `json:"name"`
	Kind      string      `json:"kind" doc:"person, or client for an API client that acts as its own account."`
	Created   string      `json:"createdAt" doc:"ISO 8601, UTC."`
	Programs  int         `json:"programs" doc:"Programs that may act for the account now."`
	Submitted Submissions `json:"submitted"`
	Left      int         `json:"submissionsLeft" doc:"How much may be submitted until the hour ends."`
	Hourly    int         `json:"submissionsPerHour"`
}

// Submissions are the numbers of a person's submissions.
type Submissions struct {
	Outages     int `json:"outages" doc:"Reported or confirmed."`
	Speedtests  int `json:"speedtests"`
	Validations int `json:"validations"`
	Bugs        int `json:"bugs"`
}

// count returns the number of a kind, to be read or set.
func (s *Submissions) count(kind account.Kind) *int {
	return map[account.Kind]*int{account.Outage: &s.Outages, account.Speedtest: &s.Speedtests,
		account.Validation: &s.Validations, account.Bug: &s.Bugs}[kind]
}

func whoami(r *Reading, _ context.Context, _ *struct{}) (*Me, error) {
	a, err := r.People.Find(r.Person.ID)
	if err != nil {
		return nil, submissionError(err)
	}
	me := &Me{Name: a.Name, Kind: "person", Created: view.Moment(a.Created), Programs: a.Programs,
		Left: r.Submissions.left(a.ID, r.Now), Hourly: hourlyLimit}
	if a.Client != "" {
		me.Kind = "client"
	}
	for _, kind := range kinds {
		if *me.Submitted.count(kind), err = r.People.Count(a.ID, kind); err != nil {
			return nil, err
		}
	}
	return me, nil
}

// own returns a page of the person's submissions of a kind as show makes them, the newest first.
func own[T any](r *Reading, kind account.Kind, p *pageParams, show func(account.Fact) (T, error)) (List[T], error) {
	facts, err := r.People.Facts(r.Person.ID, kind)
	items := []T{}
	for _, f := range paged(facts, p.Offset, p.Limit).Items {
		item, err := show(f)
		if err != nil {
			return List[T]{}, err
		}
		items = append(items, item)
	}
	return listOf(items, p.Offset, len(facts)), err
}

var meSpeedtestsList = endpoint.New(endpoint.Decl{
	Name: "me_speedtests_list", Title: "Own speedtests", SignedIn: true,
	Summary: "The speedtests that who is signed in submitted, the last submitted first, and whether the API still shows them.",
}, ownSpeedtests)

// An OwnSpeedtest is a speedtest as the person who submitted it sees it.
type OwnSpeedtest struct {
	Submitted string         `json:"submittedAt" doc:"ISO 8601, UTC."`
	State     string         `json:"state" doc:"shown, or removed when it became too old; unknown while measurements cannot be read."`
	Market    market.Code    `json:"market"`
	Speedtest view.Speedtest `json:"speedtest"`
}

// OwnSpeedtests are a page of them.
type OwnSpeedtests struct{ List[OwnSpeedtest] }

func ownSpeedtests(r *Reading, _ context.Context, p *pageParams) (*OwnSpeedtests, error) {
	list, err := own(r, account.Speedtest, p, func(f account.Fact) (OwnSpeedtest, error) {
		var own ownTest
		if err := json.Unmarshal(f.Data, &own); err != nil {
			return OwnSpeedtest{}, err
		}
		state, err := r.stateOf(own)
		return OwnSpeedtest{view.Moment(f.Time), state, own.Market, own.Speedtest}, err
	})
	return &OwnSpeedtests{list}, err
}

// maxTestsAtPoint is how many speedtests at one point are searched for one.
const maxTestsAtPoint = 10_000

// stateOf returns whether a speedtest is still shown. The store finds speedtests by place, not by id, so it looks
// among those at the same point.
func (r *Reading) stateOf(own ownTest) (string, error) {
	at := own.Speedtest.Coordinates
	found, err := r.Speedtests(catalog.Measures{Market: market.Get(own.Market), Limit: maxTestsAtPoint,
		Box: &geo.Box{North: at.Lat, South: at.Lat, East: at.Lng, West: at.Lng}})
	switch {
	case errors.Is(err, catalog.ErrNoMeasures):
		return "unknown", nil
	case slices.ContainsFunc(found.Items, func(t measure.Test) bool { return t.ID == own.Speedtest.ID }):
		return "shown", err
	}
	return "removed", err
}

var meReportsStatus = endpoint.New(endpoint.Decl{
	Name: "me_reports_status", Title: "Own outage reports", SignedIn: true,
	Summary: "The outages that who is signed in reported or confirmed, the last first, with their state and confirmations.",
}, ownReports)

// An OwnReport is an outage report as its reporter sees it.
type OwnReport struct {
	ID        string          `json:"id"`
	Role      string          `json:"role" doc:"reported or confirmed; empty when the report was deleted."`
	Submitted string          `json:"submittedAt" doc:"ISO 8601, UTC."`
	State     string          `json:"state" doc:"reported, confirmed by three users, dormant after 24 hours without news, resolved, rejected; removed a year after its last news."`
	Shown     bool            `json:"shown" doc:"Whether /outages shows it."`
	Outage    *ReportedOutage `json:"outage" doc:"null when the report was deleted."`
}

// OwnReports are a page of them.
type OwnReports struct{ List[OwnReport] }

func ownReports(r *Reading, _ context.Context, p *pageParams) (*OwnReports, error) {
	list, err := own(r, account.Outage, p, func(f account.Fact) (OwnReport, error) {
		item := OwnReport{ID: f.Ref, Submitted: view.Moment(f.Time), State: "removed"}
		report, role, err := r.ownReport(f.Ref)
		if report != nil {
			item.Role, item.State, item.Outage = role, string(report.State), r.newReportedOutage(report)
			item.Shown = report.State == community.Reported || report.State == community.Confirmed
		}
		return item, err
	})
	return &OwnReports{list}, err
}

// ownReport returns a report and the person's role in it; nil when it is not kept.
func (r *Reading) ownReport(id string) (report *community.Report, role string, err error) {
	report, err = r.Submissions.Community.Report(id)
	if errors.Is(err, community.ErrNoReport) {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", err
	}
	role = "confirmed"
	if r.Submissions.Community.ReportedBy(id, r.Person.ID) {
		role = "reported"
	}
	return report, role, nil
}

var meBugsStatus = endpoint.New(endpoint.Decl{
	Name: "me_bugs_status", Title: "Own bugs", SignedIn: true,
	Summary: "The bugs that who is signed in filed, the last first, with their state and the answer.",
}, ownBugs)

// An OwnBug is a bug as the person who filed it sees it.
type OwnBug struct {
	ID      string  `json:"id"`
	Title   string  `json:"titleByUser"`
	State   string  `json:"state" doc:"open or closed; removed a year after that."`
	Created string  `json:"createdAt" doc:"ISO 8601, UTC."`
	Closed  *string `json:"closedAt" doc:"ISO 8601, UTC."`
	Answer  *string `json:"answer" doc:"Of who closed it."`
	ByUsers
}

// OwnBugs are a page of them.
type OwnBugs struct{ List[OwnBug] }

func ownBugs(r *Reading, _ context.Context, p *pageParams) (*OwnBugs, error) {
	list, err := own(r, account.Bug, p, func(f account.Fact) (OwnBug, error) {
		var own ownBug
		if err := json.Unmarshal(f.Data, &own); err != nil {
			return OwnBug{}, err
		}
		// The account has the title; state and answer are gone with the bug.
		item := OwnBug{ID: f.Ref, Title: own.Title, ByUsers: byUsers, State: "removed", Created: view.Moment(f.Time)}
		b, err := r.Submissions.Community.Bug(f.Ref)
		if errors.Is(err, community.ErrNoBug) {
			return item, nil
		}
		if err != nil {
			return item, err
		}
		item.State, item.Answer = string(b.State), textOrNull(b.Answer)
		if b.ClosedAt != nil {
			item.Closed = timeOrNull(*b.ClosedAt)
		}
		return item, nil
	})
	return &OwnBugs{list}, err
}
