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
	SourceLabel             string   `json:"sourceLabel"`
	SourceAuthority         string   `json:"sourceAuthority"`
	SourceUnavailableReason *string  `json:"sourceUnavailableReason" doc:"Why the market has no inventory; null when it has."`
	SourceRegions           []string `json:"sourceRegions" doc:"Regions of the market that the data covers; empty when it covers all of it, or is not loaded."`
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
	// UnknownIDs is nil if no ids were asked for.
	UnknownIDs []string `json:"unknownIds,omitempty" doc:"Of ids: those that no site of the market has. Absent if every one is known."`
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

// CellsMeta is the meta of a look-up of several cells.
type CellsMeta struct {
	Cells   int `json:"cells" doc:"Cells that were asked for, as many as items of data."`
	Found   int `json:"found" doc:"Those with a site."`
	Invalid int `json:"invalid" doc:"Those with an error."`
	// DataVersion is that of all markets.
	DataVersion *string `json:"dataVersion" doc:"Names the data of all markets together: answers with the same one belong together. null without data."`
}

// A CellResult is what is known of one of several cells.
type CellResult struct {
	Sites []LookupResult `json:"sites" doc:"The sites that it names, the most certain first; empty if no site is known."`
	Total int            `json:"total" doc:"How many sites it names; there may be more than limit."`
	Error *CellError     `json:"error" doc:"Why the cell cannot be looked up; null if it can."`
}

// A CellError says what is wrong with one of several cells.
type CellError struct {
	Error     string `json:"error" doc:"What was wrong, in a sentence."`
	Code      string `json:"code" doc:"As of an error of the whole answer."`
	Parameter string `json:"parameter,omitempty" doc:"The member that is wrong."`
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
