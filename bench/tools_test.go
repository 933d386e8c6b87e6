package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A call has what the tool needs and what makes it busy, and nothing that it has not.
func TestToolArguments(t *testing.T) {
	var one tool
	schema := `{"name":"t","inputSchema":{"properties":{"siteId":{"examples":["fr-1"]},"days":{},"north":{"examples":[49.5]},"operator":{"examples":["SFR"]}},"required":["siteId","north"]}}`
	if err := json.Unmarshal([]byte(schema), &one); err != nil {
		t.Fatal(err)
	}
	got, err := one.arguments(map[string]any{"siteId": "fr-2", "days": 365, "lat": 48.0})
	if want := map[string]any{"siteId": "fr-2", "days": 365, "north": 49.5}; err != nil || !maps.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	one.InputSchema.Required = append(one.InputSchema.Required, "secret")
	if got, err := one.arguments(nil); err == nil {
		t.Errorf("%v without a secret", got)
	}
}

// A script holds a call for each session and arguments, in that order, and any byte.
func TestToolScript(t *testing.T) {
	one := tool{Name: "say"}
	sessions := []*session{{id: "a\"]"}, {id: "b"}}
	path, err := one.script(sessions, []map[string]any{{"word": "é\n"}, {"word": "]]"}, {"word": "\\"}})
	if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(path)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range regexp.MustCompile(`"((?:\\\d{3})+)"`).FindAllSubmatch(text, -1) {
		var b []byte
		for code := range strings.SplitSeq(string(m[1][1:]), `\`) {
			n, err := strconv.ParseUint(code, 10, 8)
			if err != nil {
				t.Fatal(err)
			}
			b = append(b, byte(n))
		}
		if strings.HasPrefix(string(b), "{") {
			got = append(got, string(b))
		}
	}
	var want []string
	for n, word := range []string{`"é\n"`, `"]]"`, `"]]"`, `"\\"`, `"\\"`, `"é\n"`} {
		want = append(want, fmt.Sprintf(`{"id":%d,"jsonrpc":"2.0","method":"tools/call","params":{"arguments":{"word":%s},"name":"say"}}`, n/2+1, word))
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if n := strings.Count(string(text), luaText("Mcp-Session-Id")); n != len(want) || !strings.Contains(string(text), luaText(sessions[0].id)) {
		t.Errorf("%d sessions are named", n)
	}
}
