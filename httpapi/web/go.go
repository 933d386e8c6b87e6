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
	"relais/catalog"
	"relais/geo"
	"relais/index"
	"relais/market"
	"relais/radio"
	"relais/site"
)

// goPath leads to the site that serves a cell.
const goPath = "/go"

// A goQuery is what a router or a phone shows of its cell.
type goQuery struct {
	catalog.Cell
	PLMN  string
	names []string // of the identifiers
}

// Bounds of what /go looks at.
const (
	mostCandidates = 30       // that the page shows
	pciRadius      = 10_000.0 // metres around a position where a PCI is looked for
)

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
	candidates, err := p.Env().Candidates(q.Cell)
	if err != nil {
		code := ""
		if q.Market != nil {
			code = string(q.Market.Code)
		}
		status, text := p.failure(words, err, words.asked(code))
		page.Notices = []string{text}
		retryAfter(w.Header(), err)
		p.render(w, r, status, "go.html", page)
		return
	}
	if q.Certain(candidates) {
		c := &candidates[0]
		key := index.Key(c.Register.Table.Code, c.Register.Snap.ID(int(c.At)))
		http.Redirect(w, r, p.URL(Link(r, view.SitePage("", key))), http.StatusSeeOther)
		return
	}
	p.showCandidates(w, r, q, page, candidates)
}

// showCandidates answers the page with what was found, and why none of it is certain.
func (p *Pages) showCandidates(w http.ResponseWriter, r *http.Request, q *goQuery, page *goPage,
	all []catalog.Candidate) {
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
		page.Candidates = append(page.Candidates, newGoCandidate(r, words, q, &c))
	}
	p.render(w, r, status, "go.html", page)
}

// notices say what is missing in the question.
func (q *goQuery) notices(w words) (list []string) {
	switch {
	case q.PLMN == "":
		list = append(list, w["goNoNetwork"])
	case q.Market == nil:
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
	if m, operator := market.Network(q.PLMN); m != nil {
		q.Market, q.Operators = m, index.Choice{operator}
	}
	for _, x := range []struct {
		name, text string
		most       uint64
		id         radio.Identifier
	}{{"ECI", f.ECI, 1<<site.ECIBits - 1, radio.Identifier{Cell: true, Generation: site.G4}},
		{"eNB", f.ENB, site.ENB.Max(), radio.Identifier{Generation: site.G4}},
		{"NCI", f.NCI, site.Cell.Max(), radio.Identifier{Cell: true, Generation: site.G5}},
		{"PCI", f.PCI, site.PCI.Max(), radio.Identifier{}}} {
		if x.text == "" {
			continue
		}
		n, err := parseNumber(x.text)
		if err != nil || n > x.most {
			return nil, &goError{"goBadNumber", []any{x.text, x.name, strconv.FormatUint(x.most, 10)}}
		}
		if x.id.Generation == 0 {
			q.Phone.PCI = &n
			continue
		}
		x.id.Value = n
		q.names, q.Phone.Identifiers = append(q.names, x.name), append(q.Phone.Identifiers, x.id)
		q.Phone.Generation = cmp.Or(q.Phone.Generation, x.id.Generation)
	}
	if f.Lat != "" || f.Lon != "" {
		lat, ok := endpoint.Decimal(strings.Replace(f.Lat, ",", ".", 1))
		lon, ok2 := endpoint.Decimal(strings.Replace(f.Lon, ",", ".", 1))
		at := geo.Point{Lat: lat, Lng: lon}
		if !ok || !ok2 || !at.Valid() {
			return nil, &goError{"goBadPosition", nil}
		}
		q.Phone.Position = &at
	}
	if !q.hasNode() {
		q.Radius = pciRadius
	}
	return q, q.check()
}

// check fails for values that contradict each other or do not suffice.
func (q *goQuery) check() error {
	ids := q.Phone.Identifiers
	if len(ids) > 1 && !ids[1].Cell { // an ECI and an eNB
		if eNB := ids[0].Value >> site.ECICellBits; eNB != ids[1].Value {
			return &goError{"goContradiction", []any{strconv.FormatUint(eNB, 10)}}
		}
	}
	if !q.hasNode() && (q.Phone.PCI == nil || q.Phone.Position == nil) {
		return &goError{"goTooLittle", nil}
	}
	return nil
}

// hasNode reports whether a base station or cell is given.
func (q *goQuery) hasNode() bool { return len(q.Phone.Identifiers) > 0 }

// parseNumber reads a decimal number, or a hexadecimal one, which begins with 0x or has letters.
func parseNumber(text string) (uint64, error) {
	digits, hex := strings.CutPrefix(strings.ToLower(text), "0x")
	if hex || strings.ContainsAny(digits, "abcdef") {
		return strconv.ParseUint(digits, 16, 64)
	}
	return strconv.ParseUint(digits, 10, 64)
}

// A goCandidate is a row of go.html.
type goCandidate struct {
	listRow
	Of      []string // operators that have the identifier
	Reasons []string
}

// reasons are the names of the texts about how an identifier belongs to a site.
var reasons = map[radio.Basis]string{radio.Unknown: "goNotThere", radio.Possible: "goPossible",
	radio.Learned: "goLearned", radio.Stated: "goStated"}

// newGoCandidate describes a candidate.
func newGoCandidate(r *http.Request, w words, q *goQuery, c *catalog.Candidate) goCandidate {
	row := goCandidate{listRow: newListRow(r, w, c.Register, c.At, nil)}
	for _, o := range c.Operators {
		row.Of = append(row.Of, c.Register.Table.Operators[o].Label)
	}
	add := func(name string, value uint64, basis radio.Basis) {
		row.Reasons = append(row.Reasons, w.Fill(reasons[basis], name, strconv.FormatUint(value, 10)))
	}
	for i, basis := range c.Identifiers {
		if basis > radio.Unknown {
			add(q.names[i], q.Phone.Identifiers[i].Value, basis)
		}
	}
	if q.Phone.PCI != nil {
		add("PCI", *q.Phone.PCI, c.PCI)
	}
	if c.Foreign {
		row.Reasons = append(row.Reasons, w["goOtherOperator"])
	}
	if at := q.Phone.Position; at != nil {
		direction := w.Direction(geo.Bearing(*at, c.Register.Position(c.At)))
		row.Reasons = append(row.Reasons, w.Fill("goDistance", w.Distance(int(c.Metres+0.5)), direction))
		if !c.InReach() {
			row.Reasons = append(row.Reasons, w["goTooFar"])
		}
	}
	return row
}
