package measure

import (
	"runtime"
	"syscall"
	"unsafe"
)

// A memory is bytes outside the heap: hundreds of megabytes of columns there would let
// the heap grow by as much again before anything is collected. They are given back when
// the memory cannot be reached any more, so that who reads slices of it must keep it
// alive.
type memory struct{ bytes []byte }

// hugePage is the least memory that large pages are asked for: rows of a place are read all
// over it, and to find one of very many small pages takes as long as to read it.
const hugePage = 2 << 20

// newMemory returns zeros that begin at a multiple of eight.
func newMemory(n int) (*memory, error) {
	b, err := syscall.Mmap(-1, 0, max(n, 1), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, err
	}
	if n >= hugePage {
		largePages(b)
	}
	m := &memory{b[:n]}
	runtime.AddCleanup(m, func(b []byte) { syscall.Munmap(b) }, b) // cannot fail for a mapping that is there
	return m, nil
}

// moved copies a list to the beginning of memory that has room for it, and returns the rest.
func moved[T uint8 | uint16 | notch](list []T, to []byte) (_ []T, rest []byte) {
	n := len(list) * int(unsafe.Sizeof(*new(T)))
	if n == 0 {
		return nil, to
	}
	copied := unsafe.Slice((*T)(unsafe.Pointer(&to[0])), len(list))
	copy(copied, list)
	return copied, to[padded(n):]
}
