package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/klauspost/compress/zstd"
)

// A machine is what the machine does at best, in seconds.
type machine struct {
	weekly, all float64 // reading a weekly file, or all files, and counting the lines
}

// measureMachine measures what the other figures are compared with.
func (b *bench) measureMachine(context.Context) error {
	note := fmt.Sprintf("and count lines; %d cores, %s", runtime.NumCPU(), runtime.Version())
	for _, path := range b.kit.all {
		took, err := scan(path, &lines{})
		if err != nil {
			return err
		}
		b.bare.all += took
	}
	info, err := os.Stat(b.kit.weekly)
	if err != nil {
		return err
	}
	z, err := zstd.NewWriter(io.Discard, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	defer z.Close()
	for _, m := range []struct {
		what string
		to   io.Writer
	}{
		{fmt.Sprintf("read weekly file (%.0f MB)", float64(info.Size())/1e6), &lines{}},
		{"SHA-256 of it", sha256.New()},
		{"zstd of it, fastest", z},
	} {
		took, err := scan(b.kit.weekly, m.to)
		if err != nil {
			return err
		}
		if b.bare.weekly == 0 {
			b.bare.weekly = took
		}
		b.machineRow(m.what, "s", took, note)
		note = ""
	}
	b.machineRow("read all files", "s", b.bare.all, "and count lines; zip archives as they are")
	b.machineRow("copy 1 GB in memory", "s", copyMemory(), "")
	took, err := syncs(b.work)
	b.machineRow("append 4 kB and sync", "ms", took*1000, "median of 50")
	return err
}

func (b *bench) machineRow(what, unit string, v float64, note string) {
	b.table.print(figure{what: "machine: " + what, unit: unit, bare: v, note: note})
}

// scan reads a file piece by piece. This process must stay small: commands inherit its peak memory.
func scan(path string, to io.Writer) (seconds float64, err error) {
	began := time.Now()
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	_, err = io.CopyBuffer(to, struct{ io.Reader }{f}, make([]byte, 1<<20))
	return time.Since(began).Seconds(), err
}

// lines counts lines.
type lines struct{ n int }

func (l *lines) Write(p []byte) (int, error) {
	l.n += bytes.Count(p, []byte("\n"))
	return len(p), nil
}

func copyMemory() (seconds float64) {
	from, to := make([]byte, 1e7), make([]byte, 1e7)
	copy(from, to)
	began := time.Now()
	for range 100 {
		copy(to, from)
	}
	return time.Since(began).Seconds()
}

// syncs measures how long a small write needs to be on the disk.
func syncs(dir string) (seconds float64, err error) {
	f, err := os.Create(filepath.Join(dir, "sync"))
	if err != nil {
		return 0, err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	var took []float64
	for range 50 {
		began := time.Now()
		if _, err := f.Write(make([]byte, 4096)); err != nil {
			return 0, err
		}
		if err := f.Sync(); err != nil {
			return 0, err
		}
		took = append(took, time.Since(began).Seconds())
	}
	return median(took), nil
}
