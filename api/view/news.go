package view

import (
	"strconv"

	"relais/archive/change"
	"relais/geo"
	"relais/market"
)

// News is the newest changes of a market, the newest first.
type News struct {
	Market    market.Code `json:"market"`
	Updated   *string     `json:"updated" doc:"Date of the newest edition, YYYY-MM-DD; null without data."`
	Synthetic bool        `json:"synthetic"`
	Reason    *string     `json:"reason" doc:"Why there is nothing to compare; null when there is."`
	Editions  int         `json:"editions" doc:"That the server keeps."`
	Oldest    *string     `json:"oldest" doc:"Oldest edition among the news, YYYY-MM-DD, if older ones are left out; else null."`
	Offset    int         `json:"offset" doc:"Newer entries that were passed over."`
	Truncated bool        `json:"truncated" doc:"There are older entries."`
	Filter    NewsFilter  `json:"filter"`
	Entries   []NewsEntry `json:"entries"`
	Attribution
}

// A NewsEntry is what an edition changed on a site.
type NewsEntry struct {
	Date       string     `json:"date" doc:"Of the edition, YYYY-MM-DD."`
	Correction int        `json:"correction" doc:"0: what the edition changed when it came; n: what its n-th correction changed."`
	Site       ChangeSite `json:"site"`
	Changes    []Change   `json:"changes"`
}

// A NewsFilter says which changes are among the news. An empty list, and nil, is all of them.
type NewsFilter struct {
	Kinds        []ChangeKind `json:"kinds"`
	Operators    []string     `json:"operators"`
	Generations  []string     `json:"generations"`
	Technologies []string     `json:"technologies"`
	Bands        []string     `json:"bands" doc:"MHz"`
	Area         *Area        `json:"area"`
	Box          *geo.Box     `json:"-"`
	Disc         *geo.Disc    `json:"-"`
}

// NewNewsFilter describes a filter.
func NewNewsFilter(m *market.Market, f *change.Filter) NewsFilter {
	v := NewsFilter{Operators: f.Operators, Technologies: f.Technologies, Box: f.Box, Disc: f.Disc}
	for _, k := range f.Kinds {
		v.Kinds = append(v.Kinds, ChangeKind(k.String()))
	}
	for _, g := range f.Generations {
		v.Generations = append(v.Generations, g.String())
	}
	for _, band := range f.Bands {
		v.Bands = append(v.Bands, strconv.Itoa(band))
	}
	for _, code := range f.Areas {
		if i, ok := m.Area(code); ok {
			v.Area = &Area{Type: m.AreaType, Code: m.Areas[i].Code, Label: m.Areas[i].Label}
		}
	}
	return v
}
