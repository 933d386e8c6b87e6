package web

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"relais/api"
	"relais/api/view"
	"relais/geo"
	"relais/market"
)

// newsWhat names the subject of a feed.
func (w words) newsWhat(news *view.News) string {
	f, m := &news.Filter, market.Get(news.Market)
	parts := []string{w.Market(news.Market)}
	if f.Area != nil {
		parts = append(parts, f.Area.Label)
	}
	for _, list := range [][]string{labelsOf(m, f.Operators), f.Generations, f.Technologies} {
		if len(list) > 0 {
			parts = append(parts, strings.Join(list, ", "))
		}
	}
	if len(f.Bands) > 0 {
		parts = append(parts, strings.Join(f.Bands, ", ")+"\u00a0MHz")
	}
	if len(f.Kinds) > 0 {
		var names []string
		for _, k := range f.Kinds {
			names = append(names, w["news."+string(k)])
		}
		parts = append(parts, strings.Join(names, ", "))
	}
	if d := f.Disc; d != nil {
		parts = append(parts, w.Fill("newsDisc", w.Distance(int(d.Radius)), formatDegrees(d.Center.Lat)+", "+
			formatDegrees(d.Center.Lng)))
	}
	if b := f.Box; b != nil {
		parts = append(parts, w.Fill("newsBox", w.between(b.South, b.North, "side.south", "side.north"),
			w.between(b.West, b.East, "side.west", "side.east")))
	}
	return strings.Join(parts, " · ")
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

// news writes an entry in words. Its link is "" if no loaded register has the site.
func (w words) news(env *api.Env, code market.Code, e *view.NewsEntry) newsText {
	m := market.Get(code)
	text := newsText{Date: e.Date, Link: siteLink(env, code, e.Site.ID), Lines: w.newsLines(m, e.Changes)}
	var operators []string
	for i := range e.Changes {
		operators = appendNew(operators, e.Changes[i].Operator)
	}
	what := strings.Join(w.newsKinds(e.Changes), ", ")
	if e.Correction > 0 {
		what = w.Fill("newsCorrects", what)
	}
	text.Title = upperFirst(what) + w["colon"] + " " + w.newsPlace(&e.Site)
	for _, list := range [][]string{labelsOf(m, operators), newsSystems(e.Changes)} {
		if len(list) > 0 {
			text.Title += " · " + strings.Join(list, ", ")
		}
	}
	return text
}

// newsSystems lists the systems of changes for a title: if there are more than two, their generations.
func newsSystems(changes []view.Change) []string {
	var systems, generations []string
	for i := range changes {
		systems = appendNew(systems, changes[i].Technology)
		generations = appendNew(generations, changes[i].Generation)
	}
	if len(systems) == 1 || len(systems) == 2 {
		return systems
	}
	slices.Sort(generations)
	return generations
}

// appendNew appends a text that the list does not have. nil stands for none.
func appendNew(list []string, text *string) []string {
	if text == nil || slices.Contains(list, *text) {
		return list
	}
	return append(list, *text)
}

// newsPlace says where a site is: in its commune, else in its area, else its key.
func (w words) newsPlace(s *view.ChangeSite) string {
	switch {
	case s.Commune != nil && s.Area != nil:
		return *s.Commune + " (" + s.Area.Code + ")"
	case s.Commune != nil:
		return *s.Commune
	case s.Area != nil:
		return s.Area.Label + ", " + s.SiteKey
	}
	return s.SiteKey
}

// kindsIn lists the kinds of changes of an entry, each once.
func kindsIn(e *view.NewsEntry) (kinds []string) {
	for _, c := range e.Changes {
		if !slices.Contains(kinds, string(c.Kind)) {
			kinds = append(kinds, string(c.Kind))
		}
	}
	return kinds
}

// newsKinds names the kinds of changes. Those that a new site or a new operator implies are left out.
func (w words) newsKinds(changes []view.Change) (names []string) {
	for _, k := range kindsIn(&view.NewsEntry{Changes: changes}) {
		switch k {
		case "site-added", "site-removed":
			return []string{w["news."+k]}
		case "system-added", "system-removed":
			if impliedByOperators(k, changes) {
				continue
			}
		}
		names = append(names, w["news."+k])
	}
	return names
}

// impliedByOperators reports whether all systems of a kind are those of operators that came or went
// likewise.
func impliedByOperators(kind string, changes []view.Change) bool {
	of := map[string]bool{}
	for _, c := range changes {
		if string(c.Kind) == strings.Replace(kind, "system", "operator", 1) {
			of[*c.Operator] = true
		}
	}
	return !slices.ContainsFunc(changes, func(c view.Change) bool {
		return string(c.Kind) == kind && (c.Operator == nil || !of[*c.Operator])
	})
}

// newsLines writes changes, those of one kind and operator in one line.
func (w words) newsLines(m *market.Market, changes []view.Change) (lines []string) {
	for i := 0; i < len(changes); {
		c, end := &changes[i], i+1
		for end < len(changes) && changes[end].Kind == c.Kind && sameText(changes[end].Operator, c.Operator) {
			end++
		}
		lines = append(lines, w.newsLine(m, changes[i:end]))
		i = end
	}
	return lines
}

func sameText(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }

// newsLine writes changes of one kind and operator.
func (w words) newsLine(m *market.Market, changes []view.Change) string {
	c := &changes[0]
	name := "line." + string(c.Kind)
	switch c.Kind {
	case "site-added", "site-removed":
		return w[name]
	case "moved":
		from, to := c.Before.Coordinates, c.After.Coordinates
		return w.Fill(name, w.Distance(int(math.Round(geo.Distance(geo.Point(*from), geo.Point(*to))))), w.Position(*from),
			w.Position(*to))
	}
	operator := market.Label(m.Code, *c.Operator)
	if c.Kind == "operator-added" || c.Kind == "operator-removed" {
		return w.Fill(name, operator)
	}
	systems := make([]string, len(changes))
	for i := range changes {
		systems[i] = w.newsSystem(&changes[i])
	}
	return w.Fill(name, operator, strings.Join(systems, "; "))
}

// newsSystem writes a system with its published statuses.
func (w words) newsSystem(c *view.Change) string {
	none := ""
	name := *cmp.Or(c.Technology, c.Generation, &none)
	if name == "" {
		name = w["newsSystem"]
	}
	if c.Kind == "status-changed" {
		return name + " – " + w.newsStatus(c.Before) + " → " + w.newsStatus(c.After)
	}
	if side := cmp.Or(c.After, c.Before); side != nil {
		return name + " – " + w.newsStatus(side)
	}
	return name
}

// newsStatus writes a published status with its meaning.
func (w words) newsStatus(side *view.ChangeSide) string {
	if side == nil || side.Status == nil {
		return w["notStated"]
	}
	if meaning := w.Status(*side.Status); meaning != "" {
		return *side.Status + " (" + meaning + ")"
	}
	return *side.Status
}

// upperFirst begins a text with a capital letter.
func upperFirst(s string) string {
	for i, c := range s {
		return strings.ToUpper(string(c)) + s[i+len(string(c)):]
	}
	return s
}
