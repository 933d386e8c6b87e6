//go:build linux

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"relais/demo"
	"relais/internal/filetest"
)

// mostAnswer is what a tool may answer at most, in bytes.
const mostAnswer = 60_000

// newAssistant makes a client that acts for a person where a tool needs one.
func newAssistant(t *testing.T, dir string) issued {
	t.Helper()
	return createClient(t, dir, ofBackend("An assistant", "internal:ai", "--partner")...)
}

// assistants serves a small country that has everything that tools answer about: other
// markets, two publications, measures, a photo, sites out of service. The key acts for a
// person where a tool needs one.
func assistants(t *testing.T, flags ...string) (s *server, key string) {
	t.Helper()
	c := makeCountry(t, 800)
	for _, set := range demo.Sets[1:] {
		paths, err := set.Write(filepath.Join(t.TempDir(), string(set.Markets[0])), 60)
		must(t, err)
		run(t, append([]string{"ingest", "--data", c.dir, string(set.Markets[0])}, paths...)...)
	}
	next := strings.Split(c.weekly(t, "2026-01-22"), "\n")
	for i, line := range next { // a site has changed
		if strings.Contains(line, ";90000010;") {
			next[i] = strings.Replace(line, "En service", "Techniquement opérationnel", 1)
		}
	}
	now := ago(time.Hour)
	row := c.rows[slices.IndexFunc(c.rows, func(r map[string]string) bool { return r["sup_id"] == "90000585" })] // of tools.json
	lat, lng := position(row)
	there := fmt.Sprintf("%.4f,%.4f", lat, lng)
	for _, tt := range []struct{ command, name, text string }{
		{"ingest FR,DROM", "SYNTHETIC_observatoire_2026-01-22.csv", strings.Join(next, "\n")},
		{"speedtest import --market FR", "tests.csv",
			"timestamp,lat,lng,operator,technology,download_mbps,upload_mbps,ping_ms\n" + now +
				",48.8534,2.3488,ORANGE,LTE,100,20,15\n" + now + ",48.8535,2.3489,SFR,NR,300,40,12\n" +
				now + "," + there + ",SFR,NR,300,40,12\n"},
		{"coverage import --market FR", "points.csv", "timestamp,lat,lng,operator,technology,signal_strength\n" + now +
			",48.8534,2.3488,ORANGE,LTE,-80\n" + now + ",48.8535,2.3489,SFR,NR,-95\n" +
			now + "," + there + ",ORANGE,LTE,-80\n"},
		{"outage import --market FR --operator ORANGE", "sites_hs.csv",
			"code_site_op;departement;commune;Lat;Lon;data\n1;75;Paris;48.8534;2.3488;HS\n"},
		{"outage import --market FR", "raw2026-01-20.geojson", fmt.Sprintf(`{"type":"FeatureCollection","features":[`+
			`{"type":"Feature","geometry":{"type":"Point","coordinates":[%v,%v]},"properties":{"operateur":%q,"station_anfr":%q,`+
			`"data4g":"HS","data":"HS","raison":"INT","debut":"2026-01-19 08:00:00"}}]}`, lng, lat, row["adm_lb_nom"], row["sta_nm_anfr"])},
	} {
		run(t, append(strings.Fields(tt.command), filetest.New(t, tt.name, tt.text), "--data", c.dir)...)
	}
	s = serve(t, c.dir, append([]string{"--mcp-minute", "100000"}, flags...)...)
	mustSendPhoto(t, s, photographer(t, c.dir).APIKey, picture(64, 48), map[string]string{"description": "Le pylône"})
	return s, newAssistant(t, c.dir).APIKey
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
	must(t, c.AddResource(name, doc))
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
		t.Errorf("%s: got %+v, want one text", l.Name, a)
		return
	}
	if n := len(a.StructuredContent); n > mostAnswer || len(a.Content[0].Text) > mostAnswer {
		t.Errorf("%s: got %d bytes, as text %d; want at most %d", l.Name, n, len(a.Content[0].Text), mostAnswer)
	}
	data, err := jsonschema.UnmarshalJSON(bytes.NewReader(a.StructuredContent))
	if err != nil {
		t.Fatalf("%s: %v", l.Name, err)
	}
	if err := l.output.Validate(data); err != nil {
		t.Errorf("%s: got an answer that its schema refuses: %v", l.Name, err)
	}
	text, err := jsonschema.UnmarshalJSON(strings.NewReader(a.Content[0].Text))
	if diff := cmp.Diff(data, text); err != nil || diff != "" {
		t.Errorf("%s: %v, data (-), text (+):\n%s", l.Name, err, diff)
	}
	if total, lists := data.(object)["total"]; lists && fmt.Sprint(total) == "0" {
		t.Errorf("%s: nothing was found with the arguments of the golden file", l.Name)
	}
}

// arguments reads the golden file: for each tool, arguments that find something in the
// country of assistants. Every tool has its line there, and no other.
func arguments(t *testing.T, tools []*assistantTool) map[string]json.RawMessage {
	t.Helper()
	var golden map[string]json.RawMessage
	must(t, json.Unmarshal(filetest.Read(t, "testdata/tools.json"), &golden))
	if len(golden) != len(tools) {
		t.Errorf("tools: got %d, want %d as in testdata/tools.json", len(tools), len(golden))
	}
	for _, l := range tools {
		l.compile(t)
		args, ok := golden[l.Name]
		if !ok {
			t.Errorf("%s has no arguments in testdata/tools.json", l.Name)
			continue
		}
		if data, err := jsonschema.UnmarshalJSON(bytes.NewReader(args)); err != nil {
			t.Errorf("%s: got arguments that are not JSON: %v", l.Name, err)
		} else if err := l.input.Validate(data); err != nil {
			t.Errorf("%s: got arguments that its schema refuses: %v", l.Name, err)
		}
	}
	return golden
}

// mcp prepares a request in the newest version of the protocol, in which each stands alone.
func mcp(method, name string, params object) (body []byte, headers []string, err error) {
	params["_meta"] = object{"io.modelcontextprotocol/protocolVersion": "2026-07-28",
		"io.modelcontextprotocol/clientCapabilities": object{}}
	body, err = json.Marshal(object{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	return body, []string{"Content-Type", "application/json", "Accept", "application/json, text/event-stream",
		"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", method, "Mcp-Name", name}, err
}

// result is the result in an answer to a request of mcp.
func (a answer) result(v any) error {
	_, event, _ := strings.Cut(string(a.body), "data: ")
	message := struct{ Result, Error any }{Result: v}
	if err := json.NewDecoder(strings.NewReader(event)).Decode(&message); err != nil || message.Error != nil {
		return fmt.Errorf("got %s, %v; want a result", a, err)
	}
	return nil
}

// mcp sends a request and reads the result. It sends the key only after a refusal without.
func (s *server) mcp(key, method, name string, params object, result any) {
	s.t.Helper()
	body, headers, err := mcp(method, name, params)
	must(s.t, err)
	a := call(s.t, http.DefaultClient, http.MethodPost, s.base+"/mcp/", body, headers...) // with a slash it is the same
	if a.status == http.StatusUnauthorized {
		a = call(s.t, http.DefaultClient, http.MethodPost, s.base+"/mcp", body,
			append(headers, "Authorization", "Bearer "+key)...)
	}
	if err := a.result(result); err != nil {
		s.t.Fatalf("%s %s: %v", method, name, err)
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
			t.Errorf("%s: got title %q, description %q; want both", l.Name, l.Title, l.Description)
		}
		var a toolAnswer
		s.mcp(key, "tools/call", l.Name, object{"name": l.Name, "arguments": golden[l.Name]}, &a)
		l.check(t, a)
	}
}
