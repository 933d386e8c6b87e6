package cli

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"relais/admin"
	"relais/ingest"
	"relais/ingest/source"
	"relais/internal/folder"
)

// nameWidth is how many characters of a file's name a table shows.
const nameWidth = 30

// printFiles prints how many rows of each file were read, served, unused and rejected, and why.
func printFiles(w io.Writer, files []*source.Report) error {
	names := shortNames(files)
	t := newTable(w, "FILE", "KIND", "ROWS", "SERVED", "UNUSED", "REJECTED")
	for i, f := range files {
		unused := source.Sum(f.Unused)
		t.row(names[i], f.Kind, f.Rows, f.Served, unused, f.Rows-f.Served-unused)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	unused, rejected := reasonsOf(files, names)
	printList(w, "unused, which is normal: rows about what these markets do not have", unused)
	printList(w, "rejected:", rejected)
	return nil
}

// reasonsOf lists why rows were not served, one line for each file and reason. Unused rows are among the
// rejected of a report too, and are told apart here: nothing is wrong with them.
func reasonsOf(files []*source.Report, names []string) (unused, rejected []string) {
	for i, f := range files {
		for _, reason := range slices.Sorted(maps.Keys(f.Rejected)) {
			line := fmt.Sprintf("%s: %d %s", names[i], f.Rejected[reason], visible(reason, ""))
			if f.Unused[reason] > 0 {
				unused = append(unused, line)
			} else {
				rejected = append(rejected, line+rejectedLines(f, reason))
			}
		}
		if list := spellings(f.Unknown); list != "" {
			rejected = append(rejected, names[i]+": unknown operators, the most frequent: "+list)
		}
	}
	return unused, rejected
}

func printList(w io.Writer, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintln(w, title)
	for _, line := range lines {
		fmt.Fprintln(w, "  "+line)
	}
}

// shortNames returns names of files that fit into a table of 100 columns: members without their archive, unless
// two have the same name, and kept files without their folder.
func shortNames(files []*source.Report) []string {
	names, count := make([]string, len(files)), map[string]int{}
	for i, f := range files {
		names[i] = strings.TrimSuffix(filepath.Base(f.Path), ".zst")
		count[afterColon(names[i])]++
	}
	for i, f := range files {
		if member := afterColon(names[i]); count[member] == 1 {
			names[i] = member
		}
		mark := ""
		if f.Kept {
			mark = " (kept)"
		}
		names[i] = shortened(visible(names[i], ""), nameWidth-len(mark)) + mark
	}
	return names
}

// afterColon returns the text after the last colon: the member of an archive.
func afterColon(name string) string { return name[strings.LastIndex(name, ":")+1:] }

// shortened returns at most limit characters of a name: its beginning and its end, where dates and extensions are.
func shortened(name string, limit int) string {
	r := []rune(name)
	if len(r) <= limit {
		return name
	}
	head := (limit - 1) / 2
	return string(r[:head]) + "…" + string(r[len(r)-(limit-1-head):])
}

// printImported is printFiles with the warning of each file. An ingest has the warnings
// among its notes.
func printImported(w io.Writer, files []*source.Report) error {
	err := printFiles(w, files)
	for _, f := range files {
		err = cmp.Or(err, printWarning(w, f))
	}
	told := ""
	for _, f := range files { // both kinds of a campaign say the same
		if f.Campaign != "" && f.Campaign != told {
			err = cmp.Or(err, printNote(w, "campaign "+f.Campaign+": "+f.Became))
		}
		told = f.Campaign
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

// printIngest prints a report. A forced ingest replaces an archive without comparing the rows.
func printIngest(w io.Writer, r *ingest.Report, forced bool) error {
	if err := printFiles(w, r.Files); err != nil {
		return err
	}
	for _, m := range r.Markets {
		if m.Snapshot == nil {
			continue
		}
		fmt.Fprintf(w, "%s: %d sites, %d emissions of %s in %s (%d bytes)\n",
			m.Market, m.Sites, m.Emissions, m.SourceDate, filepath.Base(m.Snapshot.Path), m.Snapshot.Bytes)
	}
	if r.Archived != "" {
		done := "added"
		if r.ArchiveReplaced {
			done = "replaced"
			if !forced {
				done += ": the file has other rows of that date"
			}
		}
		fmt.Fprintf(w, "archive of %s %s\n", r.Archived, done)
	}
	for _, n := range r.Notes {
		if err := printNote(w, n); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "snapshots after %.1f s, done in %.1f s\n", r.Published, r.Seconds)
	return err
}

// printNext prints the next step after an ingest that wrote a snapshot.
func printNext(w io.Writer, dir folder.Dir, reports ...*ingest.Report) error {
	if !slices.ContainsFunc(reports, func(r *ingest.Report) bool {
		return slices.ContainsFunc(r.Markets, func(m ingest.MarketReport) bool { return m.Snapshot != nil })
	}) {
		return nil
	}
	text := "next: relais serve --data " + visible(string(dir), "")
	if admin.IsServed(dir) { // index.Live watches the folder
		text = "next: nothing, the server of this folder loads it by itself"
	}
	_, err := fmt.Fprintln(w, text)
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

// rejectedLines lists the first lines that were rejected for the reason.
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
