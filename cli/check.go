package cli

import (
	"context"
	"fmt"
	"io"

	"relais/admin"
	"relais/check"
)

type checkCommand struct {
	dataFlag
	JSON bool `name:"json" help:"Print one JSON object."`
}

// Help is shown below the flags.
func (*checkCommand) Help() string {
	return `Reads every snapshot, kept source and store of the folder to its end, while it is served or not, and changes nothing. Exit code 0 when all is well, 1 when something is wrong; leftovers and unknown files are only named.

Examples:
  relais check --data DIR
  relais check --data DIR --json`
}

// Run checks the folder.
func (c *checkCommand) Run(ctx context.Context, streams Streams) error {
	r, err := check.Folder(ctx, c.dir())
	if err != nil {
		return err
	}
	if c.JSON {
		err = printJSON(streams.Out, r)
	} else {
		err = printReport(streams.Out, r)
	}
	if err == nil && !r.OK {
		err = fmt.Errorf("%s: something is wrong with %d of %s", c.Data, r.Problems(), admin.Number(len(r.Files), "file"))
	}
	return err
}

func printReport(w io.Writer, r *check.Report) error {
	t := newTable(w, "FILE", "BYTES", "STATE", "WHAT IT HOLDS, OR WHAT IS WRONG")
	for _, f := range r.Files {
		state, what := "ok", f.Detail
		if f.Problem != "" {
			state, what = "WRONG", f.Problem
		}
		t.row(f.Path, f.Bytes, state, what)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, n := range r.Notes {
		if _, err := fmt.Fprintln(w, "note: "+n); err != nil {
			return err
		}
	}
	return nil
}

type compactCommand struct {
	dataFlag
	JSON bool `name:"json" help:"Print one JSON object."`
}

// Help is shown below the flags.
func (*compactCommand) Help() string {
	return `Writes the stores anew without what was deleted. A running server does it by itself twice a day when something was deleted; this does it now, and requests are answered meanwhile.

Example:
  relais compact --data DIR`
}

// Run compacts the stores.
func (c *compactCommand) Run(ctx context.Context, streams Streams) error {
	var list []admin.Compacted
	if err := call(ctx, c.dataFlag, streams, admin.CompactStores{}, &list); err != nil {
		return err
	}
	if c.JSON {
		return printJSON(streams.Out, map[string]any{"stores": list})
	}
	t := newTable(streams.Out, "STORE", "BYTES BEFORE", "AFTER")
	for _, s := range list {
		t.row(s.Path, s.Before, s.After)
	}
	return t.Flush()
}
