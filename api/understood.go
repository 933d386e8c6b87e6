package api

import (
	"strconv"
	"strings"

	"relais/api/view"
	"relais/catalog"
	"relais/index"
	"relais/index/question"
	"relais/market"
	"relais/site/spelling"
)

// NewUnderstood says how a text was read.
func NewUnderstood(f *catalog.Found) view.Understood {
	q := &f.Understood
	u := view.Understood{Operators: []view.Named{}, Bands: append([]int{}, q.InMHz()...), Words: strings.Join(q.Words, " "),
		Here: q.Here, Filters: filters(f)}
	for _, key := range f.OperatorKeys() {
		u.Operators = append(u.Operators, view.Named{Key: key, Label: operatorLabel(key)})
	}
	if q.Generation != 0 {
		u.Generation = new(q.Generation.String())
	}
	if q.Phase != 0 {
		u.Status = new([]string{"project", "operational", "inService"}[q.Phase-market.Project])
	}
	if q.Place != nil {
		u.Place = new(newFoundPlace(f, &q.Place.Place))
		if q.Place.PartOf != "" {
			u.PartOf = &q.Place.PartOf
		}
	}
	if q.Landmark {
		u.Naming = &f.Naming
	}
	if x := q.Identifier; x != nil && (x.Kind != question.Any || len(f.Radio) > 0) {
		u.Identifier = &view.FoundIdentifier{Kind: x.Kind, Value: x.Value}
	}
	if q.PLMN != "" {
		u.PLMN = &q.PLMN
	}
	if q.Key != "" {
		u.SiteKey = &q.Key
	}
	if q.Position != nil {
		u.Position = (*view.Coordinates)(q.Position)
	}
	if n := f.Streets.Number; n != "" && len(f.Streets.Streets) > 0 {
		u.Number = &n
	}
	if q.Topic != "" {
		u.Topic = &q.Topic
	}
	if q.Days > 0 {
		u.Days = &q.Days
	}
	return u
}

// operatorLabel returns the usual spelling of an operator's key, the first market's that has it.
func operatorLabel(key string) string {
	for _, m := range market.All {
		if i, ok := m.Operator(key); ok {
			return m.Operators[i].Label
		}
	}
	return key
}

// filters returns the emissions of a text as parameters.
func filters(f *catalog.Found) map[string]string {
	s, list := f.Filters(), map[string]string{}
	set := func(name string, values ...string) {
		if text := strings.Join(values, ","); text != "" {
			list[name] = text
		}
	}
	if s.Market == nil || !f.Question.Filters() {
		return list
	}
	set("operator", s.Market.KeysOf(s.Operators)...)
	if f.Generation != 0 {
		set("generation", f.Generation.String())
	}
	var bands []string
	for _, mhz := range f.InMHz() {
		bands = append(bands, strconv.Itoa(mhz))
	}
	set("band", bands...)
	set("status", s.Status)
	set("market", string(s.Market.Code))
	return list
}

// newFoundPlace returns a place of what was found.
func newFoundPlace(f *catalog.Found, p *catalog.Place) view.FoundPlace {
	b := f.Bounds(p)
	v := view.FoundPlace{Name: placeName(p), Source: p.Name, Kind: p.Kind, Market: p.Market.Code, Center: view.Coordinates(p.Center),
		BBox: [4]float64{b.West, b.South, b.East, b.North}, Sites: p.Sites}
	if p.Area != index.Any {
		v.Area, v.AreaCode = p.Market.Areas[p.Area].Label, p.Market.Areas[p.Area].Code
	}
	return v
}

// placeName returns the name of a place as people write it.
func placeName(p *catalog.Place) string {
	if p.Kind == index.Commune {
		return spelling.Commune(p.Name, "", p.Market.Spelling)
	}
	return p.Name
}
