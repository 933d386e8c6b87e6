//go:build unix

package store

import "golang.org/x/sys/unix"

// maxRoom is the address space in bytes that a file may grow into before it is mapped
// again, which waits for every open View and holds up new ones.
const maxRoom = 1 << 30

// room returns the part of maxRoom that a file of some size gets: less, or none, where the
// address space of the process is bounded (ulimit -v). A folder has many files, the months of photos included.
func room(size int64) int {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &limit); err != nil || limit.Cur == unix.RLIM_INFINITY {
		return maxRoom
	}
	if limit.Cur > 1<<46 {
		return maxRoom
	}
	n := min(maxRoom, int(limit.Cur/64)) // bolt takes the next power of two above it
	if !fits(2*(int(size)+n) + int(limit.Cur/4)) {
		return 0
	}
	return n
}

// fits reports whether there is so much address space at this moment.
func fits(size int) bool {
	b, err := unix.Mmap(-1, 0, size, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	return err == nil && unix.Munmap(b) == nil
}
