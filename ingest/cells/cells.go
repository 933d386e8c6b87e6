// Package cells reads observations of cells by phones: OpenCelliD's averages and the logs of
// measuring apps. They have an operator and a position, but no site. The package assigns
// their identifiers to sites of any market by the rule of package sighting. It never makes
// a site of a cell.
package cells

import (
	"fmt"
	"slices"
	"strconv"

	"relais/ingest/source"
	"relais/internal/fold"
	"relais/market"
	"relais/site"
	"relais/site/observation"
	"relais/snapshot"
)

// Attach reads files of Kinds and assigns the identifiers of the cells to the sites of the
// builders. A report counts a row as served if its identifier belongs to a site afterwards.
func Attach(files []source.Found, builders []*snapshot.Builder, watch source.Watch) ([]*source.Report, error) {
	if len(files) == 0 {
		return nil, nil
	}
	a := newAttachment(builders)
	for i := range files {
		if err := a.read(&files[i], watch); err != nil {
			return nil, err
		}
	}
	if err := a.assign(); err != nil {
		return nil, err
	}
	return a.reports, nil
}

// An attachment is the state while files are read. Its memory grows with the sites and the
// distinct accepted cells, not with the rows.
type attachment struct {
	targets  []*target
	networks map[uint32]network // by networkCode
	found    map[siteCell]int   // number of rows
	reports  []*source.Report   // of the files so far
}

// A target is a market of the builders.
type target struct {
	market   *market.Market
	builder  *snapshot.Builder
	observed *observation.Observations
}

// A network is an operator of a target; target -1 is a market without a builder.
type network struct {
	target   int8
	operator uint8
}

// A siteCell is an accepted cell of a file and target.
type siteCell struct {
	id     observation.Identity
	file   uint32
	target int8
}

func newAttachment(builders []*snapshot.Builder) *attachment {
	a := &attachment{found: map[siteCell]int{}}
	a.networks = networksOf(func(m *market.Market) int {
		return slices.IndexFunc(builders, func(b *snapshot.Builder) bool { return b.Market == m.Code })
	})
	for _, b := range builders {
		m := market.Get(b.Market)
		a.targets = append(a.targets, &target{m, b, observation.NewObservations(b, len(m.Operators))})
	}
	return a
}

// networksOf returns the operators of all markets, each market with its target.
func networksOf(target func(*market.Market) int) map[uint32]network {
	networks := map[uint32]network{}
	for _, m := range market.All {
		made := target(m)
		for i, o := range m.Operators {
			for _, p := range o.PLMNs {
				networks[joinedCode([]byte(p))] = network{int8(made), uint8(i)}
			}
		}
	}
	return networks
}

func (a *attachment) read(f *source.Found, watch source.Watch) error {
	c, err := a.open(f, watch)
	if err != nil {
		return err
	}
	r := c.reader
	defer r.Close()
	for r.NextRow() {
		if reason := c.row(); reason != "" {
			r.Reject(reason)
		}
	}
	report, err := r.Done()
	a.reports = append(a.reports, report)
	return err
}

// open opens a file of Kinds.
func (a *attachment) open(f *source.Found, watch source.Watch) (*reading, error) {
	i := slices.IndexFunc(formats, func(x format) bool { return x.name == f.Kind.Name })
	if i < 0 {
		return nil, fmt.Errorf("%s: %s is not a table of cells", f.Name(), f.Kind.Name)
	}
	r, err := f.Read(watch)
	if err != nil {
		return nil, err
	}
	return &reading{attachment: a, reader: r, format: &formats[i], columns: formats[i].columnIndexes()}, nil
}

const (
	otherMarket = "network of another market"
	otherCell   = "a neighbour of the cell that serves"
	noLookUp    = "no identifier that can be looked up"
	noPosition  = "position unknown"
)

// IsUnused reports whether nothing is wrong with a row that was rejected for the reason: it is only not
// about a cell of LTE or NR of these markets that served the phone.
func IsUnused(reason string) bool {
	return reason == otherMarket || reason == otherCell || reason == noLookUp
}

// A reading is the state while one file is read.
type reading struct {
	*attachment
	reader  *source.Reader
	format  *format
	columns [roles]int
}

// field returns the row's field with a role, nil if the format has no such column.
func (c *reading) field(r role) []byte {
	if c.columns[r] < 0 {
		return nil
	}
	return c.reader.Field(c.columns[r])
}

// row adds a row. It returns the reason for rejection, "" if none.
func (c *reading) row() string {
	n, cell, reason := c.cell()
	if reason != "" {
		return reason
	}
	p, ok := parsePosition(c.field(lat), c.field(lng))
	if !ok {
		return noPosition
	}
	t := c.targets[n.target]
	if !t.market.Holds(-1, p) {
		return "outside the market"
	}
	outcome := t.observed.Add(&cell, p)
	if outcome == observation.Accepted {
		c.found[siteCell{cell.Identity(), uint32(len(c.reports)), n.target}]++
	}
	return reasons[outcome]
}

// Reasons that mention the radius.
var (
	noSite       = "no site of the operator within " + strconv.Itoa(observation.Radius) + " m"
	severalSites = "several sites of the operator within " + strconv.Itoa(observation.Radius) + " m"
)

var reasons = [...]string{observation.Accepted: "", observation.NoSite: noSite, observation.SeveralSites: severalSites,
	observation.Contradicted: "the inventory names another site"}

// cell parses the network and cell of the row.
func (c *reading) cell() (n network, cell observation.Cell, reason string) {
	n, ok := c.networks[c.code()]
	if !ok {
		return n, cell, "unknown network"
	}
	if n.target < 0 {
		return n, cell, otherMarket
	}
	cell, reason = c.served()
	cell.Operator = int(n.operator)
	return n, cell, reason
}

// code parses the network of the row, as networkCode does.
func (c *reading) code() uint32 {
	if c.columns[plmn] >= 0 {
		return joinedCode(c.field(plmn))
	}
	return networkCode(c.field(mcc), c.field(mnc))
}

// served parses the cell of the row, which must have served the phone. Its operator is left out.
func (c *reading) served() (cell observation.Cell, reason string) {
	if equalFold(c.field(neighbour), "true") || equalFold(c.field(serving), "false") {
		return cell, otherCell
	}
	g := c.format.technology
	if g == unknown {
		g, _ = c.format.generation(c.field(technology))
	}
	if g != lte && g != nr {
		return cell, noLookUp
	}
	cell = observation.Cell{NR: g == nr, PCI: parsePCI(c.field(pci), g)}
	cell.ID, cell.Node, reason = c.identify(g)
	return cell, reason
}

func equalFold(b []byte, want string) bool { return fold.EqualASCII(string(b), want) }

// identify parses the cell's identifier, or that of its eNB if only that is stated.
func (c *reading) identify(g generation) (id uint64, station uint32, reason string) {
	cell, node := c.field(number), c.field(node)
	id, ok := Number(cell)
	if c.format.local && g == lte {
		id, ok = LocalECI(cell, node)
	}
	if g == nr {
		switch {
		case !ok || id > MaxNCI:
			reason = "value out of range"
		case id == 0:
			reason = "no cell identifier"
		}
		return id, 0, reason
	}
	enb, stationOK := Number(node)
	switch {
	case !ok || !stationOK || id > MaxECI || enb > MaxENB || id > 0 && id>>site.ECICellBits == 0:
		return 0, 0, "value out of range"
	case id == 0 && enb == 0:
		return 0, 0, "no cell identifier"
	case id != 0 && enb != 0 && enb != id>>site.ECICellBits:
		return 0, 0, "the cell is not the base station's"
	}
	return id, uint32(enb), ""
}

// assign adds the identifiers to the sites. A cell that was observed near several sites is
// not assigned.
func (a *attachment) assign() error {
	for _, t := range a.targets {
		if err := t.assign(); err != nil {
			return fmt.Errorf("%s: %w", t.market.Code, err)
		}
	}
	for f, rows := range a.found {
		if !a.targets[f.target].observed.Unambiguous(f.id) {
			a.reports[f.file].RejectMany(rows, "seen near several sites")
		}
	}
	for _, r := range a.reports {
		r.CountServed()
	}
	return nil
}

func (t *target) assign() error {
	if err := t.observed.Finish(); err != nil {
		return err
	}
	more := map[int][]site.RadioID{}
	for at, id := range t.observed.Assignments() {
		more[int(at)] = append(more[int(at)], id)
	}
	return t.builder.AddRadio(more)
}
