//go:build linux

package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A table is printed row by row, as Markdown.
type table struct {
	to       io.Writer
	programs []string
	before   bool // the second program is an older one, to compare with
	begun    bool
}

// A figure is a row: what was measured, in its unit, by each program, and by the bare handler.
type figure struct {
	what, unit string
	of         []float64 // by program; those of the last ones may be missing
	bare       float64   // 0 without one
	note       string
}

// print prints a row, and the head before the first one.
func (t *table) print(f figure) {
	head := append(slices.Clone(t.programs), "bare", "of bare")
	if t.before {
		head = append(head, "of before")
	}
	if !t.begun {
		t.begun = true
		t.line("what", "unit", append(head, "note"))
		t.line(strings.Repeat("-", 40), "----", append(slices.Repeat([]string{"-------:"}, len(head)), "---"))
	}
	cells := make([]string, len(t.programs), len(head)+1)
	for i, v := range f.of {
		cells[i] = number(v)
	}
	cells = append(cells, number(f.bare), number(f.of[0]/f.bare))
	if t.before {
		cells = append(cells, number(f.of[0]/f.of[1]))
	}
	t.line(f.what, f.unit, append(cells, f.note))
}

func (t *table) line(what, unit string, cells []string) {
	fmt.Fprintf(t.to, "| %-40s | %-4s |", what, unit)
	for _, c := range cells[:len(cells)-1] {
		fmt.Fprintf(t.to, " %9s |", c)
	}
	fmt.Fprintf(t.to, " %s |\n", cells[len(cells)-1])
}

// number formats a figure with three digits, or all before the point. 0 was not measured, nor a ratio to it.
func number(v float64) string {
	switch {
	case v == 0 || math.IsInf(v, 0):
		return ""
	case v >= 99.95:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 9.995:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// inTurns measures some figures b.runs times for each program, one program after the other, and prints
// their medians. once returns the values in the order of the figures.
func (b *bench) inTurns(figures []figure, once func(p *program) ([]float64, error)) error {
	values := make([][][]float64, len(b.programs)) // by program, run, figure
	for range b.runs {
		for k, p := range b.programs {
			got, err := once(p)
			if err != nil {
				return fmt.Errorf("%s: %w", p.path, err)
			}
			values[k] = append(values[k], got)
		}
	}
	for i, f := range figures {
		for _, runs := range values {
			var one []float64
			for _, run := range runs {
				one = append(one, run[i])
			}
			slices.Sort(one)
			f.of = append(f.of, one[(len(one)-1)/2])
		}
		b.table.print(f)
	}
	return nil
}
