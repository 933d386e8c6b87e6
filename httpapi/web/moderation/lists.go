package moderation

import (
	"errors"
	"net/url"
	"strings"

	"relais/admin"
	"relais/api/view"
	"relais/community/audit"
	"relais/market"
	"relais/photos"
)

// reportsWaiting selects the reports that wait for a decision.
var reportsWaiting = photos.ReportFilter{}

// An option is a choice of a filter.
type option struct {
	Value, Label string
	Chosen       bool
}

// options returns the choices of a filter, after one for all. label returns the text of a value.
func options(values []string, chosen string, label func(string) string) []option {
	list := make([]option, len(values))
	for i, v := range values {
		list[i] = option{v, label(v), v == chosen}
	}
	return list
}

// text returns the function that gives the text of a value whose name begins with a prefix.
func (q *request) text(prefix string) func(string) string {
	return func(value string) string {
		if text, ok := q.words[prefix+value]; ok {
			return text
		}
		return value
	}
}

func (q *request) markets(chosen string) []option {
	return options(market.Code("").Values(), chosen, q.text("market."))
}

// parameter returns a parameter of the address that is one of some values, else "".
func (q *request) parameter(name string, values []string) string {
	asked := q.r.URL.Query().Get(name)
	for _, v := range values {
		if v == asked {
			return v
		}
	}
	return ""
}

// A card is a photo as pages show it.
type card struct {
	*photos.Photo
	On       string // its version
	SitePage string
	Market   market.Code
}

func newCard(p *photos.Photo) *card {
	return &card{p, p.Version(), view.SitePagePath + url.PathEscape(p.SiteKey), market.OfSiteKey(p.SiteKey)}
}

// A reportCard is a report with its photo.
type reportCard struct {
	*photos.Report
	On    string
	Photo *card
}

func cardsOf(list []photos.Reported) (cards []reportCard) {
	for _, r := range list {
		cards = append(cards, reportCard{r.Report, r.Report.Version(), newCard(r.Photo)})
	}
	return cards
}

func photoCards(list []*photos.Photo) (cards []*card) {
	for _, p := range list {
		cards = append(cards, newCard(p))
	}
	return cards
}

// inQueue is how many reports and how many photos the queue has.
const inQueue = 10

// queue shows the reports and photos that have waited longest.
func (q *request) queue() (any, error) {
	reports, err := ask[admin.ReportList](q, admin.ListReports{Page: admin.Page{Limit: inQueue}})
	held, err2 := ask[admin.PhotoList](q, admin.ListPhotos{Filter: photos.Filter{State: photos.Held},
		Page: admin.Page{Limit: inQueue}})
	return struct {
		Reports        []reportCard
		Held           []*card
		ReportN, HeldN int
	}{cardsOf(reports.Reports), photoCards(held.Photos), reports.Total, held.Total}, errors.Join(err, err2)
}

// photos lists photos.
func (q *request) photos() (any, error) {
	states := []string{string(photos.Held), string(photos.Concealed), string(photos.Shown)}
	f := photos.Filter{State: photos.State(q.parameter("state", states)), SiteKey: q.r.URL.Query().Get("site"),
		Market: market.Code(q.parameter("market", market.Code("").Values()))}
	l, err := ask[admin.PhotoList](q, admin.ListPhotos{Filter: f, Page: q.part()})
	return struct {
		Photos          []*card
		Paging          paging
		States, Markets []option
		Site            string
	}{photoCards(l.Photos), q.paging(l.Total), options(states, string(f.State), q.text("state.")),
		q.markets(string(f.Market)), f.SiteKey}, err
}

// photo shows one photo, the reports about it, and the decisions about it.
func (q *request) photo() (any, error) {
	p, err := q.Stores.Photos.Photo(strings.TrimPrefix(q.r.URL.Path, Path+"/photos/"))
	if err != nil {
		return nil, err
	}
	reports, err := ask[admin.ReportList](q, admin.ListReports{ReportFilter: photos.ReportFilter{All: true, Photo: p.ID},
		Page: admin.Page{Limit: perPage}})
	entries, err2 := ask[admin.AuditList](q, admin.ListAudit{Filter: audit.Filter{Subject: p.ID}, Page: admin.Page{Limit: perPage}})
	return struct {
		Photo   *card
		Reports []reportCard
		Entries []line
	}{newCard(p), cardsOf(reports.Reports), q.lines(entries.Entries)}, errors.Join(err, err2)
}

// reports lists the reports that wait, or all.
func (q *request) reports() (any, error) {
	f := photos.ReportFilter{All: q.r.URL.Query().Get("state") == "all",
		Reason: photos.Reason(q.parameter("reason", photos.Reason("").Values())),
		Market: market.Code(q.parameter("market", market.Code("").Values()))}
	l, err := ask[admin.ReportList](q, admin.ListReports{ReportFilter: f, Page: q.part()})
	return struct {
		Reports          []reportCard
		Paging           paging
		All              bool
		Reasons, Markets []option
	}{cardsOf(l.Reports), q.paging(l.Total), f.All, options(photos.Reason("").Values(), string(f.Reason), q.text("reason.")),
		q.markets(string(f.Market))}, err
}
