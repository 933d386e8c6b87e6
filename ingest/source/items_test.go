package source

import (
	"fmt"
	"strings"
	"testing"

	"relais/internal/filetest"
)

var (
	list     = &Kind{Name: "list", Items: &Items{Names: []string{"ID", "X"}}}
	features = &Kind{Name: "features", Items: &Items{List: "features", Names: []string{"station", "techno"}}}
	others   = &Kind{Name: "others", Items: &Items{List: "features", Names: []string{"id", "sitecode"}}}
)

// detected is a file of one of the kinds above.
func detected(t *testing.T, text string) Found {
	t.Helper()
	inputs, err := Expand([]string{filetest.New(t, "x.json", text)})
	must(t, err)
	f, err := Detect(inputs[0], []*Kind{list, features, others})
	must(t, err)
	return f
}

// JSON lists are told apart by the members of their rows, and their rows accounted
// for like those of tables.
func TestItems(t *testing.T) {
	for _, tt := range []struct {
		text string
		want *Kind
	}{
		{`[{"ID":"1","X":2,"more":0}]`, list},
		{`{"type":"FeatureCollection","features":[{"properties":{"station":"a","techno":"b"}}]}`, features},
		{`{"features":[{"properties":{"sitecode":"a"},"id":3}]}`, others},
		// half of it is there
		{`{"features":[{"properties":{"station":"a"}}]}`, features},
		{`{"features":[{"properties":{"name":"a"}}]}`, nil},
		// the first that can be read
		{`[{"ID":` + strings.Repeat("[", 99) + strings.Repeat("]", 99) + `},{"ID":"1","X":2}]`, list},
		// Before it come large rows, broken rows and other values.
		{`{"features":[{"properties":{"name":"` + strings.Repeat("a",
			300<<10) + `","station":"a","techno":"b"}}]}`, features},
		{`[null,1,"x",[],{},{"Y":2},{"ID":"` + strings.Repeat("1", 1<<20) + `","X":2},` + "\n" +
			`{"ID":"1","X":2}]`, list},
		{`[{"ID":"` + strings.Repeat("1", 1<<20) + `"},{"ID":"` + strings.Repeat("1",
			2<<20) + `"},{"ID":"1","X":2}]`, list},
		{`[{"ID":"` + strings.Repeat("1", 5<<20) + `"},{"ID":"1","X":2}]`, nil}, // too far
		{`[null]`, nil},
		{`{"features":[]}`, nil},
		{`[]`, nil},
		{`a;b;c`, nil},
		{`<html>`, nil},
	} {
		t.Run(fmt.Sprintf("%.40s", tt.text), func(t *testing.T) {
			if f := detected(t, tt.text); f.Kind != tt.want {
				t.Errorf("%.80s: f.Kind = %+v, want %+v", tt.text, f.Kind, tt.want)
			}
		})
	}
}

func TestReadItems(t *testing.T) {
	f := detected(t, `[{"ID":"1","X":2},`+"\n"+`{"ID":7,"X":2},{"ID":[3]},{"ID":"`+strings.Repeat("4",
		2<<20)+`"}]`)
	r, err := f.ReadItems(nil)
	must(t, err)
	defer r.Close()
	var ids []string
	for {
		var row struct{ ID string }
		if !r.NextRow(&row) {
			break
		}
		ids = append(ids, row.ID)
	}
	report, err := r.Done()
	if err != nil || strings.Join(ids, " ") != "1" || report.Rows != 4 || report.Rejected["over 1048576 bytes"] != 1 ||
		report.Rejected["not in the form of the register"] != 2 || report.Examples[0].Line != 2 {
		t.Errorf("got %q, %+v, %v, want item 1 of 4, one too large and two of another form", ids, report, err)
	}
	empty := detected(t, `[{"ID":"1","X":2}]`)
	cut, err := empty.ReadItems(func(int) error { return nil })
	must(t, err)
	defer cut.Close()
	if _, err := cut.Done(); err == nil || !strings.Contains(err.Error(), "no row") {
		t.Errorf(`a list that nobody read: %v; want an error with "no row"`, err)
	}
}

// The most frequent names come first, and no name is endless.
func TestSpellings(t *testing.T) {
	s := Spellings{}
	for _, tt := range []struct {
		name string
		n    int
	}{
		{"a", 3},
		{"b", 5},
		{"c", 1},
		{"d", 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for range tt.n {
				s.Add(tt.name)
			}
		})
	}
	s.Add(strings.Repeat("é", 1000))
	top := s.Top()
	if len(top) != 3 || top[0] != (Spelling{"b", 5}) || top[1] != (Spelling{"a", 3}) || top[2] != (Spelling{"d", 3}) {
		t.Errorf(`top = %+v; want len(top) = 3, top[0] = (Spelling{"b", 5}), top[1] = (Spelling{"a", 3}), top[2] `+
			`= (Spelling{"d", 3})`, top)
	}
	for name := range s {
		if len(name) > 100 {
			t.Errorf("%d bytes of a name; want len(name) <= 100", len(name))
		}
	}
}
