//go:build linux

package main

import (
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	var out strings.Builder
	tab := table{to: &out, programs: []string{"relais", "before"}, before: true}
	tab.print(figure{what: "ingest", unit: "s", of: []float64{1.5, 4.5}, note: "x"})
	tab.print(figure{what: "box", unit: "/s", of: []float64{12345.6, 9999}, bare: 24691.2, note: "y"})
	want := [][]string{
		{"what", "unit", "relais", "before", "bare", "of bare", "of before", "note"},
		nil,
		{"ingest", "s", "1.50", "4.50", "", "", "0.33", "x"},
		{"box", "/s", "12346", "9999", "24691", "0.50", "1.23", "y"},
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != len(want) {
		t.Fatalf("got %d lines, want %d:\n%s", len(lines), len(want), out.String())
	}
	for i, cells := range want {
		got := strings.Split(strings.Trim(lines[i], "|"), "|")
		if len(got) != len(want[0]) {
			t.Errorf("line %d has %d cells, want %d: %s", i, len(got), len(want[0]), lines[i])
			continue
		}
		for k, c := range cells {
			if strings.TrimSpace(got[k]) != c {
				t.Errorf("line %d, cell %d: got %q, want %q", i, k, strings.TrimSpace(got[k]), c)
			}
		}
	}
}

func TestNumber(t *testing.T) {
	for _, tt := range []struct {
		v    float64
		want string
	}{{0, ""}, {0.004, "0.00"}, {0.456, "0.46"}, {9.994, "9.99"}, {9.996, "10.0"}, {99.94, "99.9"}, {99.96, "100"}, {1234.5, "1234"}} {
		if got := number(tt.v); got != tt.want {
			t.Errorf("number(%v) = %q, want %q", tt.v, got, tt.want)
		}
	}
}

// Programs are measured in turns, and a row has the median of each.
func TestInTurns(t *testing.T) {
	var out strings.Builder
	b := &bench{runs: 3, table: table{to: &out, before: true}}
	b.add("relais", "now", "")
	b.add("before", "old", "")
	var order []string
	err := b.inTurns([]figure{{what: "first"}, {what: "second"}}, func(p *program) ([]float64, error) {
		order = append(order, p.path)
		n := float64(len(order))
		return []float64{n, 10 * n}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(order, " "), "now old now old now old"; got != want {
		t.Errorf("measured %s, want %s", got, want)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	for i, want := range []string{"3.00 4.00 0.75", "30.0 40.0 0.75"} { // the runs of now are 1, 3, 5, those of old 2, 4, 6
		got := strings.Join(strings.Fields(strings.ReplaceAll(lines[2+i], "|", " "))[1:], " ")
		if got != want {
			t.Errorf("row %d has %q, want %q", i, got, want)
		}
	}
}
