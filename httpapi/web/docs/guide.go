package docs

import (
	"embed"
	"html/template"
	"io/fs"
	"slices"
	"strings"

	"relais/api/view"
)

// guideFiles are the guides. Blank lines separate their blocks: a line that begins with # is the
// title, with ## a heading, and with ~ the title of the code that follows, which is folded. Lines
// that begin with - are a list, and four spaces begin code. Everything else is a paragraph. A
// translation has the same blocks without the code, which is that of the English guide. The English
// guide stands where it is not translated.
//
//go:embed guides/*/*.txt
var guideFiles embed.FS

// guideNames lists the guides in the order of the page.
var guideNames = []string{"start", "keys", "signatures", "paging", "etag", "limits", "tiles", "assistants"}

// A guide is a guide in one language.
type guide struct {
	Name   string
	Lang   string
	Title  string
	Blocks []block
}

// A block is a part of a guide: one of its members is set.
type block struct {
	Heading   string
	Paragraph template.HTML
	Items     []template.HTML
	Code      string
	Folded    string // the title of Code, if it is folded
}

// readGuide reads a guide in a language. Code and paragraphs may have the names of values in double
// braces.
func readGuide(lang, name, baseURL string) guide {
	if !isTranslated(lang, name) {
		lang = english
	}
	g, values, folded := guide{Name: name, Lang: lang}, guideValues(baseURL), ""
	for _, part := range guideBlocks(lang, name) {
		title, _, _ := strings.Cut(part, "\n")
		switch {
		case strings.HasPrefix(part, "# "):
			g.Title = title[2:]
		case strings.HasPrefix(part, "## "):
			g.Blocks = append(g.Blocks, block{Heading: title[3:]})
		case strings.HasPrefix(part, "~ "):
			folded = title[2:]
		case strings.HasPrefix(part, "- "):
			var items []template.HTML
			for line := range strings.SplitSeq(part, "\n") {
				items = append(items, rich(strings.TrimPrefix(line, "- ")))
			}
			g.Blocks = append(g.Blocks, block{Items: items})
		case strings.HasPrefix(part, indent):
			code := strings.ReplaceAll("\n"+part, "\n"+indent, "\n")[1:]
			g.Blocks, folded = append(g.Blocks, block{Code: values.Replace(code), Folded: folded}), ""
		default:
			g.Blocks = append(g.Blocks, block{Paragraph: template.HTML(values.Replace(string(rich(part))))})
		}
	}
	return g
}

// guideBlocks returns the blocks of a guide in a language: of a translation with the English code.
func guideBlocks(lang, name string) []string {
	list := readBlocks(english, name)
	if lang == english {
		return list
	}
	prose := readBlocks(lang, name)
	for i, part := range list {
		if !strings.HasPrefix(part, indent) {
			list[i], prose = prose[0], prose[1:]
		}
	}
	return list
}

const english = "en"

// isTranslated reports whether there is a guide in a language.
func isTranslated(lang, name string) bool {
	_, err := fs.Stat(guideFiles, guidePath(lang, name))
	return err == nil
}

func guidePath(lang, name string) string { return "guides/" + lang + "/" + name + ".txt" }

// readBlocks reads the blocks of a file.
func readBlocks(lang, name string) []string {
	text, err := guideFiles.ReadFile(guidePath(lang, name))
	if err != nil {
		panic("docs: " + err.Error()) // the files are in the program
	}
	return blocksOf(string(text))
}

// indent begins the lines of code.
const indent = "    "

// blocksOf splits a text at its blank lines. Blocks of code that follow each other are one.
func blocksOf(text string) (list []string) {
	for part := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		last := len(list) - 1
		if last >= 0 && strings.HasPrefix(part, indent) && strings.HasPrefix(list[last], indent) {
			list[last] += "\n\n" + part
			continue
		}
		list = append(list, part)
	}
	return list
}

// guideValues returns a replacer of the values' names.
func guideValues(baseURL string) *strings.Replacer {
	get, post := Vectors[0], Vectors[1]
	pairs := []string{"base", baseURL, "path", view.BasePath(baseURL), "secret", get.Secret, "time", get.seconds(), "get.text", get.Text(),
		"get.header", get.Header(), "post.text", post.Text(), "post.header", post.Header(), "post.body", post.Body}
	for i := range slices.Collect(slices.Chunk(pairs, 2)) {
		pairs[2*i] = "{{" + pairs[2*i] + "}}"
	}
	return strings.NewReplacer(pairs...)
}
