package confine

import "golang.org/x/sys/unix"

// archSyscalls are the older system calls that arm64 does not have.
var archSyscalls = []uintptr{
	unix.SYS_OPEN, unix.SYS_CREAT, unix.SYS_UNLINK, unix.SYS_RENAME, unix.SYS_RENAMEAT, unix.SYS_MKDIR, unix.SYS_RMDIR,
	unix.SYS_MKNOD, unix.SYS_LINK,
	unix.SYS_SYMLINK, unix.SYS_CHMOD, unix.SYS_CHOWN, unix.SYS_LCHOWN, unix.SYS_FORK, unix.SYS_VFORK,
}
