package source

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"relais/internal/tier"
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
func TestSecondReader(t *testing.T) {
	tier.Slow(t)
	text := longTable()
	c := csv.NewReader(bytes.NewReader(text))
	c.Comma = ';'
	records, err := c.ReadAll()
	must(t, err)
	var want []string
	for i, r := range records[1:] {
		want = append(want, fmt.Sprintf("%d %s", i+2, strings.Join(r, "|")))
	}
	var seconds []string
	var second *Reader
	f := Found{Input: &Input{Path: write(t, t.TempDir(), "b.csv", text)}, Kind: kinds[0], Second: func(r *Reader) {
		seconds, second = append(seconds, readAll(r)...), r
	}}
	r, err := f.Read(nil)
	must(t, err)
	first := readAll(r)
	for name, r := range map[string]*Reader{"first": r, "second": second} {
		if report, err := r.Done(); err != nil || report.Rows != len(want) {
			t.Errorf("the %s reader: report %+v, error %v; want %d rows", name, report, err, len(want))
		}
	}
	must(t, r.Close())
	if !slices.Equal(first, want) || !slices.Equal(seconds, want) {
		t.Errorf("got %d and %d rows, want the %d of encoding/csv", len(first), len(seconds), len(want))
	}
}

// A reader that stops early does not leave the other one with a part that looks whole.
func TestSecondReaderStops(t *testing.T) {
	path := write(t, t.TempDir(), "b.csv", longTable())
	const all = 1 << 20
	for _, tt := range []struct {
		name          string
		first, second int // rows that are read, of the second reader each time
	}{{"first", 10_000, all}, {"second", all, 10}} {
		t.Run(tt.name, func(t *testing.T) {
			some := func(r *Reader, n int) {
				for ; n > 0 && r.NextRow(); n-- {
				}
			}
			var second *Reader
			f := Found{Input: &Input{Path: path}, Kind: kinds[0], Second: func(r *Reader) {
				some(r, tt.second)
				second = r
			}}
			r, err := f.Read(nil)
			must(t, err)
			some(r, tt.first)
			_, secondErr := second.Done()
			if !errors.Is(secondErr, errStopped) {
				t.Errorf("the second reader: error %v, want %v", secondErr, errStopped)
			}
			if tt.first == all && r.Rows != 60_000 {
				t.Errorf("the first reader: %d rows, want 60000", r.Rows)
			}
			must(t, r.Close())
		})
	}
}
