package change

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Compare returns the differences from a state to another one.
func Compare(before, after *State) (*List, error) {
	b := NewBuilder()
	var x, y Site
	for i, k := 0, 0; i < before.Len() || k < after.Len(); {
		order := 0
		switch {
		case i == before.Len():
			order = 1
		case k == after.Len():
			order = -1
		default:
			order = strings.Compare(before.sites[i].id, after.sites[k].id)
		}
		var old, now *Site
		if order <= 0 {
			before.Site(i, &x)
			old = &x
			i++
		}
		if order >= 0 {
			after.Site(k, &y)
			now = &y
			k++
		}
		b.Add(old, now)
	}
	return b.List()
}

// Add adds the differences of a site in two states. nil means that the state does not have it. Each
// site may be added once, in any order.
func (b *Builder) Add(before, after *Site) {
	b.deltas = b.deltas[:0]
	var id string
	var at Place
	whole := delta{}
	var olds, news []System
	if before != nil {
		id, at, olds, whole.before = before.ID, before.Place, before.Systems, value{there: true, place: before.Place}
	}
	if after != nil {
		id, at, news, whole.after = after.ID, after.Place, after.Systems, value{there: true, place: after.Place}
	}
	b.deltas = append(b.deltas, whole)
	for len(olds) > 0 || len(news) > 0 {
		order := 0
		switch {
		case len(olds) == 0:
			order = 1
		case len(news) == 0:
			order = -1
		default:
			order = olds[0].compare(news[0])
		}
		d := delta{level: systemLevel}
		if order <= 0 {
			d.operator, d.technology, d.before = olds[0].Operator, olds[0].Technology, olds[0].value()
			olds = olds[1:]
		}
		if order >= 0 {
			d.operator, d.technology, d.after = news[0].Operator, news[0].Technology, news[0].value()
			news = news[1:]
		}
		b.deltas = append(b.deltas, d)
	}
	b.addOperators(before, after)
	b.add(id, at, b.deltas)
}

func (s *System) value() value { return value{there: true, generation: s.Generation, status: s.Status} }

// addOperators adds the differences of the operators of a site.
func (b *Builder) addOperators(before, after *Site) {
	systems := b.deltas[1:]
	for i := 0; i < len(systems); i++ {
		d := delta{level: operatorLevel, operator: systems[i].operator}
		if i > 0 && systems[i-1].operator == d.operator {
			continue
		}
		d.before.there, d.after.there = before.has(d.operator), after.has(d.operator)
		b.deltas = append(b.deltas, d)
	}
}

func (s *Site) has(operator string) bool {
	return s != nil && slices.ContainsFunc(s.Systems, func(y System) bool { return y.Operator == operator })
}

// Net returns the differences from the state before the first list to that after the last one. Each
// list begins where the one before it ends.
func Net(lists []*List) (*List, error) {
	sites := nets{}
	for _, l := range lists {
		sites.add(l, false)
	}
	return sites.list()
}

// Correction returns the differences from the state after a list to that after another one. Both begin with
// the same state.
func Correction(was, is *List) (*List, error) {
	sites := nets{}
	sites.add(was, true)
	sites.add(is, false)
	return sites.list()
}

// nets are the differences of sites over several editions, by id.
type nets map[string]*net

// add adds the differences of a list, or those that undo it.
func (sites nets) add(l *List, undo bool) {
	var deltas []delta
	for i := range l.sites {
		s := &l.sites[i]
		n := sites[s.id]
		if n == nil {
			n = &net{}
			sites[s.id] = n
		}
		if n.at = l.texts.placeOf(s.place); undo {
			n.at = l.oldPlace(s)
		}
		deltas = l.deltas(i, deltas[:0])
		for k := range deltas {
			d := &deltas[k]
			if undo {
				d.before, d.after = d.after, d.before
			}
			n.add(d)
		}
	}
}

func (sites nets) list() (*List, error) {
	b := NewBuilder()
	for _, id := range slices.Sorted(maps.Keys(sites)) {
		n := sites[id]
		for _, d := range n.deltas {
			if d.level == siteLevel && !d.after.there {
				n.at = d.before.place // it may have moved before it was removed
			}
		}
		b.add(id, n.at, n.deltas)
	}
	return b.List()
}

// A net is the differences of a site over several editions.
type net struct {
	at     Place // at last
	deltas []delta
}

func (n *net) add(d *delta) {
	for i := range n.deltas {
		if old := &n.deltas[i]; old.compare(d) == 0 {
			old.after = d.after
			return
		}
	}
	n.deltas = append(n.deltas, *d)
}

// ErrMismatch says that a list does not belong to a state.
var ErrMismatch = errors.New("these differences do not belong to this state")

// Undo returns the state before the differences of a list. Error: ErrMismatch.
func Undo(s *State, l *List) (*State, error) {
	b := NewStateBuilder()
	var one Site
	var deltas []delta
	for i, k := 0, 0; i < s.Len() || k < len(l.sites); {
		if k == len(l.sites) || i < s.Len() && s.sites[i].id < l.sites[k].id {
			s.Site(i, &one)
			b.Add(&one)
			i++
			continue
		}
		there := i < s.Len() && s.sites[i].id == l.sites[k].id
		one = Site{ID: l.sites[k].id, Systems: one.Systems[:0]}
		if there {
			s.Site(i, &one)
			i++
		}
		deltas = l.deltas(k, deltas[:0])
		if stays := deltas[0].level != siteLevel; stays && one.Place != l.texts.placeOf(l.sites[k].place) {
			return nil, fmt.Errorf("site %.40q: %w", one.ID, ErrMismatch)
		}
		left, err := one.undo(there, deltas)
		if err != nil {
			return nil, err
		}
		if left {
			b.Add(&one)
		}
		k++
	}
	return b.State()
}

// undo undoes the differences of a site. there reports whether it is there, left whether it was.
func (s *Site) undo(there bool, deltas []delta) (left bool, err error) {
	wrong := fmt.Errorf("site %.40q: %w", s.ID, ErrMismatch)
	left = there
	for _, d := range deltas {
		from, to := d.after, d.before
		switch d.level {
		case siteLevel:
			if from != (value{there: there, place: s.Place}) {
				return false, wrong
			}
			left, s.Place = to.there, to.place
		case systemLevel:
			y := System{d.operator, d.technology, to.generation, to.status}
			i, found := slices.BinarySearchFunc(s.Systems, y, System.compare)
			if found != from.there || found && s.Systems[i].value() != from {
				return false, wrong
			}
			switch {
			case !to.there:
				s.Systems = slices.Delete(s.Systems, i, i+1)
			case found:
				s.Systems[i] = y
			default:
				s.Systems = slices.Insert(s.Systems, i, y)
			}
		}
	}
	if !left && (there == left || len(s.Systems) > 0) {
		return false, wrong
	}
	return left, nil
}
