package export

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"

	"relais/index"
	"relais/market"
	"relais/site"
	"relais/snapshot"
)

// A Register selects sites of a market for a table.
type Register struct {
	Market *index.Market // nil: no sites
	Source market.Register
	Sites  []uint32  // in this order
	Metres []float64 // the distance of each, nil for none
	Whole  bool      // all sites, instead of Sites
	// Filter selects the emissions that are shown; its area is ignored. nil: all.
	Filter *index.Filter
}

// A siteRow is one site. What needs memory is made once for all cells that show it.
type siteRow struct {
	site   site.Site
	common *common
	key    string // siteKey
	where  string // the address
	metres float64
}

// common is what all rows of a register have in common.
type common struct {
	*Register
	table      *market.Market
	snap       *snapshot.Snapshot
	dated      site.Date
	bands      []int      // of the systems, MHz; -1 for none
	byOperator [][]string // KEY=status, by operator and status
}

func newCommon(r *Register) *common {
	c := &common{Register: r, table: r.Market.Table, snap: r.Market.Snap,
		dated: site.ParseDate([]byte(r.Market.Snap.SourceDate))}
	for _, system := range c.snap.Systems {
		c.bands = append(c.bands, band(system))
	}
	for _, o := range c.table.Operators {
		var texts []string
		for _, status := range c.snap.Statuses {
			texts = append(texts, o.Key+"="+status)
		}
		c.byOperator = append(c.byOperator, texts)
	}
	return c
}

// band returns the number at the end of a system's name, which is its band in MHz, or -1.
func band(system string) int {
	n, err := strconv.ParseUint(system[strings.LastIndexByte(system, ' ')+1:], 10, 31)
	if err != nil {
		return -1
	}
	return int(n)
}

// SiteTable returns a table with a row for each site. distanceMeters is its last column when r has distances.
func (r *Register) SiteTable() *Table {
	columns := siteColumns
	if r.Metres != nil {
		columns = append(columns[:len(columns):len(columns)], Column[siteRow]{"distanceMeters", Whole,
			func(r *siteRow, v *Value) { v.Whole = int64(r.metres + 0.5) }})
	}
	return NewTable(columns, r.rows())
}

func (r *Register) rows() iter.Seq[*siteRow] {
	return func(yield func(*siteRow) bool) {
		if r.Market == nil {
			return
		}
		row := &siteRow{common: newCommon(r)}
		prefix, n := index.Key(r.Market.Table.Code, ""), len(r.Sites)
		if r.Whole {
			n = r.Market.Len()
		}
		for k := range n {
			i := uint32(k)
			if !r.Whole {
				i = r.Sites[k]
			}
			r.Market.Site(i, &row.site)
			if row.key, row.where = prefix+row.site.ID, address(&row.site); r.Metres != nil {
				row.metres = r.Metres[k]
			}
			if !yield(row) {
				return
			}
		}
	}
}

// siteColumns are the columns of sites.
var siteColumns = slices.Concat(placeColumns, []Column[siteRow]{
	{"nationalSiteCode", Text, func(r *siteRow, v *Value) { v.Text = cmp.Or(r.site.NationalCode, r.site.ID) }},
	{"sourceCode", Text, func(r *siteRow, v *Value) { v.Text = r.site.SourceCode }},
	{"anfrCode", Text, func(r *siteRow, v *Value) {
		if v.Text = ""; r.common.table.LegacyCode {
			v.Text = r.site.SourceCode
		}
	}},
	{"countryCode", Text, func(r *siteRow, v *Value) { v.Text = r.common.table.Country }},
	{"sourceAuthority", Text, func(r *siteRow, v *Value) { v.Text = r.common.Source.Authority }},
	{"operators", Texts, (*siteRow).operators},
	{"status", Text, (*siteRow).status},
	{"statusByOperator", Texts, (*siteRow).statusByOperator},
	{"generation", Text, (*siteRow).generation},
	{"technologies", Texts, (*siteRow).technologies},
	{"bands", Wholes, (*siteRow).bands},
	{"sharedNetwork", Boolean, func(r *siteRow, v *Value) { v.Boolean = r.site.SharedRadio }},
	{"hasFh", Boolean, func(r *siteRow, v *Value) { v.Boolean = r.site.FixedLink }},
	{"azimuts", Wholes, func(r *siteRow, v *Value) {
		azimuths, _ := r.site.Azimuths(nil)
		v.Wholes = appendDegrees(v.Wholes, azimuths)
	}},
	{"txFrequencies", Numbers, func(r *siteRow, v *Value) { v.Numbers = appendMegahertz(v.Numbers, r.site.TxFrequencies) }},
	{"rxFrequencies", Numbers, func(r *siteRow, v *Value) { v.Numbers = appendMegahertz(v.Numbers, r.site.RxFrequencies) }},
	{"height", Number, func(r *siteRow, v *Value) { v.SetNumber(r.site.Height) }},
	{"antennaHeight", Number, func(r *siteRow, v *Value) { v.SetNumber(r.site.AntennaHeight) }},
	{"nature", Text, func(r *siteRow, v *Value) { v.SetText(r.site.Nature.Label) }},
	{"type_proprietaire", Text, func(r *siteRow, v *Value) { v.SetText(r.site.Owner.Label) }},
	{"deployment", Date, (*siteRow).deployment},
	{"latestDeploymentDate", Date, (*siteRow).latestDeployment},
	{"implementation", Date, func(r *siteRow, v *Value) { v.SetDate(r.site.Implemented) }},
	{"commissioning", Date, func(r *siteRow, v *Value) { v.SetDate(r.site.Commissioned) }},
	{"licences", Texts, (*siteRow).licences},
	{"reference", Text, func(r *siteRow, v *Value) { v.SetText(r.site.Reference) }},
	{"updatedAt", Text, func(r *siteRow, v *Value) { v.SetText(r.common.snap.UpdatedAt) }},
	{"sourceLabel", Text, func(r *siteRow, v *Value) { v.Text = r.common.Source.Source }},
})

// placeColumns identify and place a site.
var placeColumns = []Column[siteRow]{
	{"siteKey", Text, func(r *siteRow, v *Value) { v.Text = r.key }},
	{"id", Text, func(r *siteRow, v *Value) { v.Text = r.site.ID }},
	{"market", Text, func(r *siteRow, v *Value) { v.Text = string(r.common.table.Code) }},
	{"lat", Number, func(r *siteRow, v *Value) { v.Number = r.site.Position.Lat }},
	{"lng", Number, func(r *siteRow, v *Value) { v.Number = r.site.Position.Lng }},
	{"department", Text, func(r *siteRow, v *Value) { v.SetText(r.area("department").Code) }},
	{"provinceCode", Text, func(r *siteRow, v *Value) { v.SetText(r.area("province").Code) }},
	{"areaLabel", Text, func(r *siteRow, v *Value) { v.SetText(r.area(r.common.table.AreaType).Label) }},
	{"commune", Text, func(r *siteRow, v *Value) { v.SetText(r.site.Commune) }},
	{"insee", Text, func(r *siteRow, v *Value) { v.SetText(r.site.CommuneCode) }},
	{"postalCode", Text, func(r *siteRow, v *Value) { v.SetText(r.site.PostalCode) }},
	{"address", Text, func(r *siteRow, v *Value) { v.SetText(r.where) }},
}

// area returns the area of a site in a market whose areas are of the kind.
func (r *siteRow) area(kind string) (a market.Area) {
	if r.site.Area >= 0 && r.common.table.AreaType == kind {
		a = r.common.table.Areas[r.site.Area]
	}
	return a
}

// address joins the lieu-dit and the address lines.
func address(s *site.Site) string {
	var space [4]string
	parts := space[:0]
	for _, p := range [...]string{s.Place, s.Address[0], s.Address[1], s.Address[2]} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, ", ")
}

func (r *siteRow) operators(v *Value) {
	for i := range r.common.table.Operators {
		if slices.ContainsFunc(r.site.Stations, func(t site.Station) bool { return t.Operator == i }) {
			v.Texts = append(v.Texts, r.common.table.Operators[i].Key)
		}
	}
}

// bestStatus returns the most advanced status of an operator's emissions, or of all with -1. It is -1 for none.
func (r *siteRow) bestStatus(operator int) int {
	best := -1
	for _, e := range r.site.Emissions {
		if operator < 0 || r.site.Stations[e.Station].Operator == operator {
			best = max(best, e.Status)
		}
	}
	return best
}

func (r *siteRow) status(v *Value) {
	if best := r.bestStatus(-1); best >= 0 {
		v.Text = r.common.snap.Statuses[best]
		return
	}
	v.SetText("")
}

func (r *siteRow) statusByOperator(v *Value) {
	for i, texts := range r.common.byOperator {
		if best := r.bestStatus(i); best >= 0 {
			v.Texts = append(v.Texts, texts[best])
		}
	}
}

// project reports whether an emission is only planned.
func (r *siteRow) project(e *site.Emission) bool {
	return r.common.table.Phase(e.Status) == market.Project
}

func (r *siteRow) generation(v *Value) {
	newest := site.Generation(0)
	for i := range r.site.Emissions {
		if e := &r.site.Emissions[i]; !r.project(e) {
			newest = max(newest, e.Generation)
		}
	}
	v.Text = newest.String()
}

// systems returns the distinct systems of the emissions, by generation and band.
func (r *siteRow) systems(space []int) []int {
	for _, e := range r.site.Emissions {
		if e.System != "" {
			space = append(space, e.Order)
		}
	}
	slices.Sort(space)
	return slices.Compact(space)
}

func (r *siteRow) technologies(v *Value) {
	var space [32]int
	for _, i := range r.systems(space[:0]) {
		v.Texts = append(v.Texts, r.common.snap.Systems[i])
	}
}

func (r *siteRow) bands(v *Value) {
	var space [32]int
	for _, i := range r.systems(space[:0]) {
		if mhz := r.common.bands[i]; mhz >= 0 {
			v.Wholes = append(v.Wholes, int64(mhz))
		}
	}
	slices.Sort(v.Wholes)
	v.Wholes = slices.Compact(v.Wholes)
}

func (r *siteRow) deployment(v *Value) {
	first := site.Date(0)
	for i := range r.site.Emissions {
		e := &r.site.Emissions[i]
		if r.common.table.Deployments && e.On != 0 && !r.project(e) && (first == 0 || e.On < first) {
			first = e.On
		}
	}
	v.SetDate(first)
}

func (r *siteRow) latestDeployment(v *Value) {
	latest := site.Date(0)
	for _, e := range r.site.Emissions {
		if r.common.table.Deployments && e.On <= r.common.dated {
			latest = max(latest, e.On)
		}
	}
	v.SetDate(latest)
}

func (r *siteRow) licences(v *Value) {
	if !r.common.table.Licences {
		return
	}
	for _, t := range r.site.Stations {
		if t.Code != "" {
			v.Texts = append(v.Texts, t.Code)
		}
	}
	slices.Sort(v.Texts)
	v.Texts = slices.Compact(v.Texts)
}

func appendDegrees(dst []int64, azimuths []uint16) []int64 {
	for _, a := range azimuths {
		dst = append(dst, int64(a))
	}
	return dst
}

func appendMegahertz(dst []float64, hertz []uint64) []float64 {
	for _, f := range hertz {
		dst = append(dst, float64(f)/1e6)
	}
	return dst
}
