package worker

import (
	"os"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"
)

// limitProcess restricts the process to what decoding needs: it limits memory, and forbids writing
// to files and core dumps. If memory runs out, the kernel kills this process before the server.
func limitProcess(memory int64) error {
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0) // there may be no /proc
	if err := setLimits(limits{unix.RLIMIT_DATA: uint64(memory + unused)}); err != nil {
		return err
	}
	return lowerPriority(niceness)
}

// lowerPriority raises the niceness. Linux keeps the priority by thread, and new
// threads inherit it from the one that made them.
func lowerPriority(nice int) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return unix.Setpriority(unix.PRIO_PROCESS, 0, nice)
	}
	for _, t := range threads {
		id, err := strconv.Atoi(t.Name())
		if err != nil {
			continue
		}
		if err := unix.Setpriority(unix.PRIO_PROCESS, id, nice); err != nil && err != unix.ESRCH {
			return err
		}
	}
	return nil
}
