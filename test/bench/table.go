package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
)

// A table is printed row by row, as Markdown.
type table struct {
	to       io.Writer // nil for the standard output
	programs []string
	before   bool // the second program is an older one, to compare with
	begun    bool
}

// A figure is a row: what was measured, in its unit, by each program, and by the machine at best.
type figure struct {
	what, unit string
	of         []float64 // by program; empty for a figure of the machine alone
	bare       float64   // 0 without one
	note       string
}

// widths of the columns what and note; the others have numbers.
const whatWidth, numberWidth = 44, 9

// print prints a row, and the head before the first one.
func (t *table) print(f figure) {
	if t.to == nil {
		t.to = os.Stdout
	}
	if !t.begun {
		t.begun = true
		head := append(slices.Clone(t.programs), "bare", "of bare")
		if t.before {
			head = append(head, "of before")
		}
		t.line("what", "unit", append(head, "note"))
		rule := make([]string, len(head))
		for i := range rule {
			rule[i] = strings.Repeat("-", numberWidth-1) + ":"
		}
		t.line(strings.Repeat("-", whatWidth), "----", append(rule, "---"))
	}
	cells := make([]string, len(t.programs), len(t.programs)+4)
	for i, v := range f.of {
		cells[i] = number(v)
	}
	first := 0.0
	if len(f.of) > 0 {
		first = f.of[0]
	}
	cells = append(cells, number(f.bare), ratio(first, f.bare))
	if t.before {
		before := 0.0
		if len(f.of) > 1 {
			before = f.of[1]
		}
		cells = append(cells, ratio(first, before))
	}
	t.line(f.what, f.unit, append(cells, f.note))
}

func (t *table) line(what, unit string, cells []string) {
	fmt.Fprintf(t.to, "| %-*s | %-4s |", whatWidth, what, unit)
	for _, c := range cells[:len(cells)-1] {
		fmt.Fprintf(t.to, " %*s |", numberWidth, c)
	}
	fmt.Fprintf(t.to, " %s |\n", cells[len(cells)-1])
}

// number formats a figure with three digits, or all before the point. 0 was not measured.
func number(v float64) string {
	switch {
	case v == 0:
		return ""
	case v >= 99.95:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 9.995:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

func ratio(a, b float64) string {
	if a == 0 || b == 0 {
		return ""
	}
	return number(a / b)
}

// median returns the middle of some values, and the lower one of two.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(values))
	return s[(len(s)-1)/2]
}

// inTurns measures some figures b.runs times for each program, one program after the other, and prints
// their medians. once returns the values in the order of the figures.
func (b *bench) inTurns(figures []figure, once func(p *program) ([]float64, error)) error {
	return b.times(b.runs, figures, once)
}

// once is inTurns for what takes long.
func (b *bench) once(figures []figure, once func(p *program) ([]float64, error)) error {
	return b.times(1, figures, once)
}

func (b *bench) times(runs int, figures []figure, once func(p *program) ([]float64, error)) error {
	values := make([][][]float64, len(figures)) // by figure, program, run
	for i := range values {
		values[i] = make([][]float64, len(b.programs))
	}
	for range runs {
		for k, p := range b.programs {
			got, err := once(p)
			if err != nil {
				return fmt.Errorf("%s: %w", p.path, err)
			}
			if len(got) != len(figures) {
				return fmt.Errorf("%d values, want %d", len(got), len(figures))
			}
			for i, v := range got {
				values[i][k] = append(values[i][k], v)
			}
		}
	}
	for i, f := range figures {
		for _, v := range values[i] {
			f.of = append(f.of, median(v))
		}
		b.table.print(f)
	}
	return nil
}
