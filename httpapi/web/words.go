package web

import (
	"crypto/sha256"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"strings"

	"golang.org/x/text/language"
)

//go:embed words/*.json
var wordFiles embed.FS

// words are the texts of pages in one language, by name. A file words/NAME.LANG.json holds those of
// one page, and words/page.LANG.json those that several need.
type words map[string]string

var english, french = readWords("*.en"), readWords("*.fr")

// mapWords are the texts that the scripts of the map need, by language.
var mapWords = map[string]words{"en": readWords("page.en", "map.en"), "fr": readWords("page.fr", "map.fr")}

// wordsVersion is another one when a text is another one.
var wordsVersion = func() string {
	text, _ := json.Marshal([]words{english, french}) // texts can be encoded
	sum := sha256.Sum256(text)
	return string(sum[:])
}()

// readWords reads embedded files. A name stands in one of them.
func readWords(patterns ...string) words {
	all := words{}
	for _, pattern := range patterns {
		all.readAll(wordFiles, pattern)
	}
	return all
}

// readAll adds the texts of files whose names match a pattern.
func (w words) readAll(files fs.FS, pattern string) {
	names, err := fs.Glob(files, "words/"+pattern+".json")
	if err != nil || len(names) == 0 {
		panic("web: no words " + pattern)
	}
	for _, name := range names {
		if err := w.read(files, name); err != nil {
			panic(fmt.Sprintf("web: %s: %v", name, err))
		}
	}
}

// read adds the texts of a file.
func (w words) read(files fs.FS, name string) error {
	text, err := fs.ReadFile(files, name)
	if err != nil {
		return err
	}
	var more words
	if err := json.Unmarshal(text, &more); err != nil {
		return err
	}
	for key, value := range more {
		if _, twice := w[key]; twice {
			return fmt.Errorf("%q stands in two files", key)
		}
		w[key] = value
	}
	return nil
}

var languages = language.NewMatcher([]language.Tag{language.English, language.French})

// wordsFor returns the words in the reader's language: that of the parameter lang, or what the
// browser asks for.
func wordsFor(r *http.Request) words {
	if lang := statedLanguage(r); lang != "" {
		return wordsIn(lang)
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

// wordsIn returns the words of a language.
func wordsIn(lang string) words {
	if lang == french["lang"] {
		return french
	}
	return english
}

// statedLanguage returns the language that the address of a page states, "" for none.
func statedLanguage(r *http.Request) string {
	switch lang := r.URL.Query().Get("lang"); lang {
	case "fr", "en":
		return lang
	}
	return ""
}

// otherLanguage returns the address of the same page in the other language, without the slash before
// it: after two of them browsers expect another host.
func otherLanguage(r *http.Request, w words) string {
	q := r.URL.Query()
	q.Set("lang", w["otherLang"])
	return strings.TrimLeft(r.URL.EscapedPath(), "/") + "?" + q.Encode()
}
