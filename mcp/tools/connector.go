package tools

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"relais/api/endpoint"
	"relais/api/view"
	"relais/catalog"
	"relais/market"
	"relais/site"
)

// connectorTools are the two tools that some assistants look for in every source of documents, by these names
// and with these results.
var connectorTools = []*Tool{search, fetch}

var search = endpoint.New(endpoint.Decl{
	Name: "search", Title: "Search",
	Summary: "Finds antenna sites by a question as people type it, such as 5G Rennes or antenne Orange à Vitré, in all markets: sites of the place first, the nearest to its middle before the others. Answers ids for fetch. The tools sites_search and sites_nearby can say more exactly what is wanted.",
}, searchDocuments)

type searchParams struct {
	Query string `param:"query" max:"200" required:"true" doc:"Place, operator, technology (5G, LTE 700), status (planned, en service), eNB, gNB, cell, PLMN, position, siteKey, landmark or words of an address, in French, English, Dutch or German." example:"5G Rennes"`
}

// Results are documents that a search found.
type Results struct {
	Understood Understood `json:"understood"`
	Results    []Result   `json:"results"`
}

// A Result is a document that a search found.
type Result struct {
	ID    string `json:"id" doc:"The siteKey; fetch takes it."`
	Title string `json:"title"`
	URL   string `json:"url" doc:"A page about the site."`
}

// maxResults is how many documents a search returns at most. It has no pages.
const maxResults = 20

func searchDocuments(r *Reading, ctx context.Context, p *searchParams) (*Results, error) {
	found, err := r.Find(ctx, catalog.Find{Text: p.Query, Nearest: true, Limit: maxResults})
	if err != nil {
		return nil, err
	}
	answer := &Results{Results: []Result{}, Understood: *newUnderstood(found)}
	sites := r.foundSites(found)
	for _, s := range sites[:min(len(sites), maxResults)] {
		answer.Results = append(answer.Results, Result{s.SiteKey, s.title(), s.URL})
	}
	return answer, nil
}

// title returns the site in a line, with its generations.
func (s *Site) title() string {
	who := strings.Join(s.Operators, ", ")
	if s.Generations != "" {
		who += " · " + s.Generations
	}
	parts := []string{who}
	for _, text := range []*string{s.Address, s.PostalCode, s.Commune} {
		if text != nil {
			parts = append(parts, *text)
		}
	}
	return fmt.Sprintf("%s: %s", s.SiteKey, strings.Join(parts, ", "))
}

var fetch = endpoint.New(endpoint.Decl{
	Name: "fetch", Title: "Fetch",
	Summary: "One antenna site as a text, by an id of search.",
}, fetchDocument)

type fetchParams struct {
	ID string `param:"id" max:"128" required:"true" doc:"A siteKey, such as those of search." example:"fr-23444"`
}

// A Document is a site as a text.
type Document struct {
	ID       string            `json:"id"`
	Title    string            `json:"title"`
	Text     string            `json:"text"`
	URL      string            `json:"url"`
	Metadata map[string]string `json:"metadata" doc:"market, source, sourceDate, licence, latitude and longitude."`
}

func fetchDocument(r *Reading, _ context.Context, p *fetchParams) (*Document, error) {
	m, at, err := siteParams{Site: p.ID}.find(r)
	if err != nil {
		return nil, err
	}
	summary := r.site(m, at, -1)
	var s site.Site
	m.Site(at, &s)
	s.Radio = m.AppendLearned(s.Radio, at)
	from := sourceOf(m.Table, m)
	return &Document{ID: summary.SiteKey, Title: summary.title(), URL: summary.URL,
		Text: describe(&summary, view.NewMore(m.Snap, &s), from),
		Metadata: map[string]string{"market": string(summary.Market), "source": from.Authority + ": " + from.Label,
			"licence": from.Licence, "sourceDate": m.Snap.SourceDate,
			"latitude": fmt.Sprint(summary.Coordinates.Lat), "longitude": fmt.Sprint(summary.Coordinates.Lng)}}, nil
}

// maxLines is how many emissions a text lists at most.
const maxLines = 200

// describe writes a site as lines of text. It leaves out values that the register does not state.
func describe(s *Site, more view.More, from Source) string {
	var b strings.Builder
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(&b, "%s: %s\n", name, text)
		}
	}
	line("Site", s.SiteKey+", "+market.Get(s.Market).Label)
	line("Position", fmt.Sprintf("%v, %v", s.Coordinates.Lat, s.Coordinates.Lng))
	for _, text := range []*string{s.Address, s.PostalCode, s.Commune} {
		if text != nil {
			line("Address", *text)
		}
	}
	line("Area", s.Area)
	line("Operators", strings.Join(s.Operators, ", "))
	line("Technologies", strings.Join(s.Technologies, ", "))
	if s.Status != nil {
		line("Status", *s.Status)
	}
	if h := more.Support.Height; h != nil {
		line("Height of the support", fmt.Sprintf("%v m", *h))
	}
	if n := more.Support.SupportInfo.Nature; n != nil {
		line("Support", *n)
	}
	for _, n := range more.Radio.Nodes {
		text := n.Operator + " " + n.Value
		if n.Learned {
			text += ", learned from measurements"
		}
		line(map[string]string{"enb": "eNB", "gnb": "gNB"}[n.Type], text)
	}
	if len(more.Radio.Azimuts) > 0 {
		line("Azimuths", strings.Trim(fmt.Sprint(more.Radio.Azimuts), "[]")+" degrees")
	}
	for i, e := range more.Emissions {
		if i == maxLines { // a text cannot be shortened by List.Shorten
			line("More", fmt.Sprintf("%d emissions", len(more.Emissions)-i))
			break
		}
		text := e.Operator + " " + e.Technology
		for _, more := range []*string{e.Status, e.Date} {
			if more != nil {
				text += ", " + *more
			}
		}
		line("Emission", text)
	}
	line("Source", fmt.Sprintf("%s, %s, %s", from.Authority, cmp.Or(from.Label, "no name"), *from.Date))
	return b.String()
}
