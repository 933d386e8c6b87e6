package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"relais/api/endpoint"
	"relais/auth/account"
	"relais/community"
	"relais/market"
)

var meSessionsList = endpoint.New(endpoint.Decl{
	Name: "me_sessions_list", Title: "Own submissions by day", SignedIn: true,
	Summary: "What who is signed in submitted, by day, the last day first; of the speedtests also where and on which technologies.",
}, ownSessions)

// An OwnSession sums up a person's submissions of one day.
type OwnSession struct {
	Day          string        `json:"day" doc:"On which it was submitted, YYYY-MM-DD, UTC."`
	Submitted    Submissions   `json:"submitted"`
	Markets      []market.Code `json:"markets" doc:"Of the day's speedtests."`
	Technologies []string      `json:"technologies" doc:"Of the day's speedtests."`
	BestDownload *float64      `json:"bestDownloadSpeed" doc:"Of the day's speedtests, Mbit/s."`
}

// OwnSessions are a page of them.
type OwnSessions struct{ List[OwnSession] }

func ownSessions(r *Reading, _ context.Context, p *pageParams) (*OwnSessions, error) {
	days := map[string]*OwnSession{}
	for _, kind := range kinds {
		facts, err := r.People.Facts(r.Person.ID, kind)
		if err != nil {
			return nil, err
		}
		for _, f := range facts {
			day := f.Time.Format(time.DateOnly)
			if days[day] == nil {
				days[day] = &OwnSession{Day: day, Markets: []market.Code{}, Technologies: []string{}}
			}
			*days[day].Submitted.count(kind)++
			if kind == account.Speedtest {
				if err := days[day].add(f.Data); err != nil {
					return nil, err
				}
			}
		}
	}
	all := []OwnSession{}
	for _, s := range days {
		all = append(all, *s)
	}
	slices.SortFunc(all, func(a, b OwnSession) int { return cmp.Compare(b.Day, a.Day) })
	return &OwnSessions{paged(all, p.Offset, p.Limit)}, nil
}

// add takes in a speedtest.
func (s *OwnSession) add(data []byte) error {
	var own ownTest
	if err := json.Unmarshal(data, &own); err != nil {
		return err
	}
	if !slices.Contains(s.Markets, own.Market) {
		s.Markets = append(s.Markets, own.Market)
	}
	if t := own.Speedtest.ConnectionType; t != "" && !slices.Contains(s.Technologies, t) {
		s.Technologies = append(s.Technologies, t)
	}
	if d := own.Speedtest.DownloadSpeed; d != nil && (s.BestDownload == nil || *d > *s.BestDownload) {
		s.BestDownload = d
	}
	return nil
}

// Points for each kind of submission. docs/assistants.md has them too.
const (
	pointsOfReport       = 5 // that is kept and was not rejected
	pointsOfConfirmed    = 5 // more, when three confirmed it
	pointsOfConfirmation = 2 // of a report that is kept and was not rejected
	pointsOfValidation   = 2
	pointsOfSpeedtest    = 1
	pointsOfBug          = 1
)

var meGamificationStats = endpoint.New(endpoint.Decl{
	Name: "me_gamification_stats", Title: "Own points", SignedIn: true,
	Summary: "The points of who is signed in and what they come from. They are computed from the submissions on each call.",
}, ownPoints)

// Points are somebody's points.
type Points struct {
	Points  int         `json:"points"`
	Parts   []PointPart `json:"parts"`
	Days    int         `json:"activeDays" doc:"Days on which something was submitted."`
	First   *string     `json:"firstDay" doc:"YYYY-MM-DD."`
	Last    *string     `json:"lastDay"`
	Formula string      `json:"formula"`
}

// A PointPart is the points for one kind of submission.
type PointPart struct {
	What   string `json:"what"`
	Number int    `json:"number"`
	Each   int    `json:"pointsEach"`
	Points int    `json:"points"`
}

const formula = "5 for each outage that you reported and that was not rejected, 5 more when three confirmed it; 2 for each outage of others that you confirmed and that was not rejected; 2 for each validation; 1 for each speedtest; 1 for each bug. Reports count as long as they are kept, a year after their last news."

func ownPoints(r *Reading, _ context.Context, _ *struct{}) (*Points, error) {
	n, days := map[account.Kind]int{}, []string{}
	var reported, confirmed, confirmations int
	for _, kind := range kinds {
		facts, err := r.People.Facts(r.Person.ID, kind)
		if err != nil {
			return nil, err
		}
		n[kind] = len(facts)
		for _, f := range facts {
			days = append(days, f.Time.Format(time.DateOnly))
			if kind != account.Outage {
				continue
			}
			// Points depend on the state of a report, which the account does not have.
			report, role, err := r.ownReport(f.Ref)
			switch {
			case err != nil:
				return nil, err
			case report == nil || report.State == community.Rejected:
			case role == "confirmed":
				confirmations++
			default:
				reported++
				if report.Confirms >= community.NeededConfirmations {
					confirmed++
				}
			}
		}
	}
	slices.Sort(days)
	days = slices.Compact(days)
	p := &Points{Parts: []PointPart{}, Days: len(days), Formula: formula}
	if len(days) > 0 {
		p.First, p.Last = &days[0], &days[len(days)-1]
	}
	p.add("outages reported", reported, pointsOfReport)
	p.add("of these, confirmed by three users", confirmed, pointsOfConfirmed)
	p.add("outages of others confirmed", confirmations, pointsOfConfirmation)
	p.add("validations", n[account.Validation], pointsOfValidation)
	p.add("speedtests", n[account.Speedtest], pointsOfSpeedtest)
	p.add("bugs", n[account.Bug], pointsOfBug)
	return p, nil
}

func (p *Points) add(what string, number, each int) {
	p.Parts = append(p.Parts, PointPart{what, number, each, number * each})
	p.Points += number * each
}
