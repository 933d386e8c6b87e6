// Command bench measures relais at national size, or at another, and prints one table. Every
// HTTP row stands beside a bare net/http handler that returns the same bytes in
// the same run, because the machine's speed changes from run to run and a ratio
// does not. make bench runs it.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"relais/demo"
)

// nationalSupports is the number of supports of the register of 2026-08-27.
const nationalSupports = 72700

func main() {
	bare := flag.String("bare", "", "internal: serve the answers of this file")
	files := flag.String("files", "", "internal: write the files of a country of national size here")
	relais := flag.String("relais", "build/relais", "the program to measure")
	memory := flag.String("memory", "", "internal: measure in this process what the folder costs in memory")
	multiplyFrom := flag.String("multiply", "", "internal: multiply the register of this folder to -sites")
	to := flag.String("to", "", "internal: the folder that gets them")
	archives := flag.Bool("archives", false, "internal: measure archives in this process")
	importing := flag.Bool("import", false, "internal: import measures in this process")
	asking := flag.Bool("ask", false, "internal: ask what was imported in this process")
	weeks := flag.Int("weeks", 81, "how many weekly publications of national size to archive; 0: none")
	points := flag.Int("points", 10_000_000, "how many coverage points to import; 0: none")
	sites := flag.Int("sites", 0, "measure on a synthetic market of so many sites, instead of one of national size")
	data := flag.String("data", "", "a data folder to measure on, instead of a synthetic one of national size")
	work := flag.String("work", "build/bench", "where the synthetic one is made and kept")
	tools := flag.String("tools", "", "internal: measure the tools on this folder")
	seconds := flag.Int("seconds", 3, "how long each row is measured; a tool for five at least")
	flag.Parse()
	var err error
	switch {
	case *bare != "":
		err = serveBare(*bare)
	case *files != "":
		_, err = demo.Write(*files, nationalSupports)
	case *memory != "":
		err = measureMemory(*memory)
	case *tools != "":
		err = measureTools(context.Background(), *relais, *tools, time.Duration(*seconds)*time.Second)
	case *multiplyFrom != "":
		err = multiply(*multiplyFrom, *to, *sites)
	case *archives:
		err = measureArchives(*work, nationalSupports, *weeks)
	case *importing:
		err = importMeasures(*work, nationalSupports, *points)
	case *asking:
		err = askMeasures(*work)
	default:
		if err = run(*relais, *data, *work, *sites, *seconds); err == nil && *data == "" && *sites == 0 {
			err = inTime(*work, *weeks, *points)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(relais, data, work string, sites, seconds int) error {
	if _, err := exec.LookPath("wrk"); err != nil {
		return fmt.Errorf("wrk is needed (Debian: apt-get install wrk): %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	synthetic := data == ""
	if synthetic {
		var err error
		if data, err = national(relais, work); err != nil {
			return err
		}
		if sites > 0 {
			if data, err = multiplied(data, work, sites); err != nil {
				return err
			}
		}
	}
	if _, err := again("-memory", data); err != nil {
		return err
	}
	each := time.Duration(seconds) * time.Second
	if err := measureHTTP(ctx, relais, data, work, each); err != nil {
		return err
	}
	if synthetic && sites == 0 {
		if err := crowd(relais, data, work); err != nil {
			return err
		}
	}
	return measureTools(ctx, relais, data, each)
}

// inTime measures what changes in time.
func inTime(work string, weeks, points int) error {
	if weeks > 0 {
		state, err := again("-archives", "-work", work, "-weeks", strconv.Itoa(weeks))
		if err != nil {
			return err
		}
		fmt.Printf("%-34s %.0f MB at most\n", "resident, the files' making included", peakMB(state))
	}
	if points > 0 {
		state, err := again("-import", "-work", work, "-points", strconv.Itoa(points))
		if err != nil {
			return err
		}
		fmt.Printf("%-34s %.0f MB at most\n", "resident while importing", peakMB(state))
		if _, err := again("-ask", "-work", work); err != nil {
			return err
		}
	}
	return nil
}

// national makes a synthetic country of national size and ingests it, twice:
// the weekly file alone, and everything.
func national(relais, work string) (string, error) {
	dir := filepath.Join(work, "files")
	files, err := filepath.Glob(filepath.Join(dir, "SYNTHETIC*"))
	if err != nil {
		return "", err
	}
	if len(files) != 5 {
		fmt.Fprintln(os.Stderr, "making a synthetic country of national size …")
		if _, err := again("-files", dir); err != nil {
			return "", err
		}
		if files, err = filepath.Glob(filepath.Join(dir, "SYNTHETIC*")); err != nil {
			return "", err
		}
	}
	weekly := ""
	for _, f := range files {
		if m, err := filepath.Match("SYNTHETIC_observatoire_*.csv", filepath.Base(f)); err == nil && m {
			weekly = f
		}
	}
	fmt.Printf("%-34s %12s %12s %14s\n", "INGEST (whole process)", "rows", "seconds", "peak MB")
	if err := ingest(relais, filepath.Join(work, "weekly"), "weekly file alone", []string{weekly}); err != nil {
		return "", err
	}
	data := filepath.Join(work, "data")
	return data, ingest(relais, data, "with SUP, sites, radio, communes", files)
}

// again runs this program once more, with other arguments: a process begins with
// its parent's peak of memory, and what is measured next is to begin with little.
func again(args ...string) (*os.ProcessState, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w", args[0], err)
	}
	return cmd.ProcessState, nil
}

func ingest(relais, data, label string, files []string) error {
	if err := os.RemoveAll(data); err != nil {
		return err
	}
	cmd := exec.Command(relais, append([]string{"ingest", "--json", "--data", data, "FR,DROM"}, files...)...)
	cmd.Stderr = os.Stderr
	start := time.Now()
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("ingest: %w", err)
	}
	took := time.Since(start)
	var report struct{ Files []struct{ Rows int } }
	if err := json.Unmarshal(out, &report); err != nil {
		return err
	}
	rows := 0
	for _, f := range report.Files {
		rows += f.Rows
	}
	fmt.Printf("%-34s %12d %12.2f %14.0f\n", label, rows, took.Seconds(), peakMB(cmd.ProcessState))
	return nil
}
