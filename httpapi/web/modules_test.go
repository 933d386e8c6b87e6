package web

import (
	"regexp"
	"slices"
	"testing"

	"relais/internal/filetest"
)

// The page of the map names what its first script needs, and nothing else.
func TestModules(t *testing.T) {
	imports := regexp.MustCompile(`(?m)^import .*from '\./([\w.]+)';$`)
	needed := []string{"early.mjs"}
	for i := 0; i < len(needed); i++ {
		for _, m := range imports.FindAllStringSubmatch(string(filetest.Read(t, "static/"+needed[i])), -1) {
			if !slices.Contains(needed, m[1]) {
				needed = append(needed, m[1])
			}
		}
	}
	got := modules()
	slices.Sort(got)
	slices.Sort(needed)
	if len(needed) < 3 || !slices.Equal(got, needed) {
		t.Errorf("got %q, want %q", got, needed)
	}
}
