package admit

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func TestPool(t *testing.T) {
	p := NewPool(Cost{Places: 10})
	visitor := func(name string) *Claim {
		return p.Claim(Holder{"client", Cost{8, 100}}, Holder{Name: name, Most: Cost{Places: 3}})
	}
	a, b, c := visitor("a"), visitor("b"), visitor("c")
	for _, step := range []struct {
		name  string
		claim *Claim
		cost  Cost
		want  bool
	}{
		{"the first", a, Cost{2, 30}, true},
		{"more than a member may have", a, Cost{4, 30}, false},
		{"more bytes than the group has", b, Cost{1, 80}, false},
		{"what is left", b, Cost{1, 70}, true},
		{"nothing is left", c, Cost{1, 1}, false},
		{"less", b, Cost{1, 20}, true},
		{"now there is room", c, Cost{1, 50}, true},
		{"less again", c, Cost{1, 40}, true},
		{"places alone", visitor("d"), Cost{Places: 1}, true},
	} {
		if got := step.claim.Hold(step.cost); got != step.want {
			t.Errorf("%s: got %t, want %t", step.name, got, step.want)
		}
	}
	if held, holders, refused := p.Held(); held != (Cost{5, 90}) || holders != 5 || refused != 3 {
		t.Errorf("%v is held by %d, %d refused, want {5 90} by 5, and 3", held, holders, refused)
	}
	b.Move(Holder{Name: "other"}, Holder{Name: "e"})
	if e := p.holders["e"]; e != (Cost{1, 20}) || p.holders["b"] != (Cost{}) || p.holders["client"] != (Cost{4, 70}) {
		t.Errorf("after the move e holds %v, b %v and the client %v", e, p.holders["b"], p.holders["client"])
	}
	for _, claim := range []*Claim{a, b, c, nil} {
		claim.Release()
		claim.Release()
	}
	if held, holders, _ := p.Held(); held != (Cost{Places: 1}) || holders != 2 {
		t.Errorf("%v is held by %d, want the one place of d", held, holders)
	}
}

// One cost alone may be larger than the bound of bytes.
func TestPoolOfOneLargeCost(t *testing.T) {
	p := NewPool(Cost{Bytes: 10})
	a, b := p.Claim(Holder{Name: "a"}), p.Claim(Holder{Name: "b"})
	if !a.Hold(Cost{Bytes: 20}) || b.Hold(Cost{Bytes: 1}) {
		t.Error("one cost may be larger than the bound, and is then the only one")
	}
}

// However many ask for however much, members that hold nothing find room, and what is held is what the
// claims hold.
func TestPoolUnderFloods(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for flooders := 1; flooders <= 16; flooders++ {
		p := NewPool(Cost{Bytes: 1 << 20})
		group := Holder{"all", Cost{Bytes: 1 << 20}}
		var claims []*Claim
		for range 10_000 {
			c := p.Claim(group, Holder{Name: fmt.Sprint("flooder ", r.IntN(flooders))})
			if c.Hold(Cost{Bytes: 1 + r.Int64N(1<<12)}) {
				claims = append(claims, c)
			}
			if k := r.IntN(3*len(claims) + 1); k < len(claims) { // a third of the time one ends
				claims[k].Release()
				claims[k] = claims[len(claims)-1]
				claims = claims[:len(claims)-1]
			}
		}
		for i := range 5 {
			c := p.Claim(group, Holder{Name: fmt.Sprint("newcomer ", i)})
			if !c.Hold(Cost{Bytes: 1 << 12}) {
				t.Errorf("%d flooders: newcomer %d finds no room", flooders, i)
			}
			claims = append(claims, c)
		}
		var sum Cost
		for _, c := range claims {
			sum = sum.plus(c.Cost())
		}
		if held, _, _ := p.Held(); held != sum {
			t.Errorf("%d flooders: %v is held, want %v", flooders, held, sum)
		}
	}
}
