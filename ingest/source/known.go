package source

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"relais/ingest/table"
	"relais/internal/fold"
)

// Columns says which columns an input has, with their names as written.
type Columns struct {
	Filled  []string // known to the kind, with a value in a row
	Empty   []string // known to the kind, without
	Unknown []string // others
	Twice   []string // those that nobody reads and that are there twice, or under two names
}

// Note adds to the report on a table, after its last record, which columns it has, whether it is ended, and which
// values were left out.
func (k *Kind) Note(r *Report, t *table.Reader) {
	r.Columns = k.columnsIn(t)
	if t.Unended() {
		r.Warn(Unended)
	}
	r.warnOfOdd()
}

// columnsIn returns the columns of a table, after its last record.
func (k *Kind) columnsIn(t *table.Reader) (c Columns) {
	for _, h := range t.Headings(k.Columns) {
		_, known, read := k.nameOf(h.Name)
		switch {
		case h.Again || read && h.Bound < 0:
			c.Twice = append(c.Twice, h.Written)
		case !known:
			c.Unknown = append(c.Unknown, h.Written)
		case h.Filled:
			c.Filled = append(c.Filled, h.Written)
		default:
			c.Empty = append(c.Empty, h.Written)
		}
	}
	return c
}

// nameOf returns the kind's name of a column. read reports whether it is among those that are read.
func (k *Kind) nameOf(column table.Name) (name string, known, read bool) {
	for _, c := range k.Columns {
		if column.Matches(c.Name) || slices.ContainsFunc(c.Aliases, column.Matches) {
			return c.Name, true, true
		}
	}
	for _, list := range [][]string{k.Others, k.Personal, k.Ignored} {
		if i := slices.IndexFunc(list, column.Matches); i >= 0 {
			return list[i], true, false
		}
	}
	return "", false, false
}

// Has reports whether a column is among those of a list, under any of its names.
func (k *Kind) Has(columns []string, column string) bool {
	if k.Items != nil {
		return slices.Contains(columns, column)
	}
	name, _, _ := k.nameOf(table.NameOf(column))
	return slices.ContainsFunc(columns, func(c string) bool {
		other, _, _ := k.nameOf(table.NameOf(c))
		return other == name
	})
}

// Bounds of a list of columns in a warning.
const (
	columnsShown = 30
	columnLength = 60
)

// personalWords are words in the names of columns about people and devices.
var personalWords = strings.Fields("user userid utilisateur person personne contact author auteur mail email courriel phone " +
	"telephone tel ip device imei imsi serial")

// mayBePersonal reports whether the name of a column that nobody knows speaks of a person or a device.
func mayBePersonal(name string) bool {
	var words strings.Builder
	small := false
	for _, c := range name {
		if unicode.IsUpper(c) && small {
			words.WriteByte(' ')
		}
		if small = unicode.IsLower(c); !unicode.IsLetter(c) {
			c = ' '
		}
		words.WriteRune(c)
	}
	return slices.ContainsFunc(fold.Words(words.String()), func(w string) bool { return slices.Contains(personalWords, w) })
}

// WarnOfColumns adds a list of columns to the warning, unless it is empty.
func (r *Report) WarnOfColumns(what string, names []string) {
	if len(names) > 0 {
		r.Warn(what + ": " + ListColumns(names))
	}
}

// WarnOfForeign warns of the columns that the kind does not know, and of those that are there twice.
func (r *Report) WarnOfForeign() {
	r.WarnOfColumns("unknown columns", r.Columns.Unknown)
	r.WarnOfColumns("columns that are there twice", r.Columns.Twice)
}

// ListColumns returns columns as a text of bounded length, "" for none.
func ListColumns(names []string) string {
	var list []string
	for _, name := range names[:min(len(names), columnsShown)] {
		switch {
		case name == "":
			name = "(without a name)"
		case len(name) > columnLength:
			name = strings.ToValidUTF8(name[:columnLength], "") + "…"
		}
		list = append(list, name)
	}
	text := strings.Join(list, ", ")
	if n := len(names) - len(list); n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}
