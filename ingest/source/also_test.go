package source

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// longTable has blocks of rows for several rounds through a queue.
func longTable() []byte {
	var b bytes.Buffer
	b.WriteString("bird;wing;nest\n")
	for i := range 60_000 {
		fmt.Fprintf(&b, "bird %d;%s;\"n;%d\"\n", i, strings.Repeat("w", i%50), i)
	}
	return b.Bytes()
}

func readAll(r *Reader) (all []string) {
	for r.NextRow() {
		all = append(all, fmt.Sprintf("%d %s|%s|%s", r.Line(), r.Field(0), r.Field(1), r.Field(2)))
	}
	return all
}

// Two readers get the rows that encoding/csv finds.
func TestAlso(t *testing.T) {
	text := longTable()
	c := csv.NewReader(bytes.NewReader(text))
	c.Comma = ';'
	records, err := c.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for i, r := range records[1:] {
		want = append(want, fmt.Sprintf("%d %s", i+2, strings.Join(r, "|")))
	}
	var second []string
	var report *Report
	var secondErr error
	f := Found{Input: &Input{Path: write(t, t.TempDir(), "b.csv", text)}, Kind: kinds[0], Also: func(r *Reader) {
		second = readAll(r)
		report, secondErr = r.Done()
	}}
	r, err := f.Read(nil)
	if err != nil {
		t.Fatal(err)
	}
	first := readAll(r)
	if _, err := r.Done(); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil || secondErr != nil || report.Rows != len(want) {
		t.Fatalf("the second reader: report %+v, errors %v and %v; want %d rows", report, err, secondErr, len(want))
	}
	if !slices.Equal(first, want) || !slices.Equal(second, want) {
		t.Errorf("got %d and %d rows, want the %d of encoding/csv", len(first), len(second), len(want))
	}
}

// A reader that stops early does not leave the other one with a part that looks whole, and either may
// stop first.
func TestAlsoStops(t *testing.T) {
	for _, tt := range []struct {
		name          string
		first, second int // rows that are read
	}{{"first", 10, 1 << 20}, {"second", 1 << 20, 10}, {"both", 1, 1}} {
		t.Run(tt.name, func(t *testing.T) {
			var secondErr error
			some := func(r *Reader, n int) {
				for range n {
					if !r.NextRow() {
						return
					}
				}
			}
			f := Found{Input: &Input{Path: write(t, t.TempDir(), "b.csv", longTable())}, Kind: kinds[0],
				Also: func(r *Reader) {
					some(r, tt.second)
					if tt.second > tt.first {
						_, secondErr = r.Done()
					}
				}}
			r, err := f.Read(nil)
			if err != nil {
				t.Fatal(err)
			}
			some(r, tt.first)
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			if tt.second > tt.first && secondErr == nil {
				t.Error("the second reader says that it read the table to its end, and the first one stopped before")
			}
		})
	}
}
