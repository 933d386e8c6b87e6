//go:build linux

// Command bench measures relais on a synthetic country of national size, or on the files of a folder, and prints
// one table. A figure stands next to that of an older program, if there is one, measured in turns in the same run:
// the speed of a machine changes from run to run, the ratios change less. make bench runs it.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"relais/demo"
)

// A bench has the options of a run, and the table that it fills.
type bench struct {
	work, files, peers string
	weekly             string   // the newest weekly file
	all                []string // that one and the other files
	programs           []*program
	runs               int
	each               time.Duration // of a row of answers
	table              table
}

func main() {
	b := &bench{table: table{to: os.Stdout}}
	relais := flag.String("relais", "build/relais", "the program to measure")
	before := flag.String("before", "", "an older program, to measure next to it")
	flag.StringVar(&b.files, "files", "", "a folder with the files to ingest, instead of a synthetic country")
	flag.StringVar(&b.work, "work", "build/bench", "where data folders and the synthetic files are made")
	flag.DurationVar(&b.each, "each", 2*time.Second, "how long each row of answers is measured")
	flag.IntVar(&b.runs, "runs", 3, "how often ingests and starts are measured; the table has the median")
	only := flag.String("only", "ingest,start,answers", "what to measure; the other parts need one ingest")
	flag.StringVar(&b.peers, "peers", "", "measure only the answers, next to those of the peers in this program")
	flag.Parse()
	b.add("relais", *relais, "127.0.0.1:18080")
	switch {
	case b.peers != "":
		*only = "answers"
	case *before != "":
		b.add("before", *before, "127.0.0.1:18082")
		b.table.before = true
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := b.run(ctx, strings.Split(*only, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// add adds a program with a folder of its own. Its server listens on the address.
func (b *bench) add(name, path, listen string) {
	b.programs = append(b.programs, &program{path: path, data: filepath.Join(b.work, name), listen: listen,
		base: "http://" + listen + "/external/v1"})
	b.table.programs = append(b.table.programs, name)
}

func (b *bench) run(ctx context.Context, parts []string) error {
	if _, err := exec.LookPath("wrk"); err != nil {
		return fmt.Errorf("wrk is needed (Debian: apt-get install wrk): %w", err)
	}
	for _, p := range b.programs {
		if err := p.copy(); err != nil {
			return err
		}
	}
	if b.files == "" {
		b.files = filepath.Join(b.work, "files")
		if _, err := os.Stat(b.files); err != nil {
			fmt.Fprintln(os.Stderr, "making a synthetic country with as many supports as the register of 2026-08-27 …")
			if _, err := demo.Write(b.files, 72700); err != nil {
				return err
			}
		}
	}
	if err := b.findFiles(); err != nil {
		return err
	}
	steps := map[string]func(context.Context) error{"ingest": b.measureIngest, "start": b.measureStart,
		"answers": b.measureAnswers}
	for _, name := range parts {
		if steps[name] == nil {
			return fmt.Errorf("-only: %q cannot be measured", name)
		}
		if err := steps[name](ctx); err != nil {
			return err
		}
	}
	return nil
}

// findFiles finds the files to ingest. Weekly files have "observatoire" in their names, and sort by date.
func (b *bench) findFiles() error {
	weekly, _ := filepath.Glob(filepath.Join(b.files, "*observatoire*")) // the patterns are valid
	b.all, _ = filepath.Glob(filepath.Join(b.files, "*.*"))
	if len(weekly) == 0 {
		return fmt.Errorf("%s has no weekly file (*observatoire*)", b.files)
	}
	b.weekly = weekly[len(weekly)-1]
	b.all = slices.DeleteFunc(b.all, func(path string) bool { return path != b.weekly && slices.Contains(weekly, path) })
	return nil
}
