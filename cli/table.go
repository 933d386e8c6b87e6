package cli

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"golang.org/x/term"

	"relais/admin"
)

// A table prints rows in columns when it is flushed. At a terminal it folds the cells of the widest columns,
// so that no line is wider than the screen.
type table struct {
	out  io.Writer
	rows [][]string
}

const (
	columnGap      = 2
	narrowestFolds = 6 // characters: a column is not narrowed further
)

// newTable returns a table with the given column names; without names it has no header.
func newTable(out io.Writer, columns ...any) *table {
	t := &table{out: out}
	if len(columns) > 0 {
		t.row(columns...)
	}
	return t
}

// row adds a row. Texts that people or authorities wrote must be made visible first.
func (t *table) row(cells ...any) {
	texts := make([]string, len(cells))
	for i, c := range cells {
		texts[i] = fmt.Sprint(c)
	}
	t.rows = append(t.rows, texts)
}

// Flush prints the table.
func (t *table) Flush() error {
	w, widths := tabwriter.NewWriter(t.out, 0, 0, columnGap, ' ', 0), t.widths()
	for _, row := range t.rows {
		folded := make([][]string, len(row))
		lines := 1
		for i, text := range row {
			folded[i] = foldCell(text, widths[i])
			lines = max(lines, len(folded[i]))
		}
		for line := range lines {
			texts := make([]string, len(row))
			for i, f := range folded {
				if line < len(f) {
					texts[i] = f[line]
				}
			}
			fmt.Fprintln(w, strings.Join(texts, "\t"))
		}
	}
	return w.Flush()
}

// widths returns how many characters each column may have.
func (t *table) widths() (widths []int) {
	sum := 0
	for _, row := range t.rows {
		for i, text := range row {
			if i == len(widths) {
				widths = append(widths, 0)
				sum += columnGap
			}
			more := max(0, utf8.RuneCountInString(text)-widths[i])
			widths[i] += more
			sum += more
		}
	}
	for screen := screenWidth(t.out); screen > 0 && sum-columnGap > screen; sum-- {
		widest := slices.Max(widths)
		if widest <= narrowestFolds {
			break
		}
		widths[slices.Index(widths, widest)]--
	}
	return widths
}

// screenWidth returns how many characters a line of a terminal has, 0 if w is not one.
func screenWidth(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// foldCell cuts a text into lines of at most so many characters: at a blank if one is in the second half, else
// after a sign.
func foldCell(text string, width int) (lines []string) {
	rest := []rune(text)
	for len(rest) > width {
		cut := width
		for at := width; at >= width/2; at-- {
			if rest[at] == ' ' {
				cut = at
				break
			}
			if cut == width && strings.ContainsRune(",;/-", rest[at-1]) {
				cut = at
			}
		}
		lines = append(lines, string(rest[:cut]))
		rest = []rune(strings.TrimLeft(string(rest[cut:]), " "))
	}
	return append(lines, string(rest))
}

// flushPage prints the table and which part of the list it is. what is in the plural.
func (t *table) flushPage(shown, offset, total int, what string) error {
	if err := t.Flush(); err != nil {
		return err
	}
	if shown == total {
		_, err := fmt.Fprintln(t.out, admin.Number(total, strings.TrimSuffix(what, "s")))
		return err
	}
	_, err := fmt.Fprintf(t.out, "%d of %s; --offset %d goes on\n", shown,
		admin.Number(total, strings.TrimSuffix(what, "s")), offset+shown)
	return err
}

func join[S ~string](list []S) string {
	texts := make([]string, len(list))
	for i, s := range list {
		texts[i] = string(s)
	}
	return strings.Join(texts, ",")
}

// timeOrNever returns a time for a table, never for none.
func timeOrNever(t *time.Time) string {
	if t == nil {
		return "never"
	}
	return t.Format(time.RFC3339)
}
