package account

import "relais/community/audit"

// Disable disables an account, signs it out, and ends the access of all its programs. With disabled
// false, the person may sign in again. Errors: ErrNoAccount, ErrLost, ErrReadOnly, audit.ErrChanged.
func (s *Store) Disable(id string, disabled bool, d audit.Decision) (*Account, error) {
	act := "user.enable"
	if disabled {
		act = "user.disable"
	}
	return s.decide(id, d, act, func(c *change, r *record) error {
		r.Disabled = disabled
		c.endAll(id)
		return nil
	}, func(r *record) string {
		if r.Disabled {
			return "disabled"
		}
		return "enabled"
	})
}

// SetRole gives an account another role and ends its sessions, so that nobody goes on with the
// former one. The same role changes nothing. Errors: ErrNoAccount, ErrLost, errNoLogin,
// ErrReadOnly, audit.ErrChanged, and one for an unknown role.
func (s *Store) SetRole(id string, role Role, d audit.Decision) (*Account, error) {
	if _, err := ParseRole(string(role)); err != nil {
		return nil, err
	}
	return s.decide(id, d, "user.role", func(c *change, r *record) error {
		switch {
		case r.Client != "":
			return errNoLogin
		case r.role() == role:
			return nil
		}
		r.Role = role
		c.dropSessionsOf(id)
		return nil
	}, func(r *record) string { return string(r.role()) })
}

// decide changes an account. The log has the decision if it changes the state.
func (s *Store) decide(id string, d audit.Decision, act string, f func(*change, *record) error,
	state func(*record) string) (*Account, error) {
	return s.alter(id, func(c *change, r *record) error {
		if err := d.Check(r.shown().Version()); err != nil {
			return err
		}
		before := state(r)
		if err := f(c, r); err != nil || state(r) == before {
			return err
		}
		r.Decided++
		return d.Note(c.tx, s.now(), audit.Entry{Act: act, Subject: r.Name, Before: before, After: state(r)})
	})
}

// Version names the state of an account for a decision.
func (a *Account) Version() string {
	return audit.Version([]any{a.ID, a.Name, a.Disabled, a.Role, a.decided})
}
