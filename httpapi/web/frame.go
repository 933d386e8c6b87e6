package web

import (
	"bytes"
	"html/template"
	"io/fs"
	"net/http"
	"strings"

	"relais/internal/lang"
)

// Policy is the Content-Security-Policy of pages that need no script: they have the styles and
// pictures of this server, and no page of others shows them.
const Policy = policy

// Words are the texts of pages in one language, by name.
type Words = words

// Texts are the words of a package's pages, by language.
type Texts map[string]words

// ReadTexts returns the words that several pages need, with those of a package, in the languages that it has. Its
// files are words/NAME.LANG.json. It panics for files that are missing or wrong: they are in the program.
func ReadTexts(files fs.FS) Texts {
	all := Texts{}
	for tag, w := range readTexts("page", "frame", "text") {
		if names, _ := fs.Glob(files, "words/*."+tag+".json"); len(names) > 0 { // the pattern is valid
			w.readAll(files, "*."+tag)
			all[tag] = w
		}
	}
	return all
}

// For returns the words in the reader's language, or in the first one if they do not exist in it.
func (t Texts) For(r *http.Request) Words {
	if w, ok := t[lang.For(statedLanguage(r), r).Tag]; ok {
		return w
	}
	return t[lang.All[0].Tag]
}

// StatedLanguage returns the language that the address of a page states, "" for none. Links to other
// pages keep it.
func StatedLanguage(r *http.Request) string { return statedLanguage(r) }

// URL returns the address of a path of this server as browsers ask for it. An address with a scheme stays as it
// is.
func (p *Pages) URL(path string) string {
	if strings.HasPrefix(path, "/") {
		return p.base + path
	}
	return path
}

// templateURL is URL for templates, which trust no scheme for positions.
func (p *Pages) templateURL(path string) any {
	if strings.HasPrefix(path, "geo:") {
		return template.URL(path)
	}
	return p.URL(path)
}

// ReadTemplates reads the templates of a package's pages. Their function url is URL: all addresses in them go
// through it. It panics for templates that are wrong: they are in the program.
func (p *Pages) ReadTemplates(files fs.FS, more template.FuncMap) *template.Template {
	return template.Must(template.New("").Option("missingkey=error").
		Funcs(template.FuncMap{"url": p.templateURL, "entry": newEntry}).Funcs(more).ParseFS(files, "*.html"))
}

// framed is the data of framed.html.
type framed struct {
	Title string
	Body  template.HTML
}

// Frame writes a page of another package in the frame of all pages. It is not compressed: the length of
// a compressed page with a secret and with a text of somebody else says something about the secret.
func (p *Pages) Frame(w http.ResponseWriter, r *http.Request, status int, title string, body template.HTML) {
	var text bytes.Buffer
	if p.execute(&text, w, r, status, "framed.html", framed{title, body}) {
		w.Header().Set("Vary", "Accept-Language, Cookie")
		send(w, r, status, text.Bytes())
	}
}
