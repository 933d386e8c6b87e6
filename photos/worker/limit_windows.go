package worker

import "golang.org/x/sys/windows"

// limitProcess lowers the priority, and ends the process if it takes too much memory, which the job object that it is
// in would refuse it.
func limitProcess(memory int64) error {
	go watchMemory(memory + unused)
	return windows.SetPriorityClass(windows.CurrentProcess(), windows.BELOW_NORMAL_PRIORITY_CLASS)
}
