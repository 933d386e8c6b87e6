// Package docs writes the documentation of the API and of the tools for assistants as HTML: guides in
// English and French, and a reference in English, from their declarations. It knows neither the rest
// of a page nor how it is sent.
package docs

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"relais/api"
	"relais/api/endpoint"
	"relais/api/view"
)

//go:embed *.html
var templateFiles embed.FS

// A Tool is a tool for assistants.
type Tool struct {
	endpoint.Decl
	Params []endpoint.Param
}

// Docs is the documentation of the API and of tools.
type Docs struct {
	BaseURL string // of the service, without a slash at the end
	Tools   []Tool // none: there is no tool server
}

// Paths of the documentation.
const (
	Path      = "/docs"
	ToolsPath = Path + "/tools"
)

// ErrorAddress returns the address of the documentation of an error code.
func ErrorAddress(baseURL, code string) string { return baseURL + Path + "#error-" + code }

// A Page is the content of a page.
type Page struct {
	Title string
	Body  template.HTML
}

// API returns the page about the API. The words are those of the page in the reader's language, by
// name; "lang" names the language.
func (d *Docs) API(words map[string]string) (Page, error) {
	return d.page(words, "api.html", words["docs"], d.apiPage(words["lang"]))
}

// ForAssistants returns the page about the tools, as API does.
func (d *Docs) ForAssistants(words map[string]string) (Page, error) {
	return d.page(words, "tools.html", words["docsAssistants"], d.toolsPage(words["lang"]))
}

func (d *Docs) page(words map[string]string, name, title string, data any) (Page, error) {
	word := func(name string) (string, error) {
		if words[name] == "" {
			return "", fmt.Errorf("no word %q", name)
		}
		return words[name], nil
	}
	t, err := template.New("").Option("missingkey=error").
		Funcs(template.FuncMap{"word": word, "rich": rich, "anchor": anchor, "size": size,
			"url": func(path string) string { return view.BasePath(d.BaseURL) + path }}).ParseFS(templateFiles, "*.html")
	if err != nil {
		return Page{}, fmt.Errorf("docs: %w", err)
	}
	var text bytes.Buffer
	if err := t.ExecuteTemplate(&text, name, data); err != nil {
		return Page{}, fmt.Errorf("docs: %w", err)
	}
	return Page{title, template.HTML(text.String())}, nil
}

// marks are the marks of texts: `code` and [a link](address).
var marks = regexp.MustCompile("`([^`]+)`|\\[([^]]+)\\]\\(([^)]+)\\)")

// rich returns a text with its marks as HTML.
func rich(text string) template.HTML {
	return template.HTML(marks.ReplaceAllStringFunc(template.HTMLEscapeString(text), func(mark string) string {
		part := marks.FindStringSubmatch(mark)
		if part[1] != "" {
			return "<code>" + part[1] + "</code>"
		}
		return `<a href="` + part[3] + `">` + part[2] + "</a>"
	}))
}

// An apiPage is the data of api.html.
type apiPage struct {
	BaseURL         string
	Tools           bool // there is a page about tools
	Guides          []guide
	Operations      []operation
	Errors          []problem
	Internal        []problem // errors of the server itself
	RequestHeaders  []endpoint.Header
	ResponseHeaders []endpoint.Header
}

func (d *Docs) apiPage(lang string) apiPage {
	p := apiPage{BaseURL: d.BaseURL, Tools: len(d.Tools) > 0, RequestHeaders: requestHeaders(),
		ResponseHeaders: endpoint.CommonHeaders()}
	for _, name := range guideNames {
		if name == "assistants" && !p.Tools {
			continue
		}
		p.Guides = append(p.Guides, readGuide(lang, name, d.BaseURL))
	}
	for _, op := range api.Operations() {
		p.Operations = append(p.Operations, d.operation(op))
	}
	p.Errors, p.Internal = d.problems()
	return p
}

// requestHeaders lists the headers of requests, credentials first.
func requestHeaders() []endpoint.Header {
	return append([]endpoint.Header{
		{Name: "Authorization", Doc: "`Bearer` and the API key. Clients of every mode may send the key here."},
		{Name: "X-API-Key", Doc: "The API key of a browser or server client, instead of `Authorization`."},
		{Name: "X-Sq-Signature", Doc: "The signature of the request, from clients that sign."},
		{Name: "X-Device-Attestation", Doc: "A JWT that attests the device, from clients that need one."},
	}, endpoint.RequestHeaders()...)
}

// A toolsPage is the data of tools.html.
type toolsPage struct {
	BaseURL string
	Guide   guide
	Tools   []tool
}

// A tool is a tool as the page shows it.
type tool struct {
	Tool
	Sentence string // the first one of its description
	Params   []param
}

func (d *Docs) toolsPage(lang string) toolsPage {
	p := toolsPage{BaseURL: d.BaseURL, Guide: readGuide(lang, "assistants", d.BaseURL)}
	for _, t := range d.Tools {
		p.Tools = append(p.Tools, tool{t, firstSentence(t.Summary), newParams(t.Params)})
	}
	return p
}

// firstSentence returns what a text begins with.
func firstSentence(text string) string {
	if sentence, _, more := strings.Cut(text, ". "); more {
		return sentence + "."
	}
	return text
}

// A problem is an error code with the operations that have it in particular.
type problem struct {
	endpoint.Problem
	Todo   string // what a client can do
	Routes []*endpoint.Op[*api.Env]
}

// problems returns the errors that a client can do something about, and those of the server.
func (d *Docs) problems() (list, internal []problem) {
	for _, p := range api.Problems() {
		one := problem{Problem: p, Todo: remedies[p.Code]}
		for _, op := range api.Operations() {
			if slices.Contains(op.ErrorCodes, p.Code) || op.FailureCode == p.Code {
				one.Routes = append(one.Routes, op)
			}
		}
		if p.Status == http.StatusInternalServerError {
			internal = append(internal, one)
		} else {
			list = append(list, one)
		}
	}
	return list, internal
}

// anchor returns the anchor of an operation.
func anchor(name string) string { return "op-" + strings.ReplaceAll(name, ".", "-") }

// size returns a number of bytes for people.
func size(bytes int64) string {
	if bytes%(1<<20) == 0 {
		return strconv.FormatInt(bytes>>20, 10) + " MiB"
	}
	return strconv.FormatInt(bytes>>10, 10) + " KiB"
}
