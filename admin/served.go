package admin

import (
	"net"
	"time"

	"relais/internal/folder"
)

// IsServed reports whether a server of the folder takes commands on its socket. The file alone says nothing: a server
// that was killed leaves it.
func IsServed(dir folder.Dir) bool {
	c, err := net.DialTimeout("unix", socketPath(dir), time.Second)
	if err != nil {
		return false
	}
	c.Close()
	return true
}
