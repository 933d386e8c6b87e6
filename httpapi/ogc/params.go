package ogc

import (
	"errors"
	"slices"
	"strings"
	"time"

	"relais/api/endpoint"
	"relais/geo"
	"relais/site"
)

// page are the parameters of a page of features.
type page struct {
	size
	Offset int `param:"offset" default:"0" min:"0" doc:"Features to pass over."`
}

// size are the parameters of pages of all kinds.
type size struct {
	Limit int    `param:"limit" default:"1000" min:"1" doc:"Most features to answer; above 5000 it is 5000."`
	F     format `param:"f" default:"json" doc:"The format: GeoJSON alone."`
}

// Limits of a page. A limit over the greatest stands for it, as Part 1 demands.
const (
	defaultLimit = 1000
	maxLimit     = 5000
)

func (s *size) limit() int { return min(s.Limit, maxLimit) }

// one are the parameters of one feature.
type one struct {
	FeatureID string `param:"featureId" max:"300" doc:"The id of the feature."`
	F         format `param:"f" default:"json" doc:"The format: GeoJSON alone."`
}

// A format is a format of answers.
type format string

// Values lists the formats.
func (format) Values() []string { return []string{"json", "geojson"} }

// place is a box.
type place struct {
	BBox bboxText `param:"bbox" code:"INVALID_BBOX" doc:"Bounding box as west,south,east,north in degrees; the third and sixth of six numbers are heights, which do not count." example:"2.3,48.8,2.4,48.9"`
}

// A bboxText is a box of four or six numbers.
type bboxText string

var errBBox = errors.New("west,south,east,north in degrees, south at most north")

// UnmarshalText accepts a box.
func (t *bboxText) UnmarshalText(b []byte) error {
	*t = bboxText(b)
	if t.box() == nil {
		return errBBox
	}
	return nil
}

// box returns the box, nil for none.
func (t bboxText) box() *geo.Box {
	var edges []float64
	for part := range strings.SplitSeq(string(t), ",") {
		x, ok := endpoint.Decimal(strings.TrimSpace(part))
		if !ok || len(edges) == 6 {
			return nil
		}
		edges = append(edges, x)
	}
	if len(edges) == 6 {
		edges = slices.Delete(edges, 2, 3) // the lower height; the upper one is the last
	} else if len(edges) != 4 {
		return nil
	}
	b := geo.Box{West: edges[0], South: edges[1], East: edges[2], North: edges[3]}
	if !(geo.Point{Lat: b.South, Lng: b.West}).Valid() || !(geo.Point{Lat: b.North, Lng: b.East}).Valid() || b.South > b.North {
		return nil
	}
	return &b
}

// when is a period.
type when struct {
	Datetime period `param:"datetime" code:"INVALID_DATE" max:"100" doc:"A moment of RFC 3339, a day as YYYY-MM-DD, or two of them with a slash between; one of the two may be .. or empty. Features without a time are always there." example:"2026-08-20/.."`
}

// A period is the parameter datetime.
type period string

// UnmarshalText accepts a period.
func (p *period) UnmarshalText(b []byte) error {
	*p = period(b)
	_, _, ok := p.bounds()
	if !ok {
		return errors.New("a moment as 2026-08-20T06:00:00Z, a day as 2026-08-20, or two of them as START/END, START/.. or ../END, the start first")
	}
	return nil
}

// bounds returns the first moment and the one after the last; zero for an open end.
func (p period) bounds() (from, to time.Time, ok bool) {
	if p == "" {
		return from, to, true
	}
	first, last, interval := strings.Cut(string(p), "/")
	if !interval {
		last = first
	}
	from, _, ok = moment(first, interval)
	if !ok {
		return from, to, false
	}
	_, to, ok = moment(last, interval)
	return from, to, ok && (from.IsZero() || to.IsZero() || from.Before(to)) && !(from.IsZero() && to.IsZero())
}

// moment returns the beginning and the end of a day or a second. An open end is zero.
func moment(text string, open bool) (from, to time.Time, ok bool) {
	if open && (text == "" || text == "..") {
		return from, to, true
	}
	if t, err := time.Parse(time.DateOnly, text); err == nil {
		return t, t.AddDate(0, 0, 1), true
	}
	t, err := time.Parse(time.RFC3339, text)
	return t, t.Truncate(time.Second).Add(time.Second), err == nil
}

// days returns the first and the last day, 0 for an open end.
func (p period) days() (first, last site.Date) {
	from, to, _ := p.bounds()
	if !from.IsZero() {
		from = from.UTC()
		first = site.DateOf(from.Year(), int(from.Month()), from.Day())
	}
	if !to.IsZero() {
		to = to.UTC().Add(-time.Nanosecond)
		last = site.DateOf(to.Year(), int(to.Month()), to.Day())
	}
	return first, last
}

// has reports whether a moment is in the period. An unknown moment is.
func (p period) has(t time.Time) bool {
	from, to, _ := p.bounds()
	return t.IsZero() || !t.Before(from) && (to.IsZero() || t.Before(to))
}
