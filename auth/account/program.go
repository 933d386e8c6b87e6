package account

import (
	"cmp"
	"slices"
	"time"
)

// A Program is a client that may act for a person.
type Program struct {
	Client string // its id
	Name   string // as it says of itself
	Scopes []Scope
	Since  time.Time
	Used   time.Time // when it last got tokens
}

// Programs returns the programs that may act for a person now, the last used first.
func (s *Store) Programs(person string) []Program {
	s.mu.RLock()
	defer s.mu.RUnlock()
	of, now := map[string]*Program{}, s.now()
	for _, g := range s.state.grants.All() {
		if g.Person != person || !g.redeemed() || !now.Before(g.Ends) {
			continue
		}
		p, used := of[g.Client], g.used()
		if p == nil {
			p = &Program{Client: g.Client, Name: s.state.clients.Get(g.Client).Name, Since: g.Created, Used: used}
			of[g.Client] = p
		}
		if g.Created.Before(p.Since) {
			p.Since = g.Created
		}
		if used.After(p.Used) {
			p.Used = used
		}
		for _, scope := range g.Scopes {
			if !slices.Contains(p.Scopes, scope) {
				p.Scopes = append(p.Scopes, scope)
			}
		}
	}
	list := make([]Program, 0, len(of))
	for _, p := range of {
		list = append(list, *p)
	}
	slices.SortFunc(list, func(a, b Program) int {
		return cmp.Or(b.Used.Compare(a.Used), cmp.Compare(a.Client, b.Client))
	})
	return list
}

// RevokeProgram ends the access of a program to a person's account. A program without access may be revoked too.
// Error: ErrReadOnly.
func (s *Store) RevokeProgram(person, client string) error {
	return s.change(func(c *change) error {
		for _, g := range c.grants.All() {
			if g.Person == person && g.Client == client {
				c.dropGrant(g)
			}
		}
		return nil
	})
}
