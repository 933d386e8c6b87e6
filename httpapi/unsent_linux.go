package httpapi

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// maxUnsent is how many bytes the kernel takes for a client that does not read them. Its own
// bound is megabytes for each connection.
const maxUnsent = 128 << 10

// limitUnsent bounds what the kernel takes of answers before the client has room for it. It
// does nothing for a connection without a socket. It is not set on the listener: one that
// speaks Multipath TCP, as Go's do, does not hand it on to plain connections.
func limitUnsent(c net.Conn) {
	s, ok := c.(syscall.Conn)
	if !ok {
		return
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return // it is closed already
	}
	_ = raw.Control(func(fd uintptr) {
		// A kernel that has no such bound takes more memory, and all else is the same.
		_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_NOTSENT_LOWAT, maxUnsent)
	})
}
