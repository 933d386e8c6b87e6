package httpapi

import "net"

// BoundUnsent is a listener whose connections buffer little for clients that do not read.
func BoundUnsent(l net.Listener) net.Listener { return unsentListener{l} }

type unsentListener struct{ net.Listener }

// Accept implements net.Listener.
func (l unsentListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err == nil {
		boundUnsent(c)
	}
	return c, err
}
