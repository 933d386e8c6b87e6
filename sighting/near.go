package sighting

import (
	"cmp"
	"slices"

	"relais/geo"
)

// near finds the sites around a point: they are in rows of latitude, by longitude in
// each.
type near struct {
	of   Register
	list []entry
}

// An entry is a site under a number.
type entry struct {
	key  uint64
	site uint32
}

func compareEntries(a, b entry) int {
	return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.site, b.site))
}

// rowHeight is the height of a row in fixed point, a little more than Radius.
const rowHeight = 0.003 * geo.Scale

// row is the number of the row in which a latitude lies; lng is a longitude's place
// in it.
func row(lat float64) uint64 { return uint64(int64(geo.Fix(lat))+90*geo.Scale) / rowHeight }
func lngKey(lng float64) uint64 {
	return uint64(int64(geo.Fix(lng)) + 180*geo.Scale)
}

func (n *near) add(site uint32, p geo.Point) {
	n.list = append(n.list, entry{row(p.Lat)<<32 | lngKey(p.Lng), site})
}

func (n *near) sort() { slices.SortFunc(n.list, compareEntries) }

// find returns how many sites are within Radius of p, 2 standing for more, and one of
// them.
func (n *near) find(p geo.Point) (count int, site uint32) {
	for _, box := range (geo.Disc{Center: p, Radius: Radius}).Box().Split() {
		for r := row(box.South); r <= row(box.North); r++ {
			first := entry{key: r<<32 | lngKey(box.West)}
			at, _ := slices.BinarySearchFunc(n.list, first, compareEntries)
			for ; at < len(n.list) && n.list[at].key <= r<<32|lngKey(box.East); at++ {
				e := n.list[at]
				if geo.Distance(p, n.of.Place(int(e.site)).Position) > Radius {
					continue
				}
				if count++; count == 2 {
					return count, site
				}
				site = e.site
			}
		}
	}
	return count, site
}
