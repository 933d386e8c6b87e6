package api

import (
	"slices"
	"strconv"
	"strings"

	"relais/api/view"
	"relais/catalog"
	"relais/index/question"
	"relais/market"
)

// NewBetter returns what answers a text better, nil for nothing.
func NewBetter(f *catalog.Found) *view.Better {
	b := &view.Better{Tool: view.BetterTool{Arguments: map[string]string{}}}
	m, filter := market.Get(market.Default), filters(f)
	if f.Registers != nil {
		m = f.Registers[0].Table
	}
	if code := filter["market"]; code != "" {
		m = market.Get(market.Code(code))
	}
	if f.Place != nil {
		m = f.Place.Market
		b.Tool.Arguments["place"] = placeText(&f.Place.Place)
	}
	argue := func(names ...string) {
		for _, name := range names {
			if filter[name] != "" {
				b.Tool.Arguments[name] = filter[name]
			}
		}
		b.Tool.Arguments["market"] = string(m.Code)
	}
	switch {
	case f.Topic == question.Outages:
		b.Topic, b.Why = "outages", "Outages are in the lists of the operators and in reports, not in the register."
		b.Page = "/?" + query("layers", "outages", "operator", filter["operator"]) + mapPlace(f)
		if b.Tool.Name = "sites_hs_list"; f.Place != nil {
			b.Tool.Name = "sites_hs_nearby_from_place"
		}
		argue("operator")
	case f.Topic == question.Changes:
		days := strconv.Itoa(max(f.Days, 7)) + "d"
		b.Topic, b.Why, b.Tool.Name = "changes", "What is new is what editions of the register changed.", "changes_list"
		b.Page = "/news?" + query("market", string(m.Code), "operator", filter["operator"], "generation", filter["generation"],
			"band", filter["band"], "since", days) + newsPlace(f)
		b.Tool.Arguments["since"] = days
		argue("operator", "generation")
	case f.Position != nil:
		lat, lng := strconv.FormatFloat(f.Position.Lat, 'f', -1, 64), strconv.FormatFloat(f.Position.Lng, 'f', -1, 64)
		b.Topic, b.Why, b.Tool.Name = "near", "The list around a position can be made wider and narrower.", "sites_nearby"
		b.Page = "/near?" + query("lat", lat, "lng", lng, "operator", filter["operator"], "generation", filter["generation"])
		b.Tool.Arguments["lat"], b.Tool.Arguments["lon"] = lat, lng
		if f.Total > 0 {
			m = f.Pages[0].Register.Table
		}
		argue("operator", "generation")
	case f.Here && f.Place == nil && f.Around == nil:
		b.Topic, b.Why, b.Tool.Name = "near", "It needs a position, which the question does not have.", "sites_nearby"
		b.Page = "/near"
	default:
		return nil
	}
	return b
}

// query writes parameters, leaving out those without a value.
func query(pairs ...string) string {
	var list []string
	for pair := range slices.Chunk(pairs, 2) {
		if pair[1] != "" {
			list = append(list, pair[0]+"="+pair[1]) // keys and numbers
		}
	}
	return strings.Join(list, "&")
}

// placeText returns the name of a place as tools take it.
func placeText(p *catalog.Place) string {
	if code := p.AreaCodes(); p.Area >= 0 && code == nil {
		return p.Name + " " + p.Market.Areas[p.Area].Code
	}
	return p.Name
}

// newsPlace returns the parameters of the news of the place of a text.
func newsPlace(f *catalog.Found) string {
	if f.Place == nil {
		return ""
	}
	if codes := f.Place.AreaCodes(); len(codes) == 1 {
		return "&" + f.Place.Market.AreaType + "=" + codes[0]
	}
	b := f.Bounds(&f.Place.Place)
	var edges []string
	for _, x := range []float64{b.West, b.South, b.East, b.North} {
		edges = append(edges, strconv.FormatFloat(x, 'f', 4, 64))
	}
	return "&bbox=" + strings.Join(edges, ",")
}

// mapPlace returns the hash of the map at the place of a text.
func mapPlace(f *catalog.Found) string {
	if f.Place == nil {
		return ""
	}
	zoom := "12.5"
	if f.Place.Wide() {
		zoom = "8"
	}
	return "#map=" + zoom + "/" + strconv.FormatFloat(f.Place.Center.Lat, 'f', 4, 64) + "/" +
		strconv.FormatFloat(f.Place.Center.Lng, 'f', 4, 64)
}
