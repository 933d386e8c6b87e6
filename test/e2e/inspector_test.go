//go:build linux

package e2e

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"
	"testing"
)

// inspector is MCP Inspector's command line.
const inspector = "@modelcontextprotocol/inspector/clients/launcher/build/index.js"

// inspect has MCP Inspector send a request with the key, and reads the result that it
// prints.
func inspect(t *testing.T, s *server, key string, result any, args ...string) {
	t.Helper()
	cmd := node(t, inspector, append([]string{"--cli", s.base + "/mcp", "--transport", "http", "--format", "json",
		"--header", "Authorization: Bearer " + key}, args...)...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Errorf("inspector %q: got %v, want success\n%s%s", args, err, out.String(), errs.String())
		return
	}
	message := struct{ Result any }{result}
	if err := json.NewDecoder(strings.NewReader(out.String())).Decode(&message); err != nil {
		t.Errorf("inspector %q: got %v, want a result\n%s", args, err, out.String())
	}
}

// MCP Inspector finds no error in the tools' schemas, and calls every tool with the
// arguments of the golden file.
func TestInspector(t *testing.T) {
	node(t, inspector)
	s, key := assistants(t)
	var list struct{ Tools []*assistantTool }
	inspect(t, s, key, &list, "--method", "tools/list", "--strict")
	golden := arguments(t, list.Tools)
	atOnce := make(chan struct{}, 4)
	for _, submits := range []bool{true, false} { // what is asked of submissions needs some
		var all sync.WaitGroup
		for _, l := range list.Tools {
			if strings.Contains(l.Name, "submit") != submits {
				continue
			}
			all.Go(func() {
				atOnce <- struct{}{}
				defer func() { <-atOnce }()
				var a toolAnswer
				inspect(t, s, key, &a, "--method", "tools/call", "--tool-name", l.Name, "--tool-args-json",
					string(golden[l.Name]))
				l.check(t, a)
			})
		}
		all.Wait()
	}
	t.Logf("%d tools were called", len(list.Tools))
}
