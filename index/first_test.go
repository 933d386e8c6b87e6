package index

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestFirstAgainstSorting(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	for round := range 3000 {
		n := r.IntN(300)
		list := r.Perm(n)
		switch round % 3 {
		case 1:
			slices.Sort(list)
		case 2:
			slices.SortFunc(list, func(a, b int) int { return b%7*n + b - a%7*n - a })
		}
		k := r.IntN(n + 1)
		first(list, k, cmp.Compare[int])
		for i := range k {
			if list[i] != i {
				t.Fatalf("the first %d: %v", k, list[:k])
			}
		}
		if slices.Sort(list); n > 0 && (list[0] != 0 || list[n-1] != n-1) || len(slices.Compact(list)) != n {
			t.Fatalf("some are lost: %v", list)
		}
	}
}
