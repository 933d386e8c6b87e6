package admin

import (
	"context"
	"fmt"
	"slices"
	"time"

	"relais/archive"
	"relais/community"
	"relais/hook"
	"relais/photos"
)

// openHooks reads the hooks, and has the other stores note events if there are some.
func (s *Stores) openHooks() {
	s.Hooks = s.newHooks()
	if s.failed[HooksFile] == nil {
		err := s.Hooks.Open(s.opened()[HooksFile])
		if err == nil {
			return
		}
		s.fail(HooksFile, err)
		s.Hooks = s.newHooks() // without the records that were read before the error
	}
	s.log.Warn("webhooks lose what happens until hooks.db is restored from a backup and the server is started again; to go "+
		"on without these hooks, delete hooks.db, run relais check --accept, and make others", "file", HooksFile)
}

// newHooks returns hooks whose events come from the stores that are in use.
func (s *Stores) newHooks() *hook.Store {
	return hook.NewStore(s.sealer, []hook.Source{
		{Name: "photos", DB: s.opened()[PhotosFile], News: photos.News},
		{Name: "archives", DB: s.opened()[ArchivesFile], News: archive.News},
		{Name: "community", DB: s.opened()[CommunityFile], News: community.News},
	}, s.now)
}

// CreateHook makes a hook; the answer is a hook.Issued. Its filter was checked by the caller.
type CreateHook struct{ hook.Spec }

func (c CreateHook) run(_ context.Context, s *Stores) (any, error) {
	c.Private = s.HookOptions.Private // the server's setting, and not the caller's
	if err := c.Spec.Check(); err != nil {
		return nil, err
	}
	if err := s.makeHooks(); err != nil {
		return nil, err
	}
	return s.Hooks.Create(c.Spec)
}

// makeHooks makes hooks.db and the key that seals secrets, if they are missing.
func (s *Stores) makeHooks() error {
	if s.lock == nil {
		return errReadOnly(s.Dir)
	}
	if err := s.Clients.CanSeal(); err != nil {
		return err
	}
	s.hooksLock.Lock() // two hooks that are the first at the same time make one file
	defer s.hooksLock.Unlock()
	if s.opened()[HooksFile] != nil {
		return nil
	}
	at := slices.IndexFunc(databases, func(d database) bool { return d.file == HooksFile })
	if err := s.openDatabase(databases[at], false); err != nil {
		return err
	}
	return s.Hooks.Open(s.opened()[HooksFile])
}

// HookList is the answer of ListHooks.
type HookList struct {
	Hooks []hook.Hook `json:"hooks"`
}

// ListHooks lists the hooks, the oldest first.
type ListHooks struct{}

func (ListHooks) run(_ context.Context, s *Stores) (any, error) { return HookList{s.Hooks.List()}, nil }

// ShowHook shows a hook; the answer is a hook.Hook.
type ShowHook struct {
	Hook string `json:"hook" record:"hook"`
}

func (c ShowHook) run(_ context.Context, s *Stores) (any, error) { return s.Hooks.Find(c.Hook) }

// TestHook sends a message to a hook at once; the answer is a hook.Tested.
type TestHook struct {
	Hook string `json:"hook" record:"hook"`
}

func (c TestHook) run(ctx context.Context, s *Stores) (any, error) {
	return s.Hooks.Test(ctx, c.Hook, s.HookOptions)
}

// DeleteHook removes a hook and its undelivered messages; the answer is a hook.Hook.
type DeleteHook struct {
	Hook string `json:"hook" record:"hook"`
}

func (c DeleteHook) run(_ context.Context, s *Stores) (any, error) { return s.Hooks.Delete(c.Hook) }

// failingLong is how long a hook fails before an operator is warned.
const failingLong = time.Hour

// hookWarnings returns what an operator should know about the hooks.
func (s *Stores) hookWarnings() (list []string) {
	for _, h := range s.Hooks.List() {
		switch {
		case h.Damaged: // its record is counted among those that cannot be used
		case !h.Enabled():
			list = append(list, fmt.Sprintf("the hook %s is disabled: %s", h.ID, h.LastError))
		case h.FailingSince != nil && s.now().Sub(*h.FailingSince) > failingLong:
			list = append(list, fmt.Sprintf("the hook %s has failed since %s, and %s: %s", h.ID,
				h.FailingSince.Format(time.RFC3339), Number(h.Pending, "message")+" wait", h.LastError))
		}
	}
	return list
}
