package measure

import "slices"

// A sampler keeps an even sample of what is counted, of fewer than most: of each step, a
// power of two, the first in the order in which they were counted.
type sampler[T any] struct {
	count, step int
	most        int
	list        []T
}

// expect sets a step that a sample of at least n reaches in any case.
func (s *sampler[T]) expect(n int) {
	for n/s.step >= s.most {
		s.step *= 2
	}
}

// next is the first of those to come, from the i-th on, that the sample has.
func (s *sampler[T]) next(i int) int { return i + -(s.count+i)&(s.step-1) }

// room returns the places of the next of the sample: at least one, and as many as n before
// it is full.
func (s *sampler[T]) room(n int) []T {
	had := len(s.list)
	n = min(n, s.most-had)
	if cap(s.list) < had+n {
		s.list = slices.Grow(s.list, s.most-had)
	}
	s.list = s.list[:had+n]
	return s.list[had:]
}

// thin leaves out every second of a sample that is full.
func (s *sampler[T]) thin() {
	if len(s.list) < s.most {
		return
	}
	n := 0
	for i := 0; i < len(s.list); i += 2 {
		s.list[n] = s.list[i]
		n++
	}
	s.list, s.step = s.list[:n], 2*s.step
}
