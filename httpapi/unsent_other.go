//go:build !linux

package httpapi

import "net"

// boundUnsent does nothing here: other systems have no such bound.
func boundUnsent(net.Conn) {}
