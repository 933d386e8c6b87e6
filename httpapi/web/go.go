package web

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"relais/api/endpoint"
	"relais/api/view"
	"relais/geo"
	"relais/index"
	"relais/market"
	"relais/site"
)

// goPath leads to the site that serves a cell.
const goPath = "/go"

// A goQuery is what a router or a phone shows of its cell.
type goQuery struct {
	PLMN               string
	ECI, ENB, NCI, PCI *uint64
	At                 *geo.Point
}

// goFields are the parameters of /go as they were sent, for its form.
type goFields struct{ PLMN, ECI, ENB, NCI, PCI, Lat, Lon string }

// A goPage is the data of go.html.
type goPage struct {
	Fields     goFields
	Title      string
	Notices    []string
	Candidates []goCandidate
	Asked      bool
	More       bool // than are shown
}

// goTo opens the page of the site that serves a cell, or lists the sites that may.
func (p *Pages) goTo(w http.ResponseWriter, r *http.Request) {
	words, values := wordsFor(r), r.URL.Query()
	if p.Keyed {
		p.failWith(w, r, http.StatusForbidden, words["needsKey"])
		return
	}
	page := &goPage{Fields: newGoFields(values), Title: words["goTitle"]}
	w.Header().Set("Cache-Control", "no-cache")
	if page.Fields == (goFields{}) {
		p.render(w, r, http.StatusOK, "go.html", page)
		return
	}
	page.Asked = true
	q, err := page.Fields.query()
	if bad, ok := errors.AsType[*goError](err); ok {
		page.Notices = []string{words.Fill(bad.name, bad.values...)}
		p.render(w, r, http.StatusBadRequest, "go.html", page)
		return
	}
	networks, err := p.networks(q)
	if err != nil {
		status, text := p.failure(words, err, words.asked(codeOf(q)))
		page.Notices = []string{text}
		retryAfter(w.Header(), err)
		p.render(w, r, status, "go.html", page)
		return
	}
	candidates := q.candidates(networks)
	if key, ok := q.certain(candidates); ok {
		http.Redirect(w, r, p.URL(Link(r, view.SitePage("", key))), http.StatusSeeOther)
		return
	}
	p.showCandidates(w, r, q, page, candidates)
}

// showCandidates answers the page with what was found, and why none of it is certain.
func (p *Pages) showCandidates(w http.ResponseWriter, r *http.Request, q *goQuery, page *goPage, all []candidate) {
	words, status := wordsFor(r), http.StatusOK
	switch len(all) {
	case 0:
		page.Title, status = words["goNone"], http.StatusNotFound
	case 1:
		page.Title = words["goOne"]
	default:
		page.Title = words.Fill("goSeveral", words.Number(len(all)))
	}
	page.Notices = append(page.Notices, q.notices(words)...)
	page.More = len(all) > mostCandidates
	for _, c := range all[:min(len(all), mostCandidates)] {
		page.Candidates = append(page.Candidates, p.newGoCandidate(r, words, q, c))
	}
	p.render(w, r, status, "go.html", page)
}

// notices say what is missing in the question.
func (q *goQuery) notices(w words) (list []string) {
	switch m, _ := market.Network(q.PLMN); {
	case q.PLMN == "":
		list = append(list, w["goNoNetwork"])
	case m == nil:
		list = append(list, w.Fill("goUnknownNetwork", q.PLMN))
	}
	if !q.hasNode() {
		list = append(list, w["goPCIOnly"])
	}
	return list
}

// A goError is a question that cannot be asked: the name of a text and its values.
type goError struct {
	name   string
	values []any
}

func (e *goError) Error() string { return e.name }

// maxField is the length up to which a parameter is shown again, in characters.
const maxField = 40

func newGoFields(v url.Values) goFields {
	get := func(names ...string) string {
		for _, name := range names {
			if text := cleanText(v.Get(name)); text != "" {
				return firstRunes(text, maxField+1)
			}
		}
		return ""
	}
	return goFields{PLMN: get("plmn"), ECI: get("eci"), ENB: get("enb"), NCI: get("nci"), PCI: get("pci"),
		Lat: get("lat"), Lon: get("lon", "lng")}
}

// query reads the fields. Its error is a *goError.
func (f *goFields) query() (*goQuery, error) {
	q := &goQuery{PLMN: strings.Map(func(c rune) rune {
		if c == '-' || c == ' ' || c == '/' {
			return -1
		}
		return c
	}, f.PLMN)}
	if n := len(q.PLMN); n > 0 && (n < 5 || n > 6 || strings.Trim(q.PLMN, "0123456789") != "") {
		return nil, &goError{"goBadPLMN", []any{f.PLMN}}
	}
	for _, x := range []struct {
		name, text string
		to         **uint64
		most       uint64
	}{{"ECI", f.ECI, &q.ECI, 1<<site.ECIBits - 1}, {"eNB", f.ENB, &q.ENB, site.ENB.Max()},
		{"NCI", f.NCI, &q.NCI, site.Cell.Max()}, {"PCI", f.PCI, &q.PCI, site.PCI.Max()}} {
		if x.text == "" {
			continue
		}
		n, err := parseNumber(x.text)
		if err != nil || n > x.most {
			return nil, &goError{"goBadNumber", []any{x.text, x.name, strconv.FormatUint(x.most, 10)}}
		}
		*x.to = &n
	}
	if f.Lat != "" || f.Lon != "" {
		lat, ok := endpoint.Decimal(strings.Replace(f.Lat, ",", ".", 1))
		lon, ok2 := endpoint.Decimal(strings.Replace(f.Lon, ",", ".", 1))
		at := geo.Point{Lat: lat, Lng: lon}
		if !ok || !ok2 || !at.Valid() {
			return nil, &goError{"goBadPosition", nil}
		}
		q.At = &at
	}
	return q, q.check()
}

// check fails for values that contradict each other or do not suffice.
func (q *goQuery) check() error {
	switch {
	case q.ECI != nil && q.ENB != nil && *q.ECI>>site.ECICellBits != *q.ENB:
		return &goError{"goContradiction", []any{strconv.FormatUint(*q.ECI>>site.ECICellBits, 10)}}
	case !q.hasNode() && (q.PCI == nil || q.At == nil):
		return &goError{"goTooLittle", nil}
	}
	return nil
}

// hasNode reports whether a base station or cell is given.
func (q *goQuery) hasNode() bool { return q.ECI != nil || q.ENB != nil || q.NCI != nil }

// parseNumber reads a decimal number, or a hexadecimal one, which begins with 0x or has letters.
func parseNumber(text string) (uint64, error) {
	digits, hex := strings.CutPrefix(strings.ToLower(text), "0x")
	if hex || strings.ContainsAny(digits, "abcdef") {
		return strconv.ParseUint(digits, 16, 64)
	}
	return strconv.ParseUint(digits, 10, 64)
}

func codeOf(q *goQuery) string {
	if m, _ := market.Network(q.PLMN); m != nil {
		return string(m.Code)
	}
	return ""
}

// A network is a market to look in, and an operator of it or index.Any.
type network struct {
	*index.Market
	operator int
}

// networks returns the network of a question, or all that pages may show.
func (p *Pages) networks(q *goQuery) (list []network, err error) {
	env := p.Env()
	if m, operator := market.Network(q.PLMN); m != nil {
		loaded, err := env.Register(m)
		if err != nil {
			return nil, err
		}
		return []network{{loaded, operator}}, nil
	}
	if env.Set == nil {
		_, err := env.Register(market.Get(market.Default))
		return nil, err
	}
	for _, m := range shownMarkets(env) {
		list = append(list, network{m, index.Any})
	}
	return list, nil
}

// A goCandidate is a row of go.html.
type goCandidate struct {
	listRow
	Of      []string // operators that have the identifier
	Reasons []string
}

// newGoCandidate describes a candidate.
func (p *Pages) newGoCandidate(r *http.Request, w words, q *goQuery, c candidate) goCandidate {
	var s site.Site
	c.in.Site(c.at, &s)
	row := goCandidate{listRow: newListRow(r, w, c.in, c.at, nil)}
	for _, o := range c.operators {
		row.Of = append(row.Of, c.in.Table.Operators[o].Label)
	}
	for _, f := range c.findings {
		row.Reasons = append(row.Reasons, w.Fill(f.name(), f.kind, strconv.FormatUint(f.value, 10)))
	}
	if c.foreign {
		row.Reasons = append(row.Reasons, w["goOtherOperator"])
	}
	if q.At != nil {
		metres := int(c.metres + 0.5)
		row.Reasons = append(row.Reasons,
			w.Fill("goDistance", w.Distance(metres), w.Direction(geo.Bearing(*q.At, s.Position))))
		if c.metres > farthest {
			row.Reasons = append(row.Reasons, w["goTooFar"])
		}
	}
	return row
}

// compareCandidates orders candidates, the most certain first, then the nearest.
func compareCandidates(a, b candidate) int {
	return cmp.Or(cmp.Compare(b.rank(), a.rank()), cmp.Compare(a.metres, b.metres),
		cmp.Compare(a.in.Table.Code, b.in.Table.Code), cmp.Compare(a.at, b.at))
}
