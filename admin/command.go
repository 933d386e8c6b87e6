package admin

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"golang.org/x/sync/errgroup"

	"relais/internal/store"
)

// A Command runs in the process that has the stores open. Its type is in the list of commands.
//
// A field with the tag record, which has the name of a kind, names a record: by the id, by the name
// or by the beginning of the id. The command gets the id.
type Command interface {
	run(ctx context.Context, s *Stores) (any, error)
}

// A declaration describes a command.
type declaration struct {
	of     reflect.Type
	stores []string // a command without one of them would answer as if its records did not exist
	kind   *kind    // of the record that a field names, nil for none
	record int      // the field
}

// commands are the commands that the socket takes, by the names of their types. Those of the first line need no store
// in advance: they find out themselves which one they need, or must run when stores are damaged.
var commands = declare(
	need{nil, []Command{Decide{}, ImportMeasures{}, TakeMeasures{}, ImportProgress{}, CheckStores{}, CompactStores{}, Accept{}, Diagnose{},
		CheckCluster{}, BaseOfFiles{}, PublishFiles{}}},
	need{[]string{ClientsFile}, []Command{CreateClient{}, ListClients{}, ShowClient{}, UsageOfClient{}, SetClient{},
		RotateClient{}, RevokeClient{}}},
	need{[]string{ClientsFile, UsersFile}, []Command{DeleteClient{}}},
	need{[]string{UsersFile}, []Command{CreateUser{}, ListUsers{}, SetUserPassword{}}},
	need{[]string{UsersFile, CommunityFile}, []Command{DeleteUser{}}},
	need{[]string{PhotosFile}, []Command{ListPhotos{}, ListReports{}}},
	need{[]string{CommunityFile}, []Command{ListAudit{}, ListBugs{}, ImportOutages{}, TakeOutages{}, ListOutages{},
		ClearOutages{}, ReportOutage{}}},
	need{[]string{CommunityFile, OutagesFile}, []Command{AddOutageDays{}, TakeOutageDays{}}},
	need{[]string{HooksFile}, []Command{CreateHook{}, ListHooks{}, ShowHook{}, TestHook{}, DeleteHook{}}},
	need{[]string{ArchivesFile}, []Command{AddArchives{}, ListArchives{}, DiffEditions{}, NoteEditions{}}},
)

// A need lists commands that need some stores.
type need struct {
	stores   []string
	commands []Command
}

// declare finds the field of each command that names a record, by its tag.
func declare(needs ...need) map[string]declaration {
	m := map[string]declaration{}
	for _, n := range needs {
		for _, c := range n.commands { // of each, only the type counts
			d := declaration{of: reflect.TypeOf(c), stores: n.stores}
			for i := range d.of.NumField() {
				if name := d.of.Field(i).Tag.Get("record"); name != "" {
					d.kind, d.record = kinds[name], i
				}
			}
			m[d.of.Name()] = d
		}
	}
	return m
}

// Commands run in the process that has the stores open: a bbolt file is open in one process at a time, and memory
// follows only the commits of its own process.
type Commands struct{ stores *Stores }

// NewCommands returns the commands of stores.
func NewCommands(s *Stores) Commands { return Commands{s} }

// Do runs a command and returns its answer: for the moderator that As named, else for the shell.
func (r Commands) Do(ctx context.Context, c Command) (any, error) {
	d := commands[reflect.TypeOf(c).Name()]
	if err := r.stores.usable(d.stores...); err != nil {
		return nil, err
	}
	stale := r.freshen(ctx) // why this node may be behind
	answer, err := r.run(ctx, &d, c)
	if err != nil && stale != nil && !errors.Is(err, store.ErrAway) { // the record may exist on another node
		err = fmt.Errorf("%w (this node may be behind the cluster: %w)", err, stale)
	}
	return answer, err
}

// run runs a command with the id of the record that it names. It changes a copy: commands are values.
func (r Commands) run(ctx context.Context, d *declaration, c Command) (any, error) {
	if d.kind == nil {
		return c.run(ctx, r.stores)
	}
	changed := reflect.New(d.of).Elem()
	changed.Set(reflect.ValueOf(c))
	record := changed.Field(d.record)
	id, err := d.kind.identify(r.stores, record.String())
	if err != nil {
		return nil, err
	}
	record.SetString(id)
	answer, err := changed.Interface().(Command).run(ctx, r.stores)
	return answer, d.kind.suggest(r.stores, id, err)
}

// freshen waits for the changes of other nodes, of all stores at the same time. After an error, commands see the
// changes that this node knows.
func (r Commands) freshen(ctx context.Context) error {
	var asking errgroup.Group
	for _, db := range r.stores.opened() {
		asking.Go(func() error { return db.Fresh(ctx) })
	}
	err := asking.Wait()
	if err != nil {
		r.stores.log.Warn("cannot reach the cluster: the command reads possibly stale data", "error", err)
	}
	return err
}
