package folder

import (
	"errors"
	"fmt"
	"io/fs"
)

// OwnerAdvice adds advice to an error about missing permissions in the folder, or of a path outside of it. Any other
// error is returned unchanged.
func (d Dir) OwnerAdvice(err error) error {
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return fmt.Errorf("%w: Windows does not let this account use it, or another program has it open; name another folder, or give the "+
		"account full access under Properties, Security", err)
}

// Foreign returns nothing: who may use a file is not a matter of its owner on Windows.
func (d Dir) Foreign() (path, owner, command string) { return "", "", "" }

// Owner returns no name, and that the folder is the caller's, for the same reason.
func (d Dir) Owner() (name string, own bool) { return "", true }

// mine reports true: the folder for temporary files is that of the user.
func mine(fs.FileInfo) bool { return true }
