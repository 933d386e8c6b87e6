package source

import (
	"bytes"
	"encoding/csv"
	"errors"
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

// Reading gives the rows that encoding/csv finds.
func TestRead(t *testing.T) {
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
	f := Found{Input: &Input{Path: write(t, t.TempDir(), "b.csv", text)}, Kind: kinds[0]}
	r, err := f.Read(nil)
	if err != nil {
		t.Fatal(err)
	}
	got := readAll(r)
	report, err := r.Done()
	if err != nil || report.Rows != len(want) {
		t.Fatalf("Done: %+v, %v; want %d rows", report, err, len(want))
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %d rows, want the %d of encoding/csv", len(got), len(want))
	}
}

// What follows a reading follows only one that came to the end, and once.
func TestAfterRead(t *testing.T) {
	path := write(t, t.TempDir(), "b.csv", longTable())
	for _, tt := range []struct {
		name    string
		rows, n int
	}{{"nothing read", 0, 0}, {"a part", 10, 0}, {"all", 1 << 20, 1}} {
		t.Run(tt.name, func(t *testing.T) {
			n := 0
			f := Found{Input: &Input{Path: path}, Kind: kinds[0], AfterRead: func() { n++ }}
			r, err := f.Read(nil)
			if err != nil {
				t.Fatal(err)
			}
			for i := 0; i < tt.rows && r.NextRow(); i++ {
			}
			if err := errors.Join(r.Close(), r.Close()); err != nil {
				t.Fatal(err)
			}
			if n != tt.n {
				t.Errorf("called %d times, want %d", n, tt.n)
			}
		})
	}
}
