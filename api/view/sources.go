package view

import (
	"slices"

	"relais/market"
	"relais/site"
	"relais/snapshot"
)

// Sources say which source states what about a site. Each list has names of sources, and is empty if none states it.
type Sources struct {
	Registers []SourceRegister `json:"registers" doc:"The registers that the site comes from."`
	Position  []string         `json:"position" doc:"Sources of the position and the address."`
	Commune   []string         `json:"commune"`
	// OperatorSiteIDs are the operators' own names of the site.
	OperatorSiteIDs []string `json:"operatorSiteIds"`
	Emissions       []string `json:"emissions" doc:"Sources of operators, systems, statuses and dates."`
	Azimuts         []string `json:"azimuts"`
	Heights         []string `json:"heights" doc:"Sources of the heights of the support and of antennas."`
	Cells           []string `json:"cells" doc:"Sources of base stations, cells and PCIs."`
}

// A SourceRegister is a register with its licence.
type SourceRegister struct {
	Authority string `json:"authority"`
	Source    string `json:"source"`
	Licence   string `json:"licence"`
}

// Names of sources that are not of a market.
const (
	givenCells   = "tables of cells that the operator of this server gave"
	measurements = "measurements"
)

// registers returns the registers of a site.
func (r register) registers(s *site.Site) (list []market.Register) {
	for i, x := range r.Market.Registers() {
		if s.Registers>>i&1 == 1 || s.Registers == 0 && i == 0 {
			list = append(list, x)
		}
	}
	return list
}

// attributionOf returns the source of one site.
func (r register) attributionOf(s *site.Site) market.Register {
	if s.Registers == 0 || r.snap.Synthetic {
		return r.attribution
	}
	var names []string
	for _, x := range r.registers(s) {
		names = append(names, x.Source)
	}
	return r.Attribution(names)
}

// sources returns what each source states about a site.
func (r register) sources(s *site.Site) Sources {
	v := Sources{Registers: []SourceRegister{}, Position: []string{}, Commune: []string{}, OperatorSiteIDs: []string{},
		Emissions: []string{},
		Azimuts:   []string{}, Heights: []string{}, Cells: []string{}}
	antennas := []string{}
	for _, x := range r.registers(s) {
		if r.snap.Synthetic {
			x.Source = Demonstration(x).Source
		}
		v.Registers = append(v.Registers, SourceRegister{x.Authority, x.Source, x.Licence})
		if !x.Adds {
			v.Position = union(v.Position, []string{x.Source})
		}
		if x.Antennas {
			antennas = union(antennas, []string{x.Source})
		}
	}
	turned := v.Position // who states azimuths
	if len(s.Antennas) > 0 {
		turned = antennas
	}
	v.Emissions = union(v.Position, turned) // of operators without antennas, the register states them
	if s.Commune != "" {
		v.Commune = named(r.Supplements.Communes, v.Position)
	}
	for i := range s.Emissions {
		switch s.Emissions[i].Origin {
		case site.NotStated:
		case site.FromList:
			v.Azimuts = union(v.Azimuts, turned)
		default:
			v.Azimuts = union(v.Azimuts, named(r.Supplements.Antennas, turned))
		}
	}
	if slices.ContainsFunc(s.Stations, func(t site.Station) bool { return t.OperatorSiteID != "" }) {
		v.OperatorSiteIDs = named(r.Supplements.SiteIDs, v.Position)
	}
	if site.Known(s.Height) {
		v.Heights = v.Position
	}
	if site.Known(s.AntennaHeight) {
		v.Heights = union(v.Heights, named(r.Supplements.Antennas, v.Position))
	}
	if slices.ContainsFunc(s.Antennas, func(a site.Antenna) bool { return a.Height.Known() }) {
		v.Heights = union(v.Heights, antennas)
	}
	for _, id := range s.Radio {
		name := givenCells
		if id.Learned {
			name = measurements
		}
		v.Cells = union(v.Cells, []string{name})
	}
	return v
}

// named returns the name of a supplement, or the registers of a market without one.
func named(supplement string, registers []string) []string {
	if supplement != "" {
		return []string{supplement}
	}
	return registers
}

// union returns a with what only b has.
func union(a, b []string) []string {
	all := slices.Clone(a)
	for _, name := range b {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// RegionsOf lists the regions that a snapshot covers, none if it covers all of its market.
func RegionsOf(m *market.Market, s *snapshot.Snapshot) []string {
	regions := []string{}
	for _, r := range m.Registers() {
		switch {
		case !slices.Contains(s.Registers, r.Source):
		case r.Region == "":
			return []string{}
		default:
			regions = union(regions, []string{r.Region})
		}
	}
	return regions
}

// An Antenna is one antenna in one system.
type Antenna struct {
	Operator       string    `json:"operator"`
	Technology     string    `json:"technology" doc:"The system, as in emissions."`
	Azimut         *float64  `json:"azimut" doc:"Degrees from true north; null when it is not stated."`
	Height         *Quantity `json:"height" doc:"Of the middle of the antenna above ground; null when it is not stated."`
	Power          *Quantity `json:"power"`
	Tilt           *Quantity `json:"tilt" doc:"Mechanical tilt."`
	ElectricalTilt *Quantity `json:"electricalTilt"`
	Frequencies    []float64 `json:"frequencies" doc:"MHz."`
}

// A Quantity is a number with its unit.
type Quantity struct {
	Value float64 `json:"value"`
	Unit  *string `json:"unit" doc:"As the source states it; null when it states none."`
}

func newQuantity(q site.Quantity) *Quantity {
	if !q.Known() {
		return nil
	}
	return &Quantity{q.Value, OrNull(&q.Unit)}
}

// antennas lists the antennas of a site in the order of its emissions.
func (r register) antennas(s *site.Site) []Antenna {
	list := make([]Antenna, 0, len(s.Antennas))
	for _, a := range s.Antennas {
		e := &s.Emissions[a.Emission]
		list = append(list, Antenna{Operator: r.Operators[s.Stations[e.Station].Operator].Key, Technology: e.System,
			Azimut: nullUnknown(a.Azimuth), Height: newQuantity(a.Height), Power: newQuantity(a.Power),
			Tilt: newQuantity(a.Tilt), ElectricalTilt: newQuantity(a.Electrical), Frequencies: megahertz(a.Frequencies)})
	}
	return list
}
