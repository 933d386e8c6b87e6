package web

import (
	"cmp"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"relais/api"
	"relais/api/view"
	"relais/catalog"
	"relais/geo"
	"relais/index"
	"relais/internal/fold"
	"relais/market"
	"relais/site"
)

// Paths of the pages with lists.
const (
	searchPath = "/search"
	nearPath   = "/near"
)

// lists answers the pages with lists of sites.
type lists struct{ *Pages }

const (
	pageRows = 50
	maxQuery = 200     // characters of a search
	maxPages = 1 << 20 // an address of a later page is one of this
)

// A listQuery is the parameters of a page with a list. Market is "" for any.
type listQuery struct {
	Path                             string
	Market, Text, Lat, Lng, Radius   string
	BBox                             string
	Operators, Generations, Statuses []string
	More                             []moreFilter
	Sort                             string
	Page                             int // from 1
	Lang                             string
}

// A moreFilter is a filter of the API for which the form has no field. It stays in the form, and people see it.
type moreFilter struct{ Name, Value string }

// moreNames are the parameters of such filters.
var moreNames = []string{"department", "territory", "province", "technology", "band", "together", "changedSince"}

// newListQuery reads the parameters. Those that the page does not have are ignored, as links of
// other sites have some of their own.
func newListQuery(r *http.Request) listQuery {
	q := r.URL.Query()
	list := listQuery{Path: r.URL.Path, Market: strings.ToUpper(cleanText(q.Get("market"))),
		Text: cleanText(q.Get("q")), BBox: cleanText(q.Get("bbox")), Radius: cleanText(q.Get("radiusKm")),
		Lat: cleanText(q.Get("lat")), Lng: cleanText(cmp.Or(q.Get("lng"), q.Get("lon"))),
		Operators: valuesOf(q, "operator"), Generations: valuesOf(q, "generation"), Statuses: valuesOf(q, "status"),
		Lang: statedLanguage(r), Page: 1}
	for _, name := range moreNames {
		if value := strings.Join(valuesOf(q, name), ","); value != "" {
			list.More = append(list.More, moreFilter{name, value})
		}
	}
	if slices.Contains(sortNames, q.Get("sort")) {
		list.Sort = q.Get("sort")
	}
	if n, err := strconv.ParseUint(q.Get("page"), 10, 64); err == nil && n > 0 {
		list.Page = int(min(n, maxPages))
	} else if err != nil && strings.Trim(q.Get("page"), "0123456789") == "" && q.Get("page") != "" {
		list.Page = maxPages // more digits than a number has
	}
	return list
}

// maxChoices bounds the values of a filter that are looked at.
const maxChoices = 50

// valuesOf returns the values of a parameter that a form repeats and a link joins with commas.
func valuesOf(q url.Values, name string) (list []string) {
	for _, given := range q[name] {
		for part := range strings.SplitSeq(given, ",") {
			if part = cleanText(part); part != "" && !slices.Contains(list, part) && len(list) < maxChoices {
				list = append(list, part)
			}
		}
	}
	return list
}

// values returns the parameters, by the names that they have in the API too.
func (q *listQuery) values() url.Values {
	v := url.Values{}
	for name, value := range map[string]string{"market": q.Market, "q": q.Text, "lat": q.Lat, "lng": q.Lng,
		"radiusKm": q.Radius, "bbox": q.BBox, "operator": strings.Join(q.Operators, ","),
		"generation": strings.Join(q.Generations, ","), "status": strings.Join(q.Statuses, ",")} {
		if value != "" {
			v.Set(name, value)
		}
	}
	for _, f := range q.More {
		v.Set(f.Name, f.Value)
	}
	return v
}

// href returns the address of the page with these parameters.
func (q listQuery) href() string {
	v := q.values()
	if q.Sort != "" {
		v.Set("sort", q.Sort)
	}
	if q.Lang != "" {
		v.Set("lang", q.Lang)
	}
	if q.Page > 1 {
		v.Set("page", strconv.Itoa(q.Page))
	}
	if len(v) == 0 {
		return q.Path
	}
	return q.Path + "?" + v.Encode()
}

// sites returns the question for so many sites of a market on the page. Its error is that of the API.
func (q *listQuery) sites(code string, limit int) (catalog.Sites, error) {
	v := q.values()
	if q.BBox == "" {
		v.Del("q") // it is a question for Find
	}
	v.Set("market", code)
	question, err := api.BindSites(lookup(v))
	question.Offset, question.Limit = (q.Page-1)*pageRows, limit
	return question, err
}

// A listPage is the data of a page with a list of sites.
type listPage struct {
	listSources
	Query                listQuery
	Title                string
	Caption              string
	Notice               string // instead of the list, or above it
	Hint                 string
	Market               *market.Market // whose sites are listed, or nil
	Markets              []option
	Operators            []option
	Statuses             []option
	Generations, Radii   []option
	Rows                 []listRow
	Near                 bool // the rows have distances
	Columns              []listColumn
	Others               []otherMarket
	Areas                []otherMarket // instead of rows
	Total                int
	Previous, Next, Last string // addresses of pages
	Pages                int
	Clear                string // address without filters
	MapLink              string
	Feed                 *feedLinks // of changes there, nil for none
	HasSystems           bool       // the register states systems
	Radio                []radioHit
	RadioMore, RadioLast bool         // more than are shown; after the rows
	Chips                []filterChip // what was understood of the text
	Better               *betterLink  // nil for none
	Notes                []string
	Examples             []example
}

// An option is a value of a form.
type option struct {
	Value, Label, Note string
	Chosen             bool
}

// A listRow is a site in a list.
type listRow struct {
	place
	Key, Href           string
	Operators, Systems  []string
	Status, Meaning     string
	Distance, Direction string
}

// A listColumn is the head of a column; Href sorts by it, and if it is Sorted, leads back to the
// order of the API.
type listColumn struct {
	Name, Href string
	Sorted     bool
}

// An otherMarket is a market, or an area, that has sites of the same question.
type otherMarket struct {
	Label, Href string
	Sites       int
}

// An example is something to search for.
type example struct{ Text, Href string }

// The columns by which a page can be sorted.
var sortNames = []string{"place", "operators", "systems", "status"}

// shown returns the loaded markets that pages may show.
func shownMarkets(env *api.Env) []*index.Market {
	list, _ := env.Among(nil)
	return list
}

// newListPage makes the page without its list.
func newListPage(env *api.Env, w words, q listQuery) *listPage {
	list := &listPage{Query: q, Pages: 1}
	for _, m := range shownMarkets(env) {
		list.Markets = append(list.Markets, option{string(m.Table.Code), w.Market(m.Table.Code), "",
			q.Market == string(m.Table.Code)})
	}
	bare := q
	bare.Operators, bare.Generations, bare.Statuses, bare.More, bare.Sort, bare.Page = nil, nil, nil, nil, "", 1
	list.Clear = bare.href()
	for _, g := range []string{"2G", "3G", "4G", "5G"} {
		list.Generations = append(list.Generations, option{g, g, "", slices.Contains(q.Generations, g)})
	}
	return list
}

// setMarket adds what depends on the market whose sites are listed.
func (list *listPage) setMarket(w words, m *index.Market) {
	list.Market = m.Table
	for _, o := range m.Table.Operators {
		list.Operators = append(list.Operators, option{o.Key, o.Label, "",
			slices.ContainsFunc(list.Query.Operators, func(key string) bool { return strings.EqualFold(key, o.Key) })})
	}
	for _, s := range m.Snap.Statuses {
		list.Statuses = append(list.Statuses, option{s, s, w.Status(s), slices.Contains(list.Query.Statuses, s)})
	}
	list.HasSystems = len(m.Snap.Systems) > 0
	if list.Query.Text == "" { // feeds do not search for words
		list.Feed = list.Query.feed(w, m)
	}
	list.addSource(m)
}

// listSources say where rows come from.
type listSources struct {
	Sources   []listSource
	Synthetic bool
}

type listSource struct{ Authority, Label, Date string }

// addSource names the register of rows, once.
func (list *listSources) addSource(m *index.Market) {
	from := view.SourceOf(m.Table, m.Snap)
	s := listSource{from.Authority, from.Source, m.Snap.SourceDate}
	if !slices.Contains(list.Sources, s) {
		list.Sources = append(list.Sources, s)
	}
	list.Synthetic = list.Synthetic || m.Snap.Synthetic
}

// setRows adds the sites of a page. center is the middle of a search by distance, or nil.
func (list *listPage) setRows(r *http.Request, w words, found *catalog.SitesFound, center *geo.Point) {
	list.Total, list.Pages = found.Total, max(1, (found.Total+pageRows-1)/pageRows)
	for i, at := range found.Sites {
		row := newListRow(r, w, found.Register, at, center)
		if found.Metres != nil {
			row.Distance = w.Distance(int(math.Round(found.Metres[i])))
		}
		list.Rows = append(list.Rows, row)
	}
	sortRows(list.Rows, list.Query.Sort)
	at := list.Query
	at.Market = string(list.Market.Code) // so that the pages of a list are those of one market
	address := func(number int) string {
		at.Page = number
		return at.href()
	}
	if list.Query.Page > 1 {
		list.Previous = address(min(list.Query.Page-1, list.Pages))
	}
	if list.Query.Page < list.Pages {
		list.Next = address(list.Query.Page + 1)
	}
	if list.Query.Page > list.Pages {
		list.Last = address(list.Pages)
	}
	at.Page = list.Query.Page
	for _, name := range sortNames {
		if name == "systems" && !list.HasSystems || name == "status" && len(list.Statuses) == 0 {
			continue
		}
		c := listColumn{Name: name, Sorted: list.Query.Sort == name}
		if at.Sort = name; c.Sorted {
			at.Sort = ""
		}
		c.Href = at.href()
		list.Columns = append(list.Columns, c)
	}
}

func newListRow(r *http.Request, w words, m *index.Market, at uint32, center *geo.Point) listRow {
	var stored site.Site
	m.Site(at, &stored)
	s := view.NewSummary(m.Snap, &stored)
	row := listRow{place: placeOf(m.Table, &stored, *s.SiteKey), Key: *s.SiteKey,
		Href: Link(r, view.SitePage("", *s.SiteKey)), Operators: labelsOf(m.Table, s.Operators),
		Systems: groupSystems(s.Technologies)}
	if s.Status != nil {
		row.Status, row.Meaning = *s.Status, w.Status(*s.Status)
	}
	if to := stored.Position; center != nil && to != *center {
		row.Direction = w.Direction(geo.Bearing(*center, to))
	}
	return row
}

// groupSystems joins systems that differ in their band only: LTE 700, LTE 800 becomes LTE 700, 800. A
// line does not break within a name.
func groupSystems(names []string) (list []string) {
	before := ""
	for _, name := range names {
		at := strings.LastIndexByte(name, ' ')
		if at < 0 || strings.Trim(name[at+1:], "0123456789") != "" {
			list, before = append(list, name), ""
			continue
		}
		if kind := name[:at]; kind == before {
			list[len(list)-1] += ", " + name[at+1:]
		} else {
			list, before = append(list, strings.ReplaceAll(name, " ", "\u00a0")), kind
		}
	}
	return list
}

// sortRows sorts the rows of a page as readers expect. Equal ones stay in the order of the API.
func sortRows(rows []listRow, by string) {
	key := map[string]func(*listRow) string{
		"place":     func(row *listRow) string { return row.Commune + " " + row.Title },
		"operators": func(row *listRow) string { return strings.Join(row.Operators, ", ") },
		"systems":   func(row *listRow) string { return strings.Join(row.Systems, ", ") },
		"status":    func(row *listRow) string { return row.Status },
	}[by]
	if key != nil {
		slices.SortStableFunc(rows, func(a, b listRow) int { return fold.Compare(key(&a), key(&b)) })
	}
}

// Filtered reports whether the list is of a part of what is there.
func (list *listPage) Filtered() bool {
	q := &list.Query
	return len(q.Operators)+len(q.Generations)+len(q.Statuses)+len(q.More) > 0
}
