package ogc

import (
	"errors"
	"slices"
	"strings"

	"relais/api/endpoint"
	"relais/geo"
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
