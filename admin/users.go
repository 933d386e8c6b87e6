package admin

import (
	"context"

	"relais/auth/account"
)

// CreateUser makes an account; the answer is the account.Account.
type CreateUser struct {
	Name     string `json:"name"`
	Password string `json:"password"`
}

func (*CreateUser) declare() declaration { return declaration{stores: []string{UsersFile}} }

func (c CreateUser) run(ctx context.Context, s *Stores) (any, error) {
	return s.Accounts.Create(ctx, c.Name, c.Password)
}

// ListUsers lists the accounts, those of API clients included.
type ListUsers struct{}

func (*ListUsers) declare() declaration { return declaration{stores: []string{UsersFile}} }

func (ListUsers) run(_ context.Context, s *Stores) (any, error) { return s.Accounts.List(), nil }

// DisableUser keeps an account from being used, or allows it again.
type DisableUser struct {
	User string `json:"user"` // id or name
	Undo bool   `json:"undo"`
	Why  string `json:"why,omitempty"`
	On   string `json:"on,omitempty"`
}

func (c *DisableUser) declare() declaration {
	return declaration{stores: []string{UsersFile}, record: &c.User, kind: userKind}
}

func (c DisableUser) run(ctx context.Context, s *Stores) (any, error) {
	a, err := s.Accounts.Find(c.User)
	if err != nil {
		return nil, err
	}
	return s.user(a.Name)(s.Accounts.DisableAs(a.ID, !c.Undo, decision(ctx, c.Why, c.On)))
}

// SetUserRole gives an account another role; the answer is the account.Account.
type SetUserRole struct {
	User string       `json:"user"`
	Role account.Role `json:"role"`
	Why  string       `json:"why,omitempty"`
	On   string       `json:"on,omitempty"`
}

func (c *SetUserRole) declare() declaration {
	return declaration{stores: []string{UsersFile}, record: &c.User, kind: userKind}
}

func (c SetUserRole) run(ctx context.Context, s *Stores) (any, error) {
	a, err := s.Accounts.Find(c.User)
	if err != nil {
		return nil, err
	}
	return s.user(a.Name)(s.Accounts.SetRoleAs(a.ID, c.Role, decision(ctx, c.Why, c.On)))
}

// user returns a function that completes the result of a decision about an account.
func (s *Stores) user(name string) func(*account.Account, error) (any, error) {
	return func(a *account.Account, err error) (any, error) {
		if err != nil {
			return nil, s.decided("user", name, err)
		}
		s.collect()
		return a, nil
	}
}

// SetUserPassword gives an account another password.
type SetUserPassword struct {
	User     string `json:"user"`
	Password string `json:"password"`
}

func (c *SetUserPassword) declare() declaration {
	return declaration{stores: []string{UsersFile}, record: &c.User, kind: userKind}
}

func (c SetUserPassword) run(ctx context.Context, s *Stores) (any, error) {
	a, err := s.Accounts.Find(c.User)
	if err != nil {
		return nil, err
	}
	return s.Accounts.SetPassword(ctx, a.ID, c.Password)
}

// DeleteUser removes an account. Its submissions stay, without an owner.
type DeleteUser struct {
	User string `json:"user"`
}

func (c *DeleteUser) declare() declaration {
	return declaration{stores: []string{UsersFile, CommunityFile}, record: &c.User, kind: userKind}
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

func (s *Stores) forget(id, name string) error {
	if _, err := s.Community.Forget(id); err != nil {
		return err
	}
	s.collect()
	return s.Audit.Forget(name)
}
