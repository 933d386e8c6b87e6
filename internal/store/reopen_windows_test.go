package store

import (
	"errors"
	"os"
	"testing"
)

// Windows has no limits of a process for the size of a file or for address space, and no modes.
func failToGrow(string) error                       { return errors.ErrUnsupported }
func openWithLittle(string) error                   { return errors.ErrUnsupported }
func giveAway(*testing.T, string) func(os.FileInfo) { return func(os.FileInfo) {} }
