package api

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"relais/api/endpoint"
	"relais/api/view"
	"relais/index"
	"relais/market"
	"relais/tiles"
)

var getTile = endpoint.New(endpoint.Decl{
	Name: "tiles.get", Path: "/tiles/{market}/{z}/{x}/{y}.mvt", Scope: "antennas:read", FailureName: "TILES", MaxAge: 300,
	Example:  endpoint.Request{Target: "/tiles/FR/9/259/176.mvt?operator=ORANGE"},
	Produces: tileType, Columns: tileMembers(), Cheap: true, Kept: true,
	Summary:    "A vector tile of the antenna sites of a market.",
	Doc:        "Mapbox Vector Tile 2.1. Layer sites: n (number of sites), ops and live (bits by position in the operators of /tiles/{market}.json: those with a selected emission, and with one that is more than a project), gen (newest generation), key (siteKey, of one site), street (from zoom 14: that of the site's address, where the register has one and its language is known). Below zoom 12 a feature stands for the sites of a cell of a grid; the numbers are exact under every filter. Layer dots, on request as in layers=dots,places and up to zoom 11: the place of every site, on 1024 columns and rows; a feature is the points of all sites of the tile with the same ops, live (0 if they have projects alone, else 1) and gen, and n is the number of these sites. Several may be at one point. Layer sectors from zoom 13: az (degrees from true north), ops, gen (of the emissions that have the azimuth), key. Layer places from zoom 9: name and n. Layers that need the scope of their operation, as in layers=sites,outages: coverage and speedtests from zoom 6, squares of the tile with the measurements of the last year, n, gen, synthetic (1 where some are made up) and the medians rsrp (dBm), or down and up (Mbit/s), under operator and generation alone; outages, n, ops, down (without any service), reported (by people), and id and siteKey (of one), under operator and area alone, by cells below zoom 9. A tile costs a twentieth of a request.",
	ErrorCodes: []string{codeInvalidOperator, codeInvalidDate, codeNoArchive},
}, (*Env).tile)

const tileType = "application/vnd.mapbox-vector-tile"

type tileParams struct {
	Market   market.Code   `param:"market" doc:"The market to read." example:"FR"`
	Operator operatorNames `param:"operator" default:"ALL" doc:"Operators of the market (see /markets) by key, label or legal name, several with commas; or ALL." example:"ORANGE"`
	Z        int           `param:"z" min:"0" max:"22" doc:"Zoom." example:"9"`
	X        int           `param:"x" min:"0" doc:"Column, from the west." example:"259"`
	Y        int           `param:"y" min:"0" doc:"Row, from the north." example:"176"`
	siteFilters
	Layers  layerNames `param:"layers" default:"sites,sectors,places" doc:"Layers of the tile, with commas. The default is those of the register without dots." example:"sites,outages"`
	Version string     `param:"v" max:"80" unkeyed:"true" doc:"dataVersion of /tiles/{market}.json, or it with a dot and anything after it: with that of the data, clients may keep the tile for a week without asking."`
}

// Refine makes a tile that shows the register alone immutable at the address of its version. What
// editions changed and what other layers show changes without it.
func (p *tileParams) Refine(r *Env, f *Freshness) {
	if p.siteFilters.Refine(r, f); f.Version == "" {
		return
	}
	version, _, _ := strings.Cut(p.Version, ".")
	loaded := r.Set.Market(p.Market)
	f.Immutable = loaded != nil && version == loaded.Snap.Version && p.ChangedSince == ""
	for _, l := range moreLayers() {
		if !p.Layers.has(l.name) {
			continue
		}
		f.Immutable, f.MaxAge = false, min(f.MaxAge, l.like.MaxAge)
		shown := layerVersion(r, l)
		if shown == "" {
			f.Version = ""
			return
		}
		f.Version += " " + l.name + " " + shown
	}
}

// Check holds the rules over several parameters.
func (p *tileParams) Check() error {
	side := 1 << p.Z
	for _, c := range []struct {
		name  string
		value int
	}{{"x", p.X}, {"y", p.Y}} {
		if c.value >= side {
			return &endpoint.ParamError{Param: c.name, Value: strconv.Itoa(c.value),
				Want: "at zoom " + strconv.Itoa(p.Z) + " a whole number from 0 to " + strconv.Itoa(side-1)}
		}
	}
	return nil
}

// tileMembers names the values in a tile.
func tileMembers() (names []string) {
	for _, l := range tiles.Layers() {
		names = append(append(names, l.Numbers...), l.Texts...)
	}
	return names
}

func (r *Env) tile(ctx context.Context, p *tileParams) (*endpoint.Answer, error) {
	t := tiles.Tile{Z: uint32(p.Z), X: uint32(p.X), Y: uint32(p.Y)}
	tile, err := []byte(nil), error(nil)
	if p.Layers.ofRegister() {
		if tile, err = r.registerLayers(ctx, p, t); err != nil {
			return nil, err
		}
	}
	if tile, err = r.addLayers(tile, p, t); err != nil {
		return nil, err
	}
	a := endpoint.Encoded(tile)
	a.ContentType, a.Whole = tileType, true
	return a, nil
}

// registerLayers makes the layers that show the register.
func (r *Env) registerLayers(ctx context.Context, p *tileParams, t tiles.Tile) (tile []byte, err error) {
	s, err := p.selection(marketParams{p.Market, p.Operator})
	if err != nil {
		return nil, err
	}
	found, err := r.Select(ctx, s)
	loaded, f := found.Register, found.Filter
	if err != nil || loaded == nil {
		return nil, err
	}
	if p.Layers.has(tiles.DotsLayer) {
		tile = tiles.Dots(loaded, f, t)
	}
	if p.Layers.has(tiles.SitesLayer) {
		tile = append(tile, tiles.Sites(loaded, f, t)...)
	}
	if p.Layers.has(tiles.SectorsLayer) {
		tile = append(tile, tiles.Sectors(loaded, f, t)...)
	}
	if p.Layers.has(tiles.PlacesLayer) {
		tile = append(tile, tiles.Places(loaded, t)...)
	}
	return tile, nil
}

var describeTiles = endpoint.New(endpoint.Decl{
	Name: "tiles.describe", Path: "/tiles/{market}.json", Scope: "antennas:read", FailureName: "TILES", MaxAge: 300,
	Example: endpoint.Request{Target: "/tiles/FR.json"},
	Summary: "TileJSON of a market's vector tiles.",
	Doc:     "TileJSON 3.0.0, for QGIS and map libraries. It has the layers for which the key has the scopes. Filters are appended to the address of the tiles, as in &operator=ORANGE.",
}, (*Env).tileJSON)

type tileJSONParams struct {
	Market market.Code `param:"market" doc:"The market to read." example:"FR"`
}

// Refine makes the answer one for the caller's scopes.
func (*tileJSONParams) Refine(r *Env, f *Freshness) {
	f.Version += " layers " + strings.Join(r.allowedLayers(), ",")
}

func (r *Env) tileJSON(_ context.Context, p *tileJSONParams) (*view.TileJSON, error) {
	m := market.Get(p.Market)
	loaded, err := r.Register(m)
	if err != nil {
		return nil, err
	}
	v := &view.TileJSON{TileJSON: "3.0.0", Name: m.Label, Attribution: m.Register.Source, MaxZoom: maxTileZoom,
		Tiles: []string{r.tileAddress(m)}, Scheme: "xyz",
		Operators: m.OperatorKeys(), Bounds: [4]float64{-180, -85.0511, 180, 85.0511}, Layers: r.tileLayers()}
	names := make([]string, len(v.Layers))
	for i, l := range v.Layers {
		names[i] = l.ID
	}
	v.Tiles[0] += "?layers=" + strings.Join(names, ",")
	if loaded != nil {
		source := view.SourceOf(m, loaded.Snap)
		v.Attribution, v.DataVersion = source.Source, &loaded.Snap.Version
		if b, ok := loaded.Bounds(); ok {
			v.Bounds = [4]float64{b.West, b.South, b.East, b.North}
		}
	}
	return v, nil
}

// tileAddress is the template of the addresses of a market's tiles.
func (r *Env) tileAddress(m *market.Market) string {
	return r.BaseURL + "/external/v1/tiles/" + string(m.Code) + "/{z}/{x}/{y}.mvt"
}

// maxTileZoom is the zoom from which tiles show nothing more. Map libraries enlarge the tiles of
// this zoom.
const maxTileZoom = 14

// allowedLayers lists the layers for which the caller has the scopes, beyond those of the register.
func (r *Env) allowedLayers() (names []string) {
	for _, l := range moreLayers() {
		if may(r, l.like) {
			names = append(names, l.name)
		}
	}
	return names
}

// tileLayers describes the layers that the caller can have for TileJSON.
func (r *Env) tileLayers() (list []view.TileLayer) {
	for _, l := range tiles.Layers() {
		if !(layerNames{tileLayer(l.Name)}).ofRegister() && !slices.Contains(r.allowedLayers(), l.Name) {
			continue
		}
		fields := map[string]string{}
		for _, key := range l.Numbers {
			fields[key] = "Number"
		}
		for _, key := range l.Texts {
			fields[key] = "String"
		}
		list = append(list, view.TileLayer{ID: l.Name, Fields: fields, MinZoom: l.MinZoom,
			MaxZoom: cmp.Or(l.MaxZoom, maxTileZoom)})
	}
	return list
}

// The first tiles of a map are those that every visitor asks for.
const (
	firstZoom  = 5
	firstTiles = 200 // of a market
)

// FirstTiles lists the unfiltered tiles of low zooms of each loaded market, the lowest zoom first. They have the layer
// that the map of this server asks for below zoom 12.
func FirstTiles(set *index.Set) (calls []*endpoint.Call[*Env]) {
	for m := range set.Loaded() {
		list := tiles.Low(m, firstZoom)
		for _, t := range list[:min(firstTiles, len(list))] {
			params := map[string]string{"market": string(m.Table.Code), "z": strconv.Itoa(int(t.Z)),
				"x": strconv.Itoa(int(t.X)), "y": strconv.Itoa(int(t.Y)), "layers": tiles.DotsLayer}
			call, err := getTile.Bind(func(p *endpoint.Param) (string, error) { return params[p.Name], nil })
			if err == nil { // the tiles exist
				calls = append(calls, call)
			}
		}
	}
	return calls
}
