package web

import (
	"embed"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"golang.org/x/text/language"
)

//go:embed words/*.json
var wordFiles embed.FS

// words are the texts of pages in one language, by name.
type words map[string]string

var english, french = readWords("en"), readWords("fr")

// readWords reads an embedded table.
func readWords(lang string) (w words) {
	text, err := wordFiles.ReadFile("words/" + lang + ".json")
	if err == nil {
		err = json.Unmarshal(text, &w)
	}
	if err != nil {
		panic(fmt.Sprintf("web: words of %s: %v", lang, err))
	}
	return w
}

var languages = language.NewMatcher([]language.Tag{language.English, language.French})

// wordsFor returns the words in the reader's language: that of the parameter lang, or what the
// browser asks for.
func wordsFor(r *http.Request) words {
	switch r.URL.Query().Get("lang") {
	case "fr":
		return french
	case "en":
		return english
	}
	header := r.Header.Get("Accept-Language")
	if len(header) > 200 {
		return english
	}
	wanted, _, err := language.ParseAcceptLanguage(header)
	if err != nil {
		return english
	}
	if _, i, _ := languages.Match(wanted...); i == 1 {
		return french
	}
	return english
}

// otherLanguage returns the address of the same page in the other language.
func otherLanguage(r *http.Request, w words) string {
	q := r.URL.Query()
	q.Set("lang", w["otherLang"])
	return strings.TrimPrefix(r.URL.EscapedPath(), "/") + "?" + q.Encode()
}
