package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"relais/demo"
)

// mostAnswer is what a tool may answer at most, in bytes.
const mostAnswer = 60_000

// assistants serves a small country that has everything that tools answer about: other
// markets, two publications, measures, a photo, sites out of service. The key acts for a
// person where a tool needs one.
func assistants(t *testing.T, flags ...string) (s *server, key string) {
	t.Helper()
	c := makeCountry(t, 800)
	files := t.TempDir()
	run := func(args ...string) {
		t.Helper()
		if out, errs, code := relais(t, args...); code != 0 {
			t.Fatalf("%s: %d %s%s", args[0], code, out, errs)
		}
	}
	for _, set := range demo.Sets[1:] {
		paths, err := set.Write(filepath.Join(files, string(set.Markets[0])), 60)
		if err != nil {
			t.Fatal(err)
		}
		run(append([]string{"ingest", "--data", c.dir, string(set.Markets[0])}, paths...)...)
	}
	write := func(name, text string) string {
		path := filepath.Join(files, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	old, err := os.ReadFile(c.files[0])
	if err != nil {
		t.Fatal(err)
	}
	next := strings.Split(strings.ReplaceAll(string(old), ";2026-01-15T12:00:00;", ";2026-01-22T12:00:00;"), "\n")
	for i, line := range next { // a site has changed
		if strings.Contains(line, ";90000010;") {
			next[i] = strings.Replace(line, "En service", "Techniquement opérationnel", 1)
		}
	}
	run("ingest", "--data", c.dir, "FR,DROM", write("SYNTHETIC_observatoire_2026-01-22.csv", strings.Join(next, "\n")))
	now := time.Now().UTC().Add(-time.Hour).Format(time.RFC3339)
	run("speedtest", "import", "--data", c.dir, "--market", "FR",
		write("tests.csv", "timestamp,lat,lng,operator,technology,download_mbps,upload_mbps,ping_ms\n"+now+
			",48.8534,2.3488,ORANGE,LTE,100,20,15\n"+now+",48.8535,2.3489,SFR,NR,300,40,12\n"))
	run("coverage", "import", "--data", c.dir, "--market", "FR",
		write("points.csv", "timestamp,lat,lng,operator,technology,signal_strength\n"+now+
			",48.8534,2.3488,ORANGE,LTE,-80\n"+now+",48.8535,2.3489,SFR,NR,-95\n"))
	run("outage", "import", "--data", c.dir, "--market", "FR", "--operator", "ORANGE",
		write("sites_hs.csv", "code_site_op;departement;commune;Lat;Lon;data\n1;75;Paris;48.8534;2.3488;HS\n"))
	s = serve(t, nil, append([]string{"serve", "--data", c.dir, "--mcp-minute", "100000"}, flags...)...)
	isReady(t, s)
	if !waitFor(func() bool { return s.version("CH") != "" }) {
		t.Fatalf("not ready: %s", s.log)
	}
	if up, err := sendPhoto(s, photographer(t, c.dir).APIKey, picture(64, 48),
		map[string]string{"description": "Le pylône"}); err != nil || up.status != 201 {
		t.Fatalf("photo: %v %+v", err, up)
	}
	return s, createClient(t, c.dir, "--name", "An assistant", "--mode", "server", "--cidr", "127.0.0.1/32", "--scopes",
		"internal:ai", "--partner", "--minute", "1000000", "--day", "1000000").APIKey
}

// An assistantTool is a tool as it is listed, with what validates its arguments and answers.
type assistantTool struct {
	Name, Title, Description  string
	InputSchema, OutputSchema json.RawMessage
	input, output             *jsonschema.Schema
}

// compile has another implementation of JSON Schema than the server's read the schemas.
func (l *assistantTool) compile(t *testing.T) {
	t.Helper()
	l.input, l.output = compiled(t, l.Name+"/input", l.InputSchema), compiled(t, l.Name+"/output", l.OutputSchema)
}

func compiled(t *testing.T, name string, text []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource(name, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(name)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return s
}

// A toolAnswer is the result of a call.
type toolAnswer struct {
	IsError           bool
	StructuredContent json.RawMessage
	Content           []struct{ Type, Text string }
}

// check makes sure that an answer is what the tool says it answers: the same as data and
// as text, short, and not empty.
func (l *assistantTool) check(t *testing.T, a toolAnswer) {
	t.Helper()
	if a.IsError || len(a.Content) != 1 || a.Content[0].Type != "text" {
		t.Errorf("%s: %+v", l.Name, a)
		return
	}
	if n := len(a.StructuredContent); n > mostAnswer || len(a.Content[0].Text) > mostAnswer {
		t.Errorf("%s: %d bytes, as text %d", l.Name, n, len(a.Content[0].Text))
	}
	data, err := jsonschema.UnmarshalJSON(bytes.NewReader(a.StructuredContent))
	if err != nil {
		t.Fatalf("%s: %v", l.Name, err)
	}
	if err := l.output.Validate(data); err != nil {
		t.Errorf("%s: %v", l.Name, err)
	}
	if text, err := jsonschema.UnmarshalJSON(strings.NewReader(a.Content[0].Text)); err != nil ||
		!reflect.DeepEqual(text, data) {
		t.Errorf("%s: the text differs from the data: %v", l.Name, err)
	}
	if total, lists := data.(object)["total"]; lists && fmt.Sprint(total) == "0" {
		t.Errorf("%s: nothing was found with the arguments of the golden file", l.Name)
	}
}

// arguments reads the golden file: for each tool, arguments that find something in the
// country of assistants. Every tool has its line there, and no other.
func arguments(t *testing.T, tools []*assistantTool) map[string]json.RawMessage {
	t.Helper()
	text, err := os.ReadFile("testdata/tools.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden map[string]json.RawMessage
	if err := json.Unmarshal(text, &golden); err != nil {
		t.Fatal(err)
	}
	if len(golden) != len(tools) {
		t.Errorf("%d tools are listed, testdata/tools.json has %d", len(tools), len(golden))
	}
	for _, l := range tools {
		l.compile(t)
		args, ok := golden[l.Name]
		if !ok {
			t.Errorf("%s has no arguments in testdata/tools.json", l.Name)
			continue
		}
		if data, err := jsonschema.UnmarshalJSON(bytes.NewReader(args)); err != nil {
			t.Errorf("%s: %v", l.Name, err)
		} else if err := l.input.Validate(data); err != nil {
			t.Errorf("%s: the golden arguments: %v", l.Name, err)
		}
	}
	return golden
}

// mcp sends a request in the newest version of the protocol, in which each stands alone,
// and reads the result. It sends the key only after a refusal without.
func (s *server) mcp(key, method, name string, params object, result any) {
	s.t.Helper()
	params["_meta"] = object{"io.modelcontextprotocol/protocolVersion": "2026-07-28",
		"io.modelcontextprotocol/clientCapabilities": object{}}
	body, err := json.Marshal(object{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		s.t.Fatal(err)
	}
	send := func(more ...string) (status int, text string) {
		r, err := http.NewRequest(http.MethodPost, s.base+"/mcp", bytes.NewReader(body))
		if err != nil {
			s.t.Fatal(err)
		}
		r.Header = header(append(more, "Content-Type", "application/json", "Accept",
			"application/json, text/event-stream", "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", method,
			"Mcp-Name", name)...)
		a, err := http.DefaultClient.Do(r)
		if err != nil {
			s.t.Fatal(err)
		}
		defer a.Body.Close()
		all, err := io.ReadAll(a.Body)
		if err != nil {
			s.t.Fatal(err)
		}
		return a.StatusCode, string(all)
	}
	status, text := send()
	if status == http.StatusUnauthorized {
		status, text = send("Authorization", "Bearer "+key)
	}
	_, event, _ := strings.Cut(text, "data: ")
	message := struct {
		Result any
		Error  any
	}{Result: result}
	if err := json.NewDecoder(strings.NewReader(event)).Decode(&message); err != nil || message.Error != nil {
		s.t.Fatalf("%s %s: %d %v %s", method, name, status, err, text)
	}
}

// Every tool answers the arguments of the golden file with what its output schema says.
func TestToolsAnswer(t *testing.T) {
	s, key := assistants(t)
	var list struct{ Tools []*assistantTool }
	s.mcp(key, "tools/list", "", object{}, &list)
	golden := arguments(t, list.Tools)
	for _, l := range list.Tools {
		if l.Title == "" || l.Description == "" {
			t.Errorf("%s: no title or description", l.Name)
		}
		var a toolAnswer
		s.mcp(key, "tools/call", l.Name, object{"name": l.Name, "arguments": golden[l.Name]}, &a)
		l.check(t, a)
	}
}
