//go:build linux

package e2e

import (
	"bufio"
	"encoding/json"
	"io"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"relais/internal/filetest"
)

// typescriptSDK is the official SDK, which make conformance installs.
const typescriptSDK = "@modelcontextprotocol/sdk/dist/esm"

// An sdkProcess is a program that signs in with the SDK's OAuth client.
type sdkProcess struct {
	t   *testing.T
	in  io.Writer
	out *bufio.Reader
}

func newSDKProcess(t *testing.T, server string) *sdkProcess {
	t.Helper()
	script, err := filepath.Abs("testdata/sign-in.mjs")
	must(t, err)
	cmd := node(t, filepath.Join(typescriptSDK, "client/auth.js"))
	dir := filepath.Dir(filepath.Dir(cmd.Args[1]))
	cmd.Args = []string{"node", script, "file://" + dir, server}
	cmd.Stderr = t.Output()
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	must(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Wait() }) // the end of the test ended it
	return &sdkProcess{t, in, bufio.NewReader(out)}
}

// do does a step, and returns its result and what the program keeps afterwards.
func (p *sdkProcess) do(step string, kept object, code string) (result string, after object) {
	line, err := json.Marshal(object{"step": step, "kept": kept, "code": code})
	if err == nil {
		_, err = p.in.Write(append(line, '\n'))
	}
	if err == nil {
		line, err = p.out.ReadBytes('\n')
	}
	var answer struct {
		Result, Error string
		Kept          object
	}
	if err == nil {
		err = json.Unmarshal(line, &answer)
	}
	if err != nil || answer.Error != "" {
		p.t.Errorf("%s: %v %s", step, err, answer.Error)
	}
	return answer.Result, answer.Kept
}

// both has two processes do a step at once with what one of them keeps.
func both(processes [2]*sdkProcess, step string, kept object) (results [2]string, after [2]object) {
	var running sync.WaitGroup
	for i, p := range processes {
		running.Go(func() { results[i], after[i] = p.do(step, kept, "") })
	}
	running.Wait()
	return results, after
}

// The official SDK's OAuth client signs in with the metadata of each program of the field. Two processes
// share what it keeps, as several windows of an assistant do: they refresh at once, twice, and go on.
func TestConformanceSignIn(t *testing.T) {
	node(t, typescriptSDK)
	dir := newFolder(t)
	ada := newPerson(t, dir, "ada", "seventeen lamp posts")
	s := serve(t, dir, "--mcp-minute", "1000")
	processes := [2]*sdkProcess{newSDKProcess(t, s.base+"/mcp"), newSDKProcess(t, s.base+"/mcp")}
	for line := range strings.Lines(string(filetest.Read(t, "../../auth/oauth/testdata/registrations.jsonl"))) {
		var row struct {
			Client string
			Body   object
		}
		must(t, json.Unmarshal([]byte(line), &row))
		t.Run(row.Client, func(t *testing.T) {
			for i := range processes {
				processes[i].t = t
			}
			redirects := row.Body["redirect_uris"].([]any)
			last := redirects[len(redirects)-1].(string)
			result, kept := processes[0].do("begin", object{"metadata": row.Body, "redirect": last}, "")
			if result != "REDIRECT" {
				t.Fatalf("begin: got %q %v, want REDIRECT", result, kept)
			}
			back, err := url.Parse(ada.allows(t, kept["page"].(string)))
			if err != nil || !strings.HasPrefix(back.String(), last+"?") {
				t.Fatalf("the person is sent to %v, %v, want %s", back, err, last)
			}
			if result, kept = processes[0].do("finish", kept, back.Query().Get("code")); result != "AUTHORIZED" {
				t.Fatalf("finish: got %q, want AUTHORIZED", result)
			}
			for range 2 {
				results, after := both(processes, "refresh", kept)
				if results != [2]string{"AUTHORIZED", "AUTHORIZED"} {
					t.Fatalf("refresh in two processes: got %q, want AUTHORIZED twice", results)
				}
				first, second := after[0]["tokens"].(object), after[1]["tokens"].(object)
				if first["refresh_token"] != second["refresh_token"] || first["access_token"] == second["access_token"] ||
					first["refresh_token"] == kept["tokens"].(object)["refresh_token"] {
					t.Errorf("got %v and %v, want the same next refresh token and two access tokens", first, second)
				}
				for i, p := range processes {
					if name, _ := p.do("call", after[i], ""); name != ada.Name {
						t.Errorf("process %d: me_whoami says %q, want %s", i, name, ada.Name)
					}
				}
				kept = after[1]
			}
		})
	}
}
