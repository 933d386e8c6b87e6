package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"relais/admin"
	"relais/internal/folder"
)

type checkCommand struct {
	Data   string `placeholder:"DIR" help:"The data folder."`
	Backup string `placeholder:"COPY" help:"Compare a copy that relais backup made with its list of files, instead of a data folder."`
	Accept bool   `help:"Trust the folder as it is: files may be missing or older than they were."`
	Repair string `placeholder:"measures" enum:"measures," default:"" help:"Make a lost measures.db again; the folder must not be served."`
	JSON   bool   `name:"json" help:"Print one JSON object."`
}

// Validate refuses flags without a folder, or for another kind of folder.
func (c *checkCommand) Validate() error {
	switch {
	case c.Data == "" && c.Backup == "": // both may be given: RELAIS_DATA stays set
		return errors.New("missing flags: --data=DIR, or --backup=COPY")
	case c.Backup != "" && c.Accept:
		return errors.New("--accept is for a data folder, not for a copy")
	case c.Backup != "" && c.Repair != "":
		return errors.New("--repair is for a data folder, not for a copy")
	}
	return nil
}

// Run checks the folder. If a flag asks for it, it first repairs or accepts the folder, so that the report has the
// outcome.
func (c *checkCommand) Run(ctx context.Context, streams Streams) error {
	if c.Accept {
		if err := c.accept(ctx, streams); err != nil {
			return err
		}
	}
	if c.Repair != "" {
		if err := c.repair(streams); err != nil {
			return err
		}
	}
	r, err := c.report(ctx)
	if err != nil {
		return err
	}
	if c.JSON {
		err = printJSON(streams.Out, r)
	} else {
		err = printReport(streams.Out, r)
	}
	if err == nil && !r.OK {
		err = fmt.Errorf("%s: something is wrong with %d of %s", cmp.Or(c.Backup, c.Data), r.Problems(),
			admin.Number(len(r.Files), "file"))
	}
	return err
}

// repair rebuilds measures.db and prints the outcome to the error output, which leaves the output to the report in JSON.
func (c *checkCommand) repair(streams Streams) error {
	r, err := admin.RepairMeasures(folder.Dir(c.Data))
	if err != nil {
		return err
	}
	fmt.Fprintf(streams.Err, "measures.db names %s with %s now\n", admin.Number(r.Files, "file"),
		admin.Number(r.Measures, "measure"))
	if r.Aside != "" {
		fmt.Fprintf(streams.Err, "the former measures.db is kept as %s\n", r.Aside)
	}
	for _, why := range r.Left {
		fmt.Fprintf(streams.Err, "left out: %s\n", visible(why, ""))
	}
	return nil
}

// report checks the copy if one is named, else the folder: RELAIS_DATA may be set for both.
func (c *checkCommand) report(ctx context.Context) (*admin.CheckReport, error) {
	if c.Backup != "" {
		return admin.CheckBackup(ctx, c.Backup)
	}
	return admin.CheckFolder(ctx, folder.Dir(c.Data))
}

// accept makes the folder's server trust it, or the folder itself if none runs. A server has the files open
// that it refused, so it must start again.
func (c *checkCommand) accept(ctx context.Context, streams Streams) error {
	var a admin.Accepted
	if err := call(ctx, dataFlag{c.Data}, streams, admin.Accept{}, &a); err != nil {
		return err
	}
	for _, file := range a.Files {
		fmt.Fprintf(streams.Err, "%s is accepted as it is; a running server must be started again\n", file)
	}
	return nil
}

func printReport(w io.Writer, r *admin.CheckReport) error {
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

type compactCommand struct{ folderFlags }

// Run compacts the stores.
func (c *compactCommand) Run(ctx context.Context, streams Streams) error {
	command := admin.CompactStores{}
	return printAnswerList(ctx, c.dataFlag, streams, command, c.JSON, "stores", func(list []admin.Compacted) error {
		t := newTable(streams.Out, "STORE", "BYTES BEFORE", "AFTER", "")
		gained := int64(0)
		for _, s := range list {
			note := ""
			if gained += s.Before - s.After; s.Before <= s.After {
				note = "nothing to gain"
			}
			t.row(s.Path, s.Before, s.After, note)
		}
		if err := t.Flush(); err != nil {
			return err
		}
		if gained <= 0 {
			_, err := fmt.Fprintln(streams.Out, "Nothing was deleted, and the stores cannot be smaller: no need to do this again.")
			return err
		}
		_, err := fmt.Fprintf(streams.Out, "%d bytes less\n", gained)
		return err
	})
}
