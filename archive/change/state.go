package change

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"relais/geo"
	"relais/market"
	"relais/site"
	"relais/snapshot"
)

// A Place is where a site is.
type Place struct {
	Lat, Lng int32  // in 1e-7 degrees
	Area     string // code in the market's table, "" if unknown
	// Register is the name of the register that the site comes from, with "; " and the names of those that add to it. ""
	// is the market's own, several, or an unknown one.
	Register string
}

// Point returns the position in degrees.
func (p Place) Point() geo.Point { return geo.Point{Lat: geo.Degrees(p.Lat), Lng: geo.Degrees(p.Lng)} }

// moved returns the kind of a change of place, and whether there is one.
func moved(from, to Place) (Kind, bool) {
	switch {
	case from == to:
		return 0, false
	case geo.Distance(from.Point(), to.Point()) > MoveMetres:
		return Moved, true
	}
	return placed, true
}

// A System is a system of an operator at a site.
type System struct {
	Operator   string // key in the market's table
	Technology string // as published, such as "LTE 800"; "" where the register states none
	Generation site.Generation
	Status     string // the most advanced one, as published; "" where the register states none
}

func (s System) compare(o System) int {
	return cmp.Or(strings.Compare(s.Operator, o.Operator), strings.Compare(s.Technology, o.Technology))
}

// A Site is a site in a state.
type Site struct {
	ID string
	Place
	Systems []System // one for each operator and technology, in the order of both
}

// A State is the sites of a market in one edition, in the order of their ids as texts. It takes about
// 10 bytes for each system and 50 for each site, and does not change.
type State struct {
	texts   texts
	sites   []siteRow
	systems []systemRow
}

// A placeRow is a Place; texts are positions in a table.
type placeRow struct {
	lat, lng       int32
	area, register uint16
}

type siteRow struct {
	id    string
	place placeRow
	first uint32 // row of systems or of differences
	old   uint32 // in a List: the 1-based place before; 0 for the same
}

type systemRow struct {
	operator, technology, status uint16
	generation                   site.Generation
}

// texts is a table of texts that many rows share. Text 0 is "".
type texts struct {
	list []string
	at   map[string]uint16 // nil once it is complete
	full bool
}

func newTexts() texts { return texts{list: []string{""}, at: map[string]uint16{"": 0}} }

func (t *texts) add(s string) uint16 {
	i, ok := t.at[s]
	if !ok {
		if len(t.list) > 1<<16-1 {
			t.full = true
			return 0
		}
		i, s = uint16(len(t.list)), strings.Clone(s)
		t.list, t.at[s] = append(t.list, s), i
	}
	return i
}

// done frees what only adding needs. Error: more texts than fit.
func (t *texts) done() error {
	if t.at = nil; t.full {
		return errors.New("over 65535 different operators, technologies, statuses and areas")
	}
	return nil
}

func (t *texts) place(p Place) placeRow {
	return placeRow{p.Lat, p.Lng, t.add(p.Area), t.add(p.Register)}
}

func (t *texts) placeOf(r placeRow) Place {
	return Place{r.lat, r.lng, t.list[r.area], t.list[r.register]}
}

// Len returns the number of sites.
func (s *State) Len() int { return len(s.sites) }

// Site sets dst to site i. It reuses the list of systems of dst.
func (s *State) Site(i int, dst *Site) {
	row, end := &s.sites[i], uint32(len(s.systems))
	if i+1 < len(s.sites) {
		end = s.sites[i+1].first
	}
	dst.ID, dst.Place, dst.Systems = row.id, s.texts.placeOf(row.place), dst.Systems[:0]
	for _, y := range s.systems[row.first:end] {
		dst.Systems = append(dst.Systems, System{s.texts.list[y.operator], s.texts.list[y.technology], y.generation,
			s.texts.list[y.status]})
	}
}

// A StateBuilder makes a State of sites in the order of their ids.
type StateBuilder struct{ state State }

// NewStateBuilder returns a builder of a state without sites.
func NewStateBuilder() *StateBuilder { return &StateBuilder{State{texts: newTexts()}} }

// Add adds a site. Its systems must be in order.
func (b *StateBuilder) Add(s *Site) {
	t := &b.state.texts
	b.state.sites = append(b.state.sites,
		siteRow{id: strings.Clone(s.ID), place: t.place(s.Place), first: uint32(len(b.state.systems))})
	for _, y := range s.Systems {
		b.state.systems = append(b.state.systems,
			systemRow{t.add(y.Operator), t.add(y.Technology), t.add(y.Status), y.Generation})
	}
}

// State returns the state. Errors: sites or systems that are not in order, more texts than fit.
func (b *StateBuilder) State() (*State, error) {
	s := &b.state
	var one Site
	for i := range s.sites {
		if i > 0 && s.sites[i].id <= s.sites[i-1].id {
			return nil, fmt.Errorf("site %.40q is there twice, or in the wrong place", s.sites[i].id)
		}
		s.Site(i, &one)
		for k := 1; k < len(one.Systems); k++ {
			if one.Systems[k].compare(one.Systems[k-1]) <= 0 {
				return nil, fmt.Errorf("a system of site %.40q is there twice, or in the wrong place", one.ID)
			}
		}
	}
	return s, s.texts.done()
}

// StateOf returns the state of a snapshot.
func StateOf(snap *snapshot.Snapshot) (*State, error) {
	order := make([]int, snap.Len())
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(snap.ID(a), snap.ID(b)) })
	b := NewStateBuilder()
	var s Site
	var most Systems
	lat, lng := snap.Positions()
	for _, i := range order {
		s.ID, s.Place = snap.ID(i), Place{Lat: lat[i], Lng: lng[i], Register: registerOf(snap, i)}
		if a := snap.Area(i); a >= 0 {
			s.Area = snap.Areas[a]
		}
		most.Reset()
		snap.EmissionKeys(i, func(k snapshot.EmissionKey) {
			status := ""
			if k.Status >= 0 {
				status = snap.Statuses[k.Status]
			}
			most.Add(System{snap.Operators[k.Operator], snap.Systems[k.System], k.Generation, status}, k.Status)
		})
		s.Systems = most.Sorted()
		b.Add(&s)
	}
	return b.State()
}

// registerOf returns the Register of site i.
func registerOf(snap *snapshot.Snapshot, i int) (name string) {
	if len(snap.Registers) == 1 {
		return snap.Registers[0]
	}
	adding := ""
	for bit, r := range market.Get(snap.Market).Registers() {
		switch {
		case snap.SiteRegisters(i)>>bit&1 == 0:
		case name != "" && !r.Adds || !slices.Contains(snap.Registers, r.Source):
			return ""
		case r.Adds:
			adding += addsTo + r.Source
		default:
			name = r.Source
		}
	}
	if name == "" {
		return ""
	}
	return name + adding
}

// addsTo is between the names of a Place's Register.
const addsTo = "; "

// Systems collects the emissions of a site. Those of one operator and technology are one system, with
// the most advanced status and the newest generation.
type Systems struct {
	list  []System
	ranks []int
}

// Reset starts another site.
func (s *Systems) Reset() { s.list, s.ranks = s.list[:0], s.ranks[:0] }

// Add adds an emission. rank is the position of its status, from least to most advanced.
func (s *Systems) Add(e System, rank int) {
	for i := range s.list {
		if y := &s.list[i]; y.Operator == e.Operator && y.Technology == e.Technology {
			if y.Generation = max(y.Generation, e.Generation); rank > s.ranks[i] {
				y.Status, s.ranks[i] = e.Status, rank
			}
			return
		}
	}
	s.list, s.ranks = append(s.list, e), append(s.ranks, rank)
}

// Sorted returns the systems in the order of operator and technology. They are valid until the next
// Reset, before which nothing must be added.
func (s *Systems) Sorted() []System {
	slices.SortFunc(s.list, System.compare)
	return s.list
}
