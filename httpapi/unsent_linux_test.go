package httpapi

import (
	"net"
	"syscall"
	"testing"
	"time"

	"relais/internal/tier"
)

// The kernel takes little for a client that does not read.
func TestUnreadBytes(t *testing.T) {
	tier.Slow(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer l.Close()
	d := net.Dialer{Control: func(_, _ string, c syscall.RawConn) (err error) {
		return c.Control(func(
			fd uintptr) {
			err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4096)
		})
	}}
	client, err := d.Dial("tcp", l.Addr().String())
	must(t, err)
	defer client.Close()
	server, err := LimitUnsent(l).Accept()
	must(t, err)
	defer server.Close()
	server.SetWriteDeadline(time.Now().Add(time.Second))
	taken, piece := 0, make([]byte, 64<<10)
	for err == nil { // until the deadline
		var n int
		n, err = server.Write(piece)
		taken += n
	}
	if taken > 512<<10 { // megabytes without the bound
		t.Errorf("%d bytes are on their way to a client that does not read, want at most %d", taken, 512<<10)
	}
}
