package table

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"relais/internal/errtest"
)

// must ends the test on an error of what it needs.
var must = errtest.Must

// all reads every record as strings.
func all(t testing.TB, in io.Reader, opt Options, cols int) (rows [][]string, lines []int, err error) {
	t.Helper()
	r, err := NewReader(in, "f.csv", opt)
	if err != nil {
		return nil, nil, err
	}
	var bind []Column
	for i := range cols {
		bind = append(bind, Column{Name: fmt.Sprintf("c%d", i)})
	}
	if err := r.Bind(bind); err != nil {
		return nil, nil, err
	}
	for r.Next() {
		var row []string
		for i := range cols {
			row = append(row, string(r.Field(i)))
		}
		if !r.Whole() {
			row = append(row, "broken")
		}
		rows, lines = append(rows, row), append(lines, r.Line())
	}
	return rows, lines, r.Err()
}

func TestRecords(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     string // rows joined with / and |
		err      string
	}{
		{"plain", "c0;c1\na;b\nc;d\n", "a|b/c|d", ""},
		{"no line feed at the end", "c0;c1\na;b", "a|b", ""},
		{"quoted at the end", "c0;c1\na;\"b\"", "a|b", ""},
		{"byte order mark", "\xef\xbb\xbfc0;c1\na;b\n", "a|b", ""},
		{"comma", "c0,c1\n\"a;b\",c\n", "a;b|c", ""},
		{"tab", "c0\tc1\na\tb c\n", "a|b c", ""},
		{"CRLF and blanks", "c0;c1\r\n a ;  \r\n\r\n\"b\";\"c\"\r\n", "a|/b|c", ""},
		{"other order, other names", "C1*;x;#c0\na;b;c\n", "c|a", ""},
		{"quotes", "c0;c1\n\"a;\"\"b\"\"\nc\";d\n", "a;\"b\"\nc|d", ""},
		{"quote inside a field", "c0;c1\na\"b;5\"\n", "a\"b|5\"", ""},
		{"text behind the closing quote", "c0;c1\n\"a\"b;c\n", "ab|c", ""},
		{"too few and too many", "c0;c1\na\nb;c;d\n", "a||broken/b|c|broken", ""},
		{"Windows-1252", "c0;c1\nn\xb03;\x8cuvre\nCaf\xc3\xa9;b\n", "n°3|Œuvre/Café|b", ""},
		{"header only", "c0;c1\n", "", ""},
		{"empty", "", "", "f.csv:1: the file is empty"},
		{"mark only", "\xef\xbb\xbf", "", "f.csv:1: the file is empty"},
		{"blank lines only", "\n\r\n\n", "", "f.csv:1: the file is empty"},
		{"cut in a quoted field", "c0;c1\na;b\nc;\"d\n",
			"a|b", "f.csv:3: the file ends inside a quoted field that begins in this record: it was cut short"},
		{"cut in a record", "c0;c1\na;b\nc", "a|b",
			"f.csv:3: the file ends in the middle of a record: it was cut short"},
		{"one endless line", "c0;c1\n" + strings.Repeat("x", 1<<17), "",
			"f.csv:2: a line of over 64 KiB: this is not a table"},
		{"a stray quote late in the file",
			"c0;c1\n" + strings.Repeat("c;d\n", 40000) + "a;\"b\n" + strings.Repeat("e;f\n", 20),
			strings.Repeat("c|d/", 40000) + "||broken" + strings.Repeat("/e|f", 20), ""},
		{"many line feeds in quotes",
			"c0;c1\na;\"" + strings.Repeat("x\n", 16) + "\"\nb;\"" + strings.Repeat("y\n", 3) + "\"\n",
			"a|" + strings.TrimSpace(strings.Repeat("x\n", 16)) + "/b|" + strings.TrimSpace(strings.Repeat("y\n", 3)),
			""},
		{"a quote that never closes", "c0;c1\na;\"b\n" + strings.Repeat("c;d\n", 40000),
			"||broken" + strings.Repeat("/c|d", 40000), ""},
	} {
		rows, _, err := all(t, strings.NewReader(tt.in), Options{}, 2)
		var got []string
		for _, r := range rows {
			got = append(got, strings.Join(r, "|"))
		}
		if g := strings.Join(got, "/"); strings.Replace(g, "broken quote||broken", "||broken", 1) != tt.want {
			t.Errorf("%s: %.200q, want %.200q", tt.name, g, tt.want)
		}
		if fmt.Sprint(err) != tt.err && !(err == nil && tt.err == "") {
			t.Errorf("%s: error %v, want %s", tt.name, err, tt.err)
		}
	}
}

func TestComments(t *testing.T) {
	text := "\xef\xbb\xbf# made by \"nobody\"\r\n#,\"\nc0,c1\na,b\n#c,\"d\n\n\"#e\",f\n# the end"
	rows, lines, err := all(t, strings.NewReader(text), Options{Comma: ',', Comment: '#'}, 2)
	if want := "[[a b] [#e f]]"; err != nil || fmt.Sprint(rows) != want || !slices.Equal(lines, []int{4, 7}) {
		t.Errorf("%v on lines %v (%v), want %s", rows, lines, err, want)
	}
	if _, _, err := all(t, strings.NewReader("# nothing\n"), Options{Comma: ',', Comment: '#'}, 2); err == nil ||
		err.Error() != "f.csv:1: the file is empty" {
		t.Errorf(`comments only: %v; want an error, err.Error() = "f.csv:1: the file is empty"`, err)
	}
}

func TestOptionalHeader(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"\n\na,b,c\nd,e,f\n", "3 [a b c] 4 [d e f]"},
		{"c2,c0,c1\na,b,c\n", "2 [b c a]"},
		{"c1,x,c0\na,b,c\n", "2 [c a ]"}, // two of three make a header
		{"c1,x,y\n", "1 [c1 x y]"},
		{"a,b\nc,d,e", "1 [a b  broken] 2 [c d e]"},
		{"a,b,\"c\nd\"\n" + strings.Repeat("e,f,\n", 3), "1 [a b c\nd] 3 [e f ] 4 [e f ] 5 [e f ]"},
	} {
		rows, lines, err := all(t, iotest.OneByteReader(strings.NewReader(tt.in)),
			Options{Comma: ',', OptionalHeader: true}, 3)
		var got []string
		for i := range rows {
			got = append(got, fmt.Sprint(lines[i], " ", rows[i]))
		}
		if g := strings.Join(got, " "); g != tt.want || err != nil {
			t.Errorf("%q: %q (%v), want %q", tt.in, g, err, tt.want)
		}
	}
	if r, err := NewReader(strings.NewReader("a,c1\n"), "f.csv", Options{OptionalHeader: true}); err != nil ||
		r.Bind([]Column{{Name: "c0", Required: true}, {Name: "c1"}}) == nil {
		t.Errorf(`a header that lacks a column: %v; want no error, r.Bind([]Column{{Name: "c0", Required: true}, `+
			`{Name: "c1"}}) != nil`, err)
	}
}

func TestLines(t *testing.T) {
	_, lines, err := all(t, strings.NewReader("c0;c1\na;b\n\n\"c\nd\";e\nf;g\n"), Options{}, 2)
	if want := []int{2, 4, 6}; err != nil || !slices.Equal(lines, want) {
		t.Errorf("records begin on lines %v (%v), want %v", lines, err, want)
	}
}

func TestUTF8Only(t *testing.T) {
	_, _, err := all(t, strings.NewReader("c0;c1\na;b\ncaf\xe9;b\n"), Options{UTF8: true}, 2)
	if err == nil || !strings.HasPrefix(err.Error(), "f.csv:3: a byte that is not UTF-8") {
		t.Errorf(`error %v; want an error, err.Error() that begins with "f.csv:3: a byte that is not UTF-8"`, err)
	}
}

func TestRaw(t *testing.T) {
	r, err := NewReader(strings.NewReader("a;b;c\r\n\" x \"; \xe9\t; z \r\n"), "f.csv", Options{})
	if err == nil {
		err = r.Bind([]Column{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "d"}})
	}
	if err != nil || !r.Next() {
		t.Fatalf("err = %v; want no error, r.Next()", err)
	}
	for i, want := range []string{" x ", " é\t", " z ", ""} {
		if got := string(r.Raw(i)); got != want || string(r.Field(i)) != strings.TrimSpace(want) {
			t.Errorf("column %d is %q, want %q", i, got, want)
		}
	}
}

func TestBind(t *testing.T) {
	r, err := NewReader(strings.NewReader("Opérateur;emr_dt_service;x\nORANGE;2020;1\n"), "f.csv", Options{})
	must(t, err)
	cols := []Column{{Name: "emr_dt", Aliases: []string{"emr_dt_service"}},
		{Name: "adm_lb_nom", Aliases: []string{"Opérateur"}, Required: true}, {Name: "y"}}
	if got := r.Score(cols); got < 0.66 || got > 0.67 {
		t.Errorf("score %v; want got >= 0.66, got <= 0.67", got)
	}
	if err := r.Bind(cols); err != nil || !r.Next() ||
		string(r.Field(0))+string(r.Field(1))+string(r.Field(2)) != "2020ORANGE" {
		t.Errorf("err = %v, r.Field(0) = %q, r.Field(1) = %q, r.Field(2) = %q; want no error, r.Next(), "+
			`string(r.Field(0))+string(r.Field(1))+string(r.Field(2)) = "2020ORANGE"`, err, r.Field(0), r.Field(1),
			r.Field(2))
	}
	err = r.Bind([]Column{{Name: "sup_id", Required: true}})
	if err == nil || err.Error() != "f.csv:1: the column sup_id is missing" {
		t.Errorf(`error %v; want an error, err.Error() = "f.csv:1: the column sup_id is missing"`, err)
	}
}

func TestInputErrorsAreKept(t *testing.T) {
	gone := errors.New("stale file handle")
	_, _, err := all(t, io.MultiReader(strings.NewReader("c0;c1\na;b\n"), iotest.ErrReader(gone)), Options{}, 2)
	if !errors.Is(err, gone) || !strings.HasPrefix(err.Error(), "f.csv:") {
		t.Errorf(`error %v; want %v, err.Error() that begins with "f.csv:"`, err, gone)
	}
}

// A file of stray quotes must cost no more than its size: this one took hours
// where each of them had the rest of the file looked at.
func TestStrayQuotesAreCheap(t *testing.T) {
	const lines = 100000
	rows, _, err := all(t, strings.NewReader("c0;c1\n"+strings.Repeat("x\"y;\"z\n", lines)), Options{}, 2)
	if err == nil || len(rows) < lines-2*maxFeeds || len(rows) > lines {
		// the last of them are cut short
		t.Errorf("%d records, %v; want an error, len(rows) >= lines-2*maxFeeds, len(rows) <= %v", len(rows), err, lines)
	}
}

func TestUnended(t *testing.T) {
	for _, tt := range []struct {
		text string
		want bool
	}{
		{"c0;c1\na;b\n", false},
		{"c0;c1\na;b", true},
		{"c0;c1", false},
		{"c0;c1\n", false},
	} {
		t.Run(tt.text, func(t *testing.T) {
			r, err := NewReader(strings.NewReader(tt.text), "f.csv", Options{})
			must(t, err)
			for r.Next() {
			}
			if r.Unended() != tt.want {
				t.Errorf("%q: r.Unended() = %v, want %v", tt.text, r.Unended(), tt.want)
			}
		})
	}
}

// On what encoding/csv writes, both readers must agree, however the bytes
// arrive.
func TestAgreesWithCSV(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	pieces := []string{"", "a", "é", ";", "\"", "\n", "x y", "12,5", "\"\"", strings.Repeat("long ", 300)}
	for round := range 200 {
		var file bytes.Buffer
		w := csv.NewWriter(&file)
		w.Comma = ';'
		w.Write([]string{"c0", "c1", "c2"})
		for range 1 + r.IntN(300) {
			row := []string{"k", "", ""}
			for i := range row {
				for range r.IntN(4) {
					row[i] += pieces[r.IntN(len(pieces))]
				}
			}
			w.Write(row)
		}
		w.Flush()
		want, err := func() ([][]string, error) {
			c := csv.NewReader(bytes.NewReader(file.Bytes()))
			c.Comma = ';'
			return c.ReadAll()
		}()
		must(t, err)
		for _, row := range want {
			for i := range row {
				row[i] = strings.TrimSpace(row[i])
			}
		}
		in := io.Reader(bytes.NewReader(file.Bytes()))
		switch round % 3 {
		case 0:
			in = iotest.HalfReader(in)
		case 1:
			in = iotest.DataErrReader(in)
		}
		got, _, err := all(t, in, Options{}, 3)
		if err != nil || !slices.EqualFunc(got, want[1:], slices.Equal[[]string]) {
			t.Fatalf("round %d: %v\n%q\nwant\n%q", round, err, got, want[1:])
		}
	}
}

func FuzzReader(f *testing.F) {
	f.Add([]byte("c0;c1\na;\"b\"\"\nc\"\n"), false)
	f.Add([]byte("\xef\xbb\xbfc1,c0\r\n\"\",\xe9\r\n"), true)
	f.Add([]byte("#\"\na;b\n#c;d"), true)
	f.Fuzz(func(t *testing.T, data []byte, split bool) {
		in := io.Reader(bytes.NewReader(data))
		if split {
			in = iotest.OneByteReader(in)
		}
		opt := Options{}
		if bytes.IndexByte(data, '#') >= 0 {
			opt = Options{Comma: ';', Comment: '#', OptionalHeader: true}
		}
		rows, lines, err := all(t, in, opt, 2)
		again, _, err2 := all(t, bytes.NewReader(data), opt, 2)
		if !slices.EqualFunc(rows, again, slices.Equal[[]string]) || (err == nil) != (err2 == nil) {
			t.Errorf("byte by byte: %q, %v; at once: %q, %v; want slices.EqualFunc(rows, again, "+
				"slices.Equal[[]string]), (err == nil) = (err2 == nil)", rows, err, again, err2)
		}
		if feeds := bytes.Count(data, []byte("\n")) + 1; len(rows) > feeds || !slices.IsSorted(lines) ||
			len(lines) > 0 && lines[len(lines)-1] > feeds {
			t.Errorf("%d records in %d lines, at %v; want len(rows) <= %v, slices.IsSorted(lines), len(lines) = "+
				"0 or lines[len(lines)-1] <= %v", len(rows), feeds, lines, feeds, feeds)
		}
	})
}

func BenchmarkReader(b *testing.B) {
	line := "1;BOUYGUES TELECOM;23444;5G NR 2100;2023-02-02;003;03258;5G;2026-08-27T16:11:53;0032750221;23;20;72;LE BOUCHEREAUD;rte de vendat;;;03110;03258;\"46.177499999999995 , 3.3741666666666665\";46°10'39''N 3°22'27''E;Techniquement opérationnel\n"
	file := []byte(strings.Replace(line, "1;", "a;", 1) + strings.Repeat(line, 20000))
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		r, err := NewReader(bytes.NewReader(file), "f.csv", Options{})
		must(b, err)
		for r.Next() {
		}
		if r.Err() != nil {
			b.Fatalf("got %v, want none", r.Err())
		}
	}
}

// A record says why it is broken; a table without a header has no test of shifts.
func TestBroken(t *testing.T) {
	opt := Options{Comma: ',', OneLine: true, Shifted: func(at func(Column) int) func([][]byte) bool {
		number, none := at(Column{Name: "no", Aliases: []string{"Number*"}}), at(Column{Name: "none"})
		return func(fields [][]byte) bool { return none < 0 && len(bytes.Trim(fields[number], "0123456789 \r")) > 0 }
	}}
	for _, tt := range []struct{ text, want string }{
		{"a,1", ""},
		{`"a, b","1" `, ""},
		{"\"a\",\"1\"\r", ""},
		{`"a ""b""",1`, ""},
		{`a"b"",1`, ""},
		{`a, "1"`, "shifted columns"},
		{`"",`, ""},
		{`""a, b",1`, "broken record"},
		{`"a"b,1`, "broken record"},
		{`a,"1" 2`, "broken record"},
		{`"a,1`, "broken record"},
		{`a,"1`, "broken record"},
		{`a`, "wrong number of columns"},
		{`a,b,1`, "wrong number of columns"},
		{`""a, b","c,1"`, "broken record"},
		{`a,b`, "shifted columns"},
		{`"a",1,`, "wrong number of columns"},
	} {
		t.Run(tt.text, func(t *testing.T) {
			for _, end := range []string{"\n", "\nx,1\n"} {
				r, err := NewReader(strings.NewReader("a,number\n"+tt.text+end), "f.csv", opt)
				if err != nil || !r.Next() {
					t.Fatalf("tt.text = %q, err = %v; want no error, r.Next()", tt.text, err)
				}
				if got := r.Broken(); got != tt.want || r.Whole() != (tt.want == "") {
					t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
				}
				if end != "\n" && (!r.Next() || r.Broken() != "" || r.Line() != 3) {
					t.Errorf("%q: got line %d behind it, broken %q, want a good line 3", tt.text, r.Line(),
						r.Broken())
				}
			}
		})
	}
	opt.OptionalHeader = true
	r, err := NewReader(strings.NewReader("x,y\n"), "f.csv", opt)
	if err != nil || r.Bind([]Column{{Name: "a"}, {Name: "number"}}) != nil || !r.Next() || r.Broken() != "" {
		t.Errorf(`without a header: %v; want no error, r.Bind([]Column{{Name: "a"}, {Name: "number"}}) = nil, `+
			`r.Next(), r.Broken() = ""`, err)
	}
}
