package httpapi

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"sync"
)

// net/http hands an answer to the connection in pieces of 4 KiB, each a system
// call and, for small answers, most of what they cost. Gather is a listener whose
// connections send an answer in one.
func Gather(l net.Listener) net.Listener { return gatherListener{l} }

// ConnContext is for an http.Server on a listener of Gather.
func ConnContext(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

type connKey struct{}

type gatherListener struct{ net.Listener }

// Accept implements net.Listener.
func (l gatherListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &gatherConn{Conn: c}, nil
}

// A gatherConn keeps what is written between hold and release, up to gatherBytes.
// Only the goroutine that answers writes.
type gatherConn struct {
	net.Conn
	held *[]byte // nil when nothing is to be held
	head []byte  // lines that belong below the status line, which is yet to come
}

const gatherBytes = 64 << 10

var gatherBuffers = sync.Pool{New: func() any { b := make([]byte, 0, gatherBytes); return &b }}

// hold begins an answer, which gets the lines in its header: net/http would copy
// them, sort them and look at each of them again.
func (c *gatherConn) hold(lines []byte) {
	c.held, c.head = gatherBuffers.Get().(*[]byte), lines
}

// release sends what is held. After a failure the connection is closed: nobody
// knows how much of the answer has gone out.
func (c *gatherConn) release() {
	if c.held == nil {
		return
	}
	if len(*c.held) > 0 {
		if _, err := c.Conn.Write(*c.held); err != nil {
			c.Conn.Close()
		}
	}
	*c.held = (*c.held)[:0]
	gatherBuffers.Put(c.held)
	c.held, c.head = nil, nil
}

// Write implements net.Conn.
func (c *gatherConn) Write(p []byte) (int, error) {
	if c.held == nil {
		return c.Conn.Write(p)
	}
	if len(c.head) > 0 {
		status := bytes.IndexByte(p, '\n') + 1 // net/http writes that line whole
		*c.held = append(append(append(*c.held, p[:status]...), c.head...), p[status:]...)
		c.head = nil
		return len(p), nil
	}
	if len(*c.held)+len(p) <= gatherBytes {
		*c.held = append(*c.held, p...)
		return len(p), nil
	}
	both := net.Buffers{*c.held, p}
	before := int64(len(*c.held))
	n, err := both.WriteTo(c.Conn)
	*c.held = (*c.held)[:0]
	return int(max(0, n-before)), err
}

// CloseWrite is what net/http ends a connection with whose client still sends.
func (c *gatherConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// gather holds the answer that begins now.
func (x *exchange) gather() {
	if c, ok := x.r.Context().Value(connKey{}).(*gatherConn); ok && c.held == nil && (x.whole || !x.foreign) {
		c.hold(x.lines)
		x.conn = c
	} else {
		addLines(x.w.Header(), x.lines)
	}
}

// sendGathered sends an answer that is complete, or was cut off.
func (x *exchange) sendGathered() {
	if x.conn == nil {
		return
	}
	_ = http.NewResponseController(x.w).Flush() // into the connection; its error is the connection's
	x.conn.release()
}
