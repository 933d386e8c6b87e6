package api

import (
	"context"

	"relais/api/endpoint"
	"relais/api/view"
	"relais/catalog"
	"relais/index"
)

var searchAntennas = endpoint.New(endpoint.Decl{
	Name: "antennas.search", Path: "/antennas/search", Scope: "antennas:read", FailureName: "ANTENNAS_SEARCH", MaxAge: 60,
	Example:    endpoint.Request{Target: "/antennas/search?q=paris&generation=5G&limit=1"},
	Summary:    "Antenna sites by text, identifier or place, best match first.",
	Doc:        "First come sites whose identifier is what was asked for, then those whose commune it is, then the others. A site must satisfy all criteria; without any, the answer is a list.",
	ErrorCodes: []string{codeInvalidOperator, codeInvalidDate, codeNoArchive},
	Shapes:     shapes[[]view.Summary, view.SearchMeta](),
}, (*Env).search)

type searchParams struct {
	Text         string `param:"q" max:"200" doc:"Words that must all occur in identifiers, commune, postal code, address, lieu-dit or department, or an identifier." example:"lyon"`
	SupportID    string `param:"supId" max:"100" doc:"The source's site id."`
	ANFR         string `param:"anfr" max:"100" doc:"Legacy: the same as sourceCode."`
	NationalCode string `param:"nationalSiteCode" max:"100" doc:"The site's national code."`
	SourceCode   string `param:"sourceCode" max:"100" doc:"The source's code, or any station number of the site."`
	Commune      string `param:"commune" max:"200" doc:"Name of the commune: whole names first, then names that begin so." example:"Lyon"`
	PostalCode   string `param:"postalCode" max:"20" doc:"Postal code." example:"69003"`
	marketParams
	siteFilters
	Limit  int `param:"limit" default:"20" min:"1" max:"100" doc:"Most items to answer."`
	Offset int `param:"offset" default:"0" min:"0" doc:"Items to pass over."`
}

// question returns the question that the parameters ask.
func (p *searchParams) question() (catalog.Sites, error) {
	s, err := p.selection(p.marketParams)
	q := catalog.Sites{Selection: s, Offset: p.Offset, Limit: p.Limit, Where: index.Query{Text: p.Text, ID: p.SupportID,
		NationalCode: p.NationalCode, Commune: p.Commune, PostalCode: p.PostalCode, Ranked: true}}
	for _, code := range []string{p.ANFR, p.SourceCode} {
		if code != "" {
			q.Where.StationCodes = append(q.Where.StationCodes, code)
		}
	}
	return q, err
}

func (r *Env) search(ctx context.Context, p *searchParams) (*endpoint.Answer, error) {
	q, err := p.question()
	if err != nil {
		return nil, err
	}
	found, err := r.Sites(ctx, q)
	if err != nil {
		return nil, err
	}
	m, loaded := q.Market, found.Register
	meta := view.SearchMeta{Limit: p.Limit, Offset: p.Offset, Market: m.Code, Operator: p.Operator.canonical(m),
		SourceUnavailableReason: unavailableReason(m)}
	meta.Total, meta.HasMore = found.Total, found.Next(p.Offset) != nil
	if loaded != nil {
		meta.DataVersion = &loaded.Snap.Version
	}
	page := sitePage{market: loaded, sites: found.Sites}
	if page.meta, err = view.JSON(meta); err != nil {
		return nil, err
	}
	return page.answer(), nil
}
