package mcp

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"relais/mcp/tools"
)

// An address can choose tools. The others can still be called.
func TestChosenTools(t *testing.T) {
	w := serve(t, nil)
	for query, want := range map[string][]string{
		"?tools=essential":                 tools.Essential,
		"?tools=sites_get,%20sites_search": {"sites_get", "sites_search"},
		"?tools=essential&tools=me_whoami": append([]string{"me_whoami"}, tools.Essential...),
	} {
		s, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(t.Context(),
			&sdk.StreamableClientTransport{Endpoint: w.URL + Path + query}, nil)
		must(t, err)
		list, err := s.ListTools(t.Context(), nil)
		must(t, err)
		var got []string
		for _, tool := range list.Tools {
			got = append(got, tool.Name)
		}
		want = slices.Sorted(slices.Values(want))
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", query, diff)
		}
		if r, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "sites_nearby",
			Arguments: map[string]any{"lat": 48.8, "lon": 2.3}}); err != nil || r.IsError {
			t.Errorf("%s: a tool that is not listed answers %v, %v, want a result", query, r, err)
		}
		s.Close()
	}
	if len(tools.Essential) != 16 {
		t.Errorf("%d tools are essential, want 16", len(tools.Essential))
	}
	resp, err := http.Post(w.URL+Path+"?tools=sites_gett", "application/json", strings.NewReader(pingBody))
	must(t, err)
	defer resp.Body.Close()
	if text, _ := io.ReadAll(resp.Body); resp.StatusCode != 400 || !strings.Contains(string(text), `"sites_gett" is not a tool`) {
		t.Errorf("an unknown tool: status %d, %s", resp.StatusCode, text)
	}
}

// plainKeywords are those of JSON Schema that the clients of all models take. The API of Gemini, for one, refuses a
// request with any tool that has another one (modelcontextprotocol/servers#1624).
var plainKeywords = []string{"type", "description", "enum", "minimum", "maximum", "default", "items", "properties", "required",
	"additionalProperties"}

// checkPlain checks that a schema of arguments has no other keywords, one type each, and enums of texts.
func checkPlain(t *testing.T, where string, s map[string]any) {
	t.Helper()
	for key := range s {
		if !slices.Contains(plainKeywords, key) {
			t.Errorf("%s has the keyword %s", where, key)
		}
	}
	kind, one := s["type"].(string)
	if _, has := s["enum"]; !one || has && kind != "string" {
		t.Errorf("%s has the type %v, with an enum: %t", where, s["type"], has)
	}
	if items, has := s["items"].(map[string]any); has {
		checkPlain(t, where+"[]", items)
	} else if kind == "array" {
		t.Errorf("%s has no items", where)
	}
	properties, has := s["properties"].(map[string]any)
	if has != (kind == "object") {
		t.Errorf("%s of the type %s has properties: %t", where, kind, has)
	}
	for name, of := range properties {
		checkPlain(t, where+"."+name, of.(map[string]any))
	}
}
