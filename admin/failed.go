package admin

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"relais/auth/access"
	"relais/internal/folder"
	"relais/internal/store"
)

// fail takes a store out of use: what needs it fails, and everything else is served.
func (s *Stores) fail(file string, err error) {
	if s.failed[file] != nil {
		return
	}
	s.failed[file] = err
	s.log.Error("a store cannot be used: what needs it is refused, and the rest is served; relais check says more",
		"file", file, "error", err)
	if db := s.opened()[file]; db != nil {
		s.setOpen(file, nil)
		_ = db.Close() // it is of no use any more
	}
}

// Failed returns why a store cannot be used at the moment, nil if it can.
func (s *Stores) Failed(file string) error {
	if err := s.failed[file]; err != nil || s.replicas == nil {
		return err
	}
	return s.replicas.Refused(storeOf(file))
}

// Broken reports whether a store cannot be used as long as the process runs.
func (s *Stores) Broken(file string) bool { return s.failed[file] != nil }

// fatal reports whether nothing can be served after an error of opening a store, because another
// process has it or the folder cannot be used. Other errors concern that store only.
func fatal(err error) bool {
	if errors.Is(err, store.ErrHeld) || folder.ReadOnly(err) {
		return true
	}
	return !errors.Is(err, store.ErrDamaged) && !errors.Is(err, store.ErrUnreadable) && !errors.Is(err, errNotAsNoted)
}

// usable returns the error of stores that a command needs.
func (s *Stores) usable(needed []string) error {
	for _, file := range needed {
		if err := s.Failed(file); err != nil {
			return fmt.Errorf("%s cannot be used: %w", file, err)
		}
	}
	return nil
}

// failures returns the errors of the stores that cannot be used, by file.
func (s *Stores) failures() (list []string) {
	for _, file := range slices.Sorted(maps.Keys(s.failed)) {
		list = append(list, fmt.Sprintf("%s cannot be used: %v", file, s.failed[file]))
	}
	return list
}

// leftOut is the part of a store that cannot be used while the rest is served.
type leftOut struct {
	file, thing string
	problems    []error
}

func (s *Stores) leftOut() []leftOut {
	return []leftOut{
		{ClientsFile, "client", s.Clients.Locked()},
		{CommunityFile, "record", slices.Concat(s.Outages.Problems(), s.Community.Problems())},
		{UsersFile, "record", s.Accounts.Problems()},
		{HooksFile, "record", s.Hooks.Problems()},
	}
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

// openClients reads the clients. If their file cannot be used, every key is refused.
func (s *Stores) openClients() {
	if s.failed[ClientsFile] == nil {
		var err error
		if s.Clients, err = access.OpenClients(s.opened()[ClientsFile], s.sealer, s.now); err == nil {
			return
		}
		s.fail(ClientsFile, err)
	}
	s.Clients = access.FailedClients(s.failed[ClientsFile], s.now)
}

// Key returns a key for a purpose, derived from secret.key: the same on every server that has the
// file. It is nil while the folder has none.
func (s *Stores) Key(purpose string) []byte {
	return access.OpenSealer(s.path(sealFile)).Derive(purpose)
}

// openOr calls open with a store, or with nil if the store cannot be used.
func openOr[T any](s *Stores, file string, open func(db *store.DB) (T, error)) (T, error) {
	if s.failed[file] == nil {
		v, err := open(s.opened()[file])
		if err == nil {
			return v, nil
		}
		s.fail(file, err)
	}
	return open(nil)
}
