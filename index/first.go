package index

import "slices"

// first sorts the k first of list, in an order, to its front and leaves the rest as it
// comes.
func first[T any](list []T, k int, order func(a, b T) int) {
	part := list
	for len(part) > 2*k { // quickselect until little is left beside them
		pivot := part[len(part)/2]
		less := 0
		for i := range part {
			if order(part[i], pivot) < 0 {
				part[i], part[less] = part[less], part[i]
				less++
			}
		}
		if less < k { // the pivot is among the k: sorting the rest is as well
			break
		}
		part = part[:less]
	}
	slices.SortFunc(part, order)
}
