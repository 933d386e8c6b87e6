package docs

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"relais/mcp/tools"
)

const base = "https://antennas.example"

// newDocs documents everything.
func newDocs() *Docs {
	var list []Tool
	for _, t := range tools.All() {
		list = append(list, Tool{t.Decl, t.Params})
	}
	return &Docs{base, list}
}

// wordsIn returns the words of the pages in a language.
func wordsIn(t *testing.T, lang string) map[string]string {
	t.Helper()
	words := map[string]string{"lang": lang}
	text, err := os.ReadFile("../words/docs." + lang + ".json")
	if err == nil {
		err = json.Unmarshal(text, &words)
	}
	if err != nil {
		t.Fatal(err)
	}
	return words
}

// A translated guide has the blocks of the English one, with the same links and pieces of code.
func TestTranslatedGuides(t *testing.T) {
	for _, name := range guideNames {
		english := slices.DeleteFunc(readBlocks("en", name), func(part string) bool { return strings.HasPrefix(part, indent) })
		french := readBlocks("fr", name)
		if len(french) != len(english) {
			t.Errorf("%s: %d French blocks, want %d", name, len(french), len(english))
			continue
		}
		for i, want := range english {
			if got := french[i]; !slices.Equal(shape(got), shape(want)) || got == want && len(got) > 30 {
				t.Errorf("%s: the French %q is not in step with %q", name, got, want)
			}
		}
	}
}

// shape returns how each line of a block begins, the addresses of its links, and a word for each
// piece of code.
func shape(block string) (list []string) {
	for line := range strings.SplitSeq(block, "\n") {
		kind, _, _ := strings.Cut(line, " ")
		if strings.Trim(kind, "#~-") != "" {
			kind = "text"
		}
		list = append(list, kind)
		for _, m := range marks.FindAllStringSubmatch(line, -1) {
			if m[3] == "" {
				list = append(list, "code")
			} else {
				list = append(list, m[3])
			}
		}
	}
	return list
}
