package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"relais/admin"
	"relais/api"
	"relais/hook"
)

type hookCommand struct {
	Create hookCreate `cmd:"" help:"Make a hook; its secret is shown once."`
	List   hookList   `cmd:"" help:"List the hooks and how deliveries go."`
	Show   hookShow   `cmd:"" help:"Show a hook: what it gets, what waits, what failed and why."`
	Test   hookTest   `cmd:"" help:"Send a message of the type test to a hook at once."`
	Delete hookDelete `cmd:"" help:"Remove a hook with all that it was to get."`
}

// Help is shown below the commands.
func (*hookCommand) Help() string {
	return `A webhook is an address that gets a signed POST for each event that it selects, at least once: failed
deliveries are tried again for 24 hours. While a server runs, changes take effect at once; docs/webhooks.md
says how to receive and verify.

Examples:
  relais hook create --data DIR --url https://example.org/relais --events report,bug
  relais hook list --data DIR
  relais hook test --data DIR hook-3e1f0a4c5b6d`
}

type hookCreate struct {
	dataFlag
	URL    string   `name:"url" required:"" help:"Where events are sent: https, on the public internet unless serve has --hook-private."`
	Events []string `required:"" placeholder:"EVENT,…" help:"Some of changes, report, photo, outage, bug, update-failed."`
	Filter string   `placeholder:"QUERY" help:"Only what this query string selects, such as market=FR&operator=FREE."`
	JSON   bool     `name:"json" help:"Print one JSON object."`
}

// Help is shown below the flags.
func (*hookCreate) Help() string {
	return `The hook gets what happens from now on. The secret verifies the signatures; it is shown once.

  changes        an edition of a market's register was noted: what changed
  report         somebody reported a photo, and a moderator is to decide
  photo          a photo was uploaded
  outage         a person's report of an outage was made, confirmed, resolved or rejected
  bug            somebody filed a bug
  update-failed  a scheduled update (serve --update-every) failed

Filters are market and operator and, for changes, all those of /changes, such as department, technology and kind. Names
are checked in the market of the filter, or else in all markets. A technology or band that a register does
not have is accepted, and selects nothing. Try it with /changes first: its error lists the valid ones.

Examples:
  relais hook create --data DIR --url https://example.org/relais --events report,bug
  relais hook create --data DIR --url https://bot.example/news --events changes --filter "market=FR&operator=FREE" --json`
}

// Run makes the hook.
func (c *hookCreate) Run(ctx context.Context, streams Streams) error {
	spec := hook.Spec{URL: c.URL, Filter: c.Filter}
	for _, e := range c.Events {
		spec.Events = append(spec.Events, hook.Kind(strings.ToLower(strings.TrimSpace(e))))
	}
	checked := spec
	checked.Private = true // whether it is allowed, the server knows
	if err := checked.Check(); err != nil {
		return usageError{hookFlag(err)}
	}
	if _, err := api.ParseHookFilter(spec.Filter, spec.Events); err != nil {
		return usageError{hookFlag(err)}
	}
	return printAnswer(ctx, c.dataFlag, streams, admin.CreateHook{Spec: spec}, c.JSON, func(i *hook.Issued) error {
		fmt.Fprintf(streams.Out, "%s sends %s to %s\n\n  secret  %s\n", i.ID, join(i.Events), visible(i.URL, ""), i.Secret)
		_, err := fmt.Fprintln(streams.Out, "\nKeep it now: it is not shown again.")
		return err
	})
}

// hookFlag returns an error of a flag with the flag's name.
func hookFlag(err error) error {
	if of, ok := errors.AsType[*hook.InvalidError](err); ok {
		return fmt.Errorf("--%s: %s", of.Field, of.Want)
	}
	return err
}

type hookList struct {
	dataFlag
	JSON bool `name:"json" help:"Print one JSON object."`
}

// Help is shown below the flags.
func (*hookList) Help() string {
	return `Addresses are shown without user, password and the values of their query. A hook whose record in hooks.db is
damaged gets nothing: only its id is known. Delete it with relais hook delete.

Examples:
  relais hook list --data DIR
  relais hook list --data DIR --json`
}

// Run lists the hooks.
func (c *hookList) Run(ctx context.Context, streams Streams) error {
	return printAnswer(ctx, c.dataFlag, streams, admin.ListHooks{}, c.JSON, func(l admin.HookList) error {
		t := newTable(streams.Out, "HOOK", "EVENTS", "URL", "DELIVERED", "PENDING", "DROPPED", "STATE")
		for _, h := range l.Hooks {
			t.row(excerpt(h.ID), join(h.Events), excerpt(h.URL), h.Done, h.Pending, h.Dropped, hookState(&h))
		}
		return t.flushPage(len(l.Hooks), 0, len(l.Hooks), "hooks")
	})
}

func hookState(h *hook.Hook) string {
	switch {
	case h.Damaged:
		return "damaged: delete it and make it again, or restore hooks.db from a backup"
	case !h.Enabled():
		return "disabled: " + excerpt(h.LastError)
	case h.Failures > 0:
		return fmt.Sprintf("failing since %s: %s", shortTime(*h.FailingSince), excerpt(h.LastError))
	}
	return "well"
}

// oneHook is the flags of commands on one hook.
type oneHook struct {
	dataFlag
	Hook string `arg:"" name:"hook" help:"Id of the hook, such as hook-3e1f0a4c5b6d, or its first characters, such as 3e1f."`
	JSON bool   `name:"json" help:"Print one JSON object."`
}

type hookShow struct{ oneHook }

// Help is shown below the flags.
func (*hookShow) Help() string {
	return `Example:
  relais hook show --data DIR hook-3e1f0a4c5b6d`
}

// Run shows the hook.
func (c *hookShow) Run(ctx context.Context, streams Streams) error {
	return printAnswer(ctx, c.dataFlag, streams, admin.ShowHook{Hook: c.Hook}, c.JSON, func(h hook.Hook) error {
		return printHook(streams.Out, &h)
	})
}

func printHook(w io.Writer, h *hook.Hook) error {
	t := newTable(w)
	t.row("hook", visible(h.ID, ""))
	if h.Damaged {
		t.row("state", hookState(h))
		t.row("pending", h.Pending)
		return t.Flush()
	}
	t.row("url", visible(h.URL, ""))
	t.row("events", join(h.Events))
	if h.Filter != "" {
		t.row("filter", visible(h.Filter, ""))
	}
	t.row("created", moment(&h.Created))
	t.row("state", hookState(h))
	t.row("delivered", fmt.Sprintf("%d, the last %s", h.Done, moment(h.LastSuccess)))
	t.row("pending", fmt.Sprintf("%d, of at most %d", h.Pending, hook.MostPending))
	if h.LastFailure != nil {
		t.row("last failure", moment(h.LastFailure)+": "+visible(h.LastError, ""))
	}
	if h.Next != nil {
		t.row("next attempt", moment(h.Next))
	}
	if h.Dropped > 0 {
		t.row("dropped", fmt.Sprintf("%d, the last %s: %s", h.Dropped, moment(h.DroppedAt), h.DroppedWhy))
	}
	return t.Flush()
}

type hookTest struct{ oneHook }

// Help is shown below the flags.
func (*hookTest) Help() string {
	return `The message does not wait for those in the queue, and is not tried again. A success enables a hook that a 410
had disabled.

Example:
  relais hook test --data DIR hook-3e1f0a4c5b6d`
}

// Run tests the hook.
func (c *hookTest) Run(ctx context.Context, streams Streams) error {
	var t hook.Tested
	if err := call(ctx, c.dataFlag, streams, admin.TestHook{Hook: c.Hook}, &t); err != nil {
		return err
	}
	if c.JSON {
		if err := printJSON(streams.Out, t); err != nil {
			return err
		}
	}
	switch {
	case !t.OK:
		return fmt.Errorf("%s: %s", t.Hook, t.Error)
	case c.JSON:
		return nil
	}
	_, err := fmt.Fprintf(streams.Out, "%s answered %d after %d ms\n", t.Hook, t.Status, t.Millis)
	return err
}

type hookDelete struct{ oneHook }

// Help is shown below the flags.
func (*hookDelete) Help() string {
	return `Example:
  relais hook delete --data DIR hook-3e1f0a4c5b6d`
}

// Run removes the hook.
func (c *hookDelete) Run(ctx context.Context, streams Streams) error {
	var h hook.Hook
	if err := call(ctx, c.dataFlag, streams, admin.DeleteHook{Hook: c.Hook}, &h); err != nil {
		return err
	}
	if c.JSON {
		return printJSON(streams.Out, map[string]any{"deleted": h.ID})
	}
	_, err := fmt.Fprintf(streams.Out, "deleted %s, with %s to deliver\n", h.ID, admin.Number(h.Pending, "message"))
	return err
}
