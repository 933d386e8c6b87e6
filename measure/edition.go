package measure

import (
	"cmp"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"relais/ingest/source"
	"relais/market"
)

// A Campaign is an edition of a source that an authority publishes. The zero Campaign stands for rows that nobody
// published: those of the operator's own files, and those that were added one by one.
type Campaign struct {
	ID        string `json:"id,omitempty"`        // such as arcep-2025-habitations, unique in a market
	Source    string `json:"source,omitempty"`    // such as arcep-habitations: its last measured campaign is the newest
	Publisher string `json:"publisher,omitempty"` // such as ARCEP
	Licence   string `json:"licence,omitempty"`
}

// A publisher publishes the files of a format.
type publisher struct{ key, name, licence string }

// yearInName finds the year of a campaign in the name of its file, such as 2025_QoS_Metropole_data_habitations.csv.
var yearInName = regexp.MustCompile(`(?:^|[^0-9])(20[0-9]{2})_QoS`)

// campaign returns the campaign of a file from its name, and where that says nothing from its rows: whether they were
// measured in trains, and in which year the last one was.
func (p *publisher) campaign(name string, synthetic, inTrains bool, last uint32) Campaign {
	name = filepath.Base(name)
	part := "habitations"
	if inTrains || strings.Contains(name, "transports") {
		part = "transports"
	}
	if strings.Contains(name, "_voix_") {
		part = "voix-" + part
	}
	year := strconv.Itoa(unix(int64(last)).Year())
	if found := yearInName.FindStringSubmatch(name); found != nil {
		year = found[1]
	}
	c := Campaign{ID: p.key + "-" + year + "-" + part, Source: p.key + "-" + part, Publisher: p.name, Licence: p.licence}
	if synthetic { // it must not replace or hide a real one
		c.ID, c.Source = "synthetic-"+c.ID, "synthetic-"+c.Source
	}
	return c
}

// ServerEdition is the id of the edition of the speedtests that were added one by one.
const ServerEdition = "server"

// An Edition is measurements of a market that came together: a campaign, the import of a file of the operator's own, or
// all speedtests that were added one by one.
type Edition struct {
	ID          string   // of the campaign; the name of the import; ServerEdition
	Campaign    Campaign // zero for those that nobody published
	Synthetic   bool
	First, Last time.Time // UTC; of the measurements that state a time, zero without any
	Imported    time.Time // the last time
	Newest      bool      // the newest campaign of its source
	Measures    map[Kind]int
}

// Name returns the publisher and the months of a campaign in English, such as "ARCEP, June to August 2025". Synthetic
// measurements have SYNTHETIC before it.
func (e *Edition) Name() string {
	first, last := e.First.Format("January 2006"), e.Last.Format("January 2006")
	if e.First.Year() == e.Last.Year() {
		first = e.First.Format("January")
	}
	months := last
	if e.First.Year() != e.Last.Year() || e.First.Month() != e.Last.Month() {
		months = first + " to " + last
	}
	name := e.Campaign.Publisher + ", " + months
	if e.Synthetic {
		return source.Synthetic + " " + name
	}
	return name
}

// A span sums up the rows of one origin of a segment.
type span struct {
	rows        int
	first, last uint32 // Unix time, 0 if no row states one
}

func (s *segment) newSpans() []span {
	spans := make([]span, max(1, len(s.Origins)))
	for i, t := range s.time {
		p := &spans[0]
		if s.origin != nil {
			p = &spans[s.origin[i]]
		}
		p.rows++
		if p.last = max(p.last, t); t > 0 && (p.first == 0 || t < p.first) {
			p.first = t
		}
	}
	return spans
}

// editionOf returns the id of the edition of an origin.
func (s *segment) editionOf(o origin) string {
	switch {
	case s.Campaign.ID != "":
		return s.Campaign.ID
	case s.Added:
		return ServerEdition
	}
	return o.Name
}

// editionKey is an edition of a market.
type editionKey struct {
	market market.Code
	id     string
}

// newestCampaigns returns the newest campaign of each source: the one with the last measurement.
func newestCampaigns(rows []SegmentInfo) map[editionKey]bool {
	last := map[editionKey]SegmentInfo{} // by source
	for _, r := range rows {
		key := editionKey{r.Market, r.Campaign.Source}
		if l := last[key]; r.Campaign.ID != "" &&
			cmp.Or(r.Newest.Compare(l.Newest), cmp.Compare(r.Campaign.ID, l.Campaign.ID)) > 0 {
			last[key] = r
		}
	}
	newest := map[editionKey]bool{}
	for source, r := range last {
		newest[editionKey{source.market, r.Campaign.ID}] = true
	}
	return newest
}

// isNewest reports whether a segment has rows of the newest campaign of a source.
func (v *view) isNewest(s *segment) bool {
	return s.Campaign.ID != "" && v.newest[editionKey{s.Market, s.Campaign.ID}]
}

// Editions returns the editions of a market: campaigns first, the last measured first, then the others, the last
// imported first.
func (s *Store) Editions(code market.Code) []Edition { return s.view().editions()[code] }

// Edition returns an edition of a market, false if the market has none with the id.
func (s *Store) Edition(code market.Code, id string) (Edition, bool) {
	all := s.Editions(code)
	i := slices.IndexFunc(all, func(e Edition) bool { return e.ID == id })
	if i < 0 {
		return Edition{}, false
	}
	return all[i], true
}

// Campaigns returns the ids of the campaigns of a market that are whole: all their files can be used. Error: store.ErrAway while
// the files of another machine cannot be fetched.
func (s *Store) Campaigns(code market.Code) (ids []string, err error) {
	s.viewMu.Lock()
	defer s.viewMu.Unlock()
	if s.viewErr != nil {
		return nil, s.notFetched()
	}
	usable, lost := s.loaded(), map[string]bool{}
	for _, row := range s.rows {
		if row.Market != code || row.Campaign.ID == "" {
			continue
		}
		ids = append(ids, row.Campaign.ID)
		lost[row.Campaign.ID] = lost[row.Campaign.ID] || usable[row.File] == nil
	}
	slices.Sort(ids)
	return slices.DeleteFunc(slices.Compact(ids), func(id string) bool { return lost[id] }), nil
}

// listEditions returns the editions of the markets.
func (v *view) listEditions() map[market.Code][]Edition {
	found := map[editionKey]*Edition{}
	for _, s := range v.segments {
		for i, o := range s.origins() {
			key := editionKey{s.Market, s.editionOf(o)}
			e := found[key]
			if e == nil {
				e = &Edition{ID: key.id, Campaign: s.Campaign, Synthetic: s.Synthetic, Newest: v.isNewest(s), Measures: map[Kind]int{}}
				found[key] = e
			}
			e.add(s.Kind, &s.spans[i], unix(o.Imported))
		}
	}
	lists := map[market.Code][]Edition{}
	for key, e := range found {
		lists[key.market] = append(lists[key.market], *e)
	}
	for list := range maps.Values(lists) {
		slices.SortFunc(list, compareEditions)
	}
	return lists
}

// add adds the rows of one origin.
func (e *Edition) add(kind Kind, p *span, imported time.Time) {
	e.Measures[kind] += p.rows
	if imported.After(e.Imported) {
		e.Imported = imported
	}
	if p.last == 0 {
		return
	}
	if first := unix(int64(p.first)); e.First.IsZero() || first.Before(e.First) {
		e.First = first
	}
	if last := unix(int64(p.last)); last.After(e.Last) {
		e.Last = last
	}
}

func compareEditions(a, b Edition) int {
	if published := a.Campaign.ID != ""; published != (b.Campaign.ID != "") {
		return map[bool]int{true: -1, false: 1}[published]
	} else if published {
		return cmp.Or(b.Last.Compare(a.Last), cmp.Compare(a.ID, b.ID))
	}
	return cmp.Or(b.Imported.Compare(a.Imported), cmp.Compare(a.ID, b.ID))
}

// chosenOrigins returns which origins of a segment belong to an edition, nil for all of them. any is false if none does.
func (s *segment) chosenOrigins(id string) (chosen []bool, any bool) {
	if s.Campaign.ID != "" || s.Added {
		return nil, s.editionOf(origin{}) == id
	}
	chosen = make([]bool, 0, len(s.spans))
	for _, o := range s.origins() {
		chosen = append(chosen, o.Name == id)
	}
	if len(s.Origins) == 0 {
		return nil, chosen[0]
	}
	return chosen, slices.Contains(chosen, true)
}
