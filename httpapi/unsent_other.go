//go:build !linux

package httpapi

import "net"

// limitUnsent does nothing here: other systems have no such bound.
func limitUnsent(net.Conn) {}
