package httpapi

import "net"

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
