package items

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// listed are the members of an object as encoding/json's tokens say, each with its value
// in the shortest form.
func listed(t *testing.T, object string) (list []string) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(object))
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	for d.More() {
		name, err := d.Token()
		var value json.RawMessage
		if err == nil {
			err = d.Decode(&value)
		}
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, fmt.Sprint(name, "=", compact(value)))
	}
	return list
}

func compact(value []byte) string {
	var b bytes.Buffer
	if err := json.Compact(&b, value); err != nil {
		return "broken: " + string(value)
	}
	return b.String()
}

func visited(object string) (list []string) {
	Members([]byte(object), func(name, value []byte) { list = append(list, string(name)+"="+compact(value)) })
	return list
}

func TestMembers(t *testing.T) {
	names := []string{`"a"`, `""`, `"a b"`, `"é"`, `"\u00e9"`, `"q\"}"`, `"a\\"`}
	blank := []string{"", "", " ", "\n\t", "\r\n "}
	r := rand.New(rand.NewPCG(5, 6))
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	var value func(deep int) string
	object := func(deep int) string {
		var parts []string
		for range r.IntN(5) {
			parts = append(parts, pick(blank)+pick(names)+pick(blank)+":"+pick(blank)+value(deep+1)+pick(blank))
		}
		return "{" + pick(blank) + strings.Join(parts, ",") + "}"
	}
	value = func(deep int) string {
		switch n := r.IntN(8); {
		case n == 0 && deep < 4:
			return object(deep)
		case n == 1 && deep < 4:
			return "[" + value(deep+1) + "," + pick(blank) + value(deep+1) + "]"
		}
		return pick([]string{"null", "true", "-1.5e3", "0", `"x,y}]"`, `"\\"`, `"\"{"`, "[]", "{}"})
	}
	for range 2000 {
		text := pick(blank) + object(0) + pick(blank)
		if got, want := visited(text), listed(t, text); !slices.Equal(got, want) {
			t.Fatalf("%s\ngot  %q\nwant %q", text, got, want)
		}
	}
	for _, text := range []string{"", " ", "null", "[1]", `"x"`, "{", `{"a"`, `{"a":`, `{"a":"`, `{"a":"\`, `{1:2}`} {
		visited(text) // it must end
	}
	if got := visited(`[{"a":1}]`); got != nil {
		t.Errorf("a list has the members %q, want nil", got)
	}
}
