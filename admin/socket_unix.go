//go:build unix

package admin

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"regexp"

	"relais/internal/folder"
)

// socketName is how messages call what Commands.Serve listens on.
const socketName = socketFile

func socketPath(dir folder.Dir) string { return filepath.Join(string(dir), socketFile) }

// listenPrivately makes a socket that only its owner can ever reach: it makes the socket in a
// folder that nobody else can enter, because a socket has the mode of the umask until it is changed. The rename
// also replaces the socket of a killed server.
func listenPrivately(dir folder.Dir) (net.Listener, error) {
	path := socketPath(dir)
	private, err := os.MkdirTemp(filepath.Dir(path), ".s")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(private)
	within := filepath.Join(private, "s") // short: the names of sockets are
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: within, Net: "unix"})
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false) // it would look for the first name
	if err := errors.Join(os.Chmod(within, 0o600), os.Rename(within, path)); err != nil {
		l.Close()
		return nil, err
	}
	return fileListener{l, path}, nil
}

// A fileListener removes its socket when it is closed.
type fileListener struct {
	net.Listener
	path string
}

// Close implements net.Listener.
func (l fileListener) Close() error {
	os.Remove(l.path) // gone already when it is closed again
	return l.Listener.Close()
}

// dialPrivately connects to the folder's server. Errors: a net.OpError if nobody listens.
func dialPrivately(ctx context.Context, dir folder.Dir) (net.Conn, error) {
	return (&net.Dialer{}).DialContext(ctx, "unix", socketPath(dir))
}

// socketFolder is the name of a folder that listenPrivately makes.
var socketFolder = regexp.MustCompile(`^\.s[0-9]+$`)

// sweepSockets removes the folders that killed servers left. No server may be listening.
func sweepSockets(dir folder.Dir) error {
	entries, err := os.ReadDir(string(dir))
	for _, e := range entries {
		if !e.IsDir() || !socketFolder.MatchString(e.Name()) {
			continue
		}
		private := filepath.Join(string(dir), e.Name())
		if gone := os.Remove(filepath.Join(private, "s")); !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
		err = errors.Join(err, os.Remove(private)) // it is empty by now
	}
	return err
}
