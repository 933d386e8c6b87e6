package cli

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"relais/admin"
)

// A table prints rows in columns when it is flushed.
type table struct {
	*tabwriter.Writer
	out io.Writer
}

// newTable returns a table with the given column names; without names it has no header.
func newTable(out io.Writer, columns ...any) *table {
	t := &table{tabwriter.NewWriter(out, 0, 0, 2, ' ', 0), out}
	if len(columns) > 0 {
		t.row(columns...)
	}
	return t
}

// row adds a row. Texts that people or authorities wrote must be made visible first.
func (t *table) row(cells ...any) {
	fmt.Fprintf(t, strings.Repeat("%v\t", len(cells)-1)+"%v\n", cells...)
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
