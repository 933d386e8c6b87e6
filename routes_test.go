package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"relais/api"
)

// The table of routes in the guide has each operation with the scopes that it needs, and nothing else.
func TestRoutesAreInTheGuide(t *testing.T) {
	_, section, _ := strings.Cut(read(t, "docs/api.md"), "\n## Routes\n")
	section, _, _ = strings.Cut(section, "\n## ")
	stated := map[string]string{} // the cell of scopes by path
	for _, row := range regexp.MustCompile("(?m)^\\| `(/[^`]*)` \\| ([^|]*) \\|").FindAllStringSubmatch(section, -1) {
		if stated[row[1]] != "" {
			t.Errorf("docs/api.md has %s twice", row[1])
		}
		stated[row[1]] = row[2]
	}
	needed := map[string][]string{}
	for _, op := range api.Operations() {
		needed[op.Path] = append(needed[op.Path], op.Scopes()...)
		row := stated[op.Path]
		if row == "" {
			t.Errorf("docs/api.md has no row of %s", op.Path)
		}
		for _, scope := range op.Scopes() {
			if !strings.Contains(row, "`"+scope+"`") {
				t.Errorf("docs/api.md: the row of %s is %q, which lacks the scope %s of %s", op.Path, row, scope, op.Name)
			}
		}
	}
	for path, row := range stated {
		for _, scope := range regexp.MustCompile("[a-z-]+:[a-z]+").FindAllString(row, -1) {
			if !slices.Contains(needed[path], scope) {
				t.Errorf("docs/api.md: %s does not need %s", path, scope)
			}
		}
		if _, ok := needed[path]; !ok {
			t.Errorf("docs/api.md has a row of %s, which does not exist", path)
		}
	}
}
