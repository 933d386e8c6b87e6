package web

import (
	"encoding/json"
	"html/template"
	"net/http"
	"slices"
	"strings"

	"relais/api"
	"relais/api/view"
	"relais/index"
	"relais/market"
)

// A mapConfig is what the scripts of the map get with the page.
type mapConfig struct {
	Markets []mapMarket       `json:"markets"`
	Assets  mapAssets         `json:"assets"`
	Words   words             `json:"words"`
	Key     bool              `json:"key"`               // data needs a key
	Alone   bool              `json:"alone"`             // the page has nothing else
	Basemap string            `json:"basemap,omitempty"` // address of a PMTiles file with streets
	Style   string            `json:"style,omitempty"`   // address of a map style
	Start   *view.Coordinates `json:"start,omitempty"`   // of the site that the address names
}

type mapAssets struct {
	Library string `json:"library"`
	Base    string `json:"base"`
	QR      string `json:"qr"`                // draws codes for paper
	Ranges  string `json:"ranges,omitempty"`  // reads PMTiles files
	Streets string `json:"streets,omitempty"` // styles streets
	Size    int    `json:"size"`              // of what is kept for use without a network, in bytes
}

// A mapMarket is a market that the map shows.
type mapMarket struct {
	Code      string        `json:"code"`
	Label     string        `json:"label"`
	Version   string        `json:"version"` // of the data
	Date      string        `json:"date"`    // of the source, YYYY-MM-DD
	Source    string        `json:"source"`
	Authority string        `json:"authority"`
	Synthetic bool          `json:"synthetic"`
	Sites     int           `json:"sites"`
	Bounds    [4]float64    `json:"bounds"` // west, south, east, north
	Operators []mapOperator `json:"operators"`
	Systems   []string      `json:"systems"`
	Statuses  []string      `json:"statuses"`
	Changes   bool          `json:"changes"` // what the edition changed is known
	Coverage  []mapCoverage `json:"coverage"`
}

// A mapCoverage is the official coverage maps of an edition.
type mapCoverage struct {
	Authority    string   `json:"authority"`
	Source       string   `json:"source"`
	Edition      string   `json:"edition"` // YYYY-MM-DD
	Synthetic    bool     `json:"synthetic"`
	Operators    []string `json:"operators"` // keys; none if the source names none
	Technologies []string `json:"technologies"`
}

// A mapOperator is an operator of a market, in the order of the bits of tiles.
type mapOperator struct {
	Key   string   `json:"key"`
	Label string   `json:"label"`
	PLMNs []string `json:"plmns"`
}

// A mapData is the data of map.html.
type mapData struct {
	Market string      // that the scripts begin with
	Config template.JS // a mapConfig
}

// mapPage answers the map.
func (p *Pages) mapPage(w http.ResponseWriter, r *http.Request) {
	env := p.Env()
	if p.withoutData(w, r, env) {
		return
	}
	_, size := keptAssets()
	alone := p.isAlone(r)
	config := mapConfig{Alone: alone, Words: mapTexts.For(r), Markets: []mapMarket{}, Key: p.Keyed,
		Assets: mapAssets{Library: p.assetURL("maplibre-gl.mjs"), Base: p.assetURL(landFile),
			QR: p.assetURL("lean-qr.mjs"), Size: size}, Style: p.Style}
	if p.hasStreets() {
		config.Basemap = p.URL(BasemapPath)
		config.Assets.Ranges, config.Assets.Streets = p.assetURL("pmtiles.js"), p.assetURL("protomaps-basemaps.mjs")
	}
	for _, m := range shownMarkets(env) {
		if v, ok := newMapMarket(m); ok {
			v.Label = wordsFor(r).Market(m.Table.Code)
			v.Changes = env.ChangesKnown(m)
			v.Coverage = mapCoverages(env, m.Table)
			config.Markets = append(config.Markets, v)
		}
	}
	config.Start = p.startOf(env, r.URL.Query().Get("site"))
	text, err := json.Marshal(config)
	if err != nil {
		p.Log.Error("a page failed", "error", err)
		p.fail(w, r, http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Security-Policy", p.mapPolicy())
	w.Header().Set("Cache-Control", "no-cache")
	name := "map.html"
	if alone {
		name = "alone.html"
		w.Header().Set("Content-Security-Policy", p.mapPolicy(p.Embed...))
		w.Header().Set("Permissions-Policy", "geolocation=()")
	}
	data := mapData{Market: string(market.Default), Config: template.JS(text)} // Marshal escapes what could end the script
	served := func(m mapMarket) bool { return m.Code == data.Market }
	if len(config.Markets) > 0 && !slices.ContainsFunc(config.Markets, served) {
		data.Market = config.Markets[0].Code
	}
	p.render(w, r, http.StatusOK, name, data)
}

// mapCoverages describes the official coverage maps of a market, none if they cannot be used.
func mapCoverages(env *api.Env, m *market.Market) []mapCoverage {
	layers, _ := env.CoverageMaps(m, nil, nil)
	list := []mapCoverage{}
	add := func(to *[]string, value string) {
		if at, known := slices.BinarySearch(*to, value); !known && value != "" {
			*to = slices.Insert(*to, at, value)
		}
	}
	for _, l := range layers {
		at := slices.IndexFunc(list, func(c mapCoverage) bool { return c.Edition == l.Edition && c.Source == l.SourceName() })
		if at < 0 {
			at, list = len(list), append(list, mapCoverage{Authority: l.Publisher.Authority, Source: l.SourceName(), Edition: l.Edition,
				Synthetic: l.Synthetic, Operators: []string{}})
		}
		add(&list[at].Operators, l.Operator)
		for generation := range strings.SplitSeq(l.Technology, "/") {
			add(&list[at].Technologies, generation)
		}
	}
	return list
}

// isAlone reports whether somebody asks for the map alone, which pages of others may show in a frame: nothing in it
// knows or changes who looks. A page with a dialog for a key is never alone: nobody
// should type a key into a frame.
func (p *Pages) isAlone(r *http.Request) bool { return r.URL.Query().Get("ui") == "0" && !p.Keyed }

// startOf returns the position of the site with a key, nil without one that everybody may see.
func (p *Pages) startOf(env *api.Env, key string) *view.Coordinates {
	if key == "" || len(key) > maxKey || p.Keyed {
		return nil
	}
	found, err := findSite(env, key)
	if err != nil {
		return nil // the card says what is wrong
	}
	at := found.Register.Position(found.At)
	return &view.Coordinates{Lat: at.Lat, Lng: at.Lng}
}

// newMapMarket describes a register for the map. ok is false for one without sites.
func newMapMarket(m *index.Market) (v mapMarket, ok bool) {
	b, ok := m.Bounds()
	register := m.Table.Attribution(m.Snap.Registers)
	v = mapMarket{Code: string(m.Table.Code), Label: m.Table.Label, Version: m.Snap.Version, Date: m.Snap.SourceDate,
		Source: register.Source, Authority: register.Authority, Synthetic: m.Snap.Synthetic, Sites: m.Len(),
		Bounds: [4]float64{b.West, b.South, b.East, b.North}, Systems: m.Snap.Systems, Statuses: m.Snap.Statuses}
	for _, o := range m.Table.Operators {
		v.Operators = append(v.Operators, mapOperator{o.Key, o.Label, o.PLMNs})
	}
	return v, ok
}
