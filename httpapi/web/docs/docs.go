// Package docs writes the documentation of the API and of the tools for assistants as HTML, from
// their declarations, in English and French. It knows neither the rest of a page nor how it is
// sent.
package docs

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"relais/api"
	"relais/api/endpoint"
	"relais/api/view"
)

//go:embed *.html
var templateFiles embed.FS

// Options say what is documented.
type Options struct {
	BaseURL    string // of the service, without a slash at the end
	Operations []*endpoint.Op[*api.Env]
	Problems   []endpoint.Problem
	Tools      []Tool // none: there is no tool server
}

// A Tool is a tool for assistants.
type Tool struct {
	endpoint.Decl
	Params []endpoint.Param
}

// Docs is the documentation.
type Docs struct{ Options }

// New returns the documentation of the API and of these tools.
func New(baseURL string, tools []Tool) *Docs {
	return &Docs{Options{BaseURL: baseURL, Operations: api.Operations(), Problems: api.Problems(), Tools: tools}}
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

// API returns the page about the API.
func (d *Docs) API(l Language) (Page, error) {
	return d.page(l, "api.html", l.text("Documentation"), d.apiPage(l))
}

// ForAssistants returns the page about the tools.
func (d *Docs) ForAssistants(l Language) (Page, error) {
	return d.page(l, "tools.html", l.text("Tools for assistants"), d.toolsPage(l))
}

func (d *Docs) page(l Language, name, title string, data any) (Page, error) {
	t, err := template.New("").Option("missingkey=error").
		Funcs(template.FuncMap{"t": l.text, "rich": l.rich, "anchor": anchor,
			"lang": func() string { return l.Code }, "size": size,
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

func (d *Docs) apiPage(l Language) apiPage {
	p := apiPage{BaseURL: d.BaseURL, Tools: len(d.Tools) > 0, RequestHeaders: requestHeaders(),
		ResponseHeaders: endpoint.CommonHeaders()}
	for _, name := range guideNames {
		if name == "assistants" && !p.Tools {
			continue
		}
		p.Guides = append(p.Guides, readGuide(l, name, d.BaseURL))
	}
	for _, op := range d.Operations {
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

func (d *Docs) toolsPage(l Language) toolsPage {
	p := toolsPage{BaseURL: d.BaseURL, Guide: readGuide(l, "assistants", d.BaseURL)}
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
	for _, p := range d.Problems {
		one := problem{Problem: p, Todo: remedies[p.Code]}
		for _, op := range d.Operations {
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
