package measure

import (
	"runtime"
	"syscall"
)

// A memory is bytes outside the heap: hundreds of megabytes of columns there would let
// the heap grow by as much again before anything is collected. They are given back when
// the memory cannot be reached any more, so that who reads slices of it must keep it
// alive.
type memory struct{ bytes []byte }

// newMemory returns zeros that begin at a multiple of eight.
func newMemory(n int) (*memory, error) {
	b, err := syscall.Mmap(-1, 0, max(n, 1), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, err
	}
	m := &memory{b[:n]}
	runtime.AddCleanup(m, func(b []byte) { syscall.Munmap(b) }, b) // cannot fail for a mapping that is there
	return m, nil
}
