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

type hookCreate struct {
	dataFlag
	URL    string   `name:"url" required:"" help:"Where events are sent: https, on the public internet unless serve has --hook-private."`
	Events []string `required:"" placeholder:"EVENT,…" help:"Some of changes, report, photo, outage, bug, update-failed."`
	Filter string   `placeholder:"QUERY" help:"Only what this query string selects, such as market=FR&operator=FREE."`
	Format string   `placeholder:"FORMAT" help:"ntfy: short texts for people, to a topic of ntfy. Without it: JSON for programs."`
	JSON   bool     `name:"json" help:"Print one JSON object."`
}

// Run makes the hook.
func (c *hookCreate) Run(ctx context.Context, streams Streams) error {
	spec := hook.Spec{URL: c.URL, Filter: c.Filter, Format: hook.Format(strings.ToLower(c.Format))}
	for _, e := range c.Events {
		spec.Events = append(spec.Events, hook.Kind(strings.ToLower(strings.TrimSpace(e))))
	}
	checked := spec
	checked.Private = true // only the server knows whether private addresses are allowed; it checks again
	if err := checked.Check(); err != nil {
		return usageError{hookFlag(err)}
	}
	if _, err := api.ParseHookFilter(spec.Filter, spec.Events); err != nil {
		return usageError{hookFlag(err)}
	}
	return printAnswer(ctx, c.dataFlag, streams, admin.CreateHook{Spec: spec}, c.JSON, func(i *hook.Issued) error {
		_, err := fmt.Fprintf(streams.Out, "%s sends %s to %s\n", i.ID, join(i.Events), visible(i.URL, ""))
		if i.Format == "" { // who reads a topic of ntfy does not check signatures
			_, err = fmt.Fprintf(streams.Out, "\n  secret  %s\n\nKeep it now: it is not shown again.\n", i.Secret)
		}
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

type hookList struct{ folderFlags }

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

// hookState returns the state of a hook, and for one that does not work, why.
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
	folderFlags
	Hook string `arg:"" name:"hook" help:"Id of the hook, such as hook-3e1f0a4c5b6d, or its first characters, such as 3e1f."`
}

type hookShow struct{ oneHook }

// Run shows the hook.
func (c *hookShow) Run(ctx context.Context, streams Streams) error {
	return printAnswer(ctx, c.dataFlag, streams, admin.ShowHook{Hook: c.Hook}, c.JSON, func(h hook.Hook) error {
		return printHook(streams.Out, &h)
	})
}

func printHook(w io.Writer, h *hook.Hook) error {
	t := newTable(w)
	t.row("hook", visible(h.ID, ""))
	if h.Damaged { // nothing else of it can be read
		t.row("state", hookState(h))
		t.row("pending", h.Pending)
		return t.Flush()
	}
	t.row("url", visible(h.URL, ""))
	t.row("events", join(h.Events))
	if h.Filter != "" {
		t.row("filter", visible(h.Filter, ""))
	}
	if h.Format != "" {
		t.row("format", visible(string(h.Format), ""))
	}
	t.row("created", timeOrNever(&h.Created))
	t.row("state", hookState(h))
	t.row("delivered", fmt.Sprintf("%d, the last %s", h.Done, timeOrNever(h.LastSuccess)))
	t.row("pending", fmt.Sprintf("%d, of at most %d", h.Pending, hook.MostPending))
	if h.LastFailure != nil {
		t.row("last failure", timeOrNever(h.LastFailure)+": "+visible(h.LastError, ""))
	}
	if h.Next != nil {
		t.row("next attempt", timeOrNever(h.Next))
	}
	if h.Dropped > 0 {
		t.row("dropped", fmt.Sprintf("%d, the last %s: %s", h.Dropped, timeOrNever(h.DroppedAt), h.DroppedWhy))
	}
	return t.Flush()
}

type hookTest struct{ oneHook }

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
