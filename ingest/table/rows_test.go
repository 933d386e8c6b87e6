package table

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// bindFirst binds the first columns of a table, whatever their names.
func bindFirst(r *Reader, columns int) {
	r.bound = nil
	for i := range columns {
		r.bound = append(r.bound, i)
	}
}

func describe(line int, broken string, fields [][]byte) string {
	return fmt.Sprintf("%d %q %q", line, broken, fields)
}

// splitAlone returns the records of a table. Each is split without a look at the one before.
func splitAlone(text string, opt Options, columns int) (records []string, ok bool) {
	r, err := NewReader(strings.NewReader(text), "t", opt)
	if err != nil {
		return nil, false
	}
	bindFirst(r, columns)
	for r.raw = nil; r.Next(); r.raw = nil {
		var fields [][]byte
		for i := range columns {
			fields = append(fields, WithoutControls(r.Raw(i)))
		}
		records = append(records, describe(r.Line(), r.Broken(), fields))
	}
	return records, true
}

// rowsAgain returns the records of a table as Rows have them, which it reads twice.
func rowsAgain(t *testing.T, text string, opt Options, columns, size int) (first, second []string) {
	// The end comes with the last bytes, so that the last record is split without reading again.
	r, err := NewReader(iotest.DataErrReader(strings.NewReader(text)), "t", opt)
	must(t, err)
	bindFirst(r, columns)
	var rows Rows
	for more := true; more; {
		more = rows.Fill(r, size)
		first = append(first, readRows(t, &rows, columns)...)
		rows.Rewind()
		second = append(second, readRows(t, &rows, columns)...)
	}
	return first, second
}

// readRows reads the rows to their end, and looks at what is marked as the same.
func readRows(t *testing.T, rows *Rows, columns int) (records []string) {
	var before [][]byte
	for rows.Next() {
		var fields [][]byte
		for i := range columns {
			fields = append(fields, bytes.Clone(rows.Raw(i)))
			if got, want := rows.Field(i), bytes.TrimSpace(fields[i]); !bytes.Equal(got, want) {
				t.Errorf("line %d, column %d: field %q, raw %q", rows.Line(), i, got, fields[i])
			}
			if rows.Same()>>i&1 == 1 && (before == nil || !bytes.Equal(before[i], fields[i])) {
				t.Errorf("line %d, column %d: %q is marked as the same, and before it is %q", rows.Line(), i, fields[i], before)
			}
		}
		if rows.Broken() == "" {
			before = fields
		}
		records = append(records, describe(rows.Line(), rows.Broken(), fields))
	}
	return records
}

func checkRows(t *testing.T, text string, opt Options, columns, size int) {
	t.Helper()
	want, ok := splitAlone(text, opt, columns)
	if !ok {
		return
	}
	first, second := rowsAgain(t, text, opt, columns, size)
	if !slices.Equal(first, want) || !slices.Equal(second, want) {
		t.Errorf("%q: rows are\n%s\nthen\n%s\nwant\n%s", text, strings.Join(first, "\n"), strings.Join(second, "\n"),
			strings.Join(want, "\n"))
	}
}

// repeating are tables whose records repeat fields of the record before.
var repeating = []struct{ name, text string }{
	{"all", "a;b;c\n1;2;3\n1;2;3\n1;2;3\n"},
	{"some", "a;b;c\n1;22;333\n1;21;333\n1;21;33\n12;21;33\n"},
	{"a field that only begins like it", "a;b;c\n1;2;3\n1;2;34\n1;24;3\n1;2;3\n"},
	{"quoted", "a;b;c\n\"1;1\";\"2\";3\n\"1;1\";\"2\";3\n\"1;1\"x;\"2\";3\n\"1;1\";2;3\n"},
	{"quotes inside", "a;b;c\n\"1\"\"1\";2;3\n\"1\"\"1\";2;3\n\"1\"\"1\"\"\";2;3\n"},
	{"two lines", "a;b;c\n\"1\n1\";2;3\n\"1\n1\";2;3\n1;2;3\n"},
	{"line ends", "a;b;c\r\n1;2;3\r\n1;2;3\r\n1;2;3\n1;2;\r\n1;2;\n1;2;\r\n"},
	{"broken in between", "a;b;c\n1;2;3\n1;2\n1;2;3\n1;2;3;4\n1;2;3\n1;\"2;3\n1;2;3\n"},
	{"empty lines", "a;b;c\n1;2;3\n\n1;2;3\n \n1;2;3\n"},
	{"controls", "a;b;c\n1\t1;2;3\n1\t1;2;3\n1;2;3\x00\n1\t1;2;3\x00\n"},
	{"Windows-1252", "a;b;c\n\xe9;2;3\n\xe9;2;3\n\xc3\xa9;2;3\n\xc3\xa9;2;3\n\xe9;2;3\n\xc3\xa9;\xe9;3\n"},
	{"no line feed at the end", "a;b;c\n1;2;3\n1;2;3"},
	{"no line feed after an accent", "a;b;c\n1;2;3\n1;2;é"},
	{"Windows-1252 at the end", "a;b;c\né;2;3\né;\xe9;3"},
	{"two lines, then repeated", "a;b;c\n1;2;3\n\"\n\";2;3\n1;2;3\n"},
	{"one column", "a\n1\n1\n2\n\n2\n"},
}

// shiftedIfOne is a test for records in the wrong columns.
func shiftedIfOne(func(Column) int) (test func(fields [][]byte) bool) {
	return func(fields [][]byte) bool { return string(fields[0]) == "1" }
}

func TestRowsRepeat(t *testing.T) {
	for _, tt := range repeating {
		for _, size := range []int{1, 5, 1 << 16} {
			t.Run(fmt.Sprint(tt.name, " ", size), func(t *testing.T) {
				checkRows(t, tt.text, Options{}, strings.Count(tt.text[:strings.IndexByte(tt.text, '\n')], ";")+1, size)
				checkRows(t, tt.text, Options{OneLine: true}, 2, size)
				checkRows(t, tt.text, Options{Shifted: shiftedIfOne}, 2, size)
			})
		}
	}
}

// Repeated fields are found at all.
func TestRowsSame(t *testing.T) {
	r, err := NewReader(strings.NewReader("a;b;c\n1;2;3\n1;20;3\n1;20\n1;20;3\n1;20;3\n"), "t", Options{})
	must(t, err)
	bindFirst(r, 3)
	var rows Rows
	var same []uint64
	for rows.Fill(r, 100); rows.Next(); {
		same = append(same, rows.Same())
	}
	if want := []uint64{0, 0b101, 0b1, 0, 0b111}; !slices.Equal(same, want) { // after the broken one, nothing is
		t.Errorf("same = %b, want %b", same, want)
	}
}

// A long table moves through the buffer of the Reader several times.
func TestRowsOfALongTable(t *testing.T) {
	var text strings.Builder
	text.WriteString("a;b;c;d\n")
	for i := range 60_000 {
		fmt.Fprintf(&text, "%d;\"%d;%d\";%s;%d\n", i, i/3, i/50, strings.Repeat("é", i/1000), i/7)
	}
	checkRows(t, text.String(), Options{Comma: ';'}, 4, 64<<10)
}

// More columns than there are bits are read, and never marked.
func TestRowsOfManyColumns(t *testing.T) {
	line := strings.Repeat("x;", 70) + "y\x00z\n"
	checkRows(t, line+line+line+line, Options{}, 71, 1<<16)
	r, err := NewReader(strings.NewReader(line+line+line), "t", Options{})
	must(t, err)
	for range 65 {
		r.bound = append(r.bound, 1)
	}
	r.bound = append(r.bound, 70) // the only one with a control character
	var rows Rows
	for rows.Fill(r, 1<<16); rows.Next(); {
		if got := string(rows.Field(64)) + string(rows.Field(65)); got != "xy z" {
			t.Errorf("line %d: fields %q, want xy z", rows.Line(), got)
		}
	}
}

// Rows that repeat each other have no text, and come in blocks even so.
func TestRowsOfOneRecord(t *testing.T) {
	text := "a;b\n" + strings.Repeat("1;2\n", 3*maxRecords)
	checkRows(t, text, Options{}, 2, 1<<16)
	r, err := NewReader(strings.NewReader(text), "t", Options{})
	must(t, err)
	bindFirst(r, 2)
	var rows Rows
	for blocks := range 3 {
		if more := rows.Fill(r, 1<<16); !more || len(rows.records) != maxRecords {
			t.Errorf("block %d has %d records, more: %t; want %d and more", blocks, len(rows.records), more, maxRecords)
		}
	}
}

// A column that the table lacks repeats like others.
func TestRowsOfAMissingColumn(t *testing.T) {
	r, err := NewReader(strings.NewReader("a;b\n1;2\n1;3\n1;\t\n1;5\n"), "t", Options{})
	must(t, err)
	must(t, r.Bind([]Column{{Name: "a"}, {Name: "c"}, {Name: "b"}}))
	var rows Rows
	var got []string
	for rows.Fill(r, 1<<16); rows.Next(); {
		got = append(got, fmt.Sprintf("%q %q %q %b", rows.Field(0), rows.Field(1), rows.Raw(2), rows.Same()))
	}
	want := []string{`"1" "" "2" 0`, `"1" "" "3" 11`, `"1" "" " " 11`, `"1" "" "5" 11`}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzRows(f *testing.F) {
	for _, tt := range repeating {
		f.Add(tt.text, false, uint8(10))
	}
	f.Add("\n\x8d\t;", true, uint8(10)) // a byte that Windows-1252 does not have, before a blank
	f.Fuzz(func(t *testing.T, text string, oneLine bool, size uint8) {
		checkRows(t, text, Options{Comma: ';', OneLine: oneLine, Shifted: shiftedIfOne}, 3, int(size)+1)
		checkRows(t, strings.ReplaceAll(text, ";", ",")+text, Options{OneLine: oneLine}, 2, int(size)+1)
	})
}
