package market

import (
	"strings"

	"relais/internal/fold"
)

// A Region is a named group of areas, such as Bretagne. No source names
// it, and no parameter of the API has it.
type Region struct {
	Label string
	Short string   // usual short form, or ""
	Codes []string // of its areas
}

// regions of metropolitan France, by the areas of the law of 16 January 2015. Overseas each
// department is a region.
var regions = []Region{
	{"Auvergne-Rhône-Alpes", "AURA", strings.Fields("01 03 07 15 26 38 42 43 63 69 73 74")},
	{"Bourgogne-Franche-Comté", "BFC", strings.Fields("21 25 39 58 70 71 89 90")},
	{"Bretagne", "", strings.Fields("22 29 35 56")},
	{"Centre-Val de Loire", "", strings.Fields("18 28 36 37 41 45")},
	{"Corse", "", strings.Fields("2A 2B")},
	{"Grand Est", "", strings.Fields("08 10 51 52 54 55 57 67 68 88")},
	{"Hauts-de-France", "HDF", strings.Fields("02 59 60 62 80")},
	{"Île-de-France", "IDF", strings.Fields("75 77 78 91 92 93 94 95")},
	{"Normandie", "", strings.Fields("14 27 50 61 76")},
	{"Nouvelle-Aquitaine", "", strings.Fields("16 17 19 23 24 33 40 47 64 79 86 87")},
	{"Occitanie", "", strings.Fields("09 11 12 30 31 32 34 46 48 65 66 81 82")},
	{"Pays de la Loire", "", strings.Fields("44 49 53 72 85")},
	{"Provence-Alpes-Côte d'Azur", "PACA", strings.Fields("04 05 06 13 83 84")},
}

// AreaNamed returns the position of the area with this code or name, without regard to case
// and accents, and false when the market has none.
func (m *Market) AreaNamed(text string) (int, bool) {
	if i, ok := m.Area(text); ok {
		return i, true
	}
	name := fold.String(text)
	for i, a := range m.Areas {
		if name != "" && fold.String(a.Label) == name {
			return i, true
		}
	}
	return 0, false
}

// RegionOf returns the region of an area, by their positions, and false if the
// area is in none.
func (m *Market) RegionOf(area int) (int, bool) {
	if area < 0 {
		return 0, false
	}
	for i, r := range m.Regions {
		for _, code := range r.Codes {
			if code == m.Areas[area].Code {
				return i, true
			}
		}
	}
	return 0, false
}

// RegionNamed returns the position of the region with this name, in full or
// shortened, and false when the market has none.
func (m *Market) RegionNamed(text string) (int, bool) {
	name := fold.String(text)
	for i, r := range m.Regions {
		if name != "" && (fold.String(r.Label) == name || fold.String(r.Short) == name) {
			return i, true
		}
	}
	return 0, false
}
