package docs

import (
	_ "embed"
	"encoding/json"
	"html/template"
	"regexp"
)

// A Language is a language of the documentation. The texts are English; another language has a
// table of them.
type Language struct {
	Code  string // of BCP 47
	table map[string]string
	used  func(text string) // called for each text, for tests
}

//go:embed words/docs.fr.json
var frenchTable []byte

// Languages of the documentation.
var (
	English = Language{Code: "en"}
	French  = Language{Code: "fr", table: readTable(frenchTable)}
)

func readTable(text []byte) (table map[string]string) {
	if err := json.Unmarshal(text, &table); err != nil {
		panic("docs: words/docs.fr.json: " + err.Error()) // the file is in the program
	}
	return table
}

// text returns an English text in the language, or as it is where the table does not have it.
func (l Language) text(english string) string {
	if english == "" {
		return ""
	}
	if l.used != nil {
		l.used(english)
	}
	if other, ok := l.table[english]; ok {
		return other
	}
	return english
}

// marks are the marks of texts: `code` and [a link](address).
var marks = regexp.MustCompile("`([^`]+)`|\\[([^]]+)\\]\\(([^)]+)\\)")

// rich returns a text in the language, with its marks as HTML.
func (l Language) rich(english string) template.HTML {
	text := template.HTMLEscapeString(l.text(english))
	return template.HTML(marks.ReplaceAllStringFunc(text, func(mark string) string {
		part := marks.FindStringSubmatch(mark)
		if part[1] != "" {
			return "<code>" + part[1] + "</code>"
		}
		return `<a href="` + part[3] + `">` + part[2] + "</a>"
	}))
}
