package items

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func read(t *testing.T, in io.Reader, list string) (objects []string, before string, err error) {
	t.Helper()
	r, err := NewReader(in, "x.json", list)
	if err != nil {
		return nil, "", err
	}
	for r.Next() {
		objects = append(objects, string(r.Bytes()))
	}
	return objects, string(r.Before()), r.Err()
}

func TestReader(t *testing.T) {
	for _, tt := range []struct {
		name, text, list string
		objects          []string
		before           string
	}{
		{"list", ` [ {"a":1} , {"b":"}]"}, {"c":[{"d":"\"{"}]} ] `,
			"", []string{`{"a":1}`, `{"b":"}]"}`, `{"c":[{"d":"\"{"}]}`}, ""},
		{"empty list", "[]", "", nil, ""},
		{"member", "\xef\xbb\xbf{\"type\":\"X\",\n \"crs\":{\"n\":[1,2]},\"n\":-1.5e3 ,\"features\":\n[{\"a\":1}],\"after\":[\"]\"], \"x\":null}", "features",
			[]string{`{"a":1}`}, `{"type":"X","crs":{"n":[1,2]},"n":-1.5e3}`},
		{"escaped name", `{"\u0066eatures":[{}]}`, "features", []string{"{}"}, "{}"},
	} {
		for _, c := range []struct {
			how string
			in  io.Reader
		}{
			{"whole", strings.NewReader(tt.text)},
			{"byte by byte", iotest.OneByteReader(strings.NewReader(tt.text))},
		} {
			t.Run(c.how, func(t *testing.T) {
				objects, before, err := read(t, c.in, tt.list)
				if err != nil || fmt.Sprint(objects) != fmt.Sprint(tt.objects) || before != tt.before {
					t.Errorf("%s, %s: %q, before %q, %v; want no error, fmt.Sprint(objects) = "+
						"fmt.Sprint(tt.objects), before = %v", tt.name, c.how, objects, before, err, tt.before)
				}
				if before != "" && !json.Valid([]byte(before)) {
					t.Errorf(`%s: %q is not JSON; want before = "" or json.Valid([]byte(before))`, tt.name, before)
				}
			})
		}
	}
}

// A file that is not a list of objects is reported with its line, and one without an end is not
// waited for.
func TestBadFiles(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", "x.json:1: the file ends"},
		{"[", "x.json:1: the file ends"},
		{"[\n{\"a\":1}\n", "x.json:3: the file ends"},
		{"[{\"a\":1", "the file ends"},
		{"[{\"a\":\"1", "the file ends"},
		{"[1,}]", "'}' looking for beginning of value"},
		{"[{},]", "']' looking for beginning of value"},
		{"[,{}]", "',' looking for beginning of value"},
		{"[{},\n{\"a\":1,,}]", "x.json:2: it is not JSON"},
		{"[null", "the file ends"},
		{"[{\"a\":NaN}]", "it is not JSON"}, // as Python writes it
		{"[{} {}]", "it is not JSON"},
		{"[{}]x", "it is not JSON"},
		{"[{}][]", "something follows the end"},
		{"{}", "it is not a list"},
		{"[{\"a\":\"" + strings.Repeat("x", 2*MaxItem), "the file ends"},
		{"[{\"a\":\"" + strings.Repeat("x", 2*maxValue), "a value of over"},
		{"[{\"a\":" + strings.Repeat("[", 1000), "the file ends"},
		{"[{\"a\":" + strings.Repeat("[", 100000), "exceeded max depth"},
	} {
		t.Run(tt.want, func(t *testing.T) {
			_, _, err := read(t, strings.NewReader(tt.text), "")
			var e *Error
			if !errors.As(err, &e) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%.40q: %v, want %q", tt.text, err, tt.want)
			}
		})
	}
	for _, tt := range []struct{ text, want string }{
		{"[]", "it is not an object"}, {"{}", "no list"}, {`{"a":1}`, "no list"}, {`{"a" 1}`, "not JSON"},
		{`{"features":"x","features":[{}]}`, "not a list"}, {`{"features":[{}]`, "the file ends"},
		{`{"features":[{}],` + "\n" +
			`"features":[{}]}`, `x.json:2: a second "features"`},
		{`{"features":[],"x":{"features":[]},"\u0066eatures":null}`, "a second"},
		{`{"features":[] "x":1}`, "not JSON"},
		{`{"features":[],,}`, "not JSON"},
		{`{"features":[],"x":}`, "not JSON"},
		{`{"features":[],"x":` + strings.Repeat("[", 100000), "exceeded max depth"},
		{`{"features":[],"x" 1}`, "not JSON"},
		{`{"features":[]}{"features":[]}`, "follows the end"},
		{`{"features":[],"` + strings.Repeat("x", 2*maxValue) + `":1}`, "a value of over"},
		{`{"a":"` + strings.Repeat("x", maxBefore+9) + `","features":[]}`, "in the first"},
		{`{"a":` + strings.Repeat("1", maxBefore+9) + `,"features":[]}`, "in the first"},
	} {
		t.Run(tt.want, func(t *testing.T) {
			if _, _, err := read(t, strings.NewReader(tt.text), "features"); err == nil ||
				!strings.Contains(err.Error(), tt.want) {
				t.Errorf("%.40q: %v, want %q", tt.text, err, tt.want)
			}
		})
	}
	broken := io.MultiReader(strings.NewReader(`[{"a":1},`), iotest.ErrReader(errors.New("disk")))
	if objects, _, err := read(t, broken, ""); len(objects) != 1 || err == nil || err.Error() != "disk" {
		t.Errorf(`objects = %q, err = %v; want len(objects) = 1, an error, err.Error() = "disk"`, objects, err)
	}
}

// An object that is too large is skipped with a reason; those around it are
// read.
func TestBroken(t *testing.T) {
	nested := func(n int) string {
		return `{"a":` + strings.Repeat("[", n-1) + strings.Repeat("]", n-1) + "}"
	}
	sized := func(n int) string { return `{"a":"` + strings.Repeat("x", n-len(`{"a":""}`)) + `"}` }
	elements := []struct{ text, broken string }{
		{nested(9999), ""}, {"{}", ""},
		{sized(MaxItem), ""}, {sized(MaxItem + 1), "over 1048576 bytes"},
		{sized(5 * MaxItem), "over 1048576 bytes"}, {`{"b":2}`, ""},
		{"null", "not an object"}, {`"{}"`, "not an object"}, {"-1e3", "not an object"}, {"[{}]", "not an object"},
		{`{"c":3}`, ""},
	}
	text := ""
	for _, e := range elements {
		text += " ,\n" + e.text
	}
	r, err := NewReader(strings.NewReader(`{"features":[`+text[2:]+`],"more":`+nested(1000)+"}"), "x.json", "features")
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range elements {
		want := e.text
		if e.broken != "" {
			want = ""
		}
		if !r.Next() || !strings.HasPrefix(r.Broken(), e.broken) || (r.Broken() == "") != (e.broken == "") ||
			string(r.Bytes()) != want || r.Line() != i+2 {
			t.Fatalf("element %d: %q, %d bytes, line %d, %v; want %q", i, r.Broken(), len(r.Bytes()), r.Line(), r.Err(), e.broken)
		}
	}
	if r.Next() || r.Err() != nil {
		t.Errorf("at the end: %v; want !r.Next(), r.Err() = nil", r.Err())
	}
}

func FuzzReader(f *testing.F) {
	f.Add(`[{"a":1},{"b":"}]"}]`, "")
	f.Add(`{"crs":{"n":1},"features":[{"a":[{}]}]}`, "features")
	f.Fuzz(func(t *testing.T, text, list string) {
		objects, before, err := read(t, strings.NewReader(text), list)
		if before != "" && err == nil && json.Valid([]byte(text)) && !json.Valid([]byte(before)) {
			t.Errorf(`before %q; want before = "" or an error or !json.Valid([]byte(text)) or `+
				"json.Valid([]byte(before))", before)
		}
		// Of what is JSON altogether, encoding/json must find the same objects.
		var whole []json.RawMessage
		if list != "" || json.Unmarshal([]byte(text), &whole) != nil || whole == nil {
			return
		}
		if err != nil || len(objects) != len(whole) {
			t.Fatalf("%q: %d objects of %d, %v; want no error, len(objects) = len(whole)", text, len(objects),
				len(whole), err)
		}
		for i, o := range whole {
			want := string(o)
			if o[0] != '{' || len(o) > MaxItem {
				want = ""
			}
			if objects[i] != want {
				t.Errorf("%q, want %q", objects[i], want)
			}
		}
	})
}
