package anfr

import (
	"fmt"
	"slices"
	"strconv"

	"golang.org/x/sync/errgroup"

	"relais/geo"
	"relais/ingest/source"
	"relais/site"
	"relais/snapshot"
)

// assemble makes one snapshot for each requested market. A goroutine fills sites while another one adds
// them.
func (c *country) assemble(files []source.Found) ([]*snapshot.Builder, error) {
	if c.texts.Size() > maxTexts {
		return nil, fmt.Errorf("the texts of the register are over 4 GiB")
	}
	c.stationOf, c.supportOf = nil, nil // nothing looks for them any more
	builders := c.builders(files)
	c.growBuilders(builders)
	full, free := make(chan *siteBatch, 4), make(chan *siteBatch, 4)
	for range cap(free) {
		free <- &siteBatch{}
	}
	var adding errgroup.Group
	adding.Go(func() (err error) {
		for sites := range full {
			for i := range sites.n {
				if err == nil {
					err = builders[sites.targets[i]].Add(&sites.sites[i])
				}
			}
			free <- sites
		}
		return err
	})
	duplicates, strays := c.fillSites(full, free)
	if err := adding.Wait(); err != nil {
		return nil, err
	}
	c.observed.RejectMany(duplicates, "duplicate row")
	if strays > 0 {
		c.onAntennas.Warn(fmt.Sprintf("%d azimuths are of stations without an emission on the antenna's support, and were left out",
			strays))
	}
	return slices.DeleteFunc(builders, func(b *snapshot.Builder) bool { return b == nil }), nil
}

// A siteBatch is n sites with their targets.
type siteBatch struct {
	n       int
	sites   [64]site.Site
	targets [64]uint8
}

// fillSites fills the sites of all supports, in their order, and closes full. It returns how many rows were
// duplicates, and fillState.strays.
func (c *country) fillSites(full chan<- *siteBatch, free <-chan *siteBatch) (duplicates, strays int) {
	defer close(full)
	state := &fillState{nodes: c.nodes, frequency: sortFrequencies(c.frequency)}
	out := <-free
	for i, sup := range c.supports.All() {
		if sup.rows == 0 { // outvoted by another position
			continue
		}
		if out.n == len(out.sites) {
			full <- out
			out = <-free
			out.n = 0
		}
		out.targets[out.n] = sup.target
		duplicates += c.fill(&out.sites[out.n], uint32(i), state)
		out.n++
	}
	full <- out
	return duplicates, state.strays
}

// builders returns a builder for each target, nil if it was not requested.
func (c *country) builders(files []source.Found) []*snapshot.Builder {
	builders := make([]*snapshot.Builder, len(c.targets))
	for i, t := range c.targets {
		if !t.asked {
			continue
		}
		statuses := make([]string, len(t.market.Statuses))
		for k, st := range t.market.Statuses {
			statuses[k] = st.Name
		}
		b := snapshot.NewBuilder(t.market, statuses)
		b.UpdatedAt, b.SourceDate = c.updated, c.updated[:len("2006-01-02")]
		for _, f := range files {
			b.Synthetic = b.Synthetic || f.Synthetic()
		}
		builders[i] = b
	}
	return builders
}

// growBuilders makes room for everything that was read.
func (c *country) growBuilders(builders []*snapshot.Builder) {
	sites, stations, emissions := make([]int, len(builders)), make([]int, len(builders)), make([]int, len(builders))
	for _, s := range c.supports.All() {
		sites[s.target]++
		emissions[s.target] += int(s.rows)
	}
	for _, s := range c.stations.All() {
		stations[s.target]++
	}
	for i, b := range builders {
		if b != nil {
			b.Grow(sites[i], stations[i], emissions[i])
		}
	}
}

// A fillState is used for one site after the other. Its lists are consumed: each begins at the next
// support.
type fillState struct {
	frequency []uint64
	nodes     []node

	antennas    []antenna       // scratch
	rows        []row           // scratch
	runs        [][]row         // scratch
	own         []row           // scratch: of one station
	emissions   []row           // of the site's emissions, in their order
	azimuths    []uint16        // room for azimuths of emissions; what was given away is never changed
	strays      int             // azimuths of antennas whose station has no emission at their support
	stations    int             // number of stations filled so far
	lastStation [maxSystems]int // by system: the last filled station that has it
}

// fill makes the site of support i and returns how many of its rows were duplicates.
func (c *country) fill(s *site.Site, i uint32, state *fillState) (duplicates int) {
	sup, text := c.support(i), c.texts.Text
	*s = site.Site{
		ID:       strconv.FormatUint(uint64(sup.number), 10),
		Position: geo.Point{Lat: sup.lat, Lng: sup.lng}, Area: int(sup.area),
		Commune: c.communes[sup.insee], CommuneCode: text(sup.insee), PostalCode: text(sup.postal),
		Place: text(sup.lieu), Address: [3]string{text(sup.address[0]), text(sup.address[1]), text(sup.address[2])},
		Height: parseHeight(text(sup.height)), HeightText: text(sup.height),
		Nature:        site.Coded{Code: text(sup.nature), Label: c.natures[text(sup.nature)]},
		Owner:         site.Coded{Code: text(sup.owner), Label: c.owners[text(sup.owner)]},
		AntennaHeight: site.Unknown,
		FixedLink:     sup.fixedLink, CrozonLeader: c.leaders[i],
		Stations: s.Stations[:0], Emissions: s.Emissions[:0], Radio: s.Radio[:0],
	}
	duplicates = c.fillEmissions(s, sup, state)
	state.antennas = c.antennasOf(sup, state.antennas[:0])
	c.fillAntennas(s, c.operatorsOn[i], state.antennas)
	c.fillAzimuths(s, state)
	s.TxFrequencies, s.RxFrequencies, state.frequency = cutFrequencies(state.frequency, i)
	for len(state.nodes) > 0 && state.nodes[0].support == i {
		d := state.nodes[0]
		s.Radio = append(s.Radio, site.RadioID{Kind: d.kind, Operator: int(d.operator), Value: uint64(d.value)})
		state.nodes = state.nodes[1:]
	}
	return duplicates
}

func (c *country) addStation(s *site.Site, t *station) {
	s.Stations = append(s.Stations,
		site.Station{Code: t.code.String(), Operator: int(t.operator), OperatorSiteID: c.texts.Text(t.siteID)})
	s.SharedRadio = s.SharedRadio || t.shared
	s.Implemented = earliest(s.Implemented, site.Date(t.implemented))
	s.Commissioned = earliest(s.Commissioned, site.Date(t.commissioned))
}

// earliest returns the earlier of two dates; 0 is unknown.
func earliest(a, b site.Date) site.Date {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

func parseHeight(text string) float64 {
	mm, ok := parseFixed([]byte(text), 3)
	if !ok || mm < 0 || mm > 2e6 {
		return site.Unknown
	}
	return float64(mm) / 1000
}
