package web

import (
	"crypto/sha256"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"relais/internal/lang"
)

//go:embed words/*.json
var wordFiles embed.FS

// words are the texts of pages in one language, by name. A file words/NAME.LANG.json holds those of
// one page, and words/page.LANG.json those that several need.
type words map[string]string

// texts are those of all pages of this package, and mapTexts those that the scripts of the map need.
var texts, mapTexts = readTexts("*"), readTexts("page", "map")

// readTexts reads files in all languages.
func readTexts(names ...string) Texts {
	all := Texts{}
	for _, tag := range lang.Tags() {
		all[tag] = words{}
		for _, name := range names {
			all[tag].readAll(wordFiles, name+"."+tag)
		}
	}
	return all
}

// wordsVersion is another one when a text is another one.
var wordsVersion = func() string {
	text, _ := json.Marshal(texts) // texts can be encoded
	sum := sha256.Sum256(text)
	return string(sum[:])
}()

// readAll adds the texts of files whose names match a pattern. A name stands in one of them.
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

// wordsFor returns the words in the reader's language: that of the parameter lang, or what the
// browser asks for.
func wordsFor(r *http.Request) words { return texts.For(r) }

// Language returns the rules of the language of the words.
func (w words) Language() *lang.Language { return lang.Get(w["lang"]) }

// statedLanguage returns the language that the address of a page states, "" for none.
func statedLanguage(r *http.Request) string {
	if tag := r.URL.Query().Get("lang"); slices.Contains(lang.Tags(), tag) {
		return tag
	}
	return ""
}

// A languageLink leads to a page in a language. Its path has no slash before it: after two of them
// browsers expect another host.
type languageLink struct {
	lang.Language
	Path string
}

// languageLinks returns the addresses of a page in all languages.
func languageLinks(path string, query url.Values) (links []languageLink) {
	query = maps.Clone(query)
	for _, l := range lang.All {
		query.Set("lang", l.Tag)
		links = append(links, languageLink{l, strings.TrimLeft(path, "/") + "?" + query.Encode()})
	}
	return links
}
