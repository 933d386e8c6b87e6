package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"relais/admin"
	"relais/ingest"
	"relais/ingest/source"
)

type ingestCommand struct {
	dataFlag
	Markets marketList `arg:"" name:"market" help:"The markets that the files are for: FR,DROM for the French ones."`
	Files   []string   `arg:"" name:"file" help:"Files, folders or zip archives, in any order; what each is, is found by its content."`
	Force   bool       `help:"Write even when the data is older than the present snapshot, or would drop over 5 % of its sites or of an enrichment."`
	JSON    bool       `name:"json" help:"Print the report as one JSON object."`
}

// Help is shown below the flags.
func (*ingestCommand) Help() string {
	return `Examples:
  relais ingest --data DIR FR,DROM observatoire.csv
  relais ingest --data DIR FR,DROM observatoire.csv SUP_tables.zip arcep_sites.csv radio_ids.ntm laposte_hexasmal.csv
  relais ingest --data DIR FR,DROM opencellid_208.csv    adds cells to the kept inventory

The last good input of each kind is kept in DIR/sources: a new weekly observatoire alone keeps the
azimuths, the operators' site ids and the radio identifiers. A failed ingest leaves everything as it
was. A running server loads the new snapshot by itself. An observatoire is also kept as an archive
(relais archive).`
}

// Run ingests the files.
func (c *ingestCommand) Run(ctx context.Context, streams Streams) error {
	o := ingest.Options{Dir: c.dir(), Markets: c.Markets, Paths: c.Files, Force: c.Force, Now: time.Now(),
		Progress: progress(streams.Err, "reading")}
	var err error
	if o.Publisher, err = admin.PublisherOf(c.dir(), streams.warnings()); err != nil {
		return err
	}
	r, err := ingest.Run(ctx, o)
	if err != nil {
		return err
	}
	afterIngest(c.dataFlag, c.Force, streams)(ctx, r)
	if c.JSON {
		return printJSON(streams.Out, r)
	}
	return printIngest(streams.Out, r)
}

// progress returns a bar on a terminal, nil elsewhere.
func progress(w io.Writer, what string) func(int64) func(int) {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	return func(total int64) func(int) {
		bar := progressbar.NewOptions64(total, progressbar.OptionSetWriter(w), progressbar.OptionShowBytes(true),
			progressbar.OptionSetDescription(what), progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionClearOnFinish())
		return func(n int) { bar.Add(n) } // its errors do not matter
	}
}

// printFiles prints how many rows of each file were read, served and rejected.
func printFiles(w io.Writer, files []*source.Report) error {
	t := newTable(w, "FILE", "KIND", "ROWS", "SERVED", "REJECTED")
	for _, f := range files {
		t.row(visible(f.Path, ""), f.Kind, f.Rows, f.Served, f.Rows-f.Served)
		for _, reason := range slices.Sorted(maps.Keys(f.Rejected)) {
			t.row("", "", "", "",
				fmt.Sprintf("%d %s%s", f.Rejected[reason], visible(reason, ""), rejectedLines(f, reason)))
		}
		if names := spellings(f.Unknown); names != "" {
			t.row("", "", "", "", "unknown operators, the most frequent: "+names)
		}
	}
	return t.Flush()
}

// printImported is printFiles with the warning of each file. An ingest has the warnings
// among its notes.
func printImported(w io.Writer, files []*source.Report) error {
	err := printFiles(w, files)
	for _, f := range files {
		err = cmp.Or(err, printWarning(w, f))
	}
	return err
}

func printWarning(w io.Writer, f *source.Report) error {
	if f.Warning == "" {
		return nil
	}
	return printNote(w, f.Path+": "+f.Warning)
}

func printNote(w io.Writer, text string) error {
	_, err := fmt.Fprintln(w, "note:", visible(text, ""))
	return err
}

func printIngest(w io.Writer, r *ingest.Report) error {
	if err := printFiles(w, r.Files); err != nil {
		return err
	}
	for _, m := range r.Markets {
		if m.Snapshot == nil {
			continue
		}
		fmt.Fprintf(w, "%s: %d sites, %d emissions of %s in %s (%d bytes, version %s)\n",
			m.Market, m.Sites, m.Emissions, m.SourceDate, m.Snapshot.Path, m.Snapshot.Bytes, m.Snapshot.Version)
	}
	if r.Archived != "" {
		fmt.Fprintf(w, "archive of %s added\n", r.Archived)
	}
	for _, n := range r.Notes {
		if err := printNote(w, n); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "done in %.1f s\n", r.Seconds)
	return err
}

// spellings lists names as the source writes them, quoted: they may hold anything.
func spellings(list []source.Spelling) string {
	var names []string
	for _, s := range list {
		names = append(names, fmt.Sprintf("%d %q", s.Rows, s.Name))
	}
	return strings.Join(names, ", ")
}

// rejectedLines lists the first rejectedLines that were rejected for the reason.
func rejectedLines(f *source.Report, reason string) string {
	text := ""
	for _, e := range f.Examples {
		if e.Reason == reason {
			text += fmt.Sprintf(" %d", e.Line)
		}
	}
	if text == "" {
		return ""
	}
	return " (line" + text + ")"
}
