package view

import (
	"slices"
	"strconv"

	"relais/market"
	"relais/site"
	"relais/snapshot"
)

// A Detail is an antenna site in full.
type Detail struct {
	Summary
	More
}

// More are the members of a Detail that a Summary lacks.
type More struct {
	Support   Support    `json:"support"`
	Radio     Radio      `json:"radio"`
	Dates     Dates      `json:"dates"`
	Stations  []Station  `json:"stations" doc:"The operators' licences on the site, by station number."`
	Emissions []Emission `json:"emissions" doc:"Every published row of the site: one system of one station."`
	Antennas  []Antenna  `json:"antennas" doc:"The antennas of the emissions, where a source states each; a list of no antennas elsewhere."`
	Sources   Sources    `json:"sources" doc:"Which source states what."`
}

// A Support is the mast, building or other structure.
type Support struct {
	Height        *float64    `json:"height" doc:"Height of the support in metres."`
	AntennaHeight *float64    `json:"antennaHeight" doc:"Base of the highest sector antenna, metres above ground."`
	SupportInfo   SupportInfo `json:"supportInfo"`
}

// SupportInfo is what the register states about the support.
type SupportInfo struct {
	Hauteur          string  `json:"hauteur" doc:"Height as published."`
	Nature           *string `json:"nature" doc:"What the support is; null for a code without a label."`
	TypeProprietaire *string `json:"type_proprietaire" doc:"Who owns it; null for a code without a label."`
	NatID            string  `json:"nat_id" doc:"Code of nature."`
	TpoID            string  `json:"tpo_id" doc:"Code of type_proprietaire."`
}

// Radio is what the register states about radio, and what measurements add to it.
type Radio struct {
	Generation            string    `json:"generation" doc:"The newest generation that is not only a project; empty if it has only projects."`
	Azimuts               []uint16  `json:"azimuts" doc:"Azimuths of the sectors of all emissions, whole degrees from true north."`
	HasFh                 bool      `json:"hasFh" doc:"Whether a microwave link is here."`
	LatestDeploymentDate  string    `json:"latestDeploymentDate" doc:"The newest emission date that is not after the data's own, YYYY-MM-DD; empty if it has no such emission."`
	TechnologiesInProject InProject `json:"technologiesInProject"`
	PhysicalIDs           []string  `json:"physicalIds" doc:"Physical cell ids (PCI): first those that a source assigns to this site, then those learned from measurements."`
	CellIDs               []string  `json:"cellIds" doc:"ECI or NCI, in the same order."`
	Nodes                 []Node    `json:"nodes" doc:"Base station identifiers, in the same order."`
	TxFrequencies         []float64 `json:"txFrequencies" doc:"Centre of each published band that the site transmits, MHz."`
	RxFrequencies         []float64 `json:"rxFrequencies" doc:"Centre of each published band in the uplink half of a paired band, MHz."`
}

// InProject lists the systems that are on the site only as projects.
type InProject struct {
	LTE   []string `json:"lte"`
	FiveG []string `json:"5g"`
}

// A Node is a base station identifier.
type Node struct {
	Operator string `json:"operator"`
	Type     string `json:"type" doc:"enb or gnb."`
	Value    string `json:"value"`
	Learned  bool   `json:"learned" doc:"Whether it was learned from measurements: no source assigns it to the site, and measurements name it near this site only."`
}

// Dates of a site.
type Dates struct {
	Deployment     *string `json:"deployment" doc:"Earliest date of an emission that is not a project, YYYY-MM-DD."`
	LastUpdated    *string `json:"lastUpdated" doc:"Date of the source file, YYYY-MM-DDTHH:MM:SS."`
	Implementation *string `json:"implementation" doc:"Earliest implementation date of a station, YYYY-MM-DD."`
	Commissioning  *string `json:"commissioning" doc:"Earliest commissioning date of a station, YYYY-MM-DD."`
}

// A Station is one operator's licence on the site.
type Station struct {
	Code           string `json:"code" doc:"Station number."`
	Operator       string `json:"operator"`
	OperatorSiteID string `json:"operatorSiteId" doc:"The operator's own name of the site; empty when unknown."`
}

// An Emission is one system of one station.
type Emission struct {
	Operator   string    `json:"operator"`
	Station    string    `json:"station" doc:"Station number."`
	Technology string    `json:"technology" doc:"System as published."`
	Generation string    `json:"generation"`
	Status     *string   `json:"status" doc:"As published."`
	Date       *string   `json:"date" doc:"As published, YYYY-MM-DD: a project may have one, and it may lie in the future; in BE the day of the approval."`
	Azimuts    *[]uint16 `json:"azimuts" doc:"Azimuths of the sectors of this system, whole degrees from true north; null when the register does not state them."`
	AzimutFrom *string   `json:"azimutFrom" doc:"Where the azimuths are stated: list for the system's own rows, emitter for the antennas that a table of emitters gives to the system, station for the antennas of the station, whatever their system; null without azimuths."`
}

// NewMore returns the members of the detail of s that its summary lacks.
func NewMore(snap *snapshot.Snapshot, s *site.Site) More {
	r := RegisterOf(snap)
	d := More{
		Support: Support{Height: nullUnknown(s.Height), AntennaHeight: nullUnknown(s.AntennaHeight), SupportInfo: SupportInfo{
			Hauteur: s.HeightText, Nature: label(s.Nature), TypeProprietaire: label(s.Owner), NatID: s.Nature.Code,
			TpoID: s.Owner.Code}},
		Radio: r.radio(s),
		Dates: Dates{LastUpdated: OrNull(&snap.UpdatedAt), Implementation: day(s.Implemented),
			Commissioning: day(s.Commissioned)},
	}
	var deployed site.Date
	for _, e := range s.Emissions {
		if r.Deployments && e.On != 0 && !r.project(e) && (deployed == 0 || e.On < deployed) {
			deployed = e.On
		}
	}
	d.Dates.Deployment = day(deployed)
	d.Stations, d.Emissions, d.Antennas, d.Sources = r.stations(s), r.emissions(s), r.antennas(s), r.sources(s)
	return d
}

// label returns the label of a code, nil if the reference table does not have it.
func label(c site.Coded) *string {
	if c.Label == "" && c.Code != "" {
		return nil
	}
	return &c.Label
}

// project reports whether an emission is only planned.
func (r register) project(e site.Emission) bool { return r.Phase(e.Status) == market.Project }

func (r register) radio(s *site.Site) Radio {
	azimuths, _ := s.Azimuths(nil)
	v := Radio{
		Azimuts: append([]uint16{}, azimuths...), HasFh: s.FixedLink,
		TechnologiesInProject: r.inProject(s), PhysicalIDs: []string{}, CellIDs: []string{}, Nodes: []Node{},
		TxFrequencies: megahertz(s.TxFrequencies), RxFrequencies: megahertz(s.RxFrequencies),
	}
	newest, latest, dated := site.Generation(0), site.Date(0), site.ParseDate([]byte(r.snap.SourceDate))
	for _, e := range s.Emissions {
		if !r.project(e) {
			newest = max(newest, e.Generation)
		}
		if r.Deployments && e.On <= dated {
			latest = max(latest, e.On)
		}
	}
	v.Generation, v.LatestDeploymentDate = newest.String(), latest.String()
	for _, id := range s.Radio {
		value := strconv.FormatUint(id.Value, 10)
		switch id.Kind {
		case site.PCI:
			v.PhysicalIDs = append(v.PhysicalIDs, value)
		case site.Cell:
			v.CellIDs = append(v.CellIDs, value)
		default:
			v.Nodes = append(v.Nodes, Node{Operator: r.Operators[id.Operator].Key, Type: id.Kind.String(), Value: value,
				Learned: id.Learned})
		}
	}
	return v
}

// inProject lists the LTE and 5G systems whose emissions are all projects.
func (r register) inProject(s *site.Site) InProject {
	v := InProject{LTE: []string{}, FiveG: []string{}}
	for _, name := range technologies(s) {
		generation, project := site.Generation(0), true
		for _, e := range s.Emissions {
			if e.System == name {
				generation, project = e.Generation, project && r.project(e)
			}
		}
		switch {
		case !project:
		case generation == site.G4:
			v.LTE = append(v.LTE, name)
		case generation == site.G5:
			v.FiveG = append(v.FiveG, name)
		}
	}
	return v
}

func megahertz(hertz []uint64) []float64 {
	list := make([]float64, len(hertz))
	for i, f := range hertz {
		list[i] = float64(f) / 1e6
	}
	return list
}

func (r register) stations(s *site.Site) []Station {
	list := make([]Station, len(s.Stations))
	for i, t := range s.Stations {
		list[i] = Station{Code: t.Code, Operator: r.Operators[t.Operator].Key, OperatorSiteID: t.OperatorSiteID}
	}
	return list
}

// emissions lists the emissions in the order of operators, stations, generations
// and bands.
func (r register) emissions(s *site.Site) []Emission {
	list := make([]Emission, 0, len(s.Emissions))
	days := formatDays(s.Emissions)
	for operator, o := range r.Operators {
		for i, e := range s.Emissions {
			t := &s.Stations[e.Station]
			if t.Operator != operator {
				continue
			}
			v := Emission{Operator: o.Key, Station: t.Code, Technology: e.System, Generation: e.Generation.String(),
				Date: OrNull(&days[i])}
			if len(e.Azimuths) > 0 {
				azimuths, from := slices.Clone(e.Azimuths), e.Origin.String()
				v.Azimuts, v.AzimutFrom = &azimuths, &from
			}
			if e.Status >= 0 {
				v.Status = &r.snap.Statuses[e.Status]
			}
			list = append(list, v)
		}
	}
	return list
}

// formatDays formats the dates of the emissions in one allocation, as a detail has dozens.
func formatDays(emissions []site.Emission) []string {
	days, text := make([]string, len(emissions)), make([]byte, 0, len(emissions)*len("2006-01-02"))
	ends := make([]int, len(emissions))
	for i, e := range emissions {
		text = e.On.Append(text)
		ends[i] = len(text)
	}
	all, start := string(text), 0
	for i, end := range ends {
		days[i], start = all[start:end], end
	}
	return days
}
