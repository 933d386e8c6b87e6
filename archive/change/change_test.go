package change

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"relais/geo"
	"relais/internal/errtest"
	"relais/site"
)

// must ends the test on an error of what it needs.
var must = errtest.Must

// A model is a state in a shape that a test can change and compare plainly.
type model map[string]*Site

func (m model) state(t testing.TB) *State {
	t.Helper()
	b := NewStateBuilder()
	for _, id := range sortedKeys(m) {
		slices.SortFunc(m[id].Systems, System.compare)
		b.Add(m[id])
	}
	s, err := b.State()
	must(t, err)
	return s
}

func sortedKeys[V any](m map[string]V) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func (m model) clone() model {
	c := model{}
	for id, s := range m {
		one := *s
		one.Systems = slices.Clone(s.Systems)
		c[id] = &one
	}
	return c
}

var (
	someOperators = []string{"BELL", "ROGERS", "TELUS"}
	someSystems   = []string{"LTE 700", "LTE 2600", "5G NR 3500", "UMTS 2100", ""}
	someStatuses  = []string{"", "planned", "on air"}
)

func randomSite(r *rand.Rand, id string) *Site {
	s := &Site{ID: id, Place: Place{Lat: geo.Fix(45 + r.Float64()), Lng: geo.Fix(-73 + r.Float64()),
		Area: []string{"QC", "ON", ""}[r.IntN(3)]}}
	for range r.IntN(5) {
		s.set(randomSystem(r))
	}
	return s
}

func randomSystem(r *rand.Rand) System {
	return System{someOperators[r.IntN(3)], someSystems[r.IntN(5)], site.Generation(2 + r.IntN(4)), someStatuses[r.IntN(3)]}
}

func (s *Site) set(y System) {
	s.Systems = append(slices.DeleteFunc(s.Systems, func(x System) bool { return x.compare(y) == 0 }), y)
}

// next changes some of a model.
func (m model) next(r *rand.Rand) model {
	c := m.clone()
	for _, id := range sortedKeys(c) {
		s := c[id]
		switch r.IntN(12) {
		case 0:
			delete(c, id)
		case 1:
			s.set(randomSystem(r))
		case 2:
			if len(s.Systems) > 0 {
				s.Systems = slices.Delete(s.Systems, 0, 1)
			}
		case 3: // about 3.3 m: three in a row are a move
			s.Lat += 300
		case 4:
			s.Lng += 2000
		case 5:
			s.Area = "NB"
		case 6:
			if len(s.Systems) > 0 {
				s.Systems[0].Generation = site.Generation(2 + r.IntN(4))
			}
		}
	}
	for range r.IntN(3) {
		id := fmt.Sprint("s", r.IntN(100))
		if c[id] == nil {
			c[id] = randomSite(r, id)
		}
	}
	return c
}

func weeks(r *rand.Rand, n int) []model {
	first := model{}
	for i := range 40 {
		id := fmt.Sprint("s", i)
		first[id] = randomSite(r, id)
	}
	all := []model{first}
	for range n - 1 {
		all = append(all, all[len(all)-1].next(r))
	}
	return all
}

// brute returns the records between two models as texts, by plain set differences.
func brute(before, after model) (all []string) {
	keys := func(m model) map[string]System {
		set := map[string]System{}
		for id, s := range m {
			set[id] = System{}
			for _, y := range s.Systems {
				set[id+"|"+y.Operator] = System{}
				set[id+"|"+y.Operator+"|"+y.Technology] = y
			}
		}
		return set
	}
	old, now := keys(before), keys(after)
	names := []string{"site", "operator", "system"}
	for key, y := range now {
		was, there := old[key]
		parts := strings.Split(key, "|")
		switch {
		case !there:
			all = append(all, fmt.Sprintf("%s-added %s %v> >%s", names[len(parts)-1], key, y.Generation, y.Status))
		case was.Status != y.Status:
			all = append(all, fmt.Sprintf("status-changed %s %v>%s>%s", key, y.Generation, was.Status, y.Status))
		}
	}
	for key, y := range old {
		if _, there := now[key]; !there {
			parts := strings.Split(key, "|")
			all = append(all, fmt.Sprintf("%s-removed %s %v>%s> ", names[len(parts)-1], key, y.Generation, y.Status))
		}
	}
	for id, s := range before {
		if n := after[id]; n != nil && geo.Distance(s.Point(), n.Point()) > 5 {
			all = append(all, fmt.Sprintf("moved %s %v>%v>%v", id, site.Generation(0), s.Point(), n.Point()))
		}
	}
	slices.Sort(all)
	return all
}

func describe(l *List, f *Filter) (all []string) {
	for r := range l.Records(f) {
		key := r.Site
		if r.Kind.level() > siteLevel {
			key += "|" + r.Operator
		}
		if r.Kind.level() == systemLevel {
			key += "|" + r.Technology
		}
		before, after := r.Before.Status, r.After.Status
		switch {
		case r.Kind == Moved:
			before, after = fmt.Sprint(r.Before.Position), fmt.Sprint(r.After.Position)
		case r.Kind.added():
			before = " "
		case r.Kind.removed():
			after = " "
		}
		all = append(all, fmt.Sprintf("%s %s %v>%s>%s", r.Kind, key, r.Generation, before, after))
	}
	slices.Sort(all)
	return all
}

// asRead returns the list after it was written and read.
func asRead(t testing.TB, l *List) *List {
	t.Helper()
	read, err := ReadList(l.Append(nil))
	must(t, err)
	return read
}

// Lists are plain set differences, can be undone, and add up.
func TestLists(t *testing.T) {
	for seed := range uint64(30) {
		models := weeks(rand.New(rand.NewPCG(seed, 21)), 7)
		var lists []*List
		for i := 1; i < len(models); i++ {
			l, err := Compare(models[i-1].state(t), models[i].state(t))
			must(t, err)
			l = asRead(t, l)
			lists = append(lists, l)
			if diff := cmp.Diff(brute(models[i-1], models[i]), describe(l, nil)); diff != "" {
				t.Fatalf("seed %d, week %d (-want +got):\n%s", seed, i, diff)
			}
			if n := len(describe(l, nil)); l.Len() != n || l.Tally(nil).Sum() != n {
				t.Errorf("got %d and %d records, want %d", l.Len(), l.Tally(nil).Sum(), n)
			}
		}
		mustUndo(t, models, lists)
		for from := range lists {
			for to := from; to <= len(lists); to++ {
				net, err := Net(lists[from:to])
				must(t, err)
				if diff := cmp.Diff(brute(models[from], models[to]), describe(net, nil)); diff != "" {
					t.Fatalf("seed %d, net %d to %d (-want +got):\n%s", seed, from, to, diff)
				}
				if got, err := Undo(models[to].state(t), net); err != nil || !same(got, models[from].state(t)) {
					t.Fatalf("seed %d, net %d to %d undone: %v, want the earlier state", seed, from, to, err)
				}
			}
		}
	}
}

// A correction is what differs between two forms of an edition, whatever both changed in the edition before.
func TestCorrection(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 33))
		models := weeks(r, 2)
		before, was := models[0], models[1]
		is := []model{before, was}[seed%2].next(r)
		var lists []*List
		for _, m := range []model{was, is} {
			l, err := Compare(before.state(t), m.state(t))
			must(t, err)
			lists = append(lists, asRead(t, l))
		}
		l, err := Correction(lists[0], lists[1])
		must(t, err)
		if diff := cmp.Diff(brute(was, is), describe(l, nil)); diff != "" {
			t.Fatalf("seed %d (-want +got):\n%s", seed, diff)
		}
		if got, err := Undo(is.state(t), l); err != nil || !same(got, was.state(t)) {
			t.Fatalf("seed %d undone: %v, want the state before the correction", seed, err)
		}
	}
}

// same compares states by their sites: their tables of texts differ.
func same(a, b *State) bool {
	var x, y Site
	if a.Len() != b.Len() {
		return false
	}
	for i := range a.Len() {
		a.Site(i, &x)
		b.Site(i, &y)
		if x.ID != y.ID || x.Place != y.Place || !slices.Equal(x.Systems, y.Systems) {
			return false
		}
	}
	return true
}

func mustUndo(t *testing.T, models []model, lists []*List) {
	t.Helper()
	state := models[len(lists)].state(t)
	for i := len(lists) - 1; i >= 0; i-- {
		older, err := Undo(state, lists[i])
		if err != nil || !same(older, models[i].state(t)) {
			t.Fatalf("undo week %d: %v, want the state before", i, err)
		}
		if len(lists[i].sites) > 0 {
			if _, err := Undo(older, lists[i]); !errors.Is(err, ErrMismatch) {
				t.Fatalf("undo week %d twice: %v, want ErrMismatch", i, err)
			}
		}
		state, err = ReadState(older.Append(nil))
		must(t, err)
	}
}

// A filter selects what a plain look at each record selects.
func TestFilter(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 21))
	pick := func(n int) bool { return r.IntN(n) == 0 }
	found := 0
	for range 400 {
		models := weeks(r, 2)
		l, err := Compare(models[0].state(t), models[1].state(t))
		must(t, err)
		var f Filter
		if pick(3) {
			f.Kinds = []Kind{Kind(r.IntN(Kinds)), SystemAdded}
		}
		if pick(3) {
			f.Operators = []string{someOperators[r.IntN(3)], "NOBODY"}
		}
		if pick(4) {
			f.Generations = []site.Generation{site.Generation(2 + r.IntN(4))}
		}
		if pick(4) {
			f.Technologies = []string{someSystems[r.IntN(4)], someSystems[r.IntN(4)]}
		}
		if pick(4) {
			f.Bands = []int{[]int{700, 3500, 1}[r.IntN(3)]}
		}
		if pick(4) {
			f.Areas = []string{"QC"}
		}
		if pick(4) {
			f.Box = &geo.Box{South: 45.2, North: 45.8, West: -72.9, East: -72.1}
		}
		if pick(4) {
			f.Disc = &geo.Disc{Center: geo.Point{Lat: 45.5, Lng: -72.5}, Radius: 40000}
		}
		var want []Record
		var kinds Tally
		for rec := range l.Records(nil) {
			if selects(&f, &rec) {
				want = append(want, rec)
				kinds[rec.Kind]++
			}
		}
		got := slices.Collect(l.Records(&f))
		if diff := cmp.Diff(want, got); diff != "" || l.Tally(&f) != kinds || kinds.Sum() != len(want) {
			t.Fatalf("%+v: counted %v, want %v (-want +got):\n%s", f, l.Tally(&f), kinds, diff)
		}
		found += len(got)
	}
	if found < 500 {
		t.Errorf("the filters selected %d records, want at least 500", found)
	}
}

func selects(f *Filter, r *Record) bool {
	band := 0
	fmt.Sscan(r.Technology[strings.LastIndexByte(r.Technology, ' ')+1:], &band)
	switch {
	case f.Kinds != nil && !slices.Contains(f.Kinds, r.Kind),
		f.Operators != nil && !slices.Contains(f.Operators, r.Operator),
		f.Generations != nil && !slices.Contains(f.Generations, r.Generation),
		f.Technologies != nil && (r.Technology == "" || !slices.Contains(f.Technologies, r.Technology)),
		f.Bands != nil && !slices.Contains(f.Bands, band),
		f.Areas != nil && !slices.Contains(f.Areas, r.Area),
		f.Box != nil && !f.Box.Contains(r.Point()),
		f.Disc != nil && geo.Distance(r.Point(), f.Disc.Center) > f.Disc.Radius:
		return false
	}
	return true
}

func TestKind(t *testing.T) {
	for i, name := range Kind(0).Values() {
		var k Kind
		if err := k.UnmarshalText([]byte(strings.ToUpper(name))); err != nil || k != Kind(i) || k.String() != name {
			t.Errorf("%s = %v, %v, want kind %d", name, k, err, i)
		}
	}
	for _, text := range []string{"", "placed", "site", "site-added "} {
		if err := new(Kind).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is a kind, want an error", text)
		}
	}
}
