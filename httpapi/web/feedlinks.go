package web

import (
	"strconv"
	"strings"

	"relais/catalog"
	"relais/geo"
	"relais/index"
	"relais/site"
)

// feedLinks are the addresses of a feed and of the page about it.
type feedLinks struct {
	What             string // the subject of the feed
	Page, Atom, JSON string
}

// newFeedLinks returns the addresses of a feed. lang is the language that they state, or "".
func newFeedLinks(w words, lang string, loaded *index.Market, s *catalog.ChangeSelection) *feedLinks {
	q, code := newsQuery(s), s.Market.Code
	if lang != "" {
		q.Set("lang", lang)
	}
	return &feedLinks{What: w.newsWhat(loaded, s), Page: feedAddress(code, "", q),
		Atom: feedAddress(code, atomFeed, q), JSON: feedAddress(code, jsonFeed, q)}
}

// feed returns the links to the feed of the changes in the place of a list, under those of its filters that
// feeds have.
func (q *listQuery) feed(w words, loaded *index.Market) *feedLinks {
	m := loaded.Table
	s := catalog.ChangeSelection{Market: m}
	f := &s.Filter
	for _, text := range q.Generations {
		var g site.Generation
		if g.UnmarshalText([]byte(text)) == nil {
			f.Generations = append(f.Generations, g)
		}
	}
	for _, name := range q.Operators {
		if i, ok := m.OperatorNamed(name); ok {
			f.Operators = append(f.Operators, m.Operators[i].Key)
		}
	}
	for _, more := range q.More {
		switch more.Name {
		case "technology":
			s.Technologies = strings.Split(more.Value, ",")
		case "band":
			s.Bands = strings.Split(more.Value, ",")
		default:
			if i, ok := m.AreaNamed(more.Value); ok && m.HasFilter(more.Name) {
				f.Areas = []string{m.Areas[i].Code}
			}
		}
	}
	lat, bad := strconv.ParseFloat(q.Lat, 64)
	lng, bad2 := strconv.ParseFloat(q.Lng, 64)
	km, bad3 := strconv.ParseFloat(q.Radius, 64)
	if bad == nil && bad2 == nil && bad3 == nil {
		f.Disc = &geo.Disc{Center: geo.Point{Lat: lat, Lng: lng}, Radius: km * 1000}
	}
	var edges []float64
	for text := range strings.SplitSeq(q.BBox, ",") {
		if x, err := strconv.ParseFloat(text, 64); err == nil {
			edges = append(edges, x)
		}
	}
	if len(edges) == 4 {
		f.Box = &geo.Box{West: edges[0], South: edges[1], East: edges[2], North: edges[3]}
	}
	return newFeedLinks(w, q.Lang, loaded, &s)
}
