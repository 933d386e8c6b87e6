package worker

import "golang.org/x/sys/unix"

// limitProcess restricts the process to what decoding needs: it forbids writing to files and core dumps, and ends the
// process if it takes too much memory. What macOS limits, also by RLIMIT_DATA, is the address space with all that is only
// reserved (vm_map_set_data_limit in bsd/kern/kern_resource.c of xnu).
func limitProcess(memory int64) error {
	if err := setLimits(nil); err != nil {
		return err
	}
	go watchMemory(memory + unused)
	return unix.Setpriority(unix.PRIO_PROCESS, 0, niceness)
}
