package confine

import "golang.org/x/sys/unix"

// more are system calls of this architecture alone.
var more = []uintptr{unix.SYS_RENAMEAT}
