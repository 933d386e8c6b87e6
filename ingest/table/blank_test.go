package table

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

func TestBlank(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"columns anywhere, by any spelling", "\ufeff#Name*,b,PHONE \nAnn,\"x, y\",555\n\"Bob \"\"B\"\"\",,\"1,2\"\n",
			"#Name*,b,PHONE \n,\"x, y\",\n,,\n"},
		{"records of other lengths", "name,b,phone\nAnn,x\nAnn,x,5,6\nAnn,x,5\n", "name,b,phone\n-\n-\n,x,\n"},
		{"a stray quote joins no lines", "name,b,phone\nAnn,\"x,5\nBob,\"y\",6\n", "name,b,phone\n-\n,y,\n"},
		{"quotes inside, line ends, bytes", "name;b;phone\r\nAnn;x\"y\xe9;\"5\"\r\nAnn;\"z\" ;5\r\n",
			"name;b;phone\r\n;\"x\"\"y\xe9\";\n;z ;\n"},
		{"text behind a closing quote", "b,name,phone\n\"\"Bob, Inc.\",Ann,\"5,6\"\nx,\"Ann\" S.,5\n",
			"b,name,phone\n-\n-\n"},
		{"twice the same name", "name,b,name,b\nAnn,x,Bob,y\n", "name,b,name,b\n,x,,y\n"},
		{"a column that nobody knows", "b,userId\nx,17\n", "b,userId\nx,\n"},
	} {
		var out bytes.Buffer
		err := Blank(&out, strings.NewReader(c.text), "t.csv", Options{OneLine: true},
			func(n Name) bool { return !n.Matches("B*") })
		if err != nil || out.String() != c.want {
			t.Errorf("%s: %q, %v, want %q", c.name, out.String(), err, c.want)
		}
	}
	if err := Blank(&bytes.Buffer{}, strings.NewReader("name,b\nAnn,x\nAnn"), "t.csv", Options{},
		func(Name) bool { return false }); err == nil || !strings.Contains(err.Error(), "t.csv:3") {
		t.Errorf(`a table that was cut short: %v; want an error with "t.csv:3"`, err)
	}
}

// rowsOf reads the records of a table, those that are not whole as nil.
func rowsOf(text string, opt Options) (rows [][]string, err error) {
	r, err := NewReader(strings.NewReader(text), "t", opt)
	if err != nil {
		return nil, err
	}
	for r.Next() {
		var row []string
		if r.Whole() {
			for i := range r.fields {
				row = append(row, string(r.field(i)))
			}
		}
		rows = append(rows, row)
	}
	return rows, r.Err()
}

// The copy has the records of the table, with some columns blank.
func FuzzBlank(f *testing.F) {
	f.Add("name,b\nAnn,\"x\ny\"\n", false)
	f.Add("\"name\";b;c\n\"\"A\"n\";\"x\"y;\xff\n;;\n-\n", true)
	f.Fuzz(func(t *testing.T, text string, oneLine bool) {
		opt := Options{Comma: ',', OneLine: oneLine}
		rows, err := rowsOf(text, opt)
		if err != nil {
			return
		}
		var out bytes.Buffer
		must(t, Blank(&out, strings.NewReader(text), "t", opt,
			func(n Name) bool { return !n.Matches("B*") }))
		r, err := NewReader(strings.NewReader(text), "t", opt)
		if err != nil || r.width < 2 { // of one column, the line of one field is a record
			return
		}
		got, err := rowsOf(out.String(), opt)
		if err != nil || len(got) != len(rows) {
			t.Fatalf("%d records, %v, want %d\n%q\n%q", len(got), err, len(rows), text, out.String())
		}
		for i := range rows {
			for k := range rows[i] {
				if r.header[k] != "b" {
					rows[i][k] = ""
				}
			}
			if !slices.Equal(got[i], rows[i]) {
				t.Errorf("record %d: %q, want %q", i, got[i], rows[i])
			}
		}
	})
}
