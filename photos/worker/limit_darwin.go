package worker

import "golang.org/x/sys/unix"

// limitProcess restricts the process to what decoding needs: it forbids writing to files and core dumps, and ends the
// process if it takes too much memory. The limits of macOS for memory are of the address space, of which the
// libraries of the system alone take hundreds of gigabytes (vm_map_enter in osfmk/vm/vm_map.c of xnu).
func limitProcess(memory int64) error {
	if err := setLimits(nil); err != nil {
		return err
	}
	go watchMemory(memory + unused)
	return unix.Setpriority(unix.PRIO_PROCESS, 0, niceness)
}
