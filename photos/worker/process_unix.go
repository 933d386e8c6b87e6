//go:build unix

package worker

import (
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// bounds are empty: a worker limits itself.
type bounds struct{}

func bind(*os.Process, int64) (b bounds, err error) { return b, nil }

func (bounds) release() {}

// killTree kills a process and its children.
func killTree(p *os.Process) {
	_ = syscall.Kill(-p.Pid, syscall.SIGKILL) // it may have ended by itself
}

// keepEach prevents workers from inheriting descriptors that this process has inherited.
// Descriptors that Go opens are never inherited.
func keepEach() {
	open, err := os.ReadDir("/dev/fd")
	if err != nil {
		return
	}
	for _, fd := range open {
		if n, err := strconv.Atoi(fd.Name()); err == nil && n >= afterStreams {
			unix.CloseOnExec(n)
		}
	}
}

// afterStreams is the first descriptor that is not a standard stream.
const afterStreams = 3
