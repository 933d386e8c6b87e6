//go:build linux

package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"relais/internal/filetest"
)

// As wrk 4.1.0 prints it.
const wrkOutput = `Running 3s test @ http://127.0.0.1:18080/x
  2 threads and 8 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   658.12us    1.03ms  21.90ms   94.02%
    Req/Sec     8.23k     1.25k   10.87k    63.33%
  Latency Distribution
     50%  431.00us
     75%  702.00us
     90%    1.10ms
     99%    4.94ms
  49151 requests in 3.00s, 286.83MB read
Requests/sec:  16383.12
Transfer/sec:     95.61MB
`

func TestReadWrk(t *testing.T) {
	got, err := readWrk([]byte(wrkOutput))
	if err != nil || got != 16383.12 {
		t.Errorf("got %v, %v, want 16383.12", got, err)
	}
	for _, bad := range []string{
		wrkOutput + "  Non-2xx or 3xx responses: 7\n",
		wrkOutput + "  Socket errors: connect 0, read 3, write 0, timeout 0\n",
		strings.ReplaceAll(wrkOutput, "Requests/sec", "Requests"),
	} {
		if got, err := readWrk([]byte(bad)); err == nil {
			t.Errorf("got %v for %s, want an error", got, bad)
		}
	}
}

func TestFindFiles(t *testing.T) {
	b := bench{files: t.TempDir()}
	for _, name := range []string{"SYNTHETIC_SUP_tables.zip", "SYNTHETIC_observatoire_2026-01-15.csv",
		"SYNTHETIC_observatoire_2026-01-08.csv"} {
		filetest.Write(t, filepath.Join(b.files, name), "")
	}
	if err := (&bench{files: t.TempDir()}).findFiles(); err == nil {
		t.Error("no error without a weekly file")
	}
	if err := b.findFiles(); err != nil || len(b.all) != 2 || !slices.Contains(b.all, b.weekly) ||
		filepath.Base(b.weekly) != "SYNTHETIC_observatoire_2026-01-15.csv" {
		t.Errorf("got %q of %q, %v", b.weekly, b.all, err)
	}
}
