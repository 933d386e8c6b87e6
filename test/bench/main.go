// Command bench measures relais on a synthetic country of national size, or on the files of a
// folder, and prints one table. A figure stands next to that of an older program, if there is one, and
// next to what the machine does at best, all measured in turns in one run: the speed of a machine
// changes from run to run, the ratios change less. make bench runs it.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

type options struct {
	relais, before string // programs
	files, work    string // folders
	seconds, runs  int
	only, peers    string
}

func main() {
	var o options
	bare := flag.String("bare", "", "internal: serve the answers of this file")
	write := flag.String("write", "", "internal: write the files of a country of national size here")
	flag.StringVar(&o.relais, "relais", "build/relais", "the program to measure")
	flag.StringVar(&o.before, "before", "", "an older program, to measure next to it")
	flag.StringVar(&o.files, "files", "", "a folder with the files to ingest, instead of a synthetic country: two weekly files at least")
	flag.StringVar(&o.work, "work", "build/bench", "where data folders and the synthetic files are made")
	flag.IntVar(&o.seconds, "seconds", 2, "how long each row of answers is measured")
	flag.IntVar(&o.runs, "runs", 3, "how often the other rows are measured; the table has the median")
	flag.StringVar(&o.only, "only", "machine,ingest,weeks,start,reloads,answers",
		"what to measure; coverage (ten million points) and large (727,000 sites) need ten minutes and 4 GB of disk more")
	flag.StringVar(&o.peers, "peers", "", "measure only the answers, next to those of the peers in this program")
	flag.Parse()
	var err error
	switch {
	case *bare != "":
		err = serveBare(*bare)
	case *write != "":
		err = writeCountry(*write)
	default:
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		err = o.run(ctx)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func (o *options) run(ctx context.Context) error {
	if _, err := exec.LookPath("wrk"); err != nil {
		return fmt.Errorf("wrk is needed (Debian: apt-get install wrk): %w", err)
	}
	if o.seconds < 1 || o.runs < 1 {
		return fmt.Errorf("-seconds and -runs must be 1 or more")
	}
	began := time.Now()
	if err := os.MkdirAll(o.work, 0o755); err != nil {
		return err
	}
	kit, err := o.findKit()
	if err != nil {
		return err
	}
	b := &bench{kit: kit, work: o.work, runs: o.runs, each: time.Duration(o.seconds) * time.Second}
	b.add("relais", o.relais, 18080)
	if o.before != "" && o.peers == "" {
		b.add("before", o.before, 18082)
		b.table.before = true
	}
	steps := map[string]func(context.Context) error{"machine": b.measureMachine, "ingest": b.measureIngest,
		"weeks": b.measureWeeks, "start": b.measureStart, "reloads": b.measureReloads, "answers": b.measureAnswers,
		"coverage": b.measureCoverage, "large": b.measureLargeCountry, "peers": b.measurePeers}
	if o.peers != "" {
		o.only, b.peers = "peers", o.peers
	}
	for name := range strings.SplitSeq(o.only, ",") {
		if steps[name] == nil {
			return fmt.Errorf("-only: %q cannot be measured", name)
		}
		if err := steps[name](ctx); err != nil {
			return err
		}
	}
	fmt.Printf("\nmeasured in %s\n", time.Since(began).Round(time.Second))
	return nil
}

// A bench has the options of a run, and the table that it fills.
type bench struct {
	kit      kit
	work     string
	programs []*program
	peers    string
	runs     int
	each     time.Duration // of a row of answers
	table    table
	bare     machine
}

// add adds a program with a folder of its own. Its server listens on the port.
func (b *bench) add(name, path string, port int) {
	p := &program{path: path, work: filepath.Join(b.work, name), listen: fmt.Sprintf("127.0.0.1:%d", port)}
	b.programs = append(b.programs, p)
	b.table.programs = append(b.table.programs, name)
}
