package tools

import (
	"slices"
	"strings"

	"relais/geo"
	"relais/market"
)

// pageParams pick a page.
type pageParams struct {
	Limit  int `param:"limit" default:"10" min:"1" max:"50" doc:"Most items to answer."`
	Offset int `param:"offset" default:"0" min:"0" max:"1000000" doc:"Items to pass over: nextOffset of the page before."`
}

// pointParams are a position that must be given.
type pointParams struct {
	Lat float64 `param:"lat" min:"-90" max:"90" required:"true" doc:"Latitude, WGS84 degrees." example:"48.8584"`
	Lon float64 `param:"lon" min:"-180" max:"180" required:"true" doc:"Longitude, WGS84 degrees." example:"2.2945"`
}

func (p pointParams) point() geo.Point { return geo.Point{Lat: p.Lat, Lng: p.Lon} }

// radiusParams are how far around a point is looked.
type radiusParams struct {
	RadiusKm float64 `param:"radiusKm" default:"5" above:"0" max:"50" doc:"How far around to look, in kilometres."`
}

func (p radiusParams) disc(c geo.Point) *geo.Disc {
	return &geo.Disc{Center: c, Radius: p.RadiusKm * 1000}
}

// siteParams name a site.
type siteParams struct {
	Site   string       `param:"siteId" max:"128" required:"true" doc:"siteKey (such as fr-23444), site id, national code or station number." example:"fr-23444"`
	Market *market.Code `param:"market" doc:"Only this market; a siteKey names its own."`
}

// hasWords reports whether a text has all words. Text and words are folded.
func hasWords(text string, words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
}

// round keeps a position to 1e-7 degrees, as the registers have them.
func round(degrees float64) float64 { return geo.Degrees(geo.Fix(degrees)) }
