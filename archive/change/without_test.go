package change

import (
	"slices"
	"testing"
)

// A site that one of two registers has is left out with that register, in either order: its records state
// what both say. Where a register only adds to a site, the records of systems are left out.
func TestWithout(t *testing.T) {
	const withheld, free = "Withheld", "Free"
	edition := func(register string, systems ...System) *State {
		return model{"a": {ID: "a", Place: Place{Lat: 1, Register: register}, Systems: systems}}.state(t)
	}
	x := System{Operator: "BELL", Technology: "LTE 700", Status: "of x"}
	y := System{Operator: "TELUS", Technology: "LTE 700", Status: "of y"}
	for _, tt := range []struct {
		name   string
		states []*State
		want   int
	}{
		{"of the free one", []*State{edition(free, x), edition(free, y)}, 4},
		{"from the withheld one", []*State{edition(withheld, x), edition(free, y)}, 0},
		{"to the withheld one", []*State{edition(free, x), edition(withheld, y)}, 0},
		{"from several", []*State{edition("", x), edition(free, y)}, 0},
		{"to several", []*State{edition(free, x), edition("", y)}, 0},
		{"from the withheld one, by the free one", []*State{edition(withheld, x), edition(free, x), edition(free, y)}, 0},
		{"by the withheld one", []*State{edition(free, x), edition(withheld, x, y), edition(free, y)}, 4},
		{"to which the withheld one adds", []*State{edition(free, x), edition(free+"; "+withheld, y)}, 2},
		{"to which the withheld one added", []*State{edition(free+"; "+withheld, x), edition(free, y)}, 2},
		{"to which another one adds", []*State{edition(free, x), edition(free+"; Other", y)}, 4},
		{"of the withheld one, to which a free one adds", []*State{edition(withheld+"; "+free, x), edition(free, y)}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var lists []*List
			for i := range tt.states[1:] {
				l, err := Compare(tt.states[i], tt.states[i+1])
				must(t, err)
				lists = append(lists, asRead(t, l))
			}
			l, err := Net(lists)
			must(t, err)
			f := &Filter{Without: []string{"", withheld}}
			if got := slices.Collect(l.Records(f)); len(got) != tt.want || l.Tally(f).Sum() != tt.want {
				t.Errorf("got %d records, counted %v, want %d: %v", len(got), l.Tally(f), tt.want, got)
			} else if names := l.Technologies(f); (len(names) > 0) != (tt.want == 4) {
				t.Errorf("got the technologies %q of %d records", names, tt.want)
			}
			if got := l.Tally(nil).Sum(); got != 4 {
				t.Errorf("without a filter: got %d records, want 4", got)
			}
		})
	}
}
