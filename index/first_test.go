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

// Down and up again, up and down, and saws, to the first, the middle and the last of them.
func TestFirstOfHardOrders(t *testing.T) {
	const n = 20_000
	valley := make([]int, n)
	for i := range valley {
		valley[i] = 2*i - n
		if i < n/2 {
			valley[i] = n - 1 - 2*i
		}
	}
	hill, saw := slices.Clone(valley), make([]int, n)
	for i := range saw {
		hill[i] = -valley[i]
		saw[i] = i%100*n + i
	}
	for name, list := range map[string][]int{"valley": valley, "hill": hill, "saw": saw} {
		sorted := slices.Sorted(slices.Values(list))
		for _, k := range []int{1, 10, n / 2, n - 200, n} {
			compared, got := 0, slices.Clone(list)
			first(got, k, func(a, b int) int {
				compared++
				return cmp.Compare(a, b)
			})
			if !slices.Equal(got[:k], sorted[:k]) || compared > 60*n {
				t.Errorf("%s: the first %d after %d comparisons of %d", name, k, compared, n)
			}
		}
	}
}
