package measure

import "syscall"

// largePages asks for large pages; a kernel without them does as well.
func largePages(b []byte) { _ = syscall.Madvise(b, syscall.MADV_HUGEPAGE) }
