package cli

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"relais/admin"
	"relais/auth/account"
)

type userCommand struct {
	Create  userCreate  `cmd:"" help:"Make an account."`
	List    userList    `cmd:"" help:"List the accounts."`
	Disable userDisable `cmd:"" help:"Keep an account from signing in, sign it out, and end the access of its programs."`
	Passwd  userPasswd  `cmd:"" help:"Give an account another password, sign it out, and end the access of its programs."`
	Role    userRole    `cmd:"" help:"Say what an account may do on the pages: member, moderator or admin."`
	Delete  userDelete  `cmd:"" help:"Remove an account; what it submitted stays, without an owner."`
}

// passwordFlags is the source of a new password.
type passwordFlags struct {
	PasswordStdin bool `xor:"password" help:"Read the password from standard input, up to the end of its first line."`
	Generate      bool `xor:"password" help:"Make a password and print it once. This is the default without a terminal."`
}

const maxPasswordLine = 4096 // bytes

// password returns the new password. shown is the same if it was made here, else "": a password that somebody typed
// is never printed.
func (f passwordFlags) password(ctx context.Context, stdin *os.File, say io.Writer) (text, shown string, err error) {
	switch {
	case f.PasswordStdin:
		text, err = bufio.NewReader(io.LimitReader(stdin, maxPasswordLine)).ReadString('\n')
		if errors.Is(err, io.EOF) {
			err = nil
		}
		text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	case f.Generate || !term.IsTerminal(int(stdin.Fd())):
		text = rand.Text()
		shown = text
	default:
		text, err = prompt(ctx, stdin, say)
	}
	if err != nil {
		return "", "", fmt.Errorf("read the password: %w", err)
	}
	if err := account.CheckPassword(text); err != nil {
		return "", "", usageError{err}
	}
	return text, shown, nil
}

// prompt asks twice, without showing the typed characters, until ctx ends. ReadPassword knows no context: without the
// goroutine, Ctrl-C would wait for the end of the line, and leave a terminal that shows nothing.
func prompt(ctx context.Context, terminal *os.File, say io.Writer) (string, error) {
	fd := int(terminal.Fd())
	state, err := term.GetState(fd)
	if err != nil {
		return "", err
	}
	ask := func(what string) (string, error) {
		fmt.Fprint(say, what)
		defer fmt.Fprintln(say)
		var text []byte
		var err error
		read := make(chan struct{})
		go func() {
			defer close(read)
			text, err = term.ReadPassword(fd)
		}()
		select {
		case <-read:
			return string(text), err
		case <-ctx.Done(): // the goroutine that reads ends with the program
			return "", errors.Join(context.Cause(ctx), term.Restore(fd, state))
		}
	}
	first, err := ask("Password: ")
	if err != nil {
		return "", err
	}
	second, err := ask("Once more: ")
	if err == nil && first != second {
		err = errors.New("the two passwords differ")
	}
	return first, err
}

// changeUser runs a command on an account, and prints the account's new state and the password to
// show, "" for none.
func changeUser(ctx context.Context, d dataFlag, streams Streams, c admin.Command, asJSON bool,
	shown, became string) error {
	u := struct {
		account.Account
		Password string `json:"password,omitempty"`
	}{Password: shown}
	if err := call(ctx, d, streams, c, &u.Account); err != nil {
		return err
	}
	if asJSON {
		return printJSON(streams.Out, u)
	}
	if _, err := fmt.Fprintf(streams.Out, "%s (%s) %s\n", visible(u.Name, ""), u.ID, became); err != nil || shown == "" {
		return err
	}
	_, err := fmt.Fprintf(streams.Out, "\n  password  %s\n\nKeep it now: it is not shown again.\n", shown)
	return err
}

// oneUser is the flags of commands on one account.
type oneUser struct {
	folderFlags
	User string `arg:"" name:"user" help:"Name or id of the account, or the first characters of the id."`
}

type userCreate struct {
	dataFlag
	Name string `arg:"" name:"name" help:"The name to sign in with; not an e-mail address."`
	passwordFlags
	JSON bool `name:"json" help:"Print one JSON object."`
}

// Run makes the account.
func (c *userCreate) Run(ctx context.Context, streams Streams) error {
	if err := account.CheckName(c.Name); err != nil {
		return usageError{err}
	}
	password, shown, err := c.password(ctx, os.Stdin, streams.Err)
	if err != nil {
		return err
	}
	command := admin.CreateUser{Name: c.Name, Password: password}
	return changeUser(ctx, c.dataFlag, streams, command, c.JSON, shown, "may sign in")
}

type userList struct{ folderFlags }

// Run lists the accounts.
func (c *userList) Run(ctx context.Context, streams Streams) error {
	command := admin.ListUsers{}
	return printAnswerList(ctx, c.dataFlag, streams, command, c.JSON, "users", func(list []account.Account) error {
		t := newTable(streams.Out, "ID", "NAME", "ROLE", "CREATED", "PROGRAMS", "STATE")
		for _, u := range list {
			state := "may sign in"
			if u.Client != "" {
				state = "of the API client " + u.Client
			}
			if u.Disabled {
				state = "disabled"
			}
			if u.Lost {
				state = "damaged: restore users.db from a backup, or delete the account"
			}
			t.row(u.ID, visible(u.Name, ""), cmp.Or(string(u.Role), "-"), shortTime(u.Created), u.Programs, state)
		}
		return t.Flush()
	})
}

type userDisable struct {
	oneUser
	Undo bool `help:"Let the account sign in again; its programs must ask for access again."`
}

// Run disables the account.
func (c *userDisable) Run(ctx context.Context, streams Streams) error {
	act, became := "user.disable", "is disabled"
	if c.Undo {
		act, became = "user.enable", "may sign in again"
	}
	command := admin.Decide{Act: act, ID: c.User}
	return changeUser(ctx, c.dataFlag, streams, command, c.JSON, "", became)
}

type userPasswd struct {
	oneUser
	passwordFlags
}

// Run gives the account another password.
func (c *userPasswd) Run(ctx context.Context, streams Streams) error {
	password, shown, err := c.password(ctx, os.Stdin, streams.Err)
	if err != nil {
		return err
	}
	command := admin.SetUserPassword{User: c.User, Password: password}
	return changeUser(ctx, c.dataFlag, streams, command, c.JSON, shown, "has another password")
}

type userRole struct {
	oneUser
	Role string `arg:"" name:"role" enum:"member,moderator,admin" help:"member, moderator or admin."`
}

// Run gives the account its role.
func (c *userRole) Run(ctx context.Context, streams Streams) error {
	command := admin.Decide{Act: "user.role", ID: c.User, Role: account.Role(c.Role)}
	return changeUser(ctx, c.dataFlag, streams, command, c.JSON, "", "has the role "+c.Role)
}

type userDelete struct{ oneUser }

// Run removes the account.
func (c *userDelete) Run(ctx context.Context, streams Streams) error {
	if !c.JSON {
		return changeUser(ctx, c.dataFlag, streams, admin.DeleteUser{User: c.User}, false, "", "is deleted")
	}
	var a account.Account
	if err := call(ctx, c.dataFlag, streams, admin.DeleteUser{User: c.User}, &a); err != nil {
		return err
	}
	return printJSON(streams.Out, map[string]any{"deleted": a.ID})
}
