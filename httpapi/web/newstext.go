package web

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"relais/api/view"
	"relais/archive/change"
	"relais/catalog"
	"relais/geo"
	"relais/index"
	"relais/market"
)

// newsWhat names the subject of a feed. The register, which may be nil, knows the communes.
func (w words) newsWhat(loaded *index.Market, s *catalog.ChangeSelection) string {
	f, m := &s.Filter, s.Market
	parts := []string{w.Market(m.Code)}
	for _, code := range f.Areas {
		parts = append(parts, areaName(m, code))
	}
	for _, list := range [][]string{labelsOf(m, f.Operators), textsOf(f.Generations), s.Technologies} {
		if len(list) > 0 {
			parts = append(parts, strings.Join(list, ", "))
		}
	}
	if len(s.Bands) > 0 {
		parts = append(parts, strings.Join(s.Bands, ", ")+"\u00a0MHz")
	}
	if len(f.Kinds) > 0 {
		parts = append(parts, strings.Join(w.kindNames(f.Kinds), ", "))
	}
	if where := w.newsWhere(loaded, s); where != "" {
		parts = append(parts, where)
	}
	return strings.Join(parts, " · ")
}

// newsWhere names the box or the disc of a feed after its largest commune, else as newsEdges; "" for neither.
func (w words) newsWhere(loaded *index.Market, s *catalog.ChangeSelection) string {
	f := &s.Filter
	commune := ""
	if d := f.Disc; d != nil {
		commune = largestCommune(loaded, d.Box())
	} else if b := f.Box; b != nil {
		commune = largestCommune(loaded, *b)
	}
	switch {
	case commune == "":
		return w.newsEdges(s)
	case f.Disc != nil:
		return w.Fill("newsAround", commune) + " (" + w.Distance(int(f.Disc.Radius)) + ")"
	}
	return w.Fill("newsAround", commune)
}

// newsEdges says where a feed is in degrees, "" for everywhere.
func (w words) newsEdges(s *catalog.ChangeSelection) string {
	if d := s.Filter.Disc; d != nil {
		return w.Fill("newsDisc", w.Distance(int(d.Radius)), formatDegrees(d.Center.Lat)+", "+formatDegrees(d.Center.Lng))
	}
	if b := s.Filter.Box; b != nil {
		return w.Fill("newsBox", w.between(b.South, b.North, "side.south", "side.north"),
			w.between(b.West, b.East, "side.west", "side.east"))
	}
	return ""
}

// Heights and widths in degrees up to which a box is that of a town and its surroundings.
const mostTownHeight, mostTownWidth = 0.7, 1.0

// largestCommune returns the commune of a box that has the most sites, "" for none and for a box that is larger than
// those of a town.
func largestCommune(loaded *index.Market, b geo.Box) (name string) {
	if loaded == nil || b.North-b.South > mostTownHeight || b.East-b.West > mostTownWidth {
		return ""
	}
	most := 0
	loaded.CommunesIn(b, func(p *index.Place) {
		if p.Sites > most {
			name, most = p.Name, p.Sites
		}
	})
	return name
}

// between writes two angles, with the names of the sides on which they are.
func (w words) between(a, b float64, below, above string) string {
	sides := [2]string{w[above], w[above]}
	for i, x := range []float64{a, b} {
		if x < 0 || x == 0 && min(a, b) < 0 {
			sides[i] = w[below]
		}
	}
	first, last := shortDegrees(math.Abs(a)), shortDegrees(math.Abs(b))
	if sides[0] == sides[1] {
		return w.Fill("newsSame", first, last, sides[0])
	}
	return w.Fill("newsBoth", first, sides[0], last, sides[1])
}

// shortDegrees writes degrees with at most three decimals, about a hundred metres.
func shortDegrees(x float64) string { return strconv.FormatFloat(math.Round(x*1e3)/1e3, 'f', -1, 64) }

// kindNames names kinds of changes.
func (w words) kindNames(kinds []change.Kind) (names []string) {
	for _, k := range kinds {
		names = append(names, w["news."+k.String()])
	}
	return names
}

// news writes an entry in words. Its links are "" if no loaded register has the site; that to the map is too unless
// onMap is set.
func (w words) news(found *catalog.NewsFound, e *catalog.NewsEntry, onMap bool) newsText {
	m := found.Market
	commune, link := communeAndLink(found.Register, e.Changes[0].Site)
	text := newsText{Date: e.Date.String(), Link: link, Lines: w.newsLines(m, e.Changes)}
	if onMap && link != "" {
		text.MapLink = figureLink("/", "site", index.Key(m.Code, e.Changes[0].Site)) + mapPlace(15, e.Changes[0].Point())
	}
	var operators []string
	for i := range e.Changes {
		operators = appendNew(operators, e.Changes[i].Operator)
	}
	what := strings.Join(w.kindNames(newsKinds(e.Changes)), ", ")
	if e.Correction > 0 {
		what = w.Fill("newsCorrects", what)
	}
	text.Title = upperFirst(what) + w["colon"] + " " + newsPlace(m, commune, &e.Changes[0])
	for _, list := range [][]string{labelsOf(m, operators), newsSystems(e.Changes)} {
		if len(list) > 0 {
			text.Title += " · " + strings.Join(list, ", ")
		}
	}
	return text
}

// newsSystems lists the systems of changes for a title: if there are more than two, their generations.
func newsSystems(changes []change.Record) []string {
	var systems, generations []string
	for i := range changes {
		systems = appendNew(systems, changes[i].Technology)
		generations = appendNew(generations, changes[i].Generation.String())
	}
	if len(systems) == 1 || len(systems) == 2 {
		return systems
	}
	slices.Sort(generations)
	return generations
}

// appendNew appends a text that the list does not have. "" stands for none.
func appendNew(list []string, text string) []string {
	if text == "" || slices.Contains(list, text) {
		return list
	}
	return append(list, text)
}

// newsPlace says where the site of a change is: in its commune, else in its area, else its key.
func newsPlace(m *market.Market, commune string, c *change.Record) string {
	area, known := m.Area(c.Area)
	switch {
	case commune != "" && known:
		return commune + " (" + m.Areas[area].Code + ")"
	case commune != "":
		return commune
	case known:
		return m.Areas[area].Label + ", " + index.Key(m.Code, c.Site)
	}
	return index.Key(m.Code, c.Site)
}

// kindsIn lists the kinds of changes, each once.
func kindsIn(changes []change.Record) (kinds []change.Kind) {
	for i := range changes {
		if k := changes[i].Kind; !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// newsKinds lists the kinds of changes. Those that a new site or a new operator implies are left out.
func newsKinds(changes []change.Record) (kinds []change.Kind) {
	for _, k := range kindsIn(changes) {
		switch {
		case k == change.SiteAdded || k == change.SiteRemoved:
			return []change.Kind{k}
		case k == change.SystemAdded && impliedByOperators(k, change.OperatorAdded, changes),
			k == change.SystemRemoved && impliedByOperators(k, change.OperatorRemoved, changes):
		default:
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// impliedByOperators reports whether all systems of a kind are those of operators that came or went likewise.
func impliedByOperators(system, operator change.Kind, changes []change.Record) bool {
	of := map[string]bool{}
	for i := range changes {
		if changes[i].Kind == operator {
			of[changes[i].Operator] = true
		}
	}
	return !slices.ContainsFunc(changes, func(c change.Record) bool { return c.Kind == system && !of[c.Operator] })
}

// newsLines writes changes, those of one kind and operator in one line.
func (w words) newsLines(m *market.Market, changes []change.Record) (lines []string) {
	for i := 0; i < len(changes); {
		c, end := &changes[i], i+1
		for end < len(changes) && changes[end].Kind == c.Kind && changes[end].Operator == c.Operator {
			end++
		}
		lines = append(lines, w.newsLine(m, changes[i:end]))
		i = end
	}
	return lines
}

// newsLine writes changes of one kind and operator.
func (w words) newsLine(m *market.Market, changes []change.Record) string {
	c := &changes[0]
	name := "line." + c.Kind.String()
	switch c.Kind {
	case change.SiteAdded, change.SiteRemoved:
		return w[name]
	case change.Moved:
		from, to := c.Before.Position, c.After.Position
		return w.Fill(name, w.Distance(int(math.Round(geo.Distance(from, to)))), w.Position(view.Coordinates(from)),
			w.Position(view.Coordinates(to)))
	}
	operator := market.Label(m.Code, c.Operator)
	if c.Kind == change.OperatorAdded || c.Kind == change.OperatorRemoved {
		return w.Fill(name, operator)
	}
	systems := make([]string, len(changes))
	for i := range changes {
		systems[i] = w.newsSystem(&changes[i])
	}
	return w.Fill(name, operator, strings.Join(systems, w["semicolon"]+" "))
}

// newsSystem writes a system with its published statuses.
func (w words) newsSystem(c *change.Record) string {
	name := cmp.Or(c.Technology, c.Generation.String(), w["newsSystem"])
	if c.Kind == change.StatusChanged {
		return name + " – " + w.newsStatus(c.Before.Status) + " → " + w.newsStatus(c.After.Status)
	}
	if status := cmp.Or(c.After.Status, c.Before.Status); status != "" {
		return name + " – " + w.newsStatus(status)
	}
	return name
}

// newsStatus writes a published status with its meaning.
func (w words) newsStatus(status string) string {
	if meaning := w.Status(status); meaning != "" {
		return status + " (" + meaning + ")"
	}
	return cmp.Or(status, w["notStated"])
}

// upperFirst begins a text with a capital letter.
func upperFirst(s string) string {
	for i, c := range s {
		return strings.ToUpper(string(c)) + s[i+len(string(c)):]
	}
	return s
}
