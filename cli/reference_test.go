package cli

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"relais/internal/filetest"
)

const referencePage = "../docs/configuration.md"

var (
	codeOf = regexp.MustCompile("`([^`]+)`")
	flagOf = regexp.MustCompile(`--[a-z][a-z0-9-]*`)
)

// The page of the commands names each command once, in a section or in the first cell of a row, and there all of its
// options and no other ones.
func TestReferenceIsComplete(t *testing.T) {
	parser, err := kong.New(new(commands), kong.Name("relais"))
	must(t, err)
	known := map[string][]string{} // options and other names, by command
	flagsByCommand(parser.Model.Node, "", known)
	described := map[string]bool{}
	for _, e := range referenceEntries(string(filetest.Read(t, referencePage)), known) {
		var own []string
		for _, name := range e.commands {
			flags, ok := known[name]
			if !ok || described[name] {
				t.Errorf("relais %s: it does not exist, or the page has it twice: %.80s", name, e.text)
			}
			described[name] = true
			own = append(own, flags...)
		}
		stated := flagOf.FindAllString(e.text, -1)
		for _, name := range e.commands {
			for _, flag := range known[name] {
				if !slices.Contains(stated, flag) && !strings.Contains(e.text, "`"+flag+"`") {
					t.Errorf("%s lacks %s of relais %s", referencePage, flag, name)
				}
			}
		}
		for _, flag := range stated {
			if !slices.Contains(own, flag) {
				t.Errorf("%s has %s of relais %s, which does not have it", referencePage, flag, strings.Join(e.commands, ", "))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(known)) {
		if !described[name] {
			t.Errorf("%s has no row of relais %s", referencePage, name)
		}
	}
}

// flagsByCommand adds the options of the commands below a node, except for --help.
func flagsByCommand(n *kong.Node, path string, known map[string][]string) {
	for _, child := range n.Children {
		if child.Type == kong.CommandNode && !child.Hidden {
			flagsByCommand(child, strings.TrimSpace(path+" "+child.Name), known)
		}
	}
	if !n.Leaf() {
		return
	}
	known[path] = []string{}
	for _, group := range n.AllFlags(true) {
		for _, f := range group {
			if f.Name != "help" {
				known[path] = append(known[path], "--"+f.Name)
			}
			if f.Tag.Negatable != "" {
				known[path] = append(known[path], "--no-"+f.Name)
			}
		}
	}
	known[path] = append(known[path], n.Aliases...)
}

// A referenceEntry is what the page says about some commands.
type referenceEntry struct {
	commands []string
	text     string
}

// referenceEntries finds the sections that are about one command, and the rows of the tables of the others.
func referenceEntries(page string, known map[string][]string) (list []referenceEntry) {
	for i, section := range strings.Split(page, "\n## ") {
		title, _, _ := strings.Cut(section, "\n")
		if name, ok := strings.CutPrefix(title, "relais "); ok && i > 0 {
			list = append(list, referenceEntry{[]string{name}, section})
			continue
		}
		for line := range strings.Lines(section) {
			cells := strings.SplitN(strings.ReplaceAll(line, `\|`, "/"), "|", 3)
			if len(cells) == 3 && cells[0] == "" && strings.Contains(cells[1], "`relais ") {
				list = append(list, referenceEntry{commandsIn(cells[1], known), line})
			}
		}
	}
	return list
}

// commandsIn reads `relais client list`, `show` as two commands. What follows a command in its code are arguments.
func commandsIn(cell string, known map[string][]string) (names []string) {
	parent := ""
	for _, code := range codeOf.FindAllStringSubmatch(cell, -1) {
		text, whole := strings.CutPrefix(code[1], "relais ")
		words := strings.Fields(text)
		if whole {
			parent = ""
			for len(words) > 1 && known[parent+words[0]] == nil {
				parent, words = parent+words[0]+" ", words[1:]
			}
		}
		if !strings.HasPrefix(words[0], "-") { // as relais --version
			names = append(names, parent+words[0])
		}
	}
	return names
}
