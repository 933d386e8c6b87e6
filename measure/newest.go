package measure

import (
	"cmp"
	"slices"
)

// A pick is a row that may be in an answer.
type pick struct {
	time    uint32
	segment uint32 // among the filters of the query
	row     uint32
}

// compareAge orders picks, the newest first.
func compareAge(a, b pick) int {
	return cmp.Or(cmp.Compare(b.time, a.time), cmp.Compare(a.segment, b.segment), cmp.Compare(a.row, b.row))
}

// A newest keeps the newest picks, at most limit of them. Picks must be added in the order of
// their rows.
type newest struct {
	limit int
	picks []pick
	full  bool
	floor uint32 // if full: the time of the oldest kept pick
}

func (n *newest) add(p pick) {
	if n.full && p.time <= n.floor {
		return
	}
	if n.picks = append(n.picks, p); len(n.picks) >= 2*n.limit {
		n.cut()
	}
}

// cut drops all but the newest picks, and returns them, the newest first.
func (n *newest) cut() []pick {
	slices.SortFunc(n.picks, compareAge)
	if len(n.picks) >= n.limit && n.limit > 0 {
		n.picks = n.picks[:n.limit]
		n.full, n.floor = true, n.picks[n.limit-1].time
	}
	return n.picks
}
