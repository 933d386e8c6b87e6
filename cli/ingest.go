package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"relais/address"
	"relais/admin"
	"relais/ingest"
)

type ingestCommand struct {
	dataFlag
	Markets marketList `arg:"" name:"market" help:"The markets that the files are for: FR,DROM for the French ones."`
	Files   []string   `arg:"" name:"file" help:"Files, folders or zip archives, in any order; what each is, is found by its content."`
	Force   bool       `help:"Write even if the data is older, or drops over 5 % of the sites, or of what a column gave to them."`
	JSON    bool       `name:"json" help:"Print the report as one JSON object."`
}

// Run ingests the files.
func (c *ingestCommand) Run(ctx context.Context, streams Streams) error {
	// A common mistake is --data FILE, without the folder.
	if info, err := os.Stat(c.Data); err == nil && !info.IsDir() {
		return usageError{fmt.Errorf("--data %s: a file, and the data folder belongs here: relais ingest --data DIR %s %s",
			c.Data, join(c.Markets), c.Data)}
	}
	defer collectOften()()
	addresses, err := c.ingestAddresses(ctx, streams)
	if err != nil {
		return err
	}
	if addresses != nil && !c.JSON {
		if err := printAddresses(streams.Out, addresses); err != nil {
			return err
		}
	}
	if len(c.Files) > 0 {
		return c.ingestRegister(ctx, streams, addresses)
	}
	if c.JSON {
		return printJSON(streams.Out, ingested{Addresses: addresses})
	}
	return nil
}

// ingestRegister ingests the files of registers. Of addresses that were ingested before, it only prints the JSON.
func (c *ingestCommand) ingestRegister(ctx context.Context, streams Streams, addresses *address.Report) error {
	o := ingest.Options{Dir: c.dir(), Markets: c.Markets, Paths: c.Files, Force: c.Force, Now: time.Now(),
		Progress: progress(streams.Err, "reading"), Archive: archiveBy(c.dataFlag, streams)}
	var err error
	if o.Publisher, err = admin.PublisherOf(c.dir(), streams.warnings()); err != nil {
		return err
	}
	r, err := ingest.Run(ctx, o)
	if err != nil {
		return err
	}
	afterIngest(c.dataFlag, streams)(ctx, r) // before the report is printed: it may add a note
	if c.JSON {
		return cmp.Or(printJSON(streams.Out, ingested{r, addresses}), archiveError(r))
	}
	if err := printIngest(streams.Out, r, c.Force); err != nil {
		return err
	}
	return cmp.Or(printNext(streams.Out, c.dir(), r), archiveError(r))
}

// archiveError returns an error if an ingest did not add the archive. It comes after the report: the
// snapshots are published by then, and only the exit code and the last line say that something is missing.
func archiveError(reports ...*ingest.Report) error {
	for _, r := range reports {
		if r.Unarchived != "" {
			return fmt.Errorf("the snapshots are new, but no archive was added: %s (when this is mended, the same ingest, or "+
				"relais archive add, adds it)", r.Unarchived)
		}
	}
	return nil
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// progress returns a function that makes a bar, nil if w is not a terminal: in a log, a bar would be
// thousands of lines.
func progress(w io.Writer, what string) func(int64) func(int) {
	if !isTerminal(w) {
		return nil
	}
	return func(total int64) func(int) {
		bar := progressbar.NewOptions64(total, progressbar.OptionSetWriter(w), progressbar.OptionShowBytes(true),
			progressbar.OptionSetDescription(what), progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionClearOnFinish())
		return func(n int) { bar.Add(n) } // its errors do not matter
	}
}
