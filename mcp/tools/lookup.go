package tools

import (
	"context"

	"relais/api"
	"relais/api/endpoint"
	"relais/api/view"
	"relais/index"
)

var radioTools = []*Tool{sitesFindByRadio, radioDiagnoseSite, radioProfileEstimate, radioCheckSectorAlignment,
	marketsCompareCoverage}

var sitesFindByRadio = endpoint.New(endpoint.Decl{
	Name: "sites_find_by_radio", Title: "Sites by radio identifier",
	Summary: "Finds the sites that a radio identifier names: eNB, gNB, cell (ECI or NCI) or PCI, as a phone shows them. What a source states comes before what was only learned from measurements, which is marked. An eNB is the ECI without its last 8 bits, a gNB the NCI without its last 4 to 14; a PCI is used again and again all over a country. Use radio_profile_estimate when a position was measured as well.",
}, findByRadio)

type sitesFindByRadioParams struct {
	api.RadioParams
	pageParams
}

// RadioHits are the sites that a radio identifier names.
type RadioHits struct {
	Type  string `json:"type" doc:"enb, gnb, ci, cellid or pci, or auto when all of them were tried."`
	Value string `json:"value"`
	List[RadioHit]
	Sourced
}

// A RadioHit is a site that a radio identifier names.
type RadioHit struct {
	Site
	Matches   []view.Match `json:"matches" doc:"What the value was taken for."`
	MatchedOf []string     `json:"matchedOperators" doc:"The operators of the site that have the identifier."`
	Learned   bool         `json:"learned" doc:"No source gives it to the site: measurements name it near this site only."`
}

func findByRadio(r *Reading, _ context.Context, p *sitesFindByRadioParams) (*RadioHits, error) {
	found, err := r.LookupRadio(&p.RadioParams)
	if err != nil {
		return nil, err
	}
	items := each(paged(found.Matches, p.Offset, p.Limit).Items, func(match index.RadioMatch) RadioHit {
		return RadioHit{r.site(found.Register, match.Site, -1), found.MatchViews(match),
			texts(found.Register.Table.KeysOf(match.Operators)), match.Learned}
	})
	return &RadioHits{found.Type, found.Value, listOf(items, p.Offset, len(found.Matches)),
		sourced(found.Market, found.Register)}, nil
}
