package items

import (
	"fmt"
	"strings"
	"testing"
)

// The values at a path come with the name that its star stands for, whatever lies next to them.
func TestPathReader(t *testing.T) {
	for _, tt := range []struct{ path, text, want, err string }{
		{"q/*/b/[]", `{"x":[{"b":1}],"q":{"one":{"head":{"b":[]},"b":[{"v":1},
			{"v":2}]},"two":{"b":[]},"three":{"b":[{}],"more":null}},"y":{}}`,
			`one {"v":1}; one {"v":2}; three {}`, ""},
		{"i/*", `{"list":{"i":{"z":{}}},"i":{"17":{"a":null},"18":{}}}`, `17 {"a":null}; 18 {}`, ""},
		{"i/*", `{"i":{"17":3,"18":{}}}`, `17 !not an object; 18 {}`, ""},
		{"i/*", `{"n":[1e999],"i":{"1":{}}}`, `1 {}`, ""},
		{"i/*", `{}`, "", ""},
		{"i/*", `[]`, "", "it is not an object"},
		{"i/*", `{"i":"<html>"}`, "", "it is not an object"},
		{"i/*", `{"i":{"1":{}},"i":{}}`, `1 {}`, `a second "i"`},
		{"q/*/b/[]", `{"q":{"one":{"b":{}}}}`, "", "it is not a list"},
		{"i/*", `{"i":{"1":{}}`, `1 {}`, "the file ends in the middle"},
		{"i/*", `{"i":{}}{}`, "", "something follows the end"},
		{"i/*", `{"i":{"1":{"a":"` + strings.Repeat("a", 9<<20) + `"}}}`, "", "a value of over"},
		{"i/*", `{"x":"` + strings.Repeat("a", 3<<20) + `","i":{"1":{}}}`, `1 {}`, ""},
	} {
		t.Run(fmt.Sprintf("%s %.40s", tt.path, tt.text), func(t *testing.T) {
			r, err := NewPathReader(strings.NewReader(tt.text), "x.json", tt.path)
			var got []string
			for err == nil && r.Next() {
				if r.Broken() != "" {
					got = append(got, r.Key()+" !"+r.Broken())
				} else {
					got = append(got, r.Key()+" "+string(r.Bytes()))
				}
			}
			if err == nil {
				err = r.Err()
			}
			if list := strings.Join(got, "; "); list != tt.want {
				t.Errorf("got %s, want %s", list, tt.want)
			}
			if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("error %v, want %q", err, tt.err)
			}
		})
	}
}
