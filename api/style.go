package api

import (
	"context"
	"errors"

	"relais/api/endpoint"
	"relais/api/view"
	"relais/catalog"
	"relais/geo"
	"relais/index"
	"relais/market"
	"relais/tiles"
)

var getStyle = endpoint.New(endpoint.Decl{
	Name: "style.get", Path: "/style.json", FailureName: "STYLE", MaxAge: 300,
	Example:  endpoint.Request{Target: "/style.json?market=FR&generation=5G"},
	Produces: endpoint.JSON, Columns: []string{"version", "name", "center", "zoom", "sources", "layers"},
	Summary:    "A style of MapLibre that draws the sites.",
	Doc:        "Version 8 of the MapLibre style specification: land without streets, the sites of each loaded market as dots in the colours of the operators, and names. It needs no key, and any page may read it. Its tiles need one with the scope antennas:read, in a header, as with transformRequest of MapLibre. The layers of sites (dots-FR below zoom 12, sites-FR from there) have as metadata the market and the labels of operators, in the order of the bits of ops. Filters go into the addresses of the tiles; without market, those markets are left out that cannot have them. Names use fonts of the reader's machine. An address has 120 requests a minute.",
	ErrorCodes: []string{codeInvalidOperator, codeInvalidDate, codeNoArchive},
}, (*Env).style)

type styleParams struct {
	Market   market.Code   `param:"market" doc:"The market to draw; without it all that this server has loaded." example:"FR"`
	Operator operatorNames `param:"operator" default:"ALL" doc:"Operators (see /markets) by key, label or legal name, several with commas; or ALL." example:"ORANGE"`
	siteFilters
	Theme theme `param:"theme" default:"light" doc:"Colours of the land and of the operators." example:"dark"`
}

// A theme is a name of tiles.Palettes.
type theme string

// Values lists the themes.
func (theme) Values() []string { return []string{"light", "dark"} }

func (r *Env) style(ctx context.Context, p *styleParams) (*endpoint.Answer, error) {
	if r.Set == nil {
		return nil, catalog.ErrLoading
	}
	colors := tiles.Palettes[string(p.Theme)]
	land := ""
	if r.Land != nil {
		land = r.Land()
	}
	s := tiles.NewStyle(land, colors)
	var refused error
	added := 0
	for m := range r.Set.Whole().Loaded() { // the tiles, which need a key, have all of it
		if p.Market != "" && p.Market != m.Table.Code {
			continue
		}
		address, err := p.tiles(ctx, r, m)
		if err != nil {
			refused = err
			continue
		}
		source := view.SourceOf(m.Table, m.Snap)
		bounds, attribution := m.Bounds, source.Source+", "+m.Snap.SourceDate
		if r.withheld(m) {
			bounds, attribution = func() (geo.Box, bool) { return m.Table.Box, true }, source.Source
		}
		s.AddSites(m.Table, bounds, address, attribution, colors)
		added++
	}
	switch {
	case added == 0 && refused != nil:
		return nil, refused
	case added == 0 && p.Market != "" && market.Get(p.Market).HasInventory():
		return nil, &catalog.NotLoadedError{Market: market.Get(p.Market)}
	}
	s.AddNames(colors)
	text, err := view.JSON(s)
	if err != nil {
		return nil, err
	}
	a := endpoint.Encoded(text)
	a.Whole = true
	return a, nil
}

// Refine makes the style one for the whole registers, whatever everybody may see of them.
func (p *styleParams) Refine(r *Env, f *Freshness) {
	if p.siteFilters.Refine(r, f); f.Version != "" {
		f.Version += " " + r.Set.Whole().Version
	}
}

// withheld reports whether everybody may not see all of a register. The style is for everybody.
func (r *Env) withheld(m *index.Market) bool {
	shown, err := r.Register(m.Table)
	return err != nil || shown != m
}

// withoutSystems returns an error that does not list the systems of a register, if everybody may not see all of it.
func (r *Env) withoutSystems(m *index.Market, err error) error {
	e, ok := errors.AsType[*catalog.UnknownError](err)
	if !ok || e.Filter != catalog.Technology && e.Filter != catalog.Band || !r.withheld(m) {
		return err
	}
	return &catalog.UnknownError{Filter: e.Filter, Value: e.Value, Market: e.Market,
		Form: "the values of " + string(m.Table.Code) + " are shown with a key"}
}

// tiles returns the address of the tiles of a market under the filters, by their layers. It changes with the data.
func (p *styleParams) tiles(ctx context.Context, r *Env, m *index.Market) (func(layers ...string) string, error) {
	tile := tileParams{Market: m.Table.Code, Operator: p.Operator, siteFilters: p.siteFilters}
	if !r.withheld(m) {
		tile.Version = m.Snap.Version
	}
	selection, err := tile.selection(marketParams{tile.Market, tile.Operator})
	if err != nil {
		return nil, err
	}
	all := r.Catalog
	all.Keyless, all.Set = false, r.Set.Whole()
	if _, err := all.Select(ctx, selection); err != nil {
		return nil, r.withoutSystems(m, err)
	}
	return func(layers ...string) string {
		tile.Layers = nil
		for _, l := range layers {
			tile.Layers = append(tile.Layers, tileLayer(l))
		}
		return r.tileAddress(m.Table) + "?" + endpoint.Values(getTile.Path, &tile).Encode()
	}, nil
}
