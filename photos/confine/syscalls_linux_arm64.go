package confine

import "golang.org/x/sys/unix"

// archSyscalls are system calls of this architecture alone.
var archSyscalls = []uintptr{unix.SYS_RENAMEAT}
