package web

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"relais/api"
	"relais/api/view"
	"relais/catalog"
	"relais/index/question"
)

// A filterChip is a filter in words, with the address of the page without it.
type filterChip struct{ Label, Without string }

// A betterLink leads to a page that answers a question better.
type betterLink struct{ Text, Href string }

// A said is a part of what a text says, with the words that say it.
type said struct{ label, text string }

// understand says on the page what was understood: chips, each with the address of the question without it, the page
// that answers better, and what was read in another way than it may be meant.
func (list *listPage) understand(w words, found *catalog.Found) {
	u, q := api.NewUnderstood(found), list.Query
	parts := w.said(found, &u)
	q.Page, q.Sort = 1, ""
	if code := u.Filters["market"]; code != "" {
		q.Market = code
	}
	filters := []*[]string{&q.Operators, &q.Generations, &q.Statuses}
	for i, name := range []string{"operator", "generation", "status"} {
		if text := u.Filters[name]; text != "" && len(*filters[i]) == 0 {
			*filters[i] = strings.Split(text, ",")
		}
	}
	if text := u.Filters["band"]; text != "" {
		q.More = append(slices.Clone(q.More), moreFilter{"band", text})
	}
	chip := func(label string, change func(*listQuery)) {
		without := q
		without.Text = textOf(parts)
		change(&without)
		list.Chips = append(list.Chips, filterChip{label, without.href()})
	}
	for i := range parts {
		chip(parts[i].label, func(q *listQuery) { q.Text = textOf(slices.Delete(slices.Clone(parts), i, i+1)) })
	}
	for _, o := range u.Operators {
		chip(o.Label, func(q *listQuery) {
			q.Operators = slices.DeleteFunc(slices.Clone(q.Operators), func(key string) bool { return key == o.Key })
		})
	}
	if u.Generation != nil {
		chip(*u.Generation, func(q *listQuery) { q.Generations = nil })
	}
	for _, mhz := range u.Bands {
		chip(fmt.Sprintf("%d\u00a0MHz", mhz), func(q *listQuery) { q.More = list.Query.More })
	}
	if u.Status != nil {
		chip(w["phase."+*u.Status], func(q *listQuery) { q.Statuses = nil })
	}
	if better := api.NewBetter(found); better != nil {
		list.Better = &betterLink{w["better."+better.Topic], withLanguage(better.Page, q.Lang)}
	}
	list.Notes = w.readingNotes(found, &u)
}

// withLanguage returns an address of this server with a language, "" for none.
func withLanguage(address, lang string) string {
	u, err := url.Parse(address)
	if err != nil || lang == "" {
		return address
	}
	v := u.Query()
	v.Set("lang", lang)
	u.RawQuery = encodeQuery(v)
	return u.String()
}

// said returns what the text says apart from emissions.
func (w words) said(found *catalog.Found, u *view.Understood) (parts []said) {
	if u.Identifier != nil && u.Identifier.Kind != question.Any {
		parts = append(parts, said{fmt.Sprintf("%s\u00a0%d", w["identifier."+string(u.Identifier.Kind)], u.Identifier.Value),
			fmt.Sprintf("%s %d", u.Identifier.Kind, u.Identifier.Value)})
	}
	if u.SiteKey != nil {
		parts = append(parts, said{*u.SiteKey, "site " + *u.SiteKey})
	}
	switch {
	case u.Place != nil:
		parts = append(parts, said{u.Place.Name, found.Question.Place})
	case found.Question.Place != "":
		parts = append(parts, said{found.Question.Place, found.Question.Place})
	}
	if u.Topic != nil {
		label, text := w["topic."+string(*u.Topic)], string(*u.Topic)
		if u.Days != nil {
			label += " · " + w.Fill("lastDays", *u.Days)
			text += fmt.Sprintf(" %d days", *u.Days)
		}
		parts = append(parts, said{label, text})
	}
	return parts
}

func textOf(parts []said) string {
	var list []string
	for _, p := range parts {
		list = append(list, p.text)
	}
	return strings.Join(list, " ")
}

// readingNotes say what was read in another way than it may be meant.
func (w words) readingNotes(found *catalog.Found, u *view.Understood) (list []string) {
	if len(found.NotOperators) > 0 {
		list = append(list, w.Fill("readAsPlace", u.Place.Name))
	}
	if s := found.Street(); s != nil {
		source := found.Streets.Source
		list = append(list, w.Fill("aroundStreet", s.Name+", "+strings.TrimSpace(s.Postcode+" "+s.Commune), source.Authority,
			w.Date(source.Date)))
		if u.Number != nil {
			list = append(list, w.Fill("streetNotNumber", *u.Number))
		}
		return list
	}
	switch {
	case u.Naming != nil && *u.Naming > 0:
		list = append(list, w.Fill("namesLandmark", found.Question.Place, w.Number(*u.Naming)))
	case u.PartOf != nil:
		list = append(list, w.Fill("partOfText", *u.PartOf, u.Place.Name))
	case u.Identifier != nil && u.Identifier.Kind == question.Area:
		list = append(list, w["noTrackingArea"])
	case u.Naming != nil:
		list = append(list, w["landmarkUnknown"])
	}
	return list
}
