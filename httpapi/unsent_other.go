//go:build !linux

package httpapi

import "net"

// LimitUnsent returns the listener: other systems lack the option.
func LimitUnsent(l net.Listener) net.Listener { return l }
