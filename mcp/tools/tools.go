// Package tools is the tools that assistants call: questions over the same datasets as
// the API's, with answers that are short enough to be read by a model. A tool is an
// operation as the API's are, declared once; how it is called is the business of the
// package mcp.
package tools

import (
	"relais/api"
	"relais/api/endpoint"
	"relais/api/view"
	"relais/auth/account"
	"relais/index"
	"relais/market"
)

// A Reading has the data that a tool works on, which does not change during the call, and the person.
type Reading struct {
	*api.Env
	People      *account.Store
	Person      *account.Person // who signed in, nil for nobody
	Submissions *SubmissionStores
}

// A Tool is an operation that assistants call. Its Name is the tool's, its Summary and
// Doc tell the assistant when to use it.
type Tool = endpoint.Op[*Reading]

// All lists the tools.
func All() []*Tool { return append([]*Tool{capabilitiesGuide}, listed()...) }

// listed returns every tool except the guide, which lists them.
func listed() (list []*Tool) {
	for _, group := range [][]*Tool{connectorTools, placeTools, anfrTools, archiveTools, siteTools, nearTools,
		plannedTools, unavailableTools, historyTools, changeTools, photoTools, speedtestTools, coverageTools,
		coverageMapTools, radioTools,
		communityTools, sessionTools, submitTools, meTools} {
		list = append(list, group...)
	}
	return list
}

// Essential are the names of the tools that answer most questions. Some programs pass on the first forty tools only,
// some refuse more than fifty, and models choose better among few.
var Essential = []string{"capabilities_guide", "search", "fetch", "location_geocode", "sites_search", "sites_nearby_from_place",
	"sites_get", "sites_find_by_radio", "sites_planned_nearby_from_place", "sites_hs_nearby_from_place", "changes_list", "coverage_at",
	"markets_compare_coverage", "speedtests_nearby_from_place", "sites_get_photos", "anfr_get_stats"}

// MaxAnswer is the longest answer of a tool, in bytes. A model reads all of it, and its context is limited.
const MaxAnswer = 60_000

// A List is a page of items. It is embedded in answers that are lists.
type List[T any] struct {
	Items      []T  `json:"items"`
	Total      int  `json:"total" doc:"Items that match, on all pages."`
	Returned   int  `json:"returned" doc:"Items in this answer."`
	Truncated  bool `json:"truncated" doc:"There are more items than these."`
	NextOffset *int `json:"nextOffset,omitempty" doc:"The offset of the next page; absent on the last one."`

	offset int
}

// listOf returns a page of items that begins at offset, of total items.
func listOf[T any](items []T, offset, total int) List[T] {
	l := List[T]{Items: items, Total: total, offset: offset}
	if items == nil {
		l.Items = []T{}
	}
	l.count()
	return l
}

// paged returns a page of all items.
func paged[T any](all []T, offset, limit int) List[T] {
	from := min(offset, len(all))
	return listOf(all[from:min(from+limit, len(all))], offset, len(all))
}

// each returns what was found as answers show it.
func each[F, T any](found []F, show func(F) T) []T {
	items := make([]T, len(found))
	for i, f := range found {
		items[i] = show(f)
	}
	return items
}

// count sets the members that say which part of the list the items are.
func (l *List[T]) count() {
	l.Returned, l.Truncated, l.NextOffset = len(l.Items), false, nil
	if next := l.offset + len(l.Items); next < l.Total && (len(l.Items) > 0 || l.offset < l.Total) {
		l.Truncated, l.NextOffset = true, &next
	}
}

// Shorten drops the last quarter of the items of an answer that is too long. It reports whether there
// were any to drop. It keeps one, so that a caller that follows NextOffset gets on.
func (l *List[T]) Shorten() bool {
	if len(l.Items) <= 1 {
		return false
	}
	l.Items = l.Items[:len(l.Items)*3/4]
	l.count()
	return true
}

// A Shortener is an answer that can be made shorter.
type Shortener interface{ Shorten() bool }

// A Source says where data of an answer comes from.
type Source struct {
	Market    market.Code `json:"market"`
	Authority string      `json:"authority" doc:"Who publishes the register."`
	Label     string      `json:"label" doc:"What the register is called. Demonstration data says here that it is synthetic."`
	Licence   string      `json:"licence,omitempty"`
	Date      *string     `json:"date" doc:"The data's own date, YYYY-MM-DD."`
	// Unavailable says why a market has no inventory.
	Unavailable *string `json:"sourceUnavailableReason,omitempty" doc:"Why the market has no inventory."`
}

// sourceOf returns the source of a market's register; loaded may be nil.
func sourceOf(m *market.Market, loaded *index.Market) Source {
	s := Source{Market: m.Code, Authority: m.Authority, Label: m.Source, Licence: m.Licence}
	if m.UnavailableReason != "" {
		s.Unavailable = &m.UnavailableReason
	}
	if loaded != nil {
		from := view.SourceOf(m, loaded.Snap)
		s.Authority, s.Label, s.Licence, s.Date = from.Authority, from.Source, from.Licence, &loaded.Snap.SourceDate
	}
	return s
}

// Sourced is embedded in answers that show data of registers.
type Sourced struct {
	Sources []Source `json:"sources" doc:"Where the registers' data in the answer comes from, but not what users wrote; say so when you repeat it."`
}

// sourced returns the source of a market's register, which may not be loaded.
func sourced(m *market.Market, loaded *index.Market) Sourced {
	return Sourced{[]Source{sourceOf(m, loaded)}}
}
