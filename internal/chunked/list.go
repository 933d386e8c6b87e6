// Package chunked has lists that grow without being copied, for millions of values whose
// number is not known before.
package chunked

import "iter"

// A List is a list in chunks of one size. The zero List is empty.
type List[T any] struct {
	chunks [][]T
	n      int
}

const (
	shift = 12
	size  = 1 << shift // values of a chunk
)

// Len returns the number of values.
func (l *List[T]) Len() int { return l.n }

// At returns a pointer to value i, valid until Append.
func (l *List[T]) At(i int) *T { return &l.chunks[i>>shift][i&(size-1)] }

// Append adds a value.
func (l *List[T]) Append(v T) {
	at := l.n >> shift
	if at == len(l.chunks) {
		var chunk []T // the first one grows, for short lists
		if at > 0 {
			chunk = make([]T, 0, size)
		}
		l.chunks = append(l.chunks, chunk)
	}
	l.chunks[at] = append(l.chunks[at], v)
	l.n++
}

// Reset removes all values, and keeps the memory for others.
func (l *List[T]) Reset() {
	for i := range l.chunks {
		l.chunks[i] = l.chunks[i][:0]
	}
	l.n = 0
}

// All returns the numbers of the values and pointers to them.
func (l *List[T]) All() iter.Seq2[int, *T] {
	return func(yield func(int, *T) bool) {
		for k, chunk := range l.chunks {
			for i := range chunk {
				if !yield(k<<shift+i, &chunk[i]) {
					return
				}
			}
		}
	}
}
