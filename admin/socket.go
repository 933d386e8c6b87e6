package admin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"reflect"
	"strings"
	"time"

	"relais/internal/folder"
)

// Bounds of what goes over the socket.
const (
	socketFile  = "admin.sock"
	maxCommand  = 1 << 20
	maxAnswer   = 256 << 20
	commandTime = 30 * time.Second // to send a command: what it does may take as long as the stores are large
)

// Serve takes commands over the socket until ctx ends. Only the user who runs the server can reach
// the socket: this is all that protects the commands, which ask for no key.
func (r Commands) Serve(ctx context.Context, log *slog.Logger) error {
	dir := r.stores.Dir
	if r.stores.lock == nil {
		return nil // read-only: nothing to administer
	}
	l, err := listenPrivately(dir)
	if err != nil {
		return err
	}
	defer l.Close()
	server := &http.Server{Handler: r, ReadTimeout: commandTime,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn)}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// ServeHTTP runs the command that the path names.
func (r Commands) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	switch {
	case q.Method == http.MethodGet && q.URL.Path == backupPath:
		r.sendStores(w)
		return
	case q.Method == http.MethodPost && q.URL.Path == packPath:
		r.sendPack(w, q)
		return
	}
	d, ok := commands[strings.TrimPrefix(q.URL.Path, "/")]
	if !ok || q.Method != http.MethodPost {
		http.Error(w, "no such command: the program that asks is of another version", http.StatusNotFound)
		return
	}
	c := reflect.New(d.of)
	if err := json.NewDecoder(http.MaxBytesReader(w, q.Body, maxCommand)).Decode(c.Interface()); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	answer, err := r.Do(q.Context(), c.Elem().Interface().(Command))
	if err != nil {
		err = r.stores.Dir.OwnerAdvice(err) // the caller may be another user, who could read what this process cannot
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	json.NewEncoder(w).Encode(answer) // a caller that went away does not need it
}

// Call runs a command in the folder: by its server if one runs, else with the stores opened here.
// If a process has the folder and cannot be reached, it waits: a server may be starting, or another
// command may run. answer is filled in.
func Call(ctx context.Context, dir folder.Dir, c Command, answer any, log *slog.Logger) error {
	var text []byte
	err := callServerOrHere(ctx, func() (err error) {
		text, err = call(ctx, dir, c)
		return err
	}, func() (err error) {
		text, err = callHere(ctx, dir, c, log)
		return err
	})
	if err != nil {
		return err
	}
	return json.Unmarshal(text, answer)
}

// patience is how long a command waits for a folder that another process has. Tests change it.
var patience = 2 * time.Second

const retry = 20 * time.Millisecond

// callServerOrHere calls there, which asks the folder's server, and here if no server can be
// reached. If the folder is in use then, it tries again: usually a server is starting or stopping,
// or another command runs.
func callServerOrHere(ctx context.Context, there, here func() error) error {
	for end := time.Now().Add(patience); ; {
		err := there()
		var unreachable *net.OpError
		if !errors.As(err, &unreachable) {
			return err
		}
		err = here() // it fails with HeldError before it does anything, so that it may be called again
		var held *folder.HeldError
		if !errors.As(err, &held) || time.Now().After(end) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(retry):
		}
	}
}

// call has the folder's server run a command. Errors: a net.OpError if no server could be reached, which says that the
// command was not run; those of the command as text.
func call(ctx context.Context, dir folder.Dir, c Command) ([]byte, error) {
	body, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://admin/"+reflect.TypeOf(c).Name(),
		bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	a, err := dial(dir).Do(r)
	var unreachable *net.OpError
	// Only an error of dialling says that no server took the command.
	if errors.As(err, &unreachable) && unreachable.Op == "dial" || ctx.Err() != nil {
		return nil, err
	}
	if err != nil {
		return nil, ended(err)
	}
	defer a.Body.Close()
	text, err := io.ReadAll(io.LimitReader(a.Body, maxAnswer))
	if err != nil {
		return nil, ended(err)
	}
	if a.StatusCode != http.StatusOK {
		return nil, errors.New(strings.TrimSpace(string(text)))
	}
	return text, nil
}

// ended returns the error of a server that took a command and did not answer. It does not wrap its
// cause, so that the command is not tried again.
func ended(err error) error {
	return fmt.Errorf("the server ended before it answered (%v): look whether it was done", err)
}

// dial returns a client that reaches the folder's server.
func dial(dir folder.Dir) *http.Client {
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return dialPrivately(ctx, dir)
		}}}
}

// callHere runs a command with the stores opened in this process.
func callHere(ctx context.Context, dir folder.Dir, c Command, log *slog.Logger) (text []byte, err error) {
	switch c.(type) {
	case CreateClient, AddArchives: // they make a missing folder
	default:
		if _, err := os.Stat(string(dir)); err != nil {
			return nil, fmt.Errorf("the data folder: %w", err)
		}
	}
	s, err := Open(dir, "relais "+reflect.TypeOf(c).Name(), log)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	answer, err := NewCommands(s).Do(ctx, c)
	if err != nil {
		return nil, err
	}
	// Without a server, nobody would compact later.
	if err := s.compactHere(); err != nil {
		return nil, fmt.Errorf("it is done, but what was deleted is still on the disk: %w", err)
	}
	return json.Marshal(answer)
}
