package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"relais/admin"
	"relais/httpapi"
	"relais/ingest/update"
	"relais/internal/folder"
	"relais/market"
	"relais/outage"
)

type updateCommand struct {
	dataFlag
	Market  []marketList `arg:"" optional:"" name:"market" help:"Only these markets; those that come from the same files come with them."`
	Sources string       `type:"path" placeholder:"FILE" help:"Your own table of the files' addresses, instead of the built-in one."`
	With    string       `placeholder:"WORD,…" help:"What to fetch in addition, from now on: coverage, transports, belgium-antennas, belgium-coverage, outages-since=DATE, or none."`
	Force   bool         `help:"Also download unchanged files, try refused files again, and override the guards as ingest --force does."`
	JSON    bool         `name:"json" help:"Print the report as one JSON object."`
}

// Run updates the folder.
func (c *updateCommand) Run(ctx context.Context, streams Streams) error {
	table, err := readSources(c.Sources)
	if err != nil {
		return err
	}
	o := update.Options{
		Dir: c.dir(), Table: table, Markets: slices.Concat(c.Market...), Force: c.Force, Version: version(), Limits: update.DefaultLimits,
		Fetching: downloadBars(streams.Err), Asked: fileLines(streams.Err), Retrying: retryLines(streams.Err),
		Reading:  progress(streams.Err, "reading"),
		Archive:  archiveBy(c.dataFlag, streams),
		Ingested: afterIngest(c.dataFlag, streams), Feeds: feedsBy(c.dataFlag, streams),
		Measures: measuresBy(c.dataFlag, streams), Days: daysBy(c.dataFlag, streams), Planned: planLines(streams.Err, c.dir()),
	}
	if c.With != "" {
		if o.Choice, err = table.ParseChoice(c.With, time.Now()); err != nil {
			return usageError{fmt.Errorf("--with: %w", err)}
		}
	}
	// Of a node of a cluster, the snapshots go to all nodes, through its server.
	if o.Publisher, err = admin.PublisherOf(c.dir(), streams.warnings()); err != nil {
		return err
	}
	defer collectOften()()
	r, err := update.Run(ctx, o)
	stopped := errors.Is(err, context.Canceled) // the report has what was done until then
	if errors.Is(err, update.ErrNothing) {
		err = usageError{err}
	}
	if err != nil && !stopped {
		return err
	}
	// Files that failed are in the report, not in err: it is printed before the exit code says so.
	if c.JSON {
		err = printJSON(streams.Out, r)
	} else {
		err = printUpdate(streams.Out, r, c.Force)
	}
	if err != nil {
		return err
	}
	if stopped {
		return errors.New("stopped; what was done before stays (see above), and the next update does the rest")
	}
	if !c.JSON {
		if err := printNext(streams.Out, c.dir(), ingestsOf(r)...); err != nil {
			return err
		}
	}
	return cmp.Or(updateError(c.Data, r), archiveError(ingestsOf(r)...))
}

// readSources reads the user's table, or returns the built-in one if path is empty. A table with a
// mistake is wrong use; one that cannot be read is a failure.
func readSources(path string) (*update.Table, error) {
	if path == "" {
		return update.Default()
	}
	table, err := update.ReadTable(path)
	if _, unread := errors.AsType[*fs.PathError](err); err != nil && !unread {
		err = usageError{err}
	}
	return table, err
}

// downloadBars returns a function that makes a bar for each download, nil if w is not a terminal.
func downloadBars(w io.Writer) func(string, int64) func(int) {
	if progress(w, "") == nil {
		return nil
	}
	return func(name string, total int64) func(int) { return progress(w, name)(total) }
}

func marketNames(s *update.SourceReport) string {
	names := make([]string, len(s.Markets))
	for i, m := range s.Markets {
		names[i] = string(m)
	}
	return strings.Join(names, ",")
}

// printUpdate prints a line for each file, then the reports of the ingests and feeds. Texts from addresses
// and answers may have escape sequences.
func printUpdate(w io.Writer, r *update.Report, forced bool) error {
	t := newTable(w, "MARKETS", "FILE", "STATUS", "BYTES", "FROM, OR REASON")
	for _, s := range r.Sources {
		for _, f := range s.Files {
			t.row(marketNames(s), f.Name, f.Status, f.Bytes, visible(cmp.Or(f.Error, f.URL), ""))
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, s := range r.Sources {
		for _, n := range s.Notes {
			fmt.Fprintln(w, "note:", visible(n, ""))
		}
		printDays(w, s)
		for _, in := range s.Ingests {
			if err := printIngest(w, in, forced); err != nil {
				return err
			}
		}
		if err := printImports(w, s.Imports); err != nil {
			return err
		}
		if err := printFeeds(w, s.Feeds); err != nil {
			return err
		}
	}
	for _, n := range r.Notes {
		fmt.Fprintln(w, "note:", visible(n, ""))
	}
	return nil
}

// feedsBy returns a function that imports feeds through the folder's server, or directly if none runs.
func feedsBy(d dataFlag, streams Streams) update.Feeds {
	return func(ctx context.Context, code market.Code, news ...outage.News) (all []outage.Outcome, err error) {
		err = call(ctx, d, streams, admin.TakeOutages{Market: code, News: news}, &all)
		return all, err
	}
}

// measuresBy returns a function that imports an authority's measurements through the folder's server, or directly if none
// runs.
func measuresBy(d dataFlag, streams Streams) update.Measures {
	return func(ctx context.Context, code market.Code, path string, force bool) (t update.Taken, err error) {
		err = call(ctx, d, streams, admin.TakeMeasures{Market: code, Path: path, Force: force}, &t)
		return t, err
	}
}

// daysBy returns a function that does the same with daily lists of unavailable sites.
func daysBy(d dataFlag, streams Streams) update.Days {
	return func(ctx context.Context, code market.Code, files ...update.DayFile) (t update.Taken, err error) {
		err = call(ctx, d, streams, admin.TakeOutageDays{Market: code, Files: files}, &t)
		return t, err
	}
}

// printFeeds prints the rows of operators' files, and the state of their feeds.
func printFeeds(w io.Writer, feeds []outage.Outcome) error {
	for _, f := range feeds {
		if len(f.Files) > 0 {
			if err := printImported(w, f.Files); err != nil {
				return err
			}
		}
	}
	for _, f := range feeds {
		text := admin.Number(f.Served, "unavailable site")
		if f.ReadAt != nil {
			text += ", read " + shortTime(*f.ReadAt)
		}
		if _, err := fmt.Fprintf(w, "%s %s: %s, %s\n", f.Market, f.Operator, f.State, text); err != nil {
			return err
		}
	}
	return nil
}

// newKeeper returns the background updates that --update-every asks for, nil without it. It refuses a folder that
// cannot be written to: otherwise only the log would say that every update fails.
func (c *serveCommand) newKeeper(dir folder.Dir) (*update.Keeper, error) {
	if c.UpdateEvery == 0 {
		return nil, nil
	}
	if c.UpdateEvery < time.Second {
		return nil, usageError{fmt.Errorf("--update-every %s: want a time between two updates, such as 24h",
			c.UpdateEvery)}
	}
	table, err := readSources(c.Sources)
	if err != nil {
		return nil, err
	}
	if len(table.Markets()) == 0 {
		return nil, usageError{fmt.Errorf("--update-every: %w", update.ErrNothing)}
	}
	if err := update.Writable(dir); err != nil {
		if folder.ReadOnly(err) {
			return nil, fmt.Errorf("--update-every: %s cannot be written to, and so cannot be updated: %w",
				dir, err)
		}
		return nil, err
	}
	return &update.Keeper{Options: update.Options{Dir: dir, Table: table, Version: version(),
		Limits: update.DefaultLimits}, Every: c.UpdateEvery}, nil
}

// updatesOf returns the state of the updates for the API; nil without updates.
func updatesOf(k *update.Keeper) func() httpapi.Updates {
	if k == nil {
		return nil
	}
	return func() httpapi.Updates {
		s := k.State()
		return httpapi.Updates{Running: s.Running, LastRun: s.Last, Next: s.Next, Problems: s.Problems,
			Success: s.Success, Failures: s.Failures}
	}
}
