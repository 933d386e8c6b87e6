package system

import (
	"context"
	"errors"
	"net"
	"os"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// ListenPipe makes a named pipe that belongs to the user who runs this process, and that no other user and no other
// machine can open. It fails if the pipe exists: another user may have made it.
func ListenPipe(name string) (net.Listener, error) {
	me, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return nil, err
	}
	sid := me.User.Sid.String()
	descriptor, err := windows.SecurityDescriptorFromString("O:" + sid + "D:P(A;;GA;;;" + sid + ")")
	if err != nil {
		return nil, err
	}
	l := &pipeListener{name: name, descriptor: descriptor}
	if l.closed, err = windows.CreateEvent(nil, 1, 0, nil); err != nil {
		return nil, err
	}
	if l.waiting.HEvent, err = windows.CreateEvent(nil, 1, 0, nil); err == nil {
		l.next, err = l.instance(windows.FILE_FLAG_FIRST_PIPE_INSTANCE)
	}
	if err != nil {
		l.free()
		return nil, &os.PathError{Op: "make", Path: name, Err: err}
	}
	return l, nil
}

// DialPipe connects to a pipe, and waits while all its instances are taken. Errors: among them windows.ERROR_FILE_NOT_FOUND
// if nobody listens, and windows.ERROR_ACCESS_DENIED if the pipe is another user's, who could answer in the server's place.
func DialPipe(ctx context.Context, name string) (net.Conn, error) {
	path, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return nil, err
	}
	for {
		// The server must not act with the rights of this process.
		h, err := windows.CreateFile(path, windows.GENERIC_READ|windows.GENERIC_WRITE, 0, nil, windows.OPEN_EXISTING,
			windows.FILE_FLAG_OVERLAPPED|windows.SECURITY_SQOS_PRESENT|windows.SECURITY_ANONYMOUS, 0)
		if err == nil {
			conn := newPipeConn(h, name)
			if err = isOwn(h); err == nil {
				return conn, nil
			}
			conn.Close()
		}
		if !errors.Is(err, windows.ERROR_PIPE_BUSY) {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// isOwn returns an error for a pipe that belongs to another user.
func isOwn(pipe windows.Handle) error {
	found, err := windows.GetSecurityInfo(pipe, windows.SE_KERNEL_OBJECT, windows.OWNER_SECURITY_INFORMATION)
	if err != nil {
		return err
	}
	owner, _, err := found.Owner()
	if err != nil {
		return err
	}
	me, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err == nil && !owner.Equals(me.User.Sid) {
		err = windows.ERROR_ACCESS_DENIED
	}
	return err
}

// A pipeListener accepts those who connect to a pipe. Each has an instance of its own, and another one waits for the next.
type pipeListener struct {
	name       string
	descriptor *windows.SECURITY_DESCRIPTOR

	mu      sync.Mutex         // held by Accept
	next    windows.Handle     // the instance that waits, 0 after Close
	waiting windows.Overlapped // of next; the kernel writes to it, so it must not be on a stack

	ended  sync.Once
	closed windows.Handle // an event: Close was called
}

// instance makes an instance of the pipe.
func (l *pipeListener) instance(flags uint32) (windows.Handle, error) {
	path, err := windows.UTF16PtrFromString(l.name)
	if err != nil {
		return 0, err
	}
	const buffer = 64 << 10
	private := &windows.SecurityAttributes{SecurityDescriptor: l.descriptor}
	private.Length = uint32(unsafe.Sizeof(*private))
	return windows.CreateNamedPipe(path, windows.PIPE_ACCESS_DUPLEX|windows.FILE_FLAG_OVERLAPPED|flags,
		windows.PIPE_TYPE_BYTE|windows.PIPE_REJECT_REMOTE_CLIENTS, windows.PIPE_UNLIMITED_INSTANCES, buffer, buffer, 0, private)
}

// Accept implements net.Listener.
func (l *pipeListener) Accept() (net.Conn, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.connect(); err != nil {
		return nil, err
	}
	next, err := l.instance(0)
	if err != nil {
		_ = windows.DisconnectNamedPipe(l.next) // it waits again
		return nil, err
	}
	conn := newPipeConn(l.next, l.name)
	l.next = next
	return conn, nil
}

// connect waits until somebody connects to the next instance.
func (l *pipeListener) connect() error {
	for l.next != 0 {
		switch err := windows.ConnectNamedPipe(l.next, &l.waiting); {
		case errors.Is(err, windows.ERROR_PIPE_CONNECTED):
			return nil
		case errors.Is(err, windows.ERROR_NO_DATA): // somebody was here, and is gone
			_ = windows.DisconnectNamedPipe(l.next)
			continue
		case !errors.Is(err, windows.ERROR_IO_PENDING):
			return err
		}
		return l.await()
	}
	return net.ErrClosed
}

// await waits for the end of ConnectNamedPipe, or of the listener.
func (l *pipeListener) await() error {
	var n uint32
	which, err := windows.WaitForMultipleObjects([]windows.Handle{l.closed, l.waiting.HEvent}, false, windows.INFINITE)
	if err == nil && which == windows.WAIT_OBJECT_0 {
		err = net.ErrClosed
	}
	if err == nil {
		return windows.GetOverlappedResult(l.next, &l.waiting, &n, true)
	}
	_ = windows.CancelIoEx(l.next, &l.waiting)
	_ = windows.GetOverlappedResult(l.next, &l.waiting, &n, true) // until then the kernel may write
	return err
}

// Close implements net.Listener.
func (l *pipeListener) Close() error {
	l.ended.Do(func() {
		_ = windows.SetEvent(l.closed) // Accept returns
		l.mu.Lock()
		defer l.mu.Unlock()
		l.free()
	})
	return nil
}

func (l *pipeListener) free() {
	for _, h := range []windows.Handle{l.next, l.waiting.HEvent, l.closed} {
		if h != 0 && h != windows.InvalidHandle {
			windows.CloseHandle(h)
		}
	}
	l.next = 0
}

// Addr implements net.Listener.
func (l *pipeListener) Addr() net.Addr { return pipeAddr(l.name) }

// A pipeConn is one end of an instance. Its File reads and writes without holding a thread.
type pipeConn struct {
	*os.File
	addr pipeAddr
}

func newPipeConn(h windows.Handle, name string) pipeConn {
	return pipeConn{os.NewFile(uintptr(h), name), pipeAddr(name)}
}

// LocalAddr implements net.Conn.
func (c pipeConn) LocalAddr() net.Addr { return c.addr }

// RemoteAddr implements net.Conn.
func (c pipeConn) RemoteAddr() net.Addr { return c.addr }

// A pipeAddr is the name of a pipe.
type pipeAddr string

// Network implements net.Addr.
func (pipeAddr) Network() string { return "pipe" }

// String implements net.Addr.
func (a pipeAddr) String() string { return string(a) }
