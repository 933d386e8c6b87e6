package admin

import (
	"context"
	"time"

	"relais/internal/folder"
)

// IsServed reports whether a server of the folder takes commands on its socket. The file alone says nothing: a server
// that was killed leaves it.
func IsServed(dir folder.Dir) bool {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	c, err := dialPrivately(ctx, dir)
	if err != nil {
		return false
	}
	c.Close()
	return true
}
