package web

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"relais/api"
	"relais/api/endpoint"
	"relais/archive"
	"relais/catalog"
	"relais/geo"
	"relais/index"
	"relais/market"
)

// A newsAddress is the address of a page of news. It is copied to make others.
type newsAddress struct {
	Market       market.Code
	date         string // of the edition, "" for a period
	since, until string
	filters      url.Values // those of feeds, in canonical form
	kind, number string
	lang         string
}

// with returns the address with a filter, without it for "". The page is the first one.
func (a newsAddress) with(name, value string) newsAddress {
	a.number = ""
	switch name {
	case "kind":
		a.kind = value
		return a
	case "since":
		if a.since = value; value == "" {
			a.until = ""
		} else {
			a.date = ""
		}
		return a
	}
	a.filters = maps.Clone(a.filters)
	if a.filters.Set(name, value); value == "" {
		a.filters.Del(name)
	}
	return a
}

// href returns the address.
func (a newsAddress) href() string {
	q := maps.Clone(a.filters)
	for name, value := range map[string]string{"market": string(a.Market), "since": a.since, "until": a.until,
		"kind": a.kind, "page": a.number, "lang": a.lang} {
		if value != "" {
			q.Set(name, value)
		}
	}
	path := newsPath
	if a.date != "" {
		path += "/" + a.date
	}
	return path + "?" + encodeQuery(q)
}

// Narrow returns the address with a filter more.
func (a newsAddress) Narrow(name, value string) string { return a.with(name, value).href() }

// encodeQuery writes parameters with commas as they are.
func encodeQuery(q url.Values) string { return strings.ReplaceAll(q.Encode(), "%2C", ",") }

// notOfNews are the parameters of /changes that a page of news does not have.
var notOfNews = []string{"net", "format", "bom", "sep", "rows", "limit", "offset"}

// newNewsPage returns a page with its address and its question, which is about all that its filters select. Parameters
// that it does not have are ignored, as links of other sites have some of their own.
func newNewsPage(r *http.Request, w words, code market.Code) (*newsPage, *catalog.Changes, error) {
	q := r.URL.Query()
	found, err := api.ChangesQuestion(func(p *endpoint.Param) (string, error) {
		switch {
		case p.Name == "market":
			return string(code), nil
		case slices.Contains(notOfNews, p.Name):
			return "", nil
		}
		return strings.Join(q[p.Name], ","), nil // a form repeats what a link joins
	})
	if err != nil {
		return nil, nil, err
	}
	page := &newsPage{newsAddress: newsAddress{Market: code, since: cleanText(q.Get("since")), until: cleanText(q.Get("until")),
		lang: statedLanguage(r)}}
	if date, ok := strings.CutPrefix(r.URL.Path, newsPath+"/"); ok {
		page.date, page.since, page.until = date, "", ""
	}
	if kinds := found.Filter.Kinds; len(kinds) > 0 {
		page.kind = kinds[0].String()
	}
	found.Filter.Kinds = nil // the numbers of other kinds are those of their links
	found.Limit, found.Kept = -1, true
	page.filters = newsQuery(&found.ChangeSelection)
	page.addPeriods(w)
	return page, &found, nil
}

// newsPeriods are the periods that have a link.
var newsPeriods = []string{"", "7d", "30d", "90d"}

// addPeriods adds the links to periods.
func (page *newsPage) addPeriods(w words) {
	for _, since := range newsPeriods {
		to := page.newsAddress.with("since", since)
		if since == "" {
			to.date = ""
		}
		to.until = ""
		page.Periods = append(page.Periods, choice{w["since."+since], to.href(),
			page.date == "" && since == page.since && page.until == ""})
	}
}

// addChips says which filters there are.
func (page *newsPage) addChips(w words, found *catalog.ChangesFound) {
	s := &found.ChangeSelection
	one := func(label string, names ...string) {
		to := page.newsAddress
		for _, name := range names {
			to = to.with(name, "")
		}
		page.Chips = append(page.Chips, filterChip{label, to.href()})
	}
	each := func(name string, values, labels []string) {
		for i := range values {
			others := strings.Join(slices.Delete(slices.Clone(values), i, i+1), ",")
			page.Chips = append(page.Chips, filterChip{labels[i], page.with(name, others).href()})
		}
	}
	for _, code := range s.Filter.Areas {
		one(areaName(s.Market, code), s.Market.AreaType)
	}
	each("operator", s.Filter.Operators, labelsOf(s.Market, s.Filter.Operators))
	generations := textsOf(s.Filter.Generations)
	each("generation", generations, generations)
	each("technology", s.Technologies, s.Technologies)
	bands := slices.Clone(s.Bands)
	for i := range bands {
		bands[i] += "\u00a0MHz"
	}
	each("band", s.Bands, bands)
	if where := w.newsWhere(found.Register, s); where != "" {
		one(where, "bbox", "lat", "lon", "radiusKm")
	}
}

// areaName returns the name of an area with its code.
func areaName(m *market.Market, code string) string {
	i, ok := m.Area(code)
	if !ok {
		return code
	}
	return m.Areas[i].Label + " (" + m.Areas[i].Code + ")"
}

// A newsForm is the choices of the form.
type newsForm struct {
	Area         string // the name of its parameter, "" for a market without areas
	Areas        []option
	Operators    []option
	Generations  []option
	Since, Until []option
	Hidden       []moreFilter
}

// mostFormEditions is how many editions the form offers: more than a year of weekly ones.
const mostFormEditions = 60

// addForm adds the form, with what is chosen.
func (page *newsPage) addForm(w words, all []archive.Edition, m *market.Market) {
	f := &page.Form
	chosen := func(name string) []string { return strings.Split(page.filters.Get(name), ",") }
	if f.Area = m.AreaType; f.Area != "" {
		for _, a := range m.Areas {
			f.Areas = append(f.Areas, option{a.Code, a.Label + " (" + a.Code + ")", "", slices.Contains(chosen(f.Area), a.Code)})
		}
	}
	for _, o := range m.Operators {
		f.Operators = append(f.Operators, option{o.Key, o.Label, "", slices.Contains(chosen("operator"), o.Key)})
	}
	for _, g := range []string{"2G", "3G", "4G", "5G"} {
		f.Generations = append(f.Generations, option{g, g, "", slices.Contains(chosen("generation"), g)})
	}
	for _, since := range newsPeriods {
		f.Since = append(f.Since, option{since, w["sinceForm."+since], "", since == page.since})
	}
	last := page.until
	if page.date != "" {
		last = page.date
	}
	for i, e := range slices.Backward(all[max(0, len(all)-mostFormEditions):]) {
		date := e.Date.String()
		f.Since = append(f.Since, option{date, w.Fill("sinceEdition", w.Date(date)), "", date == page.since})
		value := date
		if i == len(all)-1 || len(f.Until) == 0 {
			value = "" // the newest, also when there is a newer one
		}
		f.Until = append(f.Until, option{value, w.Date(date), "", date == last})
	}
	hidden := map[string]string{"market": string(m.Code), "kind": page.kind, "lang": page.lang}
	for _, name := range []string{"technology", "band", "bbox", "lat", "lon", "radiusKm"} {
		hidden[name] = page.filters.Get(name)
	}
	for _, name := range slices.Sorted(maps.Keys(hidden)) {
		if hidden[name] != "" {
			f.Hidden = append(f.Hidden, moreFilter{name, hidden[name]})
		}
	}
}

// newsMapLink returns the address of the map with the filters that it has, at the place of the selection.
func newsMapLink(r *http.Request, loaded *index.Market, s *catalog.ChangeSelection) string {
	f := &s.Filter
	link := Link(r, "/", "operator", strings.Join(f.Operators, ","), "generation", strings.Join(textsOf(f.Generations), ","))
	box := s.Market.Box
	switch {
	case f.Box != nil:
		box = *f.Box
	case f.Disc != nil:
		box = f.Disc.Box()
	case len(f.Areas) > 0:
		if at, ok := areaCenter(loaded, s.Market, f.Areas[0]); ok {
			return link + mapPlace(8, at)
		}
	}
	zoom := 4
	for width := 25.0; zoom < 15 && box.East-box.West < width; width /= 2 {
		zoom++
	}
	return link + mapPlace(zoom, geo.Point{Lat: (box.South + box.North) / 2, Lng: (box.West + box.East) / 2})
}

// mapPlace returns the part of the map's address that says where it is.
func mapPlace(zoom int, at geo.Point) string {
	return "#map=" + strconv.Itoa(zoom) + "/" + formatDegrees(at.Lat) + "/" + formatDegrees(at.Lng)
}

// areaCenter returns the middle of an area in a register, which may be nil.
func areaCenter(loaded *index.Market, m *market.Market, code string) (center geo.Point, ok bool) {
	i, ok := m.Area(code)
	if !ok || loaded == nil {
		return center, false
	}
	places, _ := loaded.Places(m.Areas[i].Label, 20)
	for _, p := range places {
		if p.Kind == index.AreaPlace && p.Area == i {
			return p.Center, true
		}
	}
	return center, false
}
