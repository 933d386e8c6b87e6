package admin

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net"
	"path/filepath"
	"strings"

	"relais/internal/folder"
	"relais/internal/system"
)

// socketName is how messages call what Commands.Serve listens on.
const socketName = "its named pipe"

// pipeName returns the name of the folder's pipe. Every spelling of the folder's path has the same.
func pipeName(dir folder.Dir) (string, error) {
	path, err := filepath.Abs(string(dir))
	if err != nil {
		return "", err
	}
	if whole, err := filepath.EvalSymlinks(path); err == nil {
		path = whole
	}
	return fmt.Sprintf(`\\.\pipe\relais-%x`, sha256.Sum256([]byte(strings.ToLower(path)))), nil
}

// listenPrivately makes a pipe that only the user who runs this process can open.
func listenPrivately(dir folder.Dir) (net.Listener, error) {
	name, err := pipeName(dir)
	if err != nil {
		return nil, err
	}
	return system.ListenPipe(name)
}

// dialPrivately connects to the folder's server. Errors: a net.OpError if nobody listens, or if the pipe is another user's.
func dialPrivately(ctx context.Context, dir folder.Dir) (net.Conn, error) {
	name, err := pipeName(dir)
	if err != nil {
		return nil, err
	}
	conn, err := system.DialPipe(ctx, name)
	if err != nil {
		return nil, &net.OpError{Op: "dial", Net: "pipe", Err: err}
	}
	return conn, nil
}

// sweepSockets does nothing: a pipe ends with its process.
func sweepSockets(folder.Dir) error { return nil }
