package export

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"relais/site"
)

// A thing is a row with a cell of each type.
type thing struct {
	text    string
	whole   int
	number  float64
	texts   []string
	numbers []float64
	day     site.Date
	at      time.Time
}

var thingColumns = []Column[thing]{
	{"id", Text, func(t *thing, v *Value) { v.SetText(t.text) }},
	{"whole", Whole, func(t *thing, v *Value) { v.SetWhole(t.whole) }},
	{"number", Number, func(t *thing, v *Value) { v.SetNumber(t.number) }},
	{"texts", Texts, func(t *thing, v *Value) { v.Texts = append(v.Texts, t.texts...) }},
	{"numbers", Numbers, func(t *thing, v *Value) { v.Numbers = append(v.Numbers, t.numbers...) }},
	{"day", Date, func(t *thing, v *Value) { v.SetDate(t.day) }},
	{"at", Time, func(t *thing, v *Value) { v.SetTime(t.at) }},
	{"yes", Boolean, func(t *thing, v *Value) { v.Boolean = t.whole > 0 }},
}

func things(list ...thing) *Table { return NewTable(thingColumns, each(list)) }

// readCSV reads a file back with a reader that is not ours.
func readCSV(t *testing.T, text string, separator rune) [][]string {
	t.Helper()
	r := csv.NewReader(strings.NewReader(text))
	r.Comma = separator
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatalf("encoding/csv cannot read it: %v\n%s", err, text)
	}
	return rows
}

func TestCSV(t *testing.T) {
	table := things(
		thing{"plain", 7, -48.5, []string{"a", "b"}, []float64{0, 120.5}, site.DateOf(2026, 8, 27),
			time.Date(2026, 8, 27, 1, 2, 3, 0, time.UTC)},
		thing{text: "", whole: -1, number: math.NaN()},
		thing{text: "two\nlines, \"quoted\"; and é", number: 1e-7})
	head := []string{"id", "whole", "number", "texts", "numbers", "day", "at", "yes"}
	for _, tt := range []struct {
		name      string
		format    CSV
		separator rune
		want      [][]string
	}{
		{"comma", CSV{}, ',', [][]string{head,
			{"plain", "7", "-48.5", "a;b", "0;120.5", "2026-08-27", "2026-08-27T01:02:03.000Z", "true"},
			{"", "", "", "", "", "", "", "false"},
			{"two\nlines, \"quoted\"; and é", "0", "0.0000001", "", "", "", "", "false"}}},
		{"for Excel in French", CSV{Semicolon: true}, ';', [][]string{head,
			{"plain", "7", "-48,5", "a|b", "0|120,5", "2026-08-27", "2026-08-27T01:02:03.000Z", "true"},
			{"", "", "", "", "", "", "", "false"},
			{"two\nlines, \"quoted\"; and é", "0", "0,0000001", "", "", "", "", "false"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var b bytes.Buffer
			must(t, tt.format.Write(&b, table))
			if d := cmp.Diff(tt.want, readCSV(t, b.String(), tt.separator)); d != "" {
				t.Errorf("got + and want -:\n%s", d)
			}
			if got, want := strings.Count(b.String(), "\r\n"), len(tt.want); got != want {
				t.Errorf("%d lines end with CR LF, want %d", got, want)
			}
			marked := bytes.Buffer{}
			tt.format.BOM = true
			must(t, tt.format.Write(&marked, table))
			if want := "\xef\xbb\xbf" + b.String(); marked.String() != want {
				t.Errorf("with BOM got %.20q, want %.20q", marked.String(), want)
			}
		})
	}
}

// A spreadsheet must not take a text for a formula.
func TestFormulas(t *testing.T) {
	for text, want := range map[string]string{
		`=HYPERLINK("http://x","y")`: `'=HYPERLINK("http://x","y")`, "+33 1": "'+33 1", "-": "'-", "@SUM(A1)": "'@SUM(A1)",
		"\tx": "'\tx", "\rx": "'\rx", "a=b": "a=b", "'x": "'x", " =x": " =x",
	} {
		t.Run(text, func(t *testing.T) {
			var b bytes.Buffer
			must(t, (CSV{}).Write(&b, things(thing{text: text, number: -1, texts: []string{text, "z"}})))
			row := readCSV(t, b.String(), ',')[1]
			if row[0] != want || row[3] != want+";z" {
				t.Errorf("got %q and %q, want %q and it in a list", row[0], row[3], want)
			}
			if row[2] != "-1" {
				t.Errorf("the number is %q, want -1", row[2])
			}
		})
	}
}

type failingWriter struct{ after int }

// Write implements io.Writer.
func (w *failingWriter) Write(p []byte) (int, error) {
	if w.after -= len(p); w.after < 0 {
		return 0, io.ErrClosedPipe
	}
	return len(p), nil
}

// A file that cannot be written to its end is an error, and rows are not read any further.
func TestWriteFails(t *testing.T) {
	read := 0
	table := NewTable(thingColumns, func(yield func(*thing) bool) {
		for read = 0; read < 1e6 && yield(&thing{text: strings.Repeat("x", 100)}); read++ {
		}
	})
	if err := (CSV{}).Write(&failingWriter{1 << 20}, table); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("error %v, want that of the writer", err)
	}
	if read > 20000 {
		t.Errorf("%d rows were read after the writer failed", read)
	}
}

// Wherever a spreadsheet splits, no cell is a formula. The cells are those that encoding/csv finds with the separator
// of another language, which does not know the quotation marks within a cell either.
func TestFormulasWhereOthersSplit(t *testing.T) {
	texts := []string{"a;=1+1", "a,=1+1", "a\n=1+1", "a\r\n@SUM(A1)", "a\t+1", `x";"=1`, `x,"",=1`, "a;;=1", "12, rue -1", "z;\t=1"}
	isFormula := regexp.MustCompile(`(?:^|[,;\t\r\n])"*[=+@-]`)
	for _, format := range []CSV{{}, {Semicolon: true}} {
		for _, text := range texts {
			t.Run(fmt.Sprintf("%t %q", format.Semicolon, text), func(t *testing.T) {
				var b bytes.Buffer
				must(t, format.Write(&b, things(thing{text: text, texts: []string{"a", text, "=b"}})))
				_, row, _ := strings.Cut(b.String(), "\r\n")
				if at := isFormula.FindString(row); at != "" {
					t.Errorf("%q has a cell that begins with %q", row, at)
				}
				if kept := strings.ReplaceAll(strings.ReplaceAll(row, "'", ""), `""`, `"`); !strings.Contains(kept, text) {
					t.Errorf("%q has lost %q", row, text)
				}
				own := map[bool]rune{false: ',', true: ';'}[format.Semicolon]
				for _, separator := range ",;\t" {
					r := csv.NewReader(strings.NewReader(row))
					r.Comma, r.LazyQuotes, r.FieldsPerRecord = separator, true, -1
					for {
						cells, err := r.Read()
						if err == io.EOF {
							break
						} else if err != nil && separator == own {
							t.Fatal(err)
						}
						for _, cell := range cells {
							if cell != "" && strings.ContainsRune("=+-@", rune(cell[0])) {
								t.Errorf("split at %q, a cell is %q", separator, cell)
							}
						}
					}
				}
			})
		}
	}
	for text, want := range map[string]string{"a;=b": "a;'=b", "a,=b": "a,'=b", "a, =b": "a, =b", "a;b": "a;b", "=a;=b": "'=a;'=b"} {
		for _, format := range []CSV{{}, {Semicolon: true}} {
			var b bytes.Buffer
			must(t, format.Write(&b, things(thing{text: text})))
			if got := readCSV(t, b.String(), map[bool]rune{false: ',', true: ';'}[format.Semicolon])[1][0]; got != want {
				t.Errorf("%q: got %q, want %q", text, got, want)
			}
		}
	}
}
