package index

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Sets of every density are compared with lists of booleans, over and over in the
// same memory, as queries use it.
func TestBitsetAgainstBooleans(t *testing.T) {
	const n = 3*64*64 + 77 // a last word that is not whole, in a last group that is not
	r := rand.New(rand.NewPCG(3, 4))
	type pair struct {
		set  bitset
		want []bool
	}
	var pairs [3]pair
	for k := range pairs {
		pairs[k] = pair{newBitset(n), make([]bool, n)}
	}
	for step := range 1000 {
		a, b := &pairs[r.IntN(3)], &pairs[r.IntN(3)]
		i, j := uint32(r.IntN(n+1)), uint32(r.IntN(n+1))
		both := func(f func(x, y bool) bool) {
			for k := range a.want {
				a.want[k] = f(a.want[k], b.want[k])
			}
		}
		switch op := r.IntN(9); op {
		case 0:
			a.set.clear()
			clear(a.want)
		case 1:
			a.set.set(i % n)
			a.want[i%n] = true
		case 2, 3:
			if op == 2 {
				j = min(i+j%200, n)
			}
			a.set.setRange(i, j)
			for k := i; k < j; k++ {
				a.want[k] = true
			}
		case 4:
			a.set.and(b.set)
			both(func(x, y bool) bool { return x && y })
		case 5:
			a.set.or(b.set)
			both(func(x, y bool) bool { return x || y })
		case 6:
			if a != b {
				a.set.andNot(b.set)
				both(func(x, y bool) bool { return x && !y })
			}
		case 7:
			if a != b {
				a.set.copy(b.set)
				copy(a.want, b.want)
			}
		case 8:
			a.set.fill() // changes nothing that can be seen
			a.set.filter(func(k uint32) bool { return k%5 != 0 })
			for k := 0; k < n; k += 5 {
				a.want[k] = false
			}
		}
		var want, got []uint32
		for k, has := range a.want {
			if has {
				want = append(want, uint32(k))
			}
		}
		a.set.each(func(k uint32) { got = append(got, k) })
		if !slices.Equal(got, want) || a.set.count() != len(want) {
			t.Fatalf("step %d: %d members, count %d, want %d", step, len(got), a.set.count(), len(want))
		}
		skip, limit := r.IntN(len(want)+2), 1+r.IntN(100)
		page, rest := a.set.page(nil, skip, limit)
		if from := min(skip, len(want)); !slices.Equal(page, want[from:min(from+limit, len(want))]) ||
			rest != skip-from {
			t.Fatalf("step %d: page of %d after %d: %v, %d left", step, limit, skip, page, rest)
		}
	}
}
