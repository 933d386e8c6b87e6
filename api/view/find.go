package view

import (
	"cmp"
	"fmt"
	"strings"

	"relais/index"
	"relais/index/question"
	"relais/market"
	"relais/site"
	"relais/site/spelling"
)

// Found is what a text is about.
type Found struct {
	Understood Understood  `json:"understood"`
	Results    []FoundItem `json:"results" doc:"Positions, sites that an identifier or a landmark names, streets, places, and then further sites. A text about outages or changes finds places only."`
	Better     *Better     `json:"better" doc:"What answers the text better; null for nothing."`
}

// FoundMeta is the meta of /find.
type FoundMeta struct {
	Markets     []market.Code `json:"markets" doc:"That were asked."`
	Total       int           `json:"total" doc:"Sites among the results and behind them, those of the place and around it, at most limit."`
	DataVersion *string       `json:"dataVersion" doc:"Names the data; null without data."`
	Streets     *StreetSource `json:"streets" doc:"Where the streets among the results come from; null without any."`
}

// A StreetSource says where streets come from.
type StreetSource struct {
	Authority string `json:"authority"`
	Source    string `json:"source"`
	Licence   string `json:"licence"`
	Date      string `json:"date" doc:"Of the newest file, YYYY-MM-DD."`
	Synthetic bool   `json:"synthetic"`
}

// Understood says how a text was read. Members that it does not name are null or empty.
type Understood struct {
	Operators  []Named           `json:"operators" doc:"Operators; alternatives."`
	Generation *string           `json:"generation" doc:"2G, 3G, 4G or 5G."`
	Bands      []int             `json:"bands" doc:"MHz; alternatives."`
	Status     *string           `json:"status" doc:"project, operational or inService."`
	Place      *FoundPlace       `json:"place"`
	Words      string            `json:"words" doc:"Words of the place or of addresses, folded."`
	PartOf     *string           `json:"partOf" doc:"The words, if only a part of them is the name of the place."`
	Naming     *int              `json:"naming" doc:"How many of the first sites have all words of a landmark; null where no landmark is asked for."`
	Identifier *FoundIdentifier  `json:"identifier"`
	PLMN       *string           `json:"plmn"`
	SiteKey    *string           `json:"siteKey" doc:"A siteKey or the number of a site."`
	Position   *Coordinates      `json:"position"`
	Number     *string           `json:"number" doc:"The number of a house of a street, which the answer does not know: it has the middle of the street."`
	Here       bool              `json:"here" doc:"The place of who asks is meant."`
	Topic      *question.Topic   `json:"topic" doc:"What the text is about, if not about sites."`
	Days       *int              `json:"days" doc:"The period of the topic changes."`
	Filters    map[string]string `json:"filters" doc:"The emissions that are asked for, as parameters of the market's tiles and lists: market, operator, generation, band, status."`
}

// A Named is a key with its name.
type Named struct {
	Key   string `json:"key"`
	Label string `json:"label"`
}

// A FoundIdentifier is a radio identifier of a text.
type FoundIdentifier struct {
	Kind  question.IdentifierKind `json:"kind" doc:"any is for a number alone; a tac is in no register."`
	Value uint64                  `json:"value"`
}

// A FoundPlace is a place of a text.
type FoundPlace struct {
	Name     string          `json:"name" doc:"As people write it."`
	Source   string          `json:"source" doc:"As in the register."`
	Kind     index.PlaceKind `json:"kind"`
	Market   market.Code     `json:"market"`
	Area     string          `json:"area" doc:"Department, territory or province; empty when the source names none."`
	AreaCode string          `json:"areaCode"`
	Center   Coordinates     `json:"center" doc:"The mean position of its sites."`
	BBox     [4]float64      `json:"bbox" doc:"West, south, east and north of most of its sites."`
	Sites    int             `json:"sites"`
}

// A FoundKind is the kind of a result.
type FoundKind string

// The kinds of results.
const (
	FoundPosition   FoundKind = "position"
	FoundByRadio    FoundKind = "identifier"
	FoundAsPlace    FoundKind = "place"
	FoundAsStreet   FoundKind = "street"
	FoundAsSite     FoundKind = "site"
	FoundAsLandmark FoundKind = "landmark"
)

// Values lists the kinds.
func (FoundKind) Values() []string {
	return []string{string(FoundPosition), string(FoundByRadio), string(FoundAsPlace), string(FoundAsStreet),
		string(FoundAsSite), string(FoundAsLandmark)}
}

// A FoundItem is a result.
type FoundItem struct {
	Kind    FoundKind    `json:"kind" doc:"position, identifier (a site that has it), landmark (a site that names it), place, street or site."`
	Title   string       `json:"title"`
	Note    string       `json:"note" doc:"Of a site its operators, generations, postal code, commune and siteKey; of a place its area, of a street its town."`
	Market  *market.Code `json:"market"`
	SiteKey *string      `json:"siteKey"`
	Lat     float64      `json:"lat"`
	Lng     float64      `json:"lng"`
	Place   *FoundPlace  `json:"place"`
	Matches []string     `json:"matches" doc:"Of an identifier: enb, gnb, ci, pci."`
	Learned bool         `json:"learned" doc:"No source gives the identifier to the site: measurements name it near this site only."`
	Foreign bool         `json:"foreign" doc:"The identifier is of another operator than was asked for."`
}

// Better is what answers a text better.
type Better struct {
	Topic string     `json:"topic" doc:"outages, changes or near."`
	Why   string     `json:"why"`
	Page  string     `json:"page" doc:"Path of the page."`
	Tool  BetterTool `json:"tool" doc:"The tool of assistants."`
}

// A BetterTool is a tool with its arguments.
type BetterTool struct {
	Name      string            `json:"name"`
	Arguments map[string]string `json:"arguments"`
}

// NewFoundSite returns a site as a result.
func NewFoundSite(kind FoundKind, m *index.Market, at uint32) FoundItem {
	var s site.Site
	m.Site(at, &s)
	v := NewSummary(m.Snap, &s)
	commune := spelling.Commune(s.Commune, s.CommuneCode, m.Table.Spelling)
	var lines []string
	for _, text := range append(s.Address[:], s.Place) {
		if text != "" {
			lines = append(lines, spelling.Text(text, m.Table.Spelling))
		}
	}
	if lines == nil {
		lines = []string{cmp.Or(commune, *v.SiteKey)}
	}
	title := lines[0]
	if kind == FoundAsLandmark { // any line may have its name
		title = strings.Join(lines, ", ")
	}
	var operators []string
	for _, key := range v.Operators {
		operators = append(operators, market.Label(m.Table.Code, key))
	}
	parts := []string{strings.Join(operators, ", "), Generations(&s)}
	if title == commune {
		commune = ""
	}
	parts = append(parts, strings.TrimSpace(s.PostalCode+" "+commune), *v.SiteKey)
	note := ""
	for _, part := range parts {
		if part != "" && note != "" {
			note += " · "
		}
		note += part
	}
	return FoundItem{Kind: kind, Title: title, Note: note, Market: &m.Table.Code, SiteKey: v.SiteKey,
		Lat: v.Coordinates.Lat, Lng: v.Coordinates.Lng, Matches: []string{}}
}

// Generations returns the generations of a site's emissions, the newest first: 5G 4G.
func Generations(s *site.Site) string {
	var has [site.Generations]bool
	for _, e := range s.Emissions {
		has[e.Generation] = true
	}
	var list []string
	for g := len(has) - 1; g > 0; g-- {
		if has[g] {
			list = append(list, fmt.Sprint(site.Generation(g)))
		}
	}
	return strings.Join(list, " ")
}
