package httpapi

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// maxUnsent is how many bytes the kernel buffers for a client that does not read. Its
// default is megabytes for each connection.
const maxUnsent = 128 << 10

// LimitUnsent returns a listener whose connections buffer little for clients that do not
// read.
func LimitUnsent(l net.Listener) net.Listener { return unsentListener{l} }

type unsentListener struct{ net.Listener }

// Accept implements net.Listener.
func (l unsentListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err == nil {
		limitUnsent(c)
	}
	return c, err
}

// limitUnsent bounds what the kernel buffers of answers. It does nothing for a connection
// without a socket. The listener cannot set the option for its connections: one that speaks
// Multipath TCP, as Go's do, does not pass it on to plain connections.
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
		// Without this option the kernel only takes more memory.
		_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_NOTSENT_LOWAT, maxUnsent)
	})
}
