package people

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"relais/api/view"
	"relais/auth/account"
	"relais/community"
	"relais/httpapi/web"
	"relais/market"
)

// sentPath is the path of a person's submissions.
const sentPath = AccountPath + "/sent"

// sentKinds are what people send, in the order of the page.
var sentKinds = []account.Kind{account.Outage, account.Validation, account.Speedtest, account.Bug}

// sentOnPage is how many of a kind a page shows.
const sentOnPage = 50

// A sentPage is the data of sent.html.
type sentPage struct {
	Kinds        []sentChoice
	Title        string
	Count        int
	List         []sent
	Newer, Older string // addresses, "" for none
}

// A sentChoice leads to a kind.
type sentChoice struct {
	Name, Link string
	Here       bool
}

// A sent is a submission of a person.
type sent struct {
	When  string // it was sent
	What  string
	Link  string // of the site, "" for none
	State string
	Reply string // of the operator, "" for none
}

// sent lists a person's submissions of a kind, the newest first.
func (p *People) sent(w http.ResponseWriter, r *http.Request, v *Visit) {
	if r.Method == http.MethodPost {
		p.Redirect(w, web.Link(r, sentPath))
		return
	}
	kind := cmp.Or(account.Kind(r.URL.Query().Get("kind")), sentKinds[0])
	n, err := strconv.Atoi(cmp.Or(r.URL.Query().Get("page"), "1"))
	if !slices.Contains(sentKinds, kind) || err != nil || n < 1 {
		p.refuse(w, r, v, http.StatusNotFound, "notFound")
		return
	}
	facts, err := p.Accounts.Facts(v.ID, kind)
	if err != nil {
		p.failWith(w, r, v, err)
		return
	}
	pageLink := func(n int) string { return web.Link(r, sentPath, "kind", string(kind), "page", strconv.Itoa(n)) }
	data := sentPage{Title: v.Words["sent."+string(kind)], Count: len(facts)}
	for _, k := range sentKinds {
		link := web.Link(r, sentPath, "kind", string(k))
		data.Kinds = append(data.Kinds, sentChoice{v.Words["sent."+string(k)], link, k == kind})
	}
	first := min(n-1, len(facts)/sentOnPage+1) * sentOnPage
	for _, f := range facts[min(first, len(facts)):min(first+sentOnPage, len(facts))] {
		item := p.describe(r, v, f)
		item.When = v.Words.Moment(view.Moment(f.Time))
		data.List = append(data.List, item)
	}
	if n > 1 {
		data.Newer = pageLink(n - 1)
	}
	if first+sentOnPage < len(facts) {
		data.Older = pageLink(n + 1)
	}
	p.render(w, r, v, http.StatusOK, data.Title, "sent.html", data)
}

// describe describes a submission and its present state.
func (p *People) describe(r *http.Request, v *Visit, f account.Fact) sent {
	switch f.Kind {
	case account.Outage:
		return p.describeReport(r, v, f)
	case account.Validation:
		return p.describeValidation(r, v.Words, f)
	case account.Speedtest:
		return describeSpeedtest(v.Words, f)
	}
	return p.describeBug(v.Words, f)
}

func (p *People) describeReport(r *http.Request, v *Visit, f account.Fact) sent {
	w := v.Words
	report, err := p.Community.Report(f.Ref)
	switch {
	case errors.Is(err, community.ErrNoReport):
		return sent{What: w["sentRemoved"], State: w["state.removed"]}
	case err != nil:
		return sent{What: w["sentUnreadable"]}
	}
	role := w["sentConfirmed"]
	if p.Community.ReportedBy(f.Ref, v.ID) {
		role = w["sentReported"]
	}
	what := []string{role, market.Label(report.Market, report.Operator), w["severity."+string(report.Severity)]}
	if report.Commune != "" {
		what = append(what, report.Commune)
	}
	return sent{What: strings.Join(what, " · "), Link: siteLink(r, report.SiteKey),
		State: w["state."+string(report.State)]}
}

func (p *People) describeValidation(r *http.Request, w web.Words, f account.Fact) sent {
	v, ok := p.Community.Validation(f.Ref)
	if !ok {
		return sent{What: w["sentRemoved"], State: w["state.removed"]}
	}
	what := []string{w["subject."+string(v.Subject)]}
	switch {
	case v.Subject == community.Operator:
		what = append(what, market.Label(v.Market, v.Value))
	case v.Value != "":
		what = append(what, v.Value)
	}
	if v.Operator != "" {
		what = append(what, market.Label(v.Market, v.Operator))
	}
	return sent{What: strings.Join(what, " · "), Link: siteLink(r, v.SiteKey), State: w.Count("sentPeople", v.Count)}
}

func describeSpeedtest(w web.Words, f account.Fact) sent {
	var own struct {
		Market    market.Code    `json:"market"`
		Speedtest view.Speedtest `json:"speedtest"`
	}
	if err := json.Unmarshal(f.Data, &own); err != nil {
		return sent{What: w["sentUnreadable"]}
	}
	t, what := own.Speedtest, []string{}
	for _, speed := range []struct {
		name string
		mbps *float64
	}{{"download", t.DownloadSpeed}, {"average", t.AverageSpeed}, {"upload", t.UploadSpeed}} {
		if speed.mbps != nil {
			what = append(what, w.Fill("sentSpeed", w[speed.name], w.Decimal(*speed.mbps, 1)))
		}
	}
	for _, text := range []string{t.MobileOperator, t.ConnectionType, w.Market(own.Market), w.Moment(t.Timestamp)} {
		if text != "" {
			what = append(what, text)
		}
	}
	return sent{What: strings.Join(what, " · ")}
}

func (p *People) describeBug(w web.Words, f account.Fact) sent {
	var own struct {
		Title string `json:"title"`
	}
	if err := json.Unmarshal(f.Data, &own); err != nil {
		return sent{What: w["sentUnreadable"]}
	}
	b, err := p.Community.Bug(f.Ref)
	switch {
	case errors.Is(err, community.ErrNoBug):
		return sent{What: own.Title, State: w["state.removed"]}
	case err != nil:
		return sent{What: own.Title, State: w["sentUnreadable"]}
	}
	return sent{What: own.Title, State: w["state."+string(b.State)], Reply: b.Answer}
}

// siteLink returns the address of a site's page, "" for no site.
func siteLink(r *http.Request, key string) string {
	if key == "" {
		return ""
	}
	return web.Link(r, view.SitePagePath+url.PathEscape(key))
}
