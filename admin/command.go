package admin

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"golang.org/x/sync/errgroup"

	"relais/internal/store"
)

// A Command runs in the process that has the stores open. Its declaration stands next to its
// type, and its type is in the list of commands.
type Command interface {
	run(ctx context.Context, s *Stores) (any, error)
}

// A declared command is a pointer to a Command, so that its record can be replaced.
type declared interface {
	Command
	declare() declaration
}

// A declaration describes a command to do and callHere.
type declaration struct {
	stores      []string // without which the result is wrong
	record      *string  // a field of the command that names a record, nil if it has none
	kind        kind     // of the record
	makesFolder bool     // a missing data folder is made
}

// commands are the commands that the socket takes, by the names of their types.
var commands = byName(
	&CreateClient{}, &ListClients{}, &ShowClient{}, &UsageOfClient{}, &SetClient{}, &RotateClient{}, &RevokeClient{},
	&DeleteClient{},
	&CreateUser{}, &ListUsers{}, &DisableUser{}, &SetUserRole{}, &SetUserPassword{}, &DeleteUser{},
	&ListPhotos{}, &HidePhoto{}, &ShowPhoto{}, &HoldPhoto{}, &DeletePhoto{},
	&ListReports{}, &DecideReport{}, &ListAudit{},
	&ImportOutages{}, &TakeOutages{}, &ListOutages{}, &ClearOutages{}, &ReportOutage{}, &DecideOutage{},
	&ListBugs{}, &CloseBug{},
	&CreateHook{}, &ListHooks{}, &ShowHook{}, &TestHook{}, &DeleteHook{},
	&AddArchives{}, &ListArchives{}, &DiffEditions{}, &NoteEditions{},
	&ImportMeasures{}, &ImportProgress{},
	&CheckStores{}, &CompactStores{}, &Accept{}, &Diagnose{},
	&CheckCluster{}, &BaseOfFiles{}, &PublishFiles{},
)

func byName(list ...declared) map[string]reflect.Type {
	m := map[string]reflect.Type{}
	for _, c := range list {
		t := reflect.TypeOf(c).Elem()
		m[t.Name()] = t
	}
	return m
}

// changeable returns a copy of a command.
func changeable(c Command) declared {
	p := reflect.New(reflect.TypeOf(c))
	p.Elem().Set(reflect.ValueOf(c))
	return p.Interface().(declared)
}

// do runs a command in the process that has the stores open.
func (s *Stores) do(ctx context.Context, command Command) (any, error) {
	c := changeable(command)
	d := c.declare()
	if err := s.usable(d.stores); err != nil {
		return nil, err
	}
	old := s.freshen(ctx)
	var answer any
	err := s.resolve(d)
	if err == nil {
		answer, err = c.run(ctx, s)
	}
	if err != nil && old != nil && !errors.Is(err, store.ErrAway) {
		err = fmt.Errorf("%w, as far as this server knows: %w", err, old)
	}
	return answer, err
}

// resolve replaces the record that a command names by its id.
func (s *Stores) resolve(d declaration) (err error) {
	if d.record != nil {
		*d.record, err = s.identify(d.kind, *d.record)
	}
	return err
}

// freshen waits for the changes of other servers. After an error, commands see the changes that this server
// knows.
func (s *Stores) freshen(ctx context.Context) error {
	var asking errgroup.Group
	for _, db := range s.opened() {
		asking.Go(func() error { return db.Fresh(ctx) })
	}
	err := asking.Wait()
	if err != nil {
		s.log.Warn("a command sees what this server knows, which may be old", "error", err)
	}
	return err
}
