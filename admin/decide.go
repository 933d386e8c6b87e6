package admin

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"relais/auth/account"
	"relais/community/audit"
	"relais/market"
	"relais/photos"
)

// Decide makes a decision about a record; the answer is the record. The act has the same name in forms and in
// the audit log, and begins with the kind of record.
type Decide struct {
	Act  string       `json:"act"` // such as photo.hide
	ID   string       `json:"id"`  // or a name, or the beginning of an id
	Why  string       `json:"why,omitempty"`
	On   string       `json:"on,omitempty"`   // see audit.Decision
	User string       `json:"user,omitempty"` // the user who confirms a report of an outage
	Role account.Role `json:"role,omitempty"` // that user.role gives
	// Market and Operator must be the report's, in a decision about a report of an outage, unless they are empty.
	Market   market.Code `json:"market,omitempty"`
	Operator string      `json:"operator,omitempty"`
}

func (c Decide) run(ctx context.Context, s *Stores) (any, error) {
	name, _, _ := strings.Cut(c.Act, ".")
	k := kinds[name]
	if k == nil {
		return nil, fmt.Errorf("unknown decision %.50q", c.Act)
	}
	needed := []string{k.file}
	if c.Act == "outage.confirm" { // only these know whether the user is an API client
		needed = append(needed, UsersFile, ClientsFile)
	}
	err := s.usable(needed...)
	if err == nil {
		c.ID, err = k.identify(s, c.ID)
	}
	if err != nil {
		return nil, err
	}
	by, _ := ctx.Value(actorKey{}).(string) // "" for the shell
	record, err := c.decide(s, audit.Decision{By: by, Why: c.Why, On: c.On})
	switch {
	case k.unknown != nil && errors.Is(err, k.unknown):
		return nil, fmt.Errorf("%w: %.64q; relais %s names them", err, c.ID, k.list)
	case errors.Is(err, audit.ErrChanged):
		return nil, c.changed(s, err)
	case err != nil:
		return nil, err
	}
	s.collect()
	return record, nil
}

func (c *Decide) decide(s *Stores, d audit.Decision) (any, error) {
	switch c.Act {
	case "photo.show":
		return shownPhoto(s.Photos.Show(c.ID, d))
	case "photo.hide":
		return shownPhoto(s.Photos.Hide(c.ID, d))
	case "photo.hold":
		return shownPhoto(s.Photos.Hold(c.ID, d))
	case "photo.delete":
		p, err := s.Photos.Delete(c.ID, d)
		if err == nil { // kept answers of uploads name the photo
			err = s.ForgetPhoto(c.ID)
		}
		return shownPhoto(p, err)
	case "report.accept":
		return s.Photos.Accept(c.ID, d)
	case "report.dismiss":
		return s.Photos.Dismiss(c.ID, d)
	case "report.reopen":
		return s.Photos.Reopen(c.ID, d)
	case "outage.confirm", "outage.resolve", "outage.reject":
		return c.decideOutage(s, d)
	case "bug.close":
		return s.Community.CloseBug(c.ID, d)
	case "user.disable", "user.enable":
		return s.Accounts.Disable(c.ID, c.Act == "user.disable", d)
	case "user.role":
		return s.Accounts.SetRole(c.ID, c.Role, d)
	}
	return nil, fmt.Errorf("unknown decision %.50q", c.Act)
}

// shownPhoto leaves out the hash of the secret that deletes the photo.
func shownPhoto(p *photos.Photo, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	p.DeleteHash = nil
	return p, nil
}

// decideOutage decides about a report of an outage, if it is the one that the market and the operator say.
func (c *Decide) decideOutage(s *Stores, d audit.Decision) (any, error) {
	r, err := s.Community.Report(c.ID)
	if err != nil {
		return nil, err
	}
	m := market.Get(r.Market)
	i, ok := m.Operator(c.Operator)
	if c.Market != "" && c.Market != m.Code || c.Operator != "" && (!ok || m.Operators[i].Key != r.Operator) {
		return nil, fmt.Errorf("the report %s is of %s in %s", r.ID, r.Operator, r.Market)
	}
	switch {
	case c.Act == "outage.resolve":
		r, err = s.Community.ResolveAs(c.ID, d)
	case c.Act == "outage.reject":
		r, err = s.Community.Reject(c.ID, d)
	case isProgram(s, c.User):
		return nil, fmt.Errorf("%.50q is an API client's: only people confirm a report", c.User)
	default:
		r, err = s.Community.ConfirmAs(c.ID, c.User, d)
	}
	return newOutageReport(r, err)
}

// isProgram reports whether an id is that of an API client or of a client's account.
func isProgram(s *Stores, id string) bool {
	client, err := s.Clients.Find(id)
	if err == nil && client.ID == id {
		return true
	}
	a, err := s.Accounts.Find(id)
	return err == nil && a.ID == id && a.Client != ""
}

// actorKey is the key of the moderator's name in a context.
type actorKey struct{}

// As returns a context in which Do decides as a moderator with this name. Commands that come over the
// socket are the shell's.
func As(ctx context.Context, moderator string) context.Context {
	return context.WithValue(ctx, actorKey{}, moderator)
}

// A ChangedError says that a record was changed after a moderator saw it. It is an audit.ErrChanged.
type ChangedError struct {
	// Last is the last decision about the record, nil if it changed in another way.
	Last *audit.Entry
	err  error
}

func (e *ChangedError) Error() string { return e.err.Error() }

// Unwrap returns audit.ErrChanged.
func (e *ChangedError) Unwrap() error { return e.err }

// changed returns the ChangedError about the record. The other decision may still be in the store where it was made, so
// it is collected first.
func (c *Decide) changed(s *Stores, err error) error {
	s.collect()
	subject := c.ID
	if a, err := s.Accounts.Find(c.ID); err == nil && a.ID == c.ID {
		subject = a.Name
	}
	last, failed := s.Audit.Last(audit.Filter{Subject: subject})
	if failed != nil {
		s.log.Error("reading the audit log failed", "error", failed)
	}
	return &ChangedError{last, err}
}

// collect moves decisions from other stores into the log: each was written in the commit of its record, so that a kill
// loses neither. If that fails, they stay in their stores until the next call.
func (s *Stores) collect() {
	if err := s.Audit.Collect(); err != nil {
		s.log.Warn("moving decisions to the audit log failed: they wait in the store where they were made", "error", err)
	}
}
