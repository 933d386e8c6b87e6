package admin

import (
	"context"
)

// CreateUser makes an account; the answer is the account.Account.
type CreateUser struct {
	Name     string `json:"name"`
	Password string `json:"password"`
}

func (c CreateUser) run(ctx context.Context, s *Stores) (any, error) {
	return s.Accounts.Create(ctx, c.Name, c.Password)
}

// ListUsers lists the accounts, those of API clients included.
type ListUsers struct{}

func (ListUsers) run(_ context.Context, s *Stores) (any, error) { return s.Accounts.List(), nil }

// SetUserPassword gives an account another password, which ends its sessions.
type SetUserPassword struct {
	User     string `json:"user" record:"user"`
	Password string `json:"password"`
}

func (c SetUserPassword) run(ctx context.Context, s *Stores) (any, error) {
	return s.Accounts.SetPassword(ctx, c.User, c.Password)
}

// DeleteUser removes an account. Its submissions stay, without an owner.
type DeleteUser struct {
	User string `json:"user" record:"user"`
}

func (c DeleteUser) run(_ context.Context, s *Stores) (any, error) {
	a, err := s.Accounts.Find(c.User)
	if err != nil {
		return nil, err
	}
	return a, s.DeleteUser(a.ID)
}

// DeleteUser removes an account and all links between it and its submissions. The links go first: if that
// fails, the account is still there, and DeleteUser can be called again. They go once more afterwards, for
// submissions that came while the account was deleted.
func (s *Stores) DeleteUser(id string) error {
	name := ""
	if a, err := s.Accounts.Find(id); err == nil && a.ID == id {
		name = a.Name
	}
	if err := s.forget(id, name); err != nil {
		return err
	}
	if err := s.Accounts.Delete(id); err != nil {
		return err
	}
	return s.forget(id, name)
}

// forget removes the links between an account and its submissions. Decisions are collected first, because the audit log
// forgets only its own entries.
func (s *Stores) forget(id, name string) error {
	if _, err := s.Community.Forget(id); err != nil {
		return err
	}
	s.collect()
	return s.Audit.Forget(name)
}
