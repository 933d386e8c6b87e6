package moderation

import (
	"net/url"
	"slices"

	"relais/admin"
	"relais/api/view"
	"relais/auth/account"
	"relais/community"
	"relais/market"
)

// An outageCard is a report of an outage.
type outageCard struct {
	admin.OutageReport
	On       string
	SitePage string // "" without a site
	Open     bool
}

// Point returns the position of the outage.
func (c outageCard) Point() view.Coordinates { return view.Coordinates{Lat: c.Lat, Lng: c.Lng} }

// openStates are those of reports about which a moderator may still decide.
var openStates = []community.ReportState{community.Reported, community.Confirmed, community.Dormant}

// outages lists people's reports of outages.
func (q *request) outages() (any, error) {
	all := q.r.URL.Query().Get("state") == "all"
	f := community.ReportFilter{Market: market.Code(q.parameter("market", market.Code("").Values())), States: openStates}
	if all {
		f.States = nil
	}
	l, err := ask[admin.OutageList](q, admin.ListOutages{ReportFilter: f, Page: q.part()})
	cards := make([]outageCard, len(l.Reports))
	for i, r := range l.Reports {
		cards[i] = outageCard{OutageReport: r, On: r.Version(), Open: slices.Contains(openStates, r.State)}
		if r.SiteKey != "" {
			cards[i].SitePage = view.SitePagePath + url.PathEscape(r.SiteKey)
		}
	}
	return struct {
		Reports []outageCard
		Paging  paging
		All     bool
		Markets []option
	}{cards, q.paging(l.Total), all, q.markets(string(f.Market))}, err
}

// A bugCard is a bug.
type bugCard struct {
	community.Bug
	On string
}

// bugs lists bugs.
func (q *request) bugs() (any, error) {
	all := q.r.URL.Query().Get("state") == "all"
	l, err := ask[admin.BugList](q, admin.ListBugs{All: all, Page: q.part()})
	cards := make([]bugCard, len(l.Bugs))
	for i, b := range l.Bugs {
		cards[i] = bugCard{b, b.Version()}
	}
	return struct {
		Bugs   []bugCard
		Paging paging
		All    bool
	}{cards, q.paging(l.Total), all}, err
}

// A userCard is an account of a person.
type userCard struct {
	*account.Account
	On    string
	Own   bool // the admin's
	Roles []option
}

// users lists the accounts of people. Those of API clients go with the clients.
func (q *request) users() (any, error) {
	all, err := ask[[]*account.Account](q, admin.ListUsers{})
	all = slices.DeleteFunc(all, func(a *account.Account) bool { return a.Client != "" || a.Lost })
	part := q.part()
	from := min(part.Offset, len(all))
	var cards []userCard
	roles := make([]string, len(account.Roles))
	for i, r := range account.Roles {
		roles[i] = string(r)
	}
	for _, a := range all[from:min(from+part.Limit, len(all))] {
		cards = append(cards, userCard{a, a.Version(), a.ID == q.visit.ID, options(roles, string(a.Role), q.text("role."))})
	}
	return struct {
		Users  []userCard
		Paging paging
	}{cards, q.paging(len(all))}, err
}
