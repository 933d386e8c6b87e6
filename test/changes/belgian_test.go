package changes

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
)

// A dossier is a feature of the Flemish register, an entry one of BIPT's list.
type (
	dossier struct {
		id       int
		operator string
		x, y     float64
	}
	entry struct {
		id, x, y int
		status   string
		owners   []string
	}
)

func belgian(t *testing.T, r *rand.Rand, dir string, dates []string) (files [][]string) {
	number := 1000
	spots := [][2]int{}
	spot := func() (x, y int) {
		if len(spots) < 40 || r.IntN(4) == 0 {
			spots = append(spots, [2]int{104000 + r.IntN(20000), 190000 + r.IntN(20000)})
		}
		at := choose(r, spots...)
		return at[0] + r.IntN(13), at[1]
	}
	owner := func() string { return choose(r, "Proximus", "Telenet", "Orange", "Citymesh", "Astrid") }
	makeDossier := func() dossier {
		number++
		x, y := spot()
		return dossier{number, choose(r, "Proximus NV", "Telenet Group BVBA", "Orange Belgium NV", "Citymesh", "Astrid NV"),
			float64(x) + 0.25, float64(y)}
	}
	makeEntry := func() entry {
		number++
		x, y := spot()
		e := entry{number, x, y, choose(r, "O", "O", "A", "R"), nil}
		for range 1 + r.IntN(3) {
			e.owners = append(e.owners, owner())
		}
		return e
	}
	var dossiers []dossier
	var entries []entry
	for range 40 {
		dossiers, entries = append(dossiers, makeDossier()), append(entries, makeEntry())
	}
	for _, date := range dates {
		files = append(files, writeBelgium(t, dir, date, dossiers, entries))
		dossiers = mutate(r, dossiers, func(d dossier) dossier {
			d.x += float64(shift(r))
			return d
		}, makeDossier)
		entries = mutate(r, entries, func(e entry) entry {
			switch r.IntN(3) {
			case 0:
				e.status = choose(r, "O", "A")
			case 1:
				e.x += shift(r)
			default:
				e.owners = append(slices.Clone(e.owners), owner())
			}
			return e
		}, makeEntry)
	}
	return files
}

func writeBelgium(t *testing.T, dir, date string, dossiers []dossier, entries []entry) []string {
	t.Helper()
	var features, list []map[string]any
	for _, d := range dossiers {
		features = append(features, map[string]any{"type": "Feature",
			"geometry": map[string]any{"type": "Point", "coordinates": []float64{d.x, d.y}},
			"properties": map[string]any{"id": d.id, "goedkeuringsdatum": "2020-08-03T05:47:19.180000+00:00",
				"sitecode": fmt.Sprint("S", d.id), "locatiebeschrijving": "Korenlei  10, 9000 GENT",
				"operatornaam": d.operator, "referentie": fmt.Sprint("R", d.id), "dossiernummer": fmt.Sprint(d.id),
				"conformiteitsattest": "https://www.milieuinfo.be/"}})
	}
	for _, e := range entries {
		m := map[string]any{"Adres": "Korenlei 10", "Locatie": "-", "PostcodeGemeente": "9000 Gent", "Status": e.status,
			"NrOps": "0", "X": fmt.Sprint(e.x), "Y": fmt.Sprint(e.y), "AA": nil, "ID": fmt.Sprint(e.id),
			"Longitude": nil, "Latitude": nil, "SiteType": "BTS"}
		for i := range 15 {
			for _, column := range []string{"Eigenaar", "Ref", "BIPTRef"} {
				m[fmt.Sprint(column, i+1)] = nil
			}
			if i < len(e.owners) {
				m[fmt.Sprint("Eigenaar", i+1)] = fmt.Sprintf("%s: C%d", e.owners[i], e.id)
			}
		}
		list = append(list, maps.Clone(m))
	}
	register, bipt := filepath.Join(dir, "zendant_"+date+".geojson"), filepath.Join(dir, "bipt_"+date+".json")
	writeJSON(t, register, map[string]any{"type": "FeatureCollection", "crs": map[string]any{"type": "name",
		"properties": map[string]any{"name": "urn:ogc:def:crs:EPSG::31370"}}, "features": features})
	writeJSON(t, bipt, list)
	return []string{register, bipt}
}
