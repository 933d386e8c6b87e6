package web

import (
	"math"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"relais/api/view"
	"relais/catalog"
	"relais/coverage"
	"relais/geo"
	"relais/httpapi/web/docs"
	"relais/market"
	"relais/site"
	"relais/site/spelling"
)

// atPath is the path of the pages about places; a position follows, as in /at/48.11,-1.68.
const atPath = "/at/"

// atPosition is a latitude and a longitude in degrees.
var atPosition = regexp.MustCompile(`^(-?\d{1,2}(?:\.\d{1,20})?), ?(-?\d{1,3}(?:\.\d{1,20})?)$`)

// An atPage is the data of at.html: what official coverage maps say of a place.
type atPage struct {
	Position  string // in the form that the search takes
	Commune   string // of the nearest site, "" if none is near or the register does not name it
	Operators []atOperator
	Matrix    []atLine // technologies by operators, the newest first
	Sources   []atSource
	Metres    int    // side of the cells of the grids
	Synthetic bool   // some of the maps are made up
	Path      string // of the page
	Canonical string
	MapLink   string // "" without a map
	NearLink  string
	DocsLink  string // "" without documentation

	nearest float64 // metres to the site of Commune, 0 without one
}

// communeWithin is how far in metres a site may be whose commune names a place.
const communeWithin = 3000

// An atLine is what the maps of a technology and service say. A cell without a Level has no map.
type atLine struct {
	Technology, Service string
	Cells               []atRow // in the order of the operators
}

// An atOperator is what the maps of an operator say. Key is "" where the source names none.
type atOperator struct {
	Key, Label, Sign string
	Rows             []atRow
	Sites            []atSite
}

// An atRow is what a map says; its texts are in the reader's language.
type atRow struct {
	Technology, Service string
	Tone                string // its class
	Level, Sign         string // Sign is short: "" if Level is
	Better, Measured    string // "" for nothing
	Disagree            string // "" if theory and measurement do not contradict each other
}

// An atSite is the nearest site with some technologies.
type atSite struct{ Technologies, Link, Name, Where string }

// An atSource is who publishes some of the maps, and the day that they are about.
type atSource struct {
	coverage.Publisher
	Edition string
}

// at answers the page about a place. The card of the map shows its main part.
func (p *Pages) at(w http.ResponseWriter, r *http.Request) {
	words := wordsFor(r)
	if p.Keyed {
		p.failWith(w, r, http.StatusForbidden, words["needsKey"])
		return
	}
	at, ok := atPoint(strings.TrimPrefix(r.URL.EscapedPath(), atPath))
	if !ok {
		p.failWith(w, r, http.StatusBadRequest, words["atGive"])
		return
	}
	env := p.Env()
	found, err := env.CoverageAt(r.Context(), catalog.Coverage{At: at})
	if err != nil {
		status, text := p.failure(words, err, "")
		retryAfter(w.Header(), err)
		p.failWith(w, r, status, text)
		return
	}
	lat, lng := formatDegrees(at.Lat), formatDegrees(at.Lng)
	path := atPath + lat + "," + lng
	page := &atPage{Position: lat + ", " + lng, Path: Link(r, path), Canonical: env.BaseURL + path,
		NearLink: Link(r, nearPath, "lat", lat, "lng", lng)}
	if p.Map {
		page.MapLink = Link(r, "/", "at", lat+","+lng, "layers", "official") + "#map=13/" + lat + "/" + lng
	}
	if p.Docs != nil {
		page.DocsLink = Link(r, docs.Path) + "#op-coverage-at"
	}
	for i := range found.Rows {
		page.add(words, found.Market, &found.Rows[i])
	}
	page.compare()
	w.Header().Set("Cache-Control", "public, max-age=60")
	p.render(w, r, http.StatusOK, "at.html", page)
}

// atPoint reads the position of an address.
func atPoint(text string) (p geo.Point, ok bool) {
	text, err := url.PathUnescape(text)
	m := atPosition.FindStringSubmatch(text)
	if err != nil || m == nil {
		return p, false
	}
	p.Lat, _ = strconv.ParseFloat(m[1], 64) // they are numbers
	p.Lng, _ = strconv.ParseFloat(m[2], 64)
	return p, math.Abs(p.Lat) <= 90 && math.Abs(p.Lng) <= 180
}

// add adds what a map says.
func (a *atPage) add(w words, m *market.Market, r *catalog.CoverageRow) {
	key := ""
	if r.Operator >= 0 {
		key = m.Operators[r.Operator].Key
	}
	if n := len(a.Operators); n == 0 || a.Operators[n-1].Key != key {
		o := atOperator{Label: w["atUnnamed"]}
		if key != "" {
			o = atOperator{Key: key, Label: m.Operators[r.Operator].Label, Sign: shapeSigns[m.Operators[r.Operator].Shape]}
		}
		a.Operators = append(a.Operators, o)
	}
	o, l := &a.Operators[len(a.Operators)-1], r.Layer
	row := atRow{Technology: l.Technology, Tone: "l-" + r.Word.Level, Level: w.Level(r.Word), Sign: levelSigns[r.Word.Level]}
	if l.Service != "" {
		row.Service = w["atService."+l.Service]
	}
	if b := r.Better; b != nil {
		row.Better = w.Fill("atBetter", w.Away(b.Metres, b.Azimuth), w.Level(b.Word))
	}
	if n := r.Measured; n != nil {
		row.Measured = w.Fill("atMeasured", w.Distance(catalog.MeasuredWithin)) + w.measured(n)
	}
	if r.Disagree != "" {
		row.Disagree = w["atDisagree."+string(r.Disagree)]
	}
	o.Rows = append(o.Rows, row)
	if r.Site != nil {
		o.addSite(w, m, l.Technology, r.Site)
		a.name(m, r.Site)
	}
	from := atSource{l.Publisher, l.Edition}
	from.Source = l.SourceName()
	if !slices.Contains(a.Sources, from) {
		a.Sources = append(a.Sources, from)
	}
	a.Synthetic, a.Metres = a.Synthetic || l.Synthetic, max(a.Metres, l.Metres)
}

// name takes the commune of a site if that is nearer than those before.
func (a *atPage) name(m *market.Market, s *catalog.CoveringSite) {
	if s.Metres > communeWithin || a.Commune != "" && s.Metres >= a.nearest {
		return
	}
	var stored site.Site
	s.Register.Site(s.At, &stored)
	if commune := spelling.Commune(stored.Commune, stored.CommuneCode, m.Spelling); commune != "" {
		a.Commune, a.nearest = commune, s.Metres
	}
}

// compare makes the matrix of what the operators' maps say.
func (a *atPage) compare() {
	for i, o := range a.Operators {
		for _, row := range o.Rows {
			at := slices.IndexFunc(a.Matrix, func(l atLine) bool { return l.Technology == row.Technology && l.Service == row.Service })
			if at < 0 {
				at = len(a.Matrix)
				a.Matrix = append(a.Matrix, atLine{row.Technology, row.Service, make([]atRow, len(a.Operators))})
			}
			a.Matrix[at].Cells[i] = row
		}
	}
	slices.SortStableFunc(a.Matrix, func(x, y atLine) int { return strings.Compare(y.Technology, x.Technology) })
}

// levelSigns are short for levels whose words are long.
var levelSigns = map[string]string{"": "?", coverage.LevelNone: "–", coverage.LevelCovered: "✓"}

// addSite adds the nearest site with a technology.
func (o *atOperator) addSite(w words, m *market.Market, technology string, s *catalog.CoveringSite) {
	link := view.SitePagePath + s.Key()
	if at := slices.IndexFunc(o.Sites, func(one atSite) bool { return one.Link == link }); at >= 0 {
		o.Sites[at].Technologies += ", " + technology
		return
	}
	var stored site.Site
	s.Register.Site(s.At, &stored)
	where := placeOf(m, &stored, s.Key())
	o.Sites = append(o.Sites, atSite{technology, link, where.Name(), w.Away(s.Metres, s.Azimuth)})
}

// Level writes what a map says of a place.
func (w words) Level(word coverage.Word) string {
	switch {
	case word.Level == "":
		return w["level.unknown"]
	case word.Operators != "":
		return w["level.by."+word.Operators]
	}
	return w["level."+word.Level]
}

// Away writes a distance with its direction in words.
func (w words) Away(metres, degrees float64) string {
	directions := strings.Split(w["atDirections"], "|")
	at := int(math.Round(degrees/360*float64(len(directions)))) % len(directions)
	return w.Distance(int(math.Round(metres))) + " " + directions[at]
}

// measured writes what phones measured around a place.
func (w words) measured(n *catalog.MeasuredNear) string {
	parts := []string{w.Count("atPoints", n.Points)}
	if !math.IsNaN(n.RSRP) {
		parts = append(parts, w.Fill("atMedian", strings.Replace(w.Decimal(n.RSRP, 0), "-", "−", 1)))
	}
	if n.NoService > 0 {
		parts = append(parts, w.Count("atNoService", n.NoService))
	}
	if !n.Newest.IsZero() {
		parts = append(parts, w.Fill("atNewest", w.Date(n.Newest.UTC().Format("2006-01-02"))))
	}
	if n.Synthetic {
		parts = append(parts, "SYNTHETIC")
	}
	return strings.Join(parts, ", ")
}
