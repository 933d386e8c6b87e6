package chunked

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A list holds what a slice would hold.
func TestList(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		var l List[int]
		var want []int
		for range 4 {
			for range random.IntN(3 * size) {
				v := random.Int()
				l.Append(v)
				want = append(want, v)
			}
			compare(t, &l, want)
			if random.IntN(2) == 0 {
				want = want[:0]
				l.Reset()
				compare(t, &l, want)
			}
		}
	}
}

func compare(t *testing.T, l *List[int], want []int) {
	t.Helper()
	var got []int
	for i, v := range l.All() {
		if v != l.At(i) || i != len(got) {
			t.Fatalf("value %d is %p in All and %p in At; %d values were before it", i, v, l.At(i), len(got))
		}
		got = append(got, *v)
	}
	if l.Len() != len(want) || !slices.Equal(got, want) {
		t.Fatalf("got %d values, Len %d, want %d: equal is %t", len(got), l.Len(), len(want), slices.Equal(got, want))
	}
}

// Iterating may end early.
func TestBreak(t *testing.T) {
	var l List[int]
	for i := range 2 * size {
		l.Append(i)
	}
	last := -1
	for i, v := range l.All() {
		if last = *v; i == size {
			break
		}
	}
	if last != size {
		t.Errorf("last = %d, want %d", last, size)
	}
}

func TestLongListsAreNotCopied(t *testing.T) {
	var l List[int]
	for range size + 1 {
		l.Append(0)
	}
	if n := testing.AllocsPerRun(5, func() {
		for range size {
			l.Append(0)
		}
	}); n > 2 {
		t.Errorf("%v allocations for a chunk, want one, and rarely one for the list of chunks", n)
	}
}
