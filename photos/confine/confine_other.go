//go:build !linux || !(amd64 || arm64)

// Package confine takes from a process what decoding images does not need. It knows Linux
// on amd64 and arm64; elsewhere it does nothing and says so.
package confine

import "errors"

// ErrUnsupported is in the error of a system that cannot confine.
var ErrUnsupported = errors.New("this system cannot confine processes")

// Process returns ErrUnsupported.
func Process() error { return ErrUnsupported }
