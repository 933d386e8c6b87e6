package main

import (
	"os"
	"strings"
	"testing"
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
	if want := (result{16383.12, 0.431, 4.94}); err != nil || got != want {
		t.Errorf("got %v, %v, want %v", got, err, want)
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

func TestKit(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"SYNTHETIC_SUP_tables.zip", "SYNTHETIC_observatoire_2026-01-15.csv",
		"SYNTHETIC_observatoire_2026-01-08.csv"} {
		if _, err := readKit(dir); err == nil {
			t.Errorf("no error before %s is there", name)
		}
		if err := os.WriteFile(dir+"/"+name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	k, err := readKit(dir)
	if err != nil || dateOf(k.weekly) != "2026-01-15" || dateOf(k.earlier) != "2026-01-08" || len(k.all) != 2 ||
		k.all[0] != k.weekly {
		t.Errorf("got %+v, %v", k, err)
	}
	if of := k.of(k.earlier); of[0] != k.earlier || of[1] != k.all[1] || k.all[0] != k.weekly {
		t.Errorf("with the earlier one: got %q, and %q stays", of, k.all)
	}
}
