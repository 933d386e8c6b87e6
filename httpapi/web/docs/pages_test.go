package docs

import (
	"html"
	"strings"
	"testing"

	"relais/api"
	"relais/internal/tier"
	"relais/mcp/tools"
)

// pageText returns a page, or fails the test.
func pageText(t *testing.T, page func(map[string]string) (Page, error), lang string) string {
	t.Helper()
	p, err := page(wordsIn(t, lang))
	if err != nil {
		t.Fatal(err)
	}
	return string(p.Body)
}

// section returns the part of a page that begins with the element with an id, and ends where the
// next section begins.
func section(t *testing.T, page, id string) string {
	t.Helper()
	_, rest, ok := strings.Cut(page, ` id="`+id+`">`)
	if !ok {
		t.Errorf("no element has the id %s", id)
	}
	text, _, _ := strings.Cut(rest, "<section")
	return text
}

// The reference is in English, also in the pages of other languages.
func TestEveryRouteIsDocumented(t *testing.T) {
	page := pageText(t, newDocs().API, "fr")
	for _, op := range api.Operations() {
		text := html.UnescapeString(section(t, page, anchor(op.Name)))
		want := []string{op.Method + "</span>", "<code>" + op.Path + "</code>", op.Scope, op.Summary, op.Doc}
		for _, p := range op.Params {
			want = append(want, "<code>"+p.Name+"</code>", p.Doc, p.Default, p.Example, p.Min, p.Above)
		}
		for _, m := range op.Members() {
			if want = append(want, m.Doc); m.Schema != nil {
				want = append(want, "<code>"+m.Path+"</code>")
			}
		}
		for _, code := range append(op.ErrorCodes, op.FailureCode) {
			want = append(want, `href="#error-`+code+`"`)
		}
		for _, h := range op.Headers() {
			want = append(want, "<code>"+h.Name+"</code>")
		}
		for _, c := range codeOf(op, base) {
			want = append(want, "<summary>"+c.Language+"</summary>", c.Text)
		}
		for _, part := range append(want, string(Example(op.Name, base))) {
			if !strings.Contains(text, part) {
				t.Errorf("%s: %q is missing", op.Name, part)
			}
		}
	}
}

func TestEveryErrorIsDocumented(t *testing.T) {
	tier.Slow(t)
	page := pageText(t, newDocs().API, "fr")
	for _, p := range api.Problems() {
		if text := section(t, page, "error-"+p.Code); !strings.Contains(text, p.Code) {
			t.Errorf("%s: the code is missing", p.Code)
		}
		if !strings.Contains(html.UnescapeString(page), p.When) {
			t.Errorf("%s: %q is missing", p.Code, p.When)
		}
		if p.Status != 500 && remedies[p.Code] == "" {
			t.Errorf("%s: nothing says what a client can do", p.Code)
		}
	}
}

func TestEveryToolIsDocumented(t *testing.T) {
	page := pageText(t, newDocs().ForAssistants, "fr")
	for _, tool := range tools.All() {
		text := html.UnescapeString(section(t, page, "tool-"+tool.Name))
		want := []string{tool.Name, tool.Title, firstSentence(tool.Summary), tool.Summary, tool.Doc}
		for _, p := range tool.Params {
			want = append(want, "<code>"+p.Name+"</code>", p.Doc, p.Default)
		}
		for _, part := range want {
			if !strings.Contains(text, part) {
				t.Errorf("%s: %q is missing", tool.Name, part)
			}
		}
	}
}

// A French page says which parts of it are in English.
func TestLanguageOfParts(t *testing.T) {
	for _, tt := range []struct {
		page func(map[string]string) (Page, error)
		want string // parts that are in English
	}{
		{newDocs().API, "routes headers errors"}, {newDocs().ForAssistants, "tools"},
	} {
		var english []string
		for part := range strings.SplitSeq(pageText(t, tt.page, "fr"), `<h2 id="`) {
			if id, _, _ := strings.Cut(part, `"`); strings.Contains(part, `<div lang="en">`) {
				english = append(english, id)
			}
		}
		if got := strings.Join(english, " "); got != tt.want {
			t.Errorf("in English: %s, want %s", got, tt.want)
		}
	}
}

// Guides are in English where they are not translated, and say so.
func TestLanguageOfGuides(t *testing.T) {
	for lang, want := range map[string]string{"en": `<section id="start">`, "fr": `<section id="start">`,
		"de": `<section id="start" lang="en">`, "nl": `<section id="start" lang="en">`} {
		page := pageText(t, newDocs().API, lang)
		if !strings.Contains(page, want) || strings.Contains(page, "needs a key. The operator") != (lang != "fr") {
			t.Errorf("%s: no English guide in %s", lang, want)
		}
	}
}

// Links on a page lead to elements of it.
func TestAnchors(t *testing.T) {
	for _, page := range []string{pageText(t, newDocs().API, "en"), pageText(t, newDocs().ForAssistants, "fr")} {
		links := strings.Split(page, `href="#`)[1:]
		for _, link := range links {
			id, _, _ := strings.Cut(link, `"`)
			if n := strings.Count(page, ` id="`+id+`"`); n != 1 {
				t.Errorf("#%s: %d elements have the id, want 1", id, n)
			}
		}
		if len(links) < 50 {
			t.Errorf("got %d links, want at least 50", len(links))
		}
	}
}

// A server without tools does not speak of them.
func TestWithoutTools(t *testing.T) {
	page := pageText(t, (&Docs{BaseURL: base}).API, "en")
	if strings.Contains(page, "/mcp") || strings.Contains(page, ToolsPath) {
		t.Error("the page speaks of a tool server that is not there")
	}
}
