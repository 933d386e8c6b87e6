package mcp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"relais/mcp/tools"
)

// newest is the first version of the protocol without sessions.
const newest = "2026-07-28"

type object = map[string]any

// ask sends a request in a version of the protocol, and returns the message that answers it.
func ask(t *testing.T, w *world, version, method string, params object) (answer object) {
	t.Helper()
	if version >= newest {
		params["_meta"] = object{"io.modelcontextprotocol/protocolVersion": version,
			"io.modelcontextprotocol/clientCapabilities": object{}}
	}
	body, err := json.Marshal(object{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	must(t, err)
	name, _ := params["name"].(string)
	res, text := post(t, w, string(body), "Mcp-Protocol-Version", version, "Mcp-Method", method, "Mcp-Name", name)
	if _, event, ok := strings.Cut(text, "data: "); ok {
		text = event
	}
	if err := json.NewDecoder(strings.NewReader(text)).Decode(&answer); err != nil || res.Header.Get("Mcp-Session-Id") != "" {
		t.Fatalf("%s in %s: %v, session %q: %s", method, version, err, res.Header.Get("Mcp-Session-Id"), text)
	}
	return answer
}

// Every version of the protocol lists the same tools.
func TestListsOfVersions(t *testing.T) {
	w := serve(t, nil)
	var want []string
	for _, tool := range tools.All() {
		want = append(want, tool.Name)
	}
	slices.Sort(want)
	for _, version := range []string{"2025-03-26", "2025-06-18", "2025-11-25", newest} {
		for list, want := range map[string][]string{"tools": want, "prompts": nil, "resources": nil} {
			var got []string
			result, _ := ask(t, w, version, list+"/list", object{})["result"].(object)
			for _, item := range result[list].([]any) {
				got = append(got, item.(object)["name"].(string))
			}
			if slices.Sort(got); !slices.Equal(got, want) {
				t.Errorf("%s lists the %s %q, want %q", version, list, got, want)
			}
		}
		if a := ask(t, w, version, "tools/call", object{"name": "unknown", "arguments": object{}}); a["error"] == nil {
			t.Errorf("%s: an unknown tool answers %v, want an error", version, a)
		}
	}
}

// An unknown version is refused with the list of known ones.
func TestVersions(t *testing.T) {
	w := serve(t, nil)
	result, _ := ask(t, w, newest, "server/discover", object{})["result"].(object)
	const want = "[2026-07-28 2025-11-25 2025-06-18 2025-03-26 2024-11-05]"
	if got := fmt.Sprint(result["supportedVersions"]); got != want {
		t.Errorf("versions = %s, want %s", got, want)
	}
	if list := result["capabilities"].(object)["tools"].(object)["listChanged"]; list == true {
		t.Error("capability tools.listChanged = true, want none")
	}
	code := ask(t, w, "2099-01-01", "tools/list", object{})["error"].(object)["code"]
	if fmt.Sprint(code) != "-32022" {
		t.Errorf("unknown version: code = %v, want -32022", code)
	}
}
