package admin

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"relais/internal/folder"
	"relais/internal/store"
)

// fail takes a store out of use: requests that need it fail, and everything else is served. The first error stays.
func (f *Folder) fail(file string, err error) {
	if f.failed[file] != nil {
		return
	}
	f.failed[file] = err
	f.log.Error("opening a store failed: requests that need it are refused, and the rest is served; relais check says more",
		"file", file, "error", err)
	if db := f.opened()[file]; db != nil {
		f.setOpen(file, nil)
		_ = db.Close() // it is of no use any more
	}
}

// Failed returns why a store cannot be used at the moment, nil if it can. On a node it may be usable again later, when
// rows of the cluster's database are mended: see Broken.
func (f *Folder) Failed(file string) error {
	if err := f.failed[file]; err != nil || f.node == nil {
		return err
	}
	return f.node.replicas.Refused(storeOf(file))
}

// Broken reports whether a store cannot be used as long as the process runs.
func (f *Folder) Broken(file string) bool { return f.failed[file] != nil }

// fatal reports whether nothing can be served after an error of opening a store, because another
// process has it or the folder cannot be used. Other errors concern that store only. Unknown errors are fatal: nobody
// knows what they concern.
func fatal(err error) bool {
	if errors.Is(err, store.ErrHeld) || folder.ReadOnly(err) {
		return true
	}
	return !errors.Is(err, store.ErrDamaged) && !errors.Is(err, store.ErrUnreadable) && !errors.Is(err, errNotAsNoted)
}

// usable returns the error of stores that a command needs.
func (f *Folder) usable(needed ...string) error {
	for _, file := range needed {
		if err := f.Failed(file); err != nil {
			return fmt.Errorf("%s cannot be used: %w", file, err)
		}
	}
	return nil
}

// failures returns the errors of the stores that cannot be used, by file.
func (f *Folder) failures() (list []string) {
	for _, file := range slices.Sorted(maps.Keys(f.failed)) {
		list = append(list, fmt.Sprintf("%s cannot be used: %v", file, f.failed[file]))
	}
	return list
}

// sealed says that secrets cannot be opened with secret.key, "" if all can.
func (s *Stores) sealed() string {
	var lost []string
	if n := s.Hooks.Locked(); n > 0 {
		lost = append(lost, Number(n, "hook")+" cannot be delivered")
	}
	if n := s.Clients.Sealed(); n > 0 {
		lost = append(lost, "the signatures of "+Number(n, "client")+" cannot be checked")
	}
	if lost == nil {
		return ""
	}
	why := "is not the key that sealed the secrets of this folder"
	switch err := s.sealer.Err(); {
	case errors.Is(err, fs.ErrNotExist):
		why = "is missing"
	case err != nil:
		why = "cannot be read"
	}
	return fmt.Sprintf("%s %s: %s; restore it from a backup and start again", sealFile, why, strings.Join(lost, " and "))
}
