package view

import (
	"relais/index"
	"relais/market"
)

// A Market is a row of /markets.
type Market struct {
	Market                  market.Code         `json:"market"`
	Label                   string              `json:"label"`
	CountryCode             string              `json:"countryCode"`
	Availability            market.Availability `json:"availability"`
	SourceAuthority         string              `json:"sourceAuthority"`
	SourceLabel             string              `json:"sourceLabel"`
	Licence                 string              `json:"licence" doc:"Licence of the source's data; empty if it has none."`
	SourceUnavailableReason *string             `json:"sourceUnavailableReason"`
	SourceRegions           []string            `json:"sourceRegions" doc:"Regions of the market that the loaded data covers; empty when it covers all of it, or is not loaded."`
	Notice                  *string             `json:"notice" doc:"What the data of the market lacks, in a sentence."`
	Operators               []Operator          `json:"operators" doc:"The operators of the market; the parameter operator also takes ALL."`
	Filters                 []string            `json:"filters" doc:"Parameters that filter the market's sites."`
	AreaType                string              `json:"areaType"`
	Areas                   []Area              `json:"areas"`
	Statuses                []string            `json:"statuses" doc:"Statuses of the loaded data, from least to most advanced."`
	Loaded                  bool                `json:"loaded" doc:"Whether this server has the market's inventory."`
	Sites                   int                 `json:"sites" doc:"Sites loaded."`
	Emissions               int                 `json:"emissions" doc:"Emissions loaded."`
	SourceDate              *string             `json:"sourceDate" doc:"The data's own date, YYYY-MM-DD."`
	DataVersion             *string             `json:"dataVersion" doc:"Names the loaded content."`
}

// An Operator is an operator of a market.
type Operator struct {
	Key   string   `json:"key"`
	Label string   `json:"label"`
	PLMNs []string `json:"plmns" doc:"Mobile country and network codes."`
}

// MarketsMeta is the meta of /markets.
type MarketsMeta struct {
	Total       int     `json:"total"`
	DataVersion *string `json:"dataVersion" doc:"Names the data: pages with the same one belong together. null without data."`
}

// NewMarket returns the row of a market; loaded is nil if it is not loaded.
func NewMarket(m *market.Market, loaded *index.Market) Market {
	v := Market{
		Market: m.Code, Label: m.Label, CountryCode: m.Country, Availability: m.Availability,
		SourceAuthority: m.Authority, SourceLabel: m.Source, Licence: m.Licence,
		SourceUnavailableReason: OrNull(&m.UnavailableReason), Notice: OrNull(&m.Notice),
		Operators: []Operator{}, Filters: m.Filters, AreaType: m.AreaType, Areas: []Area{},
		Statuses: []string{}, SourceRegions: []string{},
	}
	for _, o := range m.Operators {
		v.Operators = append(v.Operators, Operator{o.Key, o.Label, append([]string{}, o.PLMNs...)})
	}
	for _, a := range m.Areas {
		v.Areas = append(v.Areas, Area{m.AreaType, a.Code, a.Label})
	}
	if loaded != nil {
		v.Loaded, v.Sites, v.Emissions = true, loaded.Len(), loaded.Snap.Emissions()
		v.SourceDate, v.DataVersion = &loaded.Snap.SourceDate, &loaded.Snap.Version
		a := SourceOf(m, loaded.Snap)
		v.SourceAuthority, v.SourceLabel, v.Licence = a.Authority, a.Source, a.Licence
		v.Statuses, v.SourceRegions = loaded.Snap.Statuses, RegionsOf(m, loaded.Snap)
	}
	return v
}
