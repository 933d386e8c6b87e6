//go:build !linux || !(amd64 || arm64)

// Package confine takes from a process what decoding images does not need. It knows Linux
// on amd64 and arm64; elsewhere it does nothing and says so.
package confine

import "errors"

// Possible reports whether there is a way to confine processes on systems of this kind.
const Possible = false

// errUnsupported is wrapped by the error of a system that cannot confine.
var errUnsupported = errors.New("this system cannot confine processes")

// Process returns errUnsupported.
func Process() error { return errUnsupported }
