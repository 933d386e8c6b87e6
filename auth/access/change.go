package access

import (
	"errors"
	"fmt"
	"net/netip"
	"reflect"
	"slices"
	"time"
)

// A Change is a change of a client. The zero value changes nothing.
type Change struct {
	Name          *string            `json:"name"`
	Scopes        Edit[Scope]        `json:"scopes"`
	Origins       Edit[string]       `json:"origins"` // in canonical form
	CIDRs         Edit[netip.Prefix] `json:"cidrs"`
	Minute        *int               `json:"minute"`
	Day           *int               `json:"day"`
	VisitorMinute *int               `json:"visitorMinute"` // 0: no limit
	VisitorDay    *int               `json:"visitorDay"`
	Expires       *time.Time         `json:"expires"` // the zero time: never
	Partner       *bool              `json:"partner"`
}

// An Edit changes a list: first it becomes Set, unless that is nil, and then Add and Remove apply.
type Edit[T comparable] struct {
	Set    []T `json:"set"`
	Add    []T `json:"add"`
	Remove []T `json:"remove"`
}

// apply returns the list after the edit. what names an entry in errors.
func (e Edit[T]) apply(list []T, what string) ([]T, error) {
	if e.Set != nil {
		list = nil
	}
	list = slices.Clone(list)
	for _, v := range slices.Concat(e.Set, e.Add) {
		if !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	for _, v := range e.Remove {
		at := slices.Index(list, v)
		if at < 0 {
			return nil, fmt.Errorf("the client has no %s %v; it has %v", what, v, list)
		}
		list = slices.Delete(list, at, at+1)
	}
	if list == nil {
		list = []T{} // [] in JSON
	}
	return list, nil
}

// IsEmpty reports whether nothing would be changed.
func (c *Change) IsEmpty() bool { return reflect.ValueOf(*c).IsZero() }

func (c *Change) apply(to *Client) (err error) {
	var errs [3]error
	to.Scopes, errs[0] = c.Scopes.apply(to.Scopes, "scope")
	to.Origins, errs[1] = c.Origins.apply(to.Origins, "origin")
	to.CIDRs, errs[2] = c.CIDRs.apply(to.CIDRs, "CIDR")
	if c.Name != nil {
		to.Name = *c.Name
	}
	for dst, src := range map[*int]*int{&to.Limits.Minute: c.Minute, &to.Limits.Day: c.Day,
		&to.Limits.VisitorMinute: c.VisitorMinute, &to.Limits.VisitorDay: c.VisitorDay} {
		if src != nil {
			*dst = *src
		}
	}
	if c.Expires != nil {
		if to.Expires = c.Expires; c.Expires.IsZero() {
			to.Expires = nil
		}
	}
	if c.Partner != nil {
		to.Partner = *c.Partner
	}
	return errors.Join(errs[:]...)
}

// A Difference is a changed member of a client.
type Difference struct {
	Member string `json:"member"` // as in the JSON of a client: "limits.minute"
	From   any    `json:"from"`
	To     any    `json:"to"`
}

// differences compares the members that a Change can change.
func differences(a, b *Client) []Difference {
	list := []Difference{}
	compare := func(member string, from, to any) {
		if !reflect.DeepEqual(from, to) {
			list = append(list, Difference{member, from, to})
		}
	}
	compare("name", a.Name, b.Name)
	compare("scopes", a.Scopes, b.Scopes)
	compare("origins", a.Origins, b.Origins)
	compare("cidrs", a.CIDRs, b.CIDRs)
	compare("limits.minute", a.Limits.Minute, b.Limits.Minute)
	compare("limits.day", a.Limits.Day, b.Limits.Day)
	compare("limits.visitorMinute", a.Limits.VisitorMinute, b.Limits.VisitorMinute)
	compare("limits.visitorDay", a.Limits.VisitorDay, b.Limits.VisitorDay)
	compare("expires", a.Expires, b.Expires)
	compare("partner", a.Partner, b.Partner)
	return list
}

// Set changes a client, and returns it with the differences. Errors: ErrNoClient, errNameTaken, those of
// Client.Check.
func (c *Clients) Set(id string, change Change) (*Client, []Difference, error) {
	var before, after Client
	err := c.change(id, func(r *record, _ time.Time) error {
		before = r.Client
		if err := change.apply(&r.Client); err != nil {
			return err
		}
		after = r.Client
		if err := after.Check(); err != nil {
			return err
		}
		return c.table.Load().free(after.Name, id)
	})
	if err != nil {
		return nil, nil, err
	}
	return &after, differences(&before, &after), nil
}

// free returns errNameTaken if a client other than the one with the id has a name.
func (t *table) free(name, id string) error {
	for _, l := range t.clients {
		if l.Name == name && l.ID != id && !l.lent {
			return fmt.Errorf("%q, %s: %w", name, l.ID, errNameTaken)
		}
	}
	return nil
}
