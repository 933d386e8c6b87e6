package docs

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"relais/api"
	"relais/mcp/tools"
)

const base = "https://antennas.example"

// newDocs documents everything.
func newDocs() *Docs {
	var list []Tool
	for _, t := range tools.All() {
		list = append(list, Tool{t.Decl, t.Params})
	}
	return New(base, list)
}

// usedTexts returns the texts of all pages.
func usedTexts(t *testing.T) map[string]bool {
	t.Helper()
	used := map[string]bool{}
	l := English
	l.used = func(text string) { used[text] = true }
	for _, page := range []func(Language) (Page, error){newDocs().API, newDocs().ForAssistants} {
		if _, err := page(l); err != nil {
			t.Fatal(err)
		}
	}
	return used
}

// Every text has a French one, and the table has no other texts.
func TestFrench(t *testing.T) {
	used := usedTexts(t)
	for _, text := range slices.Sorted(maps.Keys(used)) {
		french := French.table[text]
		if strings.TrimSpace(french) == "" || french == text && len(text) > 30 {
			t.Errorf("words/docs.fr.json has no French for %q", text)
		}
		if got, want := addresses(french), addresses(text); !slices.Equal(got, want) {
			t.Errorf("%q: links and pieces of code %q, want %q", french, got, want)
		}
	}
	for text := range French.table {
		if !used[text] {
			t.Errorf("words/docs.fr.json has a text that nothing uses: %q", text)
		}
	}
	if _, ok := used[api.Operations()[0].Summary]; !ok || len(used) < 300 {
		t.Errorf("got %d texts without the first route's, want all of them", len(used))
	}
}

// addresses returns the addresses of a text's links, and a word for each piece of code.
func addresses(text string) (list []string) {
	for _, m := range marks.FindAllStringSubmatch(text, -1) {
		if m[3] == "" {
			list = append(list, "code")
		} else {
			list = append(list, m[3])
		}
	}
	return list
}
