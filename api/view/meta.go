package view

import "relais/market"

// A Box is the bounding box of a request.
type Box struct {
	North float64 `json:"north"`
	South float64 `json:"south"`
	East  float64 `json:"east"`
	West  float64 `json:"west"`
}

// Attribution is the source of a market's data.
type Attribution struct {
	SourceLabel             string  `json:"sourceLabel"`
	SourceAuthority         string  `json:"sourceAuthority"`
	SourceUnavailableReason *string `json:"sourceUnavailableReason" doc:"Why the market has no inventory; null when it has."`
}

// ListMeta is the meta of /antennas.
type ListMeta struct {
	Total        int         `json:"total" doc:"Sites of the market."`
	TotalMatched int         `json:"totalMatched" doc:"Sites that match."`
	Returned     int         `json:"returned" doc:"Items in this answer."`
	Limit        int         `json:"limit"`
	Offset       int         `json:"offset"`
	HasMore      bool        `json:"hasMore"`
	NextOffset   *int        `json:"nextOffset" doc:"offset of the next page; null on the last."`
	Market       market.Code `json:"market"`
	Operator     string      `json:"operator"`
	BBox         *Box        `json:"bbox" doc:"The box that was asked for; null when unused."`
	SourceDate   *string     `json:"sourceDate" doc:"The data's own date, YYYY-MM-DD."`
	Attribution
	DataVersion *string `json:"dataVersion" doc:"Names the data: pages with the same one belong together. null without data."`
}

// SearchMeta is the meta of /antennas/search.
type SearchMeta struct {
	Total                   int         `json:"total" doc:"Sites that match."`
	Limit                   int         `json:"limit"`
	Offset                  int         `json:"offset"`
	HasMore                 bool        `json:"hasMore"`
	Market                  market.Code `json:"market"`
	Operator                string      `json:"operator"`
	SourceUnavailableReason *string     `json:"sourceUnavailableReason" doc:"Why the market has no inventory; null when it has."`
	DataVersion             *string     `json:"dataVersion" doc:"Names the data: pages with the same one belong together. null without data."`
}

// LookupMeta is the meta of /antennas/lookup-by-radio.
type LookupMeta struct {
	Market                  market.Code `json:"market"`
	Operator                string      `json:"operator"`
	Type                    string      `json:"type"`
	Value                   string      `json:"value"`
	Returned                int         `json:"returned"`
	SourceUnavailableReason *string     `json:"sourceUnavailableReason" doc:"Why the market has no inventory; null when it has."`
	DataVersion             *string     `json:"dataVersion" doc:"Names the data: pages with the same one belong together. null without data."`
}

// A LookupResult is a site that a radio identifier names.
type LookupResult struct {
	Site    Summary `json:"site"`
	Matches []Match `json:"matches" doc:"Under which types the value hit the site."`
}

// A Match is a type under which a value matched.
type Match struct {
	Type  string `json:"type"`
	Value string `json:"value"`
}

// ExportMeta is the meta of /antennas/export.
type ExportMeta struct {
	Export       bool        `json:"export" doc:"Always true."`
	Format       string      `json:"format"`
	Total        int         `json:"total" doc:"Sites of the market."`
	TotalMatched int         `json:"totalMatched" doc:"Sites that match."`
	Returned     int         `json:"returned"`
	Market       market.Code `json:"market"`
	Operator     string      `json:"operator"`
	SourceDate   *string     `json:"sourceDate" doc:"The data's own date, YYYY-MM-DD."`
	Attribution
	DataVersion *string `json:"dataVersion" doc:"Names the data: pages with the same one belong together. null without data."`
}

// DetailMeta is the meta of one antenna or site.
type DetailMeta struct {
	Market     market.Code `json:"market"`
	SourceDate *string     `json:"sourceDate" doc:"The data's own date, YYYY-MM-DD."`
	Attribution
}
