//go:build linux

package pgtest

import (
	"net"
	"sync"
	"testing"
	"time"
)

// A Relay is a TCP port of 127.0.0.1 that leads to another one, as a network does that can be cut
// and slow.
type Relay struct {
	listener net.Listener
	done     chan struct{} // closed with the relay

	mu     sync.Mutex
	to     string
	delay  time.Duration
	open   chan struct{} // closed while bytes pass
	conns  map[net.Conn]bool
	closed bool
}

// NewRelay returns a relay to an address, which is closed when the test ends.
func NewRelay(t testing.TB, to string) *Relay {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &Relay{listener: l, done: make(chan struct{}), to: to, open: make(chan struct{}), conns: map[net.Conn]bool{}}
	close(r.open)
	go r.accept()
	t.Cleanup(r.close)
	return r
}

// Addr returns the address at which the relay listens.
func (r *Relay) Addr() string { return r.listener.Addr().String() }

// To makes new connections lead to another address.
func (r *Relay) To(addr string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.to = addr
}

// Delay makes every byte in either direction take d longer from now on.
func (r *Relay) Delay(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.delay = d
}

// Cut makes the relay silent: connections stay, new ones begin, and no byte passes, not even the
// end of a connection.
func (r *Relay) Cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case <-r.open:
		r.open = make(chan struct{})
	default:
	}
}

// Restore lets bytes pass again, also those that waited.
func (r *Relay) Restore() {
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case <-r.open:
	default:
		close(r.open)
	}
}

// Reset closes all connections.
func (r *Relay) Reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for c := range r.conns {
		c.Close()
	}
}

func (r *Relay) close() {
	r.listener.Close()
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	close(r.done)
	r.Reset()
}

func (r *Relay) accept() {
	for {
		c, err := r.listener.Accept()
		if err != nil {
			return
		}
		go r.serve(c)
	}
}

// keep counts c among the connections, unless the relay is closed.
func (r *Relay) keep(c net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		c.Close()
		return false
	}
	r.conns[c] = true
	return true
}

func (r *Relay) drop(c net.Conn) {
	c.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.conns, c)
}

// serve leads one connection.
func (r *Relay) serve(near net.Conn) {
	if !r.keep(near) {
		return
	}
	defer r.drop(near)
	if !r.wait(time.Now()) {
		return
	}
	r.mu.Lock()
	to := r.to
	r.mu.Unlock()
	far, err := net.Dial("tcp", to)
	if err != nil || !r.keep(far) {
		return
	}
	defer r.drop(far)
	var ways sync.WaitGroup
	ways.Go(func() { r.pipe(far, near) })
	ways.Go(func() { r.pipe(near, far) })
	ways.Wait()
}

// A chunk is what was read at once, and when it may arrive.
type chunk struct {
	bytes []byte
	due   time.Time
}

// pipe carries bytes until from ends, which it tells to, or to fails.
func (r *Relay) pipe(to, from net.Conn) {
	chunks := make(chan chunk, 1000)
	go func() {
		defer close(chunks)
		for {
			buf := make([]byte, 32<<10)
			n, err := from.Read(buf)
			r.mu.Lock()
			due := time.Now().Add(r.delay)
			r.mu.Unlock()
			chunks <- chunk{buf[:n], due}
			if err != nil {
				return
			}
		}
	}()
	for c := range chunks {
		if !r.wait(c.due) {
			break
		}
		if _, err := to.Write(c.bytes); err != nil {
			break
		}
	}
	to.Close()
	from.Close()
	for range chunks { // so that the reader ends
	}
}

// wait returns when it is due and bytes pass, or false when the relay is closed.
func (r *Relay) wait(due time.Time) bool {
	select {
	case <-time.After(time.Until(due)):
	case <-r.done:
		return false
	}
	r.mu.Lock()
	open := r.open
	r.mu.Unlock()
	select {
	case <-open:
		return true
	case <-r.done:
		return false
	}
}
