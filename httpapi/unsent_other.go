//go:build !linux

package httpapi

import "net"

// limitUnsent does nothing: other systems lack the option.
func limitUnsent(net.Conn) {}
