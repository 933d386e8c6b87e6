package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"relais/admin"
	"relais/archive"
	"relais/ingest"
	"relais/ingest/source"
	"relais/market"
)

type archiveCommand struct {
	Add  archiveAdd  `cmd:"" help:"Keep publications of the ANFR's observatoire, each under its date."`
	List archiveList `cmd:"" help:"List the archives, the newest first."`
	Diff archiveDiff `cmd:"" help:"Compare two editions of a market's register."`
}

type archiveAdd struct {
	dataFlag
	Files []string `arg:"" name:"file" help:"Observatoires: files, folders or zip archives."`
	Date  string   `placeholder:"YYYY-MM-DD" help:"The date of the publication, of one file; default: the one that the file states."`
	Force bool     `help:"Replace an archive of the same date; accept a future date, or over 5 % fewer supports."`
	JSON  bool     `name:"json" help:"Print one JSON object."`
}

// Validate refuses wrong flags.
func (c *archiveAdd) Validate() error {
	if err := c.dataFlag.Validate(); err != nil || c.Date == "" {
		return err
	}
	if _, err := time.Parse(time.DateOnly, c.Date); err != nil {
		return fmt.Errorf("--date %q: want a date as YYYY-MM-DD", c.Date)
	}
	if len(c.Files) > 1 {
		return errors.New("--date is the date of one file: add them one by one")
	}
	return nil
}

// Run adds the archives.
func (c *archiveAdd) Run(ctx context.Context, streams Streams) error {
	paths, err := absolute(c.Files)
	if err != nil {
		return err
	}
	defer collectOften()()
	added, err := c.add(ctx, streams, paths)
	if c.JSON && (err == nil || len(added) > 0) {
		err = errors.Join(printJSON(streams.Out, map[string]any{"added": added}), err)
	}
	return err
}

// add adds the paths one by one, to print each report as soon as it is known. After an error it returns the
// reports of the archives that were added, which stay.
func (c *archiveAdd) add(ctx context.Context, streams Streams, paths []string) ([]*archive.Report, error) {
	added := []*archive.Report{}
	step := progressSteps(streams.Err, len(paths))
	for _, path := range paths {
		var reports []*archive.Report
		err := call(ctx, c.dataFlag, streams, admin.AddArchives{Paths: []string{path}, Date: c.Date, Force: c.Force},
			&reports)
		step()
		if err != nil {
			return added, err
		}
		added = append(added, reports...)
		for _, r := range reports {
			if c.JSON {
				continue
			}
			if err := printArchived(streams.Out, r); err != nil {
				return added, err
			}
		}
	}
	return added, nil
}

// absolute makes the paths absolute, for a server with another working directory.
func absolute(paths []string) ([]string, error) {
	all := make([]string, len(paths))
	for i, path := range paths {
		if _, err := os.Stat(path); err != nil {
			return nil, err
		}
		var err error
		if all[i], err = filepath.Abs(path); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// progressSteps returns a function to call after each of n files. It moves a bar on a terminal.
func progressSteps(w io.Writer, n int) func() {
	begin := progress(w, "adding")
	if begin == nil || n < 2 {
		return func() {}
	}
	bar := begin(int64(n))
	return func() { bar(1) }
}

func printArchived(w io.Writer, r *archive.Report) error {
	var changes []string
	for _, kind := range slices.Sorted(maps.Keys(r.Changes)) {
		changes = append(changes, fmt.Sprintf("%d %s", r.Changes[kind], kind))
	}
	_, err := fmt.Fprintf(w, "%s: %d of %d rows of %s, %d supports; since %s: %s (%d bytes, %.1f s)\n", r.Date,
		r.File.Served, r.File.Rows, visible(r.File.Path, ""), r.Supports,
		cmp.Or(r.Before, "the beginning"), strings.Join(changes, ", "), r.Bytes, r.Seconds)
	for _, reason := range slices.Sorted(maps.Keys(r.File.Rejected)) {
		fmt.Fprintf(w, "  rejected: %d %s%s\n", r.File.Rejected[reason], visible(reason, ""),
			rejectedLines(r.File, reason))
	}
	return cmp.Or(err, printWarning(w, r.File))
}

type archiveList struct{ folderFlags }

// Run lists the archives.
func (c *archiveList) Run(ctx context.Context, streams Streams) error {
	command := admin.ListArchives{}
	return printAnswerList(ctx, c.dataFlag, streams, command, c.JSON, "archives", func(list []archive.Publication) error {
		t := newTable(streams.Out, "DATE", "ROWS", "SUPPORTS", "ADDED", "")
		for _, p := range list {
			note := ""
			if p.Synthetic {
				note = source.Synthetic
			}
			t.row(p.Date, p.Rows, p.Supports, shortTime(p.Added), note)
		}
		if err := t.Flush(); err != nil {
			return err
		}
		_, err := fmt.Fprintf(streams.Out, "%s\n", admin.Number(len(list), "archive"))
		return err
	})
}

// archiveBy lets an ingest add archives through the folder's server, or directly if none runs.
func archiveBy(d dataFlag, streams Streams) *ingest.Archive {
	a := archiveOf(func(ctx context.Context, c admin.AddArchives) (reports []*archive.Report, err error) {
		err = call(ctx, d, streams, c, &reports)
		return reports, err
	})
	// A draft is memory of this process. A server reads the kept file itself.
	if admin.IsServed(d.dir()) {
		a.Draft = nil
	}
	return a
}

// archiveOf lets an ingest add archives by a function. Package ingest does not import archive, which reads files with
// its packages: it states what it adds in types of its own.
func archiveOf(add func(context.Context, admin.AddArchives) ([]*archive.Report, error)) *ingest.Archive {
	return &ingest.Archive{
		Draft: func() ingest.Draft { return &archive.Draft{} },
		Add: func(ctx context.Context, path string, how ingest.Archiving) (ingest.Archived, error) {
			c := admin.AddArchives{Paths: []string{path}, Force: how.Force, Newest: how.Newest, Known: true}
			c.Draft, _ = how.Draft.(*archive.Draft)
			added, err := add(ctx, c)
			if len(added) == 0 { // the date has an archive that stays
				return ingest.Archived{}, err
			}
			last := added[len(added)-1]
			return ingest.Archived{Date: last.Date, Replaced: last.Replaced}, err
		},
	}
}

// afterIngest returns a function to call after an ingest by a command.
func afterIngest(d dataFlag, streams Streams) func(context.Context, *ingest.Report) {
	return func(ctx context.Context, r *ingest.Report) { noteEditions(ctx, d, streams, r) }
}

// noteEditions keeps the changes of an ingest in markets whose editions are its snapshots. A failure
// becomes a note of the report: the snapshots are published already, and a server notes the edition when it
// loads them.
func noteEditions(ctx context.Context, d dataFlag, streams Streams, r *ingest.Report) {
	var c admin.NoteEditions
	for _, m := range r.Markets {
		if m.Snapshot != nil {
			c.Markets = append(c.Markets, m.Market)
		}
	}
	if len(c.Markets) == 0 {
		return
	}
	if err := call(ctx, d, streams, c, new([]market.Code)); err != nil {
		r.Notes = append(r.Notes,
			fmt.Sprintf("what this ingest changed was not kept (a server does it when it loads the snapshot): %v", err))
	}
}
