//go:build linux

package e2e

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"relais/internal/filetest"
)

var record = flag.Bool("record",
	false, "write the answers of TestRecordedAnswers to testdata/recorded instead of comparing them")

const (
	recordedRequests = "testdata/recorded/requests.txt"
	recordedAnswers  = "testdata/recorded/answers.jsonl"
)

// A recorded is an answer without what may differ from run to run: times, identifiers,
// versions and the wording of messages.
type recorded struct {
	Request string            `json:"request"`
	Status  int               `json:"status,omitempty"`
	Header  map[string]string `json:"header,omitempty"`
	Body    any               `json:"body,omitempty"`
}

// The answers of some hundreds of requests are what they were: every route, every market,
// errors and tools. A change that is meant is recorded with -args -record, and read in the
// difference of the recorded file.
func TestRecordedAnswers(t *testing.T) {
	s, key := assistants(t)
	s.measured()
	a := recorder{s, key}
	var got []recorded
	for request := range strings.Lines(string(filetest.Read(t, recordedRequests))) {
		if request = strings.TrimSpace(request); request != "" && request[0] != '#' {
			got = append(got, a.answer(request))
		}
	}
	if len(got) < 300 {
		t.Errorf("%d requests, want at least 300", len(got))
	}
	if *record {
		writeRecorded(t, got)
		return
	}
	want := readRecorded(t)
	for _, g := range got {
		w, ok := want[g.Request]
		if delete(want, g.Request); !ok {
			t.Errorf("%s: no answer is recorded", g.Request)
		} else if diff := cmp.Diff(w, throughJSON(t, g)); diff != "" {
			t.Errorf("%s: recorded (-), got (+):\n%s", g.Request, diff)
		}
	}
	for request := range want {
		t.Errorf("%s: recorded, and not asked any more", request)
	}
}

func writeRecorded(t *testing.T, list []recorded) {
	t.Helper()
	var text bytes.Buffer
	to := json.NewEncoder(&text)
	to.SetEscapeHTML(false)
	for _, a := range list {
		must(t, to.Encode(a))
	}
	filetest.Write(t, recordedAnswers, text.Bytes())
}

func readRecorded(t *testing.T) map[string]recorded {
	t.Helper()
	list := map[string]recorded{}
	for in := json.NewDecoder(bytes.NewReader(filetest.Read(t, recordedAnswers))); ; {
		var a recorded
		if err := in.Decode(&a); err == io.EOF {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		a.Body = withoutWording("", a.Body) // older records have some of it
		list[a.Request] = a
	}
}

// throughJSON gives a the types that reading it from a file gives.
func throughJSON(t *testing.T, a recorded) (b recorded) {
	t.Helper()
	text, err := json.Marshal(a)
	if err == nil {
		err = json.Unmarshal(text, &b)
	}
	must(t, err)
	return b
}

// A recorder asks what a line of the list of requests says:
//
//	[visitor|wrong] METHOD PATH [BODY]
//	tool NAME ARGUMENTS
type recorder struct {
	*server
	assistant string // key of the tools
}

func (a recorder) answer(request string) recorded {
	a.t.Helper()
	who, rest := a.key, request
	switch word, after, _ := strings.Cut(request, " "); word {
	case "visitor":
		who, rest = "", after
	case "wrong":
		who, rest = "rk_wrong", after
	case "tool":
		name, arguments, _ := strings.Cut(after, " ")
		return a.tool(request, name, arguments)
	}
	method, rest, _ := strings.Cut(rest, " ")
	path, body, _ := strings.Cut(rest, " ")
	headers := []string{"User-Agent", "recorder"}
	if body != "" {
		headers = append(headers, "Content-Type", "application/json")
	}
	if who != "" {
		headers = append(headers, "X-API-Key", who)
	}
	return a.send(request, method, path, []byte(body), headers)
}

func (a recorder) tool(request, name, arguments string) recorded {
	a.t.Helper()
	body, headers, err := mcp("tools/call", name, object{"name": name, "arguments": json.RawMessage(arguments)})
	if err != nil {
		a.t.Fatalf("%s: %v", request, err)
	}
	return a.send(request, http.MethodPost, "/mcp", body, append(headers, "Authorization", "Bearer "+a.assistant))
}

// recordedHeader are the headers that are compared; of some, only that they are there.
var recordedHeader = []string{"Content-Type", "Cache-Control", "Vary", "Content-Disposition", "Allow", "Location",
	"Access-Control-Allow-Origin"}
var presentHeader = []string{"ETag", "Last-Modified", "Retry-After", "WWW-Authenticate", "X-RateLimit-Limit",
	"X-Request-Id"}

// direct leaves redirections as they are.
var direct = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

func (a recorder) send(request, method, path string, body []byte, headers []string) recorded {
	a.t.Helper()
	response := call(a.t, direct, method, a.base+path, body, append(headers, "Accept-Encoding", "identity")...)
	got := recorded{Request: request, Status: response.status, Header: map[string]string{}}
	for _, name := range recordedHeader {
		if v := response.header.Values(name); v != nil {
			got.Header[name] = a.settled("", strings.Join(v, ", ")).(string)
		}
	}
	for _, name := range presentHeader {
		if response.header.Get(name) != "" {
			got.Header[name] = "(there)"
		}
	}
	got.Body = a.body(response.body)
	return got
}

// body is what is recorded of a body: JSON without what may differ, other texts as they are;
// only the SHA-256 of what is long.
func (a recorder) body(body []byte) any {
	if _, event, ok := bytes.Cut(body, []byte("data: ")); ok {
		body = event
	}
	var v any
	if err := json.Unmarshal(body, &v); err == nil {
		v = a.settled("", v)
	} else if v = a.settled("", string(body)); bytes.HasPrefix(body, []byte("<!")) {
		v = "(page)"
	}
	text, err := json.Marshal(v)
	must(a.t, err)
	if len(text) > 2000 {
		return fmt.Sprintf("(%d bytes with the SHA-256 %x)", len(text), sha256.Sum256(text))
	}
	return v
}

// wording are the members whose sentences are written for people.
var wording = []string{"error", "message", "error_description", "description", "summary", "note", "notes", "hint",
	"hints", "text", "origin"}

var (
	ids = regexp.MustCompile(
		`\b([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[a-z]+:[0-9a-f]{32})\b`)
	moments = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)`)
	days    = regexp.MustCompile(`\b\d{4}-\d\d-\d\d\b`)
)

// withoutWording replaces the sentences for people in v, a member called name.
func withoutWording(name string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name := range v {
			v[name] = withoutWording(name, v[name])
		}
	case []any:
		for i := range v {
			v[i] = withoutWording(name, v[i])
		}
	case string:
		if strings.Contains(v, " ") && slices.Contains(wording, name) {
			return "(text)"
		}
	}
	return v
}

// settled replaces what may differ between two runs by a word for it. A time that the source
// files state stays.
func (a recorder) settled(name string, v any) any {
	if text, ok := v.(string); ok && strings.Contains(text, " ") && slices.Contains(wording, name) {
		return "(text)"
	} else if name == "dataVersion" && v != nil {
		return "(version)"
	} else if name == "emr_dt" { // the register's own day, which can be near the day of the run
		return v
	}
	switch v := v.(type) {
	case map[string]any:
		for name := range v {
			v[name] = a.settled(name, v[name])
		}
		// What was made a moment ago has an identifier that was made with it.
		for _, value := range v {
			for _, member := range []string{"id", "import"} {
				if id, ok := v[member].(string); ok && id != "" && value == "(now)" {
					v[member] = "(id)"
				}
			}
		}
	case []any:
		for i := range v {
			v[i] = a.settled(name, v[i])
		}
	case string:
		text := strings.ReplaceAll(v, a.base, "(base)")
		text = ids.ReplaceAllString(text, "(id)")
		text = moments.ReplaceAllStringFunc(text, func(moment string) string {
			if at, err := time.Parse(time.RFC3339, moment); err == nil && time.Since(at).Abs() < 48*time.Hour {
				return "(now)"
			}
			return moment
		})
		return days.ReplaceAllStringFunc(text, func(text string) string {
			if day, err := time.Parse(time.DateOnly, text); err == nil && time.Since(day).Abs() < 72*time.Hour {
				return "(today)"
			}
			return text
		})
	}
	return v
}
