//go:build unix

package worker

import (
	"fmt"
	"maps"

	"golang.org/x/sys/unix"
)

// files is how many files a worker may have open.
const files = 64

// niceness is the niceness of the workers: requests for antennas come first.
const niceness = 10

// limits are values of setrlimit by resource.
type limits map[int]uint64

// setLimits sets these limits, and those that every system has: no writing to files, no core dumps.
func setLimits(more limits) error {
	all := limits{unix.RLIMIT_FSIZE: 0, unix.RLIMIT_CORE: 0, unix.RLIMIT_NOFILE: files}
	maps.Copy(all, more)
	for what, limit := range all {
		if err := unix.Setrlimit(what, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
			return fmt.Errorf("limit the worker: %w", err)
		}
	}
	return nil
}
