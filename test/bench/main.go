// Command bench measures relais on a synthetic country of national size, or on a data folder,
// and prints one table. Every HTTP row is measured next to a bare net/http handler that
// returns the same bytes in the same run: the machine's speed changes from run to run, the
// ratio does not. make bench runs it.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"relais/demo"
)

// nationalSupports is the number of supports of the register of 2026-08-27.
const nationalSupports = 72700

func main() {
	bare := flag.String("bare", "", "internal: serve the answers of this file")
	files := flag.String("files", "", "internal: write the files of a country of national size here")
	memory := flag.String("memory", "", "internal: measure in this process what the folder costs in memory")
	relais := flag.String("relais", "build/relais", "the program to measure")
	data := flag.String("data", "", "a data folder to measure on, instead of a synthetic one of national size")
	work := flag.String("work", "build/bench", "where the synthetic one is made and kept")
	seconds := flag.Int("seconds", 3, "how long each row is measured")
	flag.Parse()
	var err error
	switch {
	case *bare != "":
		err = serveBare(*bare)
	case *files != "":
		_, err = demo.Write(*files, nationalSupports)
	case *memory != "":
		err = measureMemory(*memory)
	default:
		err = run(*relais, *data, *work, time.Duration(*seconds)*time.Second)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(relais, data, work string, each time.Duration) error {
	if _, err := exec.LookPath("wrk"); err != nil {
		return fmt.Errorf("wrk is needed (Debian: apt-get install wrk): %w", err)
	}
	if err := os.MkdirAll(work, 0o755); err != nil {
		return err
	}
	if data == "" {
		var err error
		if data, err = national(relais, work); err != nil {
			return err
		}
	}
	if err := again("-memory", data); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	return measureHTTP(ctx, relais, data, work, each)
}

// national makes a synthetic country of national size and ingests it twice: the weekly file
// alone, and all files.
func national(relais, work string) (string, error) {
	dir := filepath.Join(work, "files")
	files, err := filepath.Glob(filepath.Join(dir, "SYNTHETIC*"))
	if err != nil {
		return "", err
	}
	if len(files) != 5 {
		fmt.Fprintln(os.Stderr, "making a synthetic country of national size …")
		if err := again("-files", dir); err != nil {
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

// again runs this program with other arguments: a process inherits the peak memory of its
// parent, which must be small for the next measurement.
func again(args ...string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(self, args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	return nil
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
