package admin

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"

	"github.com/Microsoft/go-winio"
	"golang.org/x/sys/windows"

	"relais/internal/folder"
)

// socketName is how messages call what Commands.Serve listens on.
const socketName = "its named pipe"

// pipePath returns the name of the folder's pipe. Every spelling of the folder's path has the same.
func pipePath(dir folder.Dir) (string, error) {
	path, err := filepath.Abs(string(dir))
	if err != nil {
		return "", err
	}
	if whole, err := filepath.EvalSymlinks(path); err == nil {
		path = whole
	}
	return fmt.Sprintf(`\\.\pipe\relais-%x`, sha256.Sum256([]byte(strings.ToLower(path)))), nil
}

// listenPrivately makes a pipe that belongs to the user and that only this user can open. It fails if the pipe exists: another
// user may have made it.
func listenPrivately(dir folder.Dir) (net.Listener, error) {
	path, err := pipePath(dir)
	if err != nil {
		return nil, err
	}
	me, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return nil, err
	}
	return winio.ListenPipe(path, &winio.PipeConfig{SecurityDescriptor: fmt.Sprintf("O:%sD:P(A;;GA;;;%[1]s)", me.User.Sid)})
}

// dialPrivately connects to the folder's server. Errors: a net.OpError if there is none, or if the pipe is another user's.
func dialPrivately(ctx context.Context, dir folder.Dir) (net.Conn, error) {
	path, err := pipePath(dir)
	if err != nil {
		return nil, err
	}
	conn, err := winio.DialPipeContext(ctx, path)
	if err == nil {
		if err = ownPipe(conn); err == nil {
			return conn, nil
		}
		conn.Close()
	}
	return nil, &net.OpError{Op: "dial", Net: "pipe", Err: err}
}

// ownPipe returns an error for a pipe that belongs to another user, who could answer in the server's place.
func ownPipe(conn net.Conn) error {
	pipe, ok := conn.(interface{ Fd() uintptr })
	if !ok {
		return errors.New("the pipe has no handle")
	}
	found, err := windows.GetSecurityInfo(windows.Handle(pipe.Fd()), windows.SE_KERNEL_OBJECT,
		windows.OWNER_SECURITY_INFORMATION)
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

// sweepSockets does nothing: a pipe ends with its process.
func sweepSockets(folder.Dir) error { return nil }
