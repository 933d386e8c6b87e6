//go:build amd64 || arm64

// Package confine takes from a process what decoding images does not need: the system
// calls that open files and sockets, start programs or reach into other processes. It
// knows Linux on amd64 and arm64; elsewhere it does nothing and says so.
package confine

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Possible reports whether there is a way to confine processes on systems of this kind.
const Possible = true

// errUnsupported is wrapped by the error of a system that cannot confine.
var errUnsupported = errors.New("this system cannot confine processes")

// refused are the system calls that fail with EPERM afterwards. Calls on open descriptors, memory,
// threads and time stay allowed.
var refused = []uintptr{
	unix.SYS_OPENAT, unix.SYS_OPENAT2, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_NAME_TO_HANDLE_AT,
	unix.SYS_SOCKET, unix.SYS_SOCKETPAIR, unix.SYS_CONNECT, unix.SYS_BIND, unix.SYS_LISTEN, unix.SYS_ACCEPT,
	unix.SYS_ACCEPT4,
	unix.SYS_SENDTO, unix.SYS_SENDMSG, unix.SYS_SENDMMSG,
	unix.SYS_EXECVE, unix.SYS_EXECVEAT,
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PIDFD_OPEN, unix.SYS_PIDFD_GETFD,
	unix.SYS_UNLINKAT, unix.SYS_RENAMEAT2, unix.SYS_MKDIRAT, unix.SYS_MKNODAT, unix.SYS_LINKAT, unix.SYS_SYMLINKAT,
	unix.SYS_FCHMODAT, unix.SYS_FCHOWNAT,
	unix.SYS_TRUNCATE, unix.SYS_CHDIR, unix.SYS_CHROOT, unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT,
	unix.SYS_SETNS, unix.SYS_UNSHARE,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_KEYCTL, unix.SYS_ADD_KEY,
	unix.SYS_REQUEST_KEY,
	unix.SYS_IO_URING_SETUP, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_KEXEC_LOAD, unix.SYS_PERSONALITY,
	unix.SYS_KILL, unix.SYS_TKILL, unix.SYS_RT_SIGQUEUEINFO, unix.SYS_RT_TGSIGQUEUEINFO, unix.SYS_PIDFD_SEND_SIGNAL,
	unix.SYS_SHMGET, unix.SYS_MSGGET, unix.SYS_SEMGET, unix.SYS_MEMFD_CREATE,
}

// Process confines this process with all present and future threads. It cannot be undone.
// Open descriptors can be used as before.
func Process() error {
	arch, ok := architectures[runtime.GOARCH]
	if !ok {
		return fmt.Errorf("%w: %s", errUnsupported, runtime.GOARCH)
	}
	runtime.LockOSThread() // the filter is set by the thread that may get no more rights
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("%w: no_new_privs: %w", errUnsupported, err)
	}
	filter := program(arch)
	f := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	// The result would name a thread with another filter; none has one here.
	left, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC,
		uintptr(unsafe.Pointer(&f)))
	switch {
	case errno != 0:
		return fmt.Errorf("%w: seccomp: %w", errUnsupported, errno)
	case left != 0:
		return fmt.Errorf("%w: seccomp: thread %d has another filter", errUnsupported, left)
	}
	return nil
}

// Fields of seccomp_data (seccomp(2)).
const (
	numberAt        = 0
	archAt          = 4
	firstArgumentAt = 16 // its lower half: both architectures are little-endian
)

// program returns the filter: system calls of another architecture end the process, refused ones
// fail, all others pass.
func program(arch uint32) []unix.SockFilter {
	load := func(at uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}
	}
	end := func(action uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: action}
	}
	skipIf := func(test uint16, k uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | test | unix.BPF_K, Jf: 1, K: k}
	}
	f := []unix.SockFilter{load(archAt), {Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: 1, K: arch},
		end(unix.SECCOMP_RET_KILL_PROCESS), load(numberAt)}
	if arch == unix.AUDIT_ARCH_X86_64 { // numbers of the x32 ABI
		f = append(f, skipIf(unix.BPF_JGE, 0x40000000), end(unix.SECCOMP_RET_KILL_PROCESS))
	}
	for _, number := range append(refused, archSyscalls...) {
		f = append(f, skipIf(unix.BPF_JEQ, uint32(number)), end(unix.SECCOMP_RET_ERRNO|uint32(unix.EPERM)))
	}
	// Threads may signal each other, to interrupt goroutines, but not other processes.

	return append(f,
		unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 3, K: unix.SYS_TGKILL},
		load(firstArgumentAt),
		unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: 1, K: uint32(unix.Getpid())},
		end(unix.SECCOMP_RET_ERRNO|uint32(unix.EPERM)),
		end(unix.SECCOMP_RET_ALLOW))
}

// architectures are those with known numbers of system calls.
var architectures = map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}
