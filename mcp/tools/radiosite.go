package tools

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"relais/api"
	"relais/api/endpoint"
	"relais/catalog"
	"relais/geo"
	"relais/index"
	"relais/market"
	"relais/measure"
	"relais/radio"
	"relais/site"
)

// Bounds of one call of a radio tool. A site in a town may have more measurements than a call can read in its
// time; an even sample of them is read then, and the answer says so.
const (
	maxNear   = 1024 // measures around a site
	maxNaming = 512  // measures that name a site
	maxHeard  = 128  // of an operator, where several are diagnosed, but of each
	minHeard  = 32   // at least so many
	maxNodes  = 16   // base stations of an operator on a site
	maxPCIs   = 48   // PCIs of a site, those of all its operators that are asked for
)

// A radioSite is a site with its radio identifiers, assigned and learned, and the operators
// that a call asks about.
type radioSite struct {
	site.Site
	loaded      *index.Market
	at          uint32
	operators   []int          // on the site, and asked for
	measures    *measure.Store // nil until it is needed
	sampled     bool           // not all measurements that name its base stations were looked at
	radioBuffer []site.RadioID // of pcis, reused for each neighbour
}

// radioSite finds the site that parameters name.
func (r *Reading) radioSite(p *siteParams, o api.Operators) (*radioSite, error) {
	loaded, at, err := p.find(r)
	if err != nil {
		return nil, err
	}
	asked, err := o.Positions(loaded.Table)
	if err != nil {
		return nil, err
	}
	s := &radioSite{loaded: loaded, at: at}
	loaded.Site(at, &s.Site)
	s.Radio = loaded.AppendLearned(s.Radio, at)
	there := (&catalog.SiteFound{Register: loaded, At: at}).Operators()
	for _, i := range there {
		if asked == nil || slices.Contains(asked, i) {
			s.operators = append(s.operators, i)
		}
	}
	if len(s.operators) == 0 {
		return nil, &endpoint.ParamError{Param: "operator", Value: o.String(),
			Want: "an operator of the site, or ALL: it has " + strings.Join(loaded.Table.KeysOf(there), ", ")}
	}
	return s, nil
}

// market returns the market's code.
func (s *radioSite) market() market.Code { return s.loaded.Table.Code }

// key returns the siteKey of a site.
func (s *radioSite) key(at uint32) string { return index.Key(s.market(), s.loaded.Snap.ID(int(at))) }

// nodes returns an operator's base stations assigned to the site, and its cells whose base
// station is unknown. Those assigned by sources come before learned ones.
func (s *radioSite) nodes(operator int) []site.RadioID {
	return radio.BaseStations(s.Radio, operator, maxNodes)
}

// hear adds up the measurements that name id, an even sample of at most limit, and returns
// their total. It calls f, unless that is nil, with each measurement and the generation of the
// cell that names id. It leaves out measurements that count for the cell's base station in nodes: each
// must count once.
func (s *radioSite) hear(nodes []site.RadioID, id site.RadioID, limit int,
	f func(m *radio.Measurement, g site.Generation)) (total int, naming radio.Naming) {
	total = s.measures.ObservationsOf(s.market(), id, limit, func(h *measure.Observation) {
		m := measurement(h)
		if g, byNode := naming.Add(&m, id, nodes); f != nil && !byNode {
			f(&m, g)
		}
	})
	return total, naming
}

// measurement returns the fields that package radio uses.
func measurement(h *measure.Observation) radio.Measurement {
	m := radio.Measurement{Operator: h.Operator, Position: h.Position(), Time: h.Time(),
		Generation: site.Generation(h.Generation()), LTEPCI: h.PCI(false), NRPCI: h.PCI(true)}
	m.LTE, m.NR = h.Cells()
	return m
}

// A Looked has the number of measurements that were looked at.
type Looked struct {
	Measures int  `json:"lookedAt" doc:"Measurements that were looked at."`
	Of       int  `json:"of" doc:"Measurements that there are to look at."`
	Sample   bool `json:"sample" doc:"Not all were looked at, but an even sample: counts are of it."`
}

// newLooked returns how many of some measurements were looked at.
func newLooked(n, of int) Looked { return Looked{n, of, n < of} }

// lookupTypes are the types under which a look-up finds an identifier of each kind.
var lookupTypes = [site.RadioKinds][]index.RadioType{site.ENB: {index.LookupENB}, site.GNB: {index.LookupGNB},
	site.Cell: {index.LookupCI}, site.PCI: {index.LookupPCI}}

// idText returns an identifier as answers have it.
func idText(value uint64) string { return strconv.FormatUint(value, 10) }

// bearingOf returns the bearing from a point to another, to a decimal, nil for equal points.
func bearingOf(from, to geo.Point) *float64 {
	if from == to {
		return nil
	}
	return new(radio.Tenths(geo.Bearing(from, to)))
}

// tenth rounds to a decimal.
func tenth(x float64) float64 { return math.Round(x*10) / 10 }

// dayOf returns the day of a moment in UTC, nil when it is not known.
func dayOf(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	return new(t.UTC().Format(time.DateOnly))
}

// whole rounds a distance.
func whole(metres float64) int { return int(math.Round(metres)) }
