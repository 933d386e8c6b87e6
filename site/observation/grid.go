package observation

import (
	"cmp"
	"slices"

	"relais/geo"
)

// A siteGrid finds the sites around a point. Sites are sorted by rows of latitude, then
// by longitude.
type siteGrid struct {
	register Register
	entries  []entry
}

// An entry is a site with a sort key.
type entry struct {
	key  uint64
	site uint32
}

func compareEntries(a, b entry) int {
	return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.site, b.site))
}

// rowHeight is the height of a row in fixed point, a little more than Radius.
const rowHeight = 0.003 * geo.Scale

// row returns the number of the row that contains a latitude.
func row(lat float64) uint64 { return uint64(int64(geo.Fix(lat))+90*geo.Scale) / rowHeight }
func lngKey(lng float64) uint64 {
	return uint64(int64(geo.Fix(lng)) + 180*geo.Scale)
}

func (n *siteGrid) add(site uint32, p geo.Point) {
	n.entries = append(n.entries, entry{row(p.Lat)<<32 | lngKey(p.Lng), site})
}

func (n *siteGrid) sort() { slices.SortFunc(n.entries, compareEntries) }

// near appends the sites within Radius of p, in the order of the grid.
func (n *siteGrid) near(p geo.Point, sites []uint32) []uint32 {
	for _, box := range (geo.Disc{Center: p, Radius: Radius}).Box().Split() {
		for r := row(box.South); r <= row(box.North); r++ {
			first := entry{key: r<<32 | lngKey(box.West)}
			at, _ := slices.BinarySearchFunc(n.entries, first, compareEntries)
			for ; at < len(n.entries) && n.entries[at].key <= r<<32|lngKey(box.East); at++ {
				e := n.entries[at]
				if geo.Distance(p, n.register.Place(int(e.site)).Position) > Radius {
					continue
				}
				sites = append(sites, e.site)
			}
		}
	}
	return sites
}
