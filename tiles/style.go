package tiles

import (
	"cmp"
	"math"

	"relais/geo"
	"relais/market"
)

// A Style is a style of MapLibre that draws the sites of registers: https://maplibre.org/maplibre-style-spec/.
type Style struct {
	Version int               `json:"version"`
	Name    string            `json:"name"`
	Center  [2]float64        `json:"center"` // longitude and latitude, degrees
	Zoom    float64           `json:"zoom"`
	Sources map[string]Source `json:"sources"`
	Layers  []StyleLayer      `json:"layers"`
}

// A Source is where a style's layers are from: tiles, or a file in GeoJSON.
type Source struct {
	Type        string      `json:"type"`
	Data        string      `json:"data,omitempty"` // address of the file
	Tiles       []string    `json:"tiles,omitempty"`
	MinZoom     int         `json:"minzoom,omitempty"`
	MaxZoom     int         `json:"maxzoom"`
	Bounds      *[4]float64 `json:"bounds,omitempty"` // west, south, east, north
	Attribution string      `json:"attribution"`
}

// A StyleLayer is what a style draws of a source. Filters and properties are expressions.
type StyleLayer struct {
	ID       string         `json:"id"`
	Type     string         `json:"type"`
	Source   string         `json:"source,omitempty"`
	Layer    string         `json:"source-layer,omitempty"`
	MinZoom  int            `json:"minzoom,omitempty"`
	MaxZoom  int            `json:"maxzoom,omitempty"`
	Filter   any            `json:"filter,omitempty"`
	Layout   map[string]any `json:"layout,omitempty"`
	Paint    map[string]any `json:"paint,omitempty"`
	Metadata any            `json:"metadata,omitempty"`
}

// Operators is the metadata of the layers of sites: the names of operators in the order of the bits of ops.
type Operators struct {
	Market    market.Code `json:"market"`
	Operators []string    `json:"operators"`
}

// A Palette is the colours of a style.
type Palette struct {
	Land, Water, Border, Area, Label, Town string
	Several                                string // a site of several operators
	Dark                                   bool   // which colours of the operators
}

// Palettes by theme. They are those of the map of this server.
var Palettes = map[string]Palette{
	"light": {Land: "#f5f4f0", Water: "#d6e0e5", Border: "#9aa3a0", Area: "#c9cfcc", Label: "#3a4441", Town: "#1c2321",
		Several: "#37403d"},
	"dark": {Land: "#1f2625", Water: "#10171a", Border: "#5d6966", Area: "#38423f", Label: "#b9c3c0", Town: "#eef2f1",
		Several: "#93a09c", Dark: true},
}

// NewStyle returns the style of a map without sites. land is the address of the land without streets, "" for none.
func NewStyle(land string, p Palette) *Style {
	s := &Style{Version: 8, Name: "relais", Sources: map[string]Source{},
		Layers: []StyleLayer{{ID: "water", Type: "background", Paint: map[string]any{"background-color": p.Water}}}}
	if land == "" {
		s.Layers[0].Paint["background-color"] = p.Land
		return s
	}
	s.Sources["base"] = Source{Type: "geojson", Data: land, MaxZoom: everySite, Attribution: landCredits}
	fill := func(kind, color string) {
		s.Layers = append(s.Layers, StyleLayer{ID: kind, Type: "fill", Source: "base", Filter: ofKind(kind),
			Paint: map[string]any{"fill-color": color}})
	}
	line := func(kind, color string, from, to int) {
		s.Layers = append(s.Layers, StyleLayer{ID: kind, Type: "line", Source: "base", Filter: ofKind(kind), MinZoom: from,
			MaxZoom: to, Paint: map[string]any{"line-color": color, "line-width": 1.2}})
	}
	fill("land", p.Land)
	fill("lake", p.Water)
	line("river", p.Water, 4, everySite-1)
	line("area", p.Area, 4, everySite-1)
	line("border", p.Border, 0, 0)
	return s
}

const landCredits = `<a href="https://www.naturalearthdata.com/">Natural Earth</a>, <a href="https://www.geonames.org/">GeoNames</a> ` +
	`(<a href="https://creativecommons.org/licenses/by/4.0/">CC BY 4.0</a>)`

func ofKind(kind string) any { return list{"==", list{"get", "kind"}, kind} }

type list = []any

// AddSites adds the sites of a register. tiles returns the address of tiles with some layers.
func (s *Style) AddSites(m *market.Market, bounds func() (geo.Box, bool), tiles func(layers ...string) string,
	attribution string, p Palette) {
	code := string(m.Code)
	near := Source{Type: "vector", Tiles: []string{tiles(SitesLayer, PlacesLayer)}, MinZoom: everySite, MaxZoom: 14,
		Attribution: attribution}
	far := near
	far.Tiles, far.MinZoom, far.MaxZoom = []string{tiles(DotsLayer)}, 0, everySite-1
	if b, ok := bounds(); ok {
		near.Bounds = &[4]float64{b.West, b.South, b.East, b.North}
		far.Bounds = near.Bounds
		if len(s.Sources) <= 1 { // the first register: of it a map without a place shows all
			s.show(b)
		}
	}
	s.Sources[code], s.Sources["far-"+code] = near, far
	dots := StyleLayer{ID: "dots-" + code, Type: "circle", Source: "far-" + code, Layer: DotsLayer, MaxZoom: everySite,
		Layout: map[string]any{"circle-sort-key": live(0, 1)}, Paint: dotPaint(m, p), Metadata: operatorsOf(m)}
	sites := dots
	sites.ID, sites.Source, sites.Layer, sites.MinZoom, sites.MaxZoom = "sites-"+code, code, SitesLayer, everySite, 0
	s.Layers = append(s.Layers, dots, sites)
}

// show makes a box what a map shows that is about 800 pixels wide and 600 high.
func (s *Style) show(b geo.Box) {
	height := func(lat float64) float64 { return math.Asinh(math.Tan(lat*math.Pi/180)) / (2 * math.Pi) }
	south, north := height(max(b.South, -85)), height(min(b.North, 85))
	side := max((b.East-b.West)/360/800, (north-south)/600, 1e-6)
	s.Zoom = math.Floor(math.Log2(1/(side*512))*10) / 10
	lat := math.Atan(math.Sinh(math.Pi*(south+north))) * 180 / math.Pi
	s.Center = [2]float64{math.Round((b.West+b.East)*500) / 1000, math.Round(lat*1000) / 1000}
}

// live chooses between sites that have projects alone, and others.
func live(project, other float64) any {
	return list{"case", list{"==", list{"get", "live"}, 0}, project, other}
}

// dotPaint has the colour of the operator that is alone on a site, or one for several.
func dotPaint(m *market.Market, p Palette) map[string]any {
	color := list{"match", list{"get", "ops"}}
	for i, o := range m.Operators {
		tone := o.Light
		if p.Dark {
			tone = o.Dark
		}
		color = append(color, int64(1)<<i, tone)
	}
	zooms := func(steps ...any) any { return append(list{"interpolate", list{"linear"}, list{"zoom"}}, steps...) }
	return map[string]any{
		"circle-color":          append(color, p.Several),
		"circle-radius":         zooms(3, 0.7, 5, 0.95, 7, 1.7, 9, 2.6, 11, 3.5, 13, 5, 16, 8),
		"circle-opacity":        live(0.45, 0.9),
		"circle-stroke-color":   p.Land,
		"circle-stroke-opacity": 0.8,
		"circle-stroke-width":   zooms(9, 0, 12, 1, 16, 2),
	}
}

func operatorsOf(m *market.Market) Operators {
	v := Operators{Market: m.Code}
	for _, o := range m.Operators {
		v.Operators = append(v.Operators, o.Label)
	}
	return v
}

// fonts are of the reader's machine: the style names no server that has them.
var fonts = []string{"Noto Sans", "DejaVu Sans", "Arial", "sans-serif"}

// AddNames adds the names of towns and of the communes of registers, above everything else.
func (s *Style) AddNames(p Palette) {
	name := func(id, source, layer string, field any, size any, color string) StyleLayer {
		return StyleLayer{ID: id, Type: "symbol", Source: source, Layer: layer,
			Layout: map[string]any{"text-field": field, "text-font": fonts, "text-size": size, "text-padding": 6,
				"symbol-sort-key": list{"-", list{"get", "n"}}},
			Paint: map[string]any{"text-color": color, "text-halo-color": p.Land, "text-halo-width": 1.8}}
	}
	if _, ok := s.Sources["base"]; ok {
		inhabitants := list{"step", list{"zoom"}, 300000, 5, 100000, 6, 50000, 7, 25000, 8, 10000, 9, 0}
		towns := name("town", "base", "", list{"get", "name"},
			list{"interpolate", list{"linear"}, list{"zoom"}, 4, 11, 10, 14}, p.Town)
		towns.Filter = list{"all", ofKind("town"), list{">=", list{"get", "n"}, inhabitants}}
		towns.MaxZoom = everySite
		s.Layers = append(s.Layers, towns)
	}
	for _, l := range s.Layers {
		if l.Layer == SitesLayer {
			places := name("places-"+l.Source, l.Source, PlacesLayer, list{"get", "name"}, 13, p.Label)
			places.MinZoom = cmp.Or(l.MinZoom, everySite)
			s.Layers = append(s.Layers, places)
		}
	}
}
