package measure

import "cmp"

// A place is where a row stands.
type place struct {
	segment uint32 // among the filters of a query
	row     uint32
}

// A pick is a row with its age.
type pick struct {
	time uint32
	place
}

// older orders picks, the newest first.
func older(a, b pick) int {
	return cmp.Or(cmp.Compare(b.time, a.time), cmp.Compare(a.segment, b.segment), cmp.Compare(a.row, b.row))
}

// heapify makes a heap of picks, whose first is the oldest.
func heapify(h []pick) {
	for i := len(h)/2 - 1; i >= 0; i-- {
		sink(h, i)
	}
}

// sink moves a pick down to where it belongs.
func sink(h []pick, i int) {
	for {
		least := i
		for c := 2*i + 1; c <= 2*i+2 && c < len(h); c++ {
			if older(h[c], h[least]) > 0 {
				least = c
			}
		}
		if least == i {
			return
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
}
