package index

import "slices"

// fewLeft is how many are sooner sorted than looked through.
const fewLeft = 16

// first sorts the k first of list, in an order in which no two are equal, to its front and
// leaves the rest as it comes.
func first[T any](list []T, k int, order func(a, b T) int) {
	from, to := 0, len(list) // what is before from is among the k, and what is behind to is not
	for to-from > fewLeft {
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
