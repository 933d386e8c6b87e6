package index

import (
	"math/bits"
	"slices"
)

// fewLeft is how many are sooner sorted than looked through.
const fewLeft = 16

// first sorts the k first of list, in an order in which no two are equal, to its front and
// leaves the rest as it comes. Where the middle often is no good guess, all that are left
// are sorted: no order takes longer than that.
func first[T any](list []T, k int, order func(a, b T) int) {
	from, to := 0, len(list) // what is before from is among the k, and what is behind to is not
	for rounds := 2 * bits.Len(uint(len(list))); rounds > 0 && to-from > fewLeft; rounds-- {
		last := to - 1
		list[(from+to)/2], list[last] = list[last], list[(from+to)/2]
		less, pivot := from, list[last]
		for i := from; i < last; i++ {
			if order(list[i], pivot) < 0 {
				list[i], list[less] = list[less], list[i]
				less++
			}
		}
		list[less], list[last] = pivot, list[less]
		if less < k {
			from = less + 1
		} else {
			to = less
		}
	}
	slices.SortFunc(list[:to], order)
}
