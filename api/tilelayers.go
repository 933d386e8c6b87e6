package api

import (
	"fmt"
	"slices"
	"time"

	"relais/api/endpoint"
	"relais/api/view"
	"relais/auth/access"
	"relais/catalog"
	"relais/market"
	"relais/measure"
	"relais/outage"
	"relais/tiles"
)

// A tileLayer is the name of a layer of tiles.
type tileLayer string

// Values lists the layers.
func (tileLayer) Values() (names []string) {
	for _, l := range tiles.Layers() {
		names = append(names, l.Name)
	}
	return names
}

// layerNames are layers of a tile.
type layerNames []tileLayer

func (l layerNames) has(name string) bool { return slices.Contains(l, tileLayer(name)) }

// ofRegister reports whether one of the layers shows the register.
func (l layerNames) ofRegister() bool {
	return l.has(tiles.DotsLayer) || l.has(tiles.SitesLayer) || l.has(tiles.SectorsLayer) || l.has(tiles.PlacesLayer)
}

// A moreLayer is a layer that shows what another operation lists. A caller needs the scope of that
// operation, and may keep a tile with the layer as long as that list.
type moreLayer struct {
	name string
	like *endpoint.Op[*Env]
	make func(*Env, *tileParams, tiles.Tile) ([]byte, error)
}

func moreLayers() []moreLayer {
	return []moreLayer{
		{tiles.CoverageMapLayer, coverageArea, (*Env).mapLayer},
		{tiles.CoverageLayer, coveragePoints, measureLayer(tiles.Coverage)},
		{tiles.SpeedtestsLayer, listSpeedtests, measureLayer(tiles.Speedtests)},
		{tiles.OutagesLayer, listOutages, (*Env).outageLayer},
	}
}

// may reports whether the caller has the scope of an operation.
func may(r *Env, op *endpoint.Op[*Env]) bool {
	return r.Client != nil && slices.Contains(r.Client.Scopes, access.Scope(op.Scope))
}

// layerVersion returns the version of what a layer shows to the caller, "" while it is loading.
func layerVersion(r *Env, l moreLayer) string {
	if !may(r, l.like) {
		return "refused"
	}
	if l.name == tiles.OutagesLayer {
		return r.Catalog.Version(catalog.DataOutages)
	}
	if l.name == tiles.CoverageMapLayer {
		return r.Catalog.Version(catalog.DataCoverage)
	}
	return r.Catalog.Version(catalog.DataMeasures) + " since " + yearStart(r).Format(time.DateOnly)
}

// yearStart is the beginning of the oldest day whose measurements are shown. It is less than 365
// days ago, which is as far as the lists reach.
func yearStart(r *Env) time.Time { return r.Now.UTC().Truncate(24*time.Hour).AddDate(0, 0, -364) }

// addLayers appends the layers of a tile that do not show the register.
func (r *Env) addLayers(tile []byte, p *tileParams, t tiles.Tile) ([]byte, error) {
	for _, l := range moreLayers() {
		if !p.Layers.has(l.name) {
			continue
		}
		if !may(r, l.like) {
			return nil, &Error{Status: 403, Code: codeScope, Parameter: "layers",
				Message: fmt.Sprintf("layers: the key lacks the scope %s, which the layer %s needs", l.like.Scope, l.name)}
		}
		if err := r.Usable(l.like.DependsOn...); err != nil {
			return nil, err
		}
		layer, err := l.make(r, p, t)
		if err != nil {
			return nil, err
		}
		tile = append(tile, layer...)
	}
	return tile, nil
}

// measureLayer returns what makes a layer of the measurements of the last year and of the newest campaigns.
func measureLayer(layer func(*measure.Store, measure.Query, tiles.Tile) ([]byte, error),
) func(*Env, *tileParams, tiles.Tile) ([]byte, error) {
	return func(r *Env, p *tileParams, t tiles.Tile) ([]byte, error) {
		q := catalog.Measures{Since: yearStart(r), Newest: true}
		for _, g := range p.Generation {
			q.Generations = append(q.Generations, measure.Generation(g))
		}
		var err error
		if q.Market, q.Operators, err = (marketParams{p.Market, p.Operator}).Resolve(); err != nil {
			return nil, err
		}
		store, err := r.MeasureStore()
		if err != nil {
			return nil, err
		}
		return layer(store, q.Query(r.Minute()), t)
	}
}

// outageLayer makes the layer of the outages that operators publish and people report.
func (r *Env) outageLayer(p *tileParams, t tiles.Tile) ([]byte, error) {
	m, operators, err := (marketParams{p.Market, p.Operator}).Resolve()
	if err != nil {
		return nil, err
	}
	areas, err := p.Codes(m)
	if err != nil {
		return nil, err
	}
	found := r.FindOutages(catalog.Outages{Market: m, Operators: operators, Areas: areas, Box: new(t.Box()), Limit: -1})
	list := make([]tiles.Outage, len(found.Items))
	for i, o := range found.Items {
		list[i] = tileOutage(m, r.NewOutage(o))
	}
	return tiles.Outages(list, t), nil
}

func tileOutage(m *market.Market, v view.Outage) tiles.Outage {
	shown := tiles.Outage{ID: v.ID, Down: v.Severity == outage.Down, Reported: v.Source == view.FromCommunity}
	shown.Position.Lat, shown.Position.Lng = v.Latitude, v.Longitude
	if v.SiteKey != nil {
		shown.SiteKey = *v.SiteKey
	}
	if i := slices.Index(m.OperatorKeys(), v.OperatorKey); i >= 0 {
		shown.Operators = 1 << i
	}
	return shown
}
