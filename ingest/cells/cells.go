// Package cells reads what phones say of the cells around them: OpenCelliD's means of
// many measurements and the logs of measuring apps, which name an operator and a
// position but no site. It gives their identifiers to sites of an inventory of any
// market where operator and distance leave one candidate, and to none otherwise. A
// cell is never made a site.
package cells

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"relais/fold"
	"relais/ingest/source"
	"relais/market"
	"relais/site"
	"relais/snapshot"
)

// Attach reads files of Kinds, row by row, and gives the identifiers of the cells to
// the sites of the builders. Each of the reports counts as served the rows whose
// identifier a site got or had already.
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
	if err := a.settle(); err != nil {
		return nil, err
	}
	return a.reports, nil
}

// An attachment is what is known while the files are read. Its memory follows the
// sites and the different cells that were found a site for, not the rows.
type attachment struct {
	targets  []*target
	networks map[uint32]network // by networkCode
	found    map[sighting]int   // rows
	reports  []*source.Report   // of the files so far
}

// A target is a market whose sites get identifiers.
type target struct {
	market  *market.Market
	builder *snapshot.Builder
	sites   []near  // by operator
	named   []entry // the identifiers that its own sources give to sites
}

// A network is an operator of a target; a target of -1 is a market that is not made.
type network struct {
	target   int8
	operator uint8
}

// An identity is what a row names.
type identity struct {
	network network
	kind    identityKind
	value   uint64
}

type identityKind uint8

const (
	eci identityKind = iota
	nci
	enb // without its cell
)

// A sighting is a cell that was seen near the one site that it can be of.
type sighting struct {
	identity
	pci  uint16 // 0: not stated
	file uint32
	site uint32
}

func newAttachment(builders []*snapshot.Builder) *attachment {
	a := &attachment{networks: map[uint32]network{}, found: map[sighting]int{}}
	for _, m := range market.All {
		made := slices.IndexFunc(builders, func(b *snapshot.Builder) bool { return b.Market == m.Code })
		for i, o := range m.Operators {
			for _, p := range o.PLMNs {
				a.networks[joinedCode([]byte(p))] = network{int8(made), uint8(i)}
			}
		}
	}
	for _, b := range builders {
		a.targets = append(a.targets, newTarget(b))
	}
	return a
}

func newTarget(b *snapshot.Builder) *target {
	t := &target{market: market.Get(b.Market), builder: b}
	t.sites = make([]near, len(t.market.Operators))
	for i := range b.Len() {
		p := b.Place(i)
		for k, o := range p.Operators {
			if !slices.Contains(p.Operators[:k], o) {
				t.sites[o].add(uint32(i), p.Position)
			}
		}
		b.RadioIDs(i, func(r site.RadioID) {
			if r.Kind == site.Cell || r.Kind == site.ENB {
				t.named = append(t.named, entry{radioKey(r.Kind, r.Operator, r.Value), uint32(i)})
			}
		})
	}
	for i := range t.sites {
		t.sites[i].b = b
		t.sites[i].sort()
	}
	slices.SortFunc(t.named, compareEntries)
	return t
}

// radioKey is an identifier as one number; the longest has 36 bits.
func radioKey(kind site.RadioKind, operator int, value uint64) uint64 {
	return uint64(operator)<<40 | uint64(kind)<<36 | value
}

// elsewhere tells whether the market's own sources give the identifier to sites, but
// not to this one.
func (t *target) elsewhere(kind site.RadioKind, operator uint8, value uint64, site uint32) bool {
	key := radioKey(kind, int(operator), value)
	at, here := slices.BinarySearchFunc(t.named, entry{key, site}, compareEntries)
	return !here && (at < len(t.named) && t.named[at].key == key || at > 0 && t.named[at-1].key == key)
}

func (a *attachment) read(f *source.Found, watch source.Watch) error {
	i := slices.IndexFunc(formats, func(x format) bool { return x.name == f.Kind.Name })
	if i < 0 {
		return fmt.Errorf("%s: %s is no table of cells", f.Name(), f.Kind.Name)
	}
	r, err := f.Read(watch)
	if err != nil {
		return err
	}
	defer r.Close()
	c := reading{attachment: a, reader: r, format: &formats[i], at: formats[i].at()}
	for r.NextRow() {
		if reason := c.row(); reason != "" {
			r.Reject(reason)
		}
	}
	report, err := r.Done()
	a.reports = append(a.reports, report)
	return err
}

// A reading is a file that is read.
type reading struct {
	*attachment
	reader *source.Reader
	format *format
	at     [roles]int
}

// field returns what the row says in a role, nil when the format has no such column.
func (c *reading) field(r role) []byte {
	if c.at[r] < 0 {
		return nil
	}
	return c.reader.Field(c.at[r])
}

// row takes in a row and returns the reason for which it gives nothing to a site, ""
// when it does.
func (c *reading) row() string {
	s, reason := c.cell()
	if reason != "" {
		return reason
	}
	p, ok := position(c.field(lat), c.field(lng))
	if !ok {
		return "position unknown"
	}
	t := c.targets[s.network.target]
	if !t.market.Holds(-1, p) {
		return "outside the market"
	}
	count := 0
	switch count, s.site = t.sites[s.network.operator].find(p); count {
	case 0:
		return noSite
	case 2:
		return severalSites
	}
	if t.contradicts(&s) {
		return "the inventory names another site"
	}
	c.found[s]++
	return ""
}

// Reasons with the radius in them.
var (
	noSite       = "no site of the operator within " + strconv.Itoa(Radius) + " m"
	severalSites = "several sites of the operator within " + strconv.Itoa(Radius) + " m"
)

// contradicts tells whether the market's own sources say that the cell or its base
// station is another site's.
func (t *target) contradicts(s *sighting) bool {
	if s.kind != enb && t.elsewhere(site.Cell, s.network.operator, s.value, s.site) {
		return true
	}
	node, ok := s.node()
	return ok && t.elsewhere(site.ENB, s.network.operator, node.value, s.site)
}

// node returns the base station of an LTE cell. How much of a 5G cell's identifier is
// the base station's, its network chose.
func (id identity) node() (node identity, ok bool) {
	if id.kind == eci {
		id.kind, id.value = enb, id.value>>CellBits
	}
	return id, id.kind == enb
}

// cell reads which cell the row is of; its site is not known yet.
func (c *reading) cell() (s sighting, reason string) {
	code := networkCode(c.field(mcc), c.field(mnc))
	if c.at[plmn] >= 0 {
		code = joinedCode(c.field(plmn))
	}
	var ok bool
	if s.network, ok = c.networks[code]; !ok {
		return s, "unknown network"
	}
	if s.network.target < 0 {
		return s, "network of another market"
	}
	if is(c.field(neighbour), "true") || is(c.field(serving), "false") {
		return s, "a neighbour of the cell that serves"
	}
	g := c.format.technology
	if g == unknown {
		g = generations[fold.UpperASCII(string(c.field(technology)))]
	}
	if g != lte && g != nr {
		return s, "no identifier that can be looked up"
	}
	s.file, s.pci = uint32(len(c.reports)), physical(c.field(pci), g)
	s.kind, s.value, reason = identify(g, c.field(number), c.field(node))
	return s, reason
}

func is(b []byte, want string) bool { return fold.EqualASCII(string(b), want) }

// identify reads the cell's identifier, or its eNB's where only that is stated.
func identify(g generation, cell, node []byte) (kind identityKind, value uint64, reason string) {
	value, ok := Number(cell)
	if g == nr {
		switch {
		case !ok || value > MaxNCI:
			reason = "value out of range"
		case value == 0:
			reason = "no cell identifier"
		}
		return nci, value, reason
	}
	station, stationOK := Number(node)
	switch {
	case !ok || !stationOK || value > MaxECI || station > MaxENB || value > 0 && value>>CellBits == 0:
		return eci, 0, "value out of range"
	case value == 0 && station == 0:
		return eci, 0, "no cell identifier"
	case value == 0:
		return enb, station, ""
	case station != 0 && station != value>>CellBits:
		return eci, 0, "the cell is not the base station's"
	}
	return eci, value, ""
}

// settle gives the identifiers to the sites. One that was seen near several sites,
// each time near one only, is given to none of them.
func (a *attachment) settle() error {
	const several = ^uint32(0)
	sites := map[identity]uint32{}
	see := func(id identity, site uint32) {
		if at, ok := sites[id]; ok && at != site {
			site = several
		}
		sites[id] = site
	}
	seen := make([]sighting, 0, len(a.found))
	for s := range a.found {
		seen = append(seen, s)
		see(s.identity, s.site)
		if node, ok := s.node(); ok {
			see(node, s.site)
		}
	}
	slices.SortFunc(seen, compareSightings) // so that a file makes the same snapshot each time
	more := make([]map[int][]site.RadioID, len(a.targets))
	for i := range more {
		more[i] = map[int][]site.RadioID{}
	}
	for _, s := range seen {
		if sites[s.identity] == several {
			a.reports[s.file].RejectMany(a.found[s], "seen near several sites")
			continue
		}
		add := func(kind site.RadioKind, value uint64) {
			m, i := more[s.network.target], int(s.site)
			m[i] = append(m[i], site.RadioID{Kind: kind, Operator: int(s.network.operator), Value: value})
		}
		if s.kind != enb {
			add(site.Cell, s.value)
		}
		if node, ok := s.node(); ok && sites[node] != several {
			add(site.ENB, node.value)
		}
		if s.pci > 0 {
			add(site.PCI, uint64(s.pci))
		}
	}
	for i, t := range a.targets {
		if err := t.builder.AddRadio(more[i]); err != nil {
			return fmt.Errorf("%s: %w", t.market.Code, err)
		}
	}
	for _, r := range a.reports {
		r.Settle()
	}
	return nil
}

func compareSightings(a, b sighting) int {
	return cmp.Or(cmp.Compare(a.network.target, b.network.target), cmp.Compare(a.site, b.site), cmp.Compare(a.network.operator, b.network.operator),
		cmp.Compare(a.kind, b.kind), cmp.Compare(a.value, b.value), cmp.Compare(a.pci, b.pci), cmp.Compare(a.file, b.file))
}
