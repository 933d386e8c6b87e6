package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"relais/admin"
	"relais/ingest"
	"relais/ingest/source"
	"relais/ingest/update"
	"relais/internal/folder"
)

// clearLine begins a line on a terminal where a bar may be: it goes back to the first column and clears it.
const clearLine = "\r\x1b[K"

// fileLines returns a function that prints one line for each file of an update.
func fileLines(w io.Writer) func(*update.FileReport) {
	start := lineStart(w)
	return func(f *update.FileReport) {
		text := string(f.Status)
		switch {
		case f.Error != "":
			text = "failed: " + f.Error
		case f.Status == "":
			text = "downloaded " + megabytes(f.Bytes)
		}
		fmt.Fprintf(w, "%s%s: %s\n", start, f.Name, visible(text, ""))
	}
}

// retryLines returns a function that prints why an update waits.
func retryLines(w io.Writer) func(name string, err error, wait time.Duration) {
	start := lineStart(w)
	return func(name string, err error, wait time.Duration) {
		fmt.Fprintf(w, "%s%s: %s; trying again in %.0f s\n", start, name, visible(err.Error(), ""), wait.Seconds())
	}
}

// lineStart returns the beginning of a line: on a terminal, one that clears a bar.
func lineStart(w io.Writer) string {
	if progress(w, "") == nil {
		return ""
	}
	return clearLine
}

// planLines returns a function that says what an update fetches because somebody asked for it, and how much room there is.
func planLines(w io.Writer, dir folder.Dir) func(files []*update.File, free uint64) {
	return func(files []*update.File, free uint64) {
		fmt.Fprintf(w, "in addition (relais update --data %s --with none ends it), with %s free on the disk:\n", dir,
			megabytes(int64(min(free, 1<<62))))
		for _, f := range files {
			fmt.Fprintf(w, "  %s: %s\n", f.Name, visible(cmp.Or(f.About, "of a size that is not known"), ""))
		}
	}
}

// printImports prints the reports on the last imports: a year of daily lists has many.
func printImports(w io.Writer, all []*source.Report) error {
	const shown = 5
	if n := len(all) - shown; n > 0 {
		fmt.Fprintf(w, "%s before these (--json has all):\n", admin.Number(n, "file"))
		all = all[n:]
	}
	if len(all) == 0 {
		return nil
	}
	return printImported(w, all)
}

// printDays prints how many days of daily lists and coverage maps came, and which days the authority does not have.
func printDays(w io.Writer, s *update.SourceReport) {
	const shown = 10
	for _, f := range s.Files {
		if len(f.Days) > 0 {
			fmt.Fprintf(w, "%s: %s read, %s to %s\n", f.Name, admin.Number(len(f.Days), "day"), f.Days[0],
				f.Days[len(f.Days)-1])
		}
		if len(f.Maps) > 0 {
			fmt.Fprintf(w, "%s: %s imported\n", f.Name, admin.Number(len(f.Maps), "coverage map"))
		}
		if n := len(f.Gaps); n > 0 {
			more := ""
			if n > shown {
				more = " …"
			}
			fmt.Fprintf(w, "%s: %s not published: %s%s\n", f.Name, admin.Number(n, "day"),
				strings.Join(f.Gaps[:min(n, shown)], ", "), more)
		}
	}
}

func megabytes(n int64) string {
	if n < 1e5 {
		return fmt.Sprintf("%d bytes", n)
	}
	if n >= 1e10 {
		return fmt.Sprintf("%.0f GB", float64(n)/1e9)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

func ingestsOf(r *update.Report) (all []*ingest.Report) {
	for _, s := range r.Sources {
		all = append(all, s.Ingests...)
	}
	return all
}

// updateError returns an error that says which markets and files failed, and what to do next, nil if none failed.
// The reasons of files are in the report.
func updateError(dir string, r *update.Report) error {
	if !r.Failed() {
		return nil
	}
	var files, problems []string
	all := 0
	for _, s := range r.Sources {
		if s.Error != "" {
			problems = append(problems, marketNames(s)+": "+s.Error)
		}
		for _, f := range s.Files {
			if all++; f.Status == update.Failed {
				files = append(files, f.Name)
			}
		}
	}
	switch {
	case len(files) == 0:
	case len(files) == all:
		problems = append(problems, fmt.Sprintf("all %d files failed, for the reasons above", all))
	default:
		problems = append(problems, fmt.Sprintf("%d of %d files failed, for the reasons above: %s", len(files), all,
			strings.Join(files, ", ")))
	}
	next := "next: relais update --data " + dir + " tries them again"
	if r.Offline {
		next = "no internet? Download the files by hand (docs/data-sources.md says which), then " +
			"relais ingest --data " + dir + " MARKET FILE…"
	}
	return errors.New(strings.Join(append(problems, next), "\n        "))
}
