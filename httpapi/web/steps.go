package web

import (
	"math"
	"slices"
)

// steps is how many shades a map has.
const steps = 5

// stepLimits returns the least numbers of the shades after the first, so that about as many areas
// have each. They are round, and fewer if many areas have the same number.
func stepLimits(counts []int) (limits []int) {
	sorted := slices.DeleteFunc(slices.Clone(counts), func(n int) bool { return n == 0 })
	slices.Sort(sorted)
	for k := 1; k < steps && len(sorted) > 0; k++ {
		limit := roundNumber(sorted[len(sorted)*k/steps])
		if limit > sorted[0] && (len(limits) == 0 || limit > limits[len(limits)-1]) {
			limits = append(limits, limit)
		}
	}
	return limits
}

// roundNumber rounds a number to two digits.
func roundNumber(n int) int {
	if n < 100 {
		return n
	}
	unit := 1
	for unit*100 <= n {
		unit *= 10
	}
	return (n + unit/2) / unit * unit
}

// stepOf returns the shade of a number, -1 for 0.
func stepOf(n int, limits []int) int {
	if n == 0 {
		return -1
	}
	at, same := slices.BinarySearch(limits, n)
	if same {
		at++
	}
	return at
}

// drawnSteps returns the legend: the range of each shade that areas have.
func drawnSteps(w words, counts, limits []int) (list []drawnStep) {
	least, most := math.MaxInt, 0
	for _, n := range counts {
		if n > 0 {
			least, most = min(least, n), max(most, n)
		}
	}
	if slices.Contains(counts, 0) {
		list = append(list, drawnStep{-1, w.Number(0), w.Number(0)})
	}
	for k := 0; k <= len(limits) && most > 0; k++ {
		from, to := least, most
		if k > 0 {
			from = limits[k-1]
		}
		if k < len(limits) {
			to = limits[k] - 1
		}
		if from <= most {
			list = append(list, drawnStep{k, w.Number(from), w.Number(to)})
		}
	}
	return list
}
