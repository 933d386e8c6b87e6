package worker

import (
	"slices"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// runs reports whether a process runs.
func runs(id int) bool {
	process, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(id))
	if err != nil {
		return false
	}
	defer windows.CloseHandle(process)
	event, _ := windows.WaitForSingleObject(process, 0)
	return event == uint32(windows.WAIT_TIMEOUT)
}

// priority is the class of this process.
func priority() (int, error) {
	class, err := windows.GetPriorityClass(windows.CurrentProcess())
	return int(class), err
}

// lowPriority is what priority returns in a worker.
const lowPriority = windows.BELOW_NORMAL_PRIORITY_CLASS

// bare reports whether a worker has nothing of the environment that a test sets. Windows itself adds what it needs.
func bare(env []string) bool { return !slices.Contains(env, "SECRET=x") }

// A worker is in a job object that bounds it, and ends with it.
func TestJobObject(t *testing.T) {
	p := newPool(t, Options{})
	a, _, err := p.ask("hash")
	must(t, err)
	job := windows.Handle(p.idle[0].bounds)
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	must(t, windows.QueryInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)), nil))
	basic := limits.BasicLimitInformation
	const flags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | windows.JOB_OBJECT_LIMIT_PROCESS_MEMORY |
		windows.JOB_OBJECT_LIMIT_ACTIVE_PROCESS
	if basic.LimitFlags == 0 {
		t.Log("wine does not keep these limits")
	} else if basic.LimitFlags != flags || basic.ActiveProcessLimit != 1 || limits.ProcessMemoryLimit != mostMemory+unused {
		t.Errorf("limits = %x, %d processes, %d bytes; want %x, 1 and %d", basic.LimitFlags, basic.ActiveProcessLimit,
			limits.ProcessMemoryLimit, flags, mostMemory+unused)
	}
	if !runs(a.PID) {
		t.Fatal("the worker has ended")
	}
	must(t, windows.CloseHandle(job))
	p.idle[0].bounds = 0
	for range 100 {
		if !runs(a.PID) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("process %d outlives its job object", a.PID)
}
