package worker

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// self returns the program that runs.
func self() string {
	path, _ := os.Executable() // without a name, starting it fails
	return path
}

// prepare gives a worker no console, and a folder that is not on a stick.
func prepare(cmd *exec.Cmd) (err error) {
	if cmd.Dir, err = windows.GetSystemWindowsDirectory(); err != nil {
		return fmt.Errorf("find the folder of Windows: %w", err)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NO_WINDOW}
	return nil
}

// killTree kills a process, which can have no children.
func killTree(p *os.Process) {
	_ = p.Kill() // it may have ended by itself
}

// bounds are a job object. The process in it ends when it is closed, which the end of this process does too.
type bounds windows.Handle

func (b bounds) release() { _ = windows.CloseHandle(windows.Handle(b)) } // an invalid one is of a process without bounds

// bind holds a worker to so many bytes of memory, and to starting no further process.
func bind(p *os.Process, memory int64) (bounds, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, fmt.Errorf("make a job object: %w", err)
	}
	const kind = windows.JobObjectExtendedLimitInformation
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{ProcessMemoryLimit: uintptr(memory + unused)}
	limits.BasicLimitInformation.ActiveProcessLimit = 1
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE |
		windows.JOB_OBJECT_LIMIT_PROCESS_MEMORY | windows.JOB_OBJECT_LIMIT_ACTIVE_PROCESS
	_, err = windows.SetInformationJobObject(job, kind, uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err == nil {
		var assigned error
		err = p.WithHandle(func(process uintptr) {
			assigned = windows.AssignProcessToJobObject(job, windows.Handle(process))
		})
		err = errors.Join(err, assigned)
	}
	if err != nil {
		bounds(job).release()
		return 0, fmt.Errorf("put the worker into a job object: %w", err)
	}
	return bounds(job), nil
}
