package httpapi

import (
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// undeclared gathers what the answers of this package's tests have and the OpenAPI
// document does not. TestMain reports it.
var undeclared answersSeen

type answersSeen struct {
	sync.Mutex
	doc      object
	checked  int
	problems []string // each once
}

// Headers of every HTTP answer, which no document lists.
var ofHTTP = []string{"Content-Type", "Content-Length", "Content-Encoding", "Connection", "Date"}

// saw compares an answer of an operation with the document.
func (u *answersSeen) saw(s *Server, r *http.Request, w *httptest.ResponseRecorder) {
	path, ok := strings.CutPrefix(r.URL.EscapedPath(), mount)
	if !ok {
		return
	}
	u.Lock()
	defer u.Unlock()
	if u.doc == nil {
		d := json.NewDecoder(strings.NewReader(string(s.openapi)))
		d.UseNumber()
		if err := d.Decode(&u.doc); err != nil {
			panic(err)
		}
	}
	op := operationOf(u.doc, strings.ToLower(strings.Replace(r.Method, "HEAD", "GET", 1)), path)
	if op == nil || w.Code == http.StatusNoContent { // a preflight
		return
	}
	u.checked++
	for _, problem := range undocumented(u.doc, op, w) {
		if problem = r.Method + " " + path + ": " + problem; len(u.problems) < 20 &&
			!slices.Contains(u.problems, problem) {
			u.problems = append(u.problems, problem)
		}
	}
}

// report prints what was found, and reports whether it was anything.
func (u *answersSeen) report() bool {
	for _, p := range u.problems {
		fmt.Printf("--- FAIL: TestUndeclaredAnswers: %.300s\n", p)
	}
	return len(u.problems) > 0
}

// operationOf is the operation that a path leads to; what is without a method of its own
// is any operation of the path, for 405.
func operationOf(doc object, method, path string) object {
	parts := strings.Split(path, "/")
	var found object
	wild := 0
	for template, item := range doc["paths"].(object) {
		names := strings.Split(template, "/")
		if len(names) != len(parts) {
			continue
		}
		n, fits := 0, true
		for i, name := range names {
			if strings.HasPrefix(name, "{") {
				n++
			} else if name != parts[i] {
				fits = false
			}
		}
		if !fits || found != nil && n >= wild {
			continue
		}
		wild = n
		if found, _ = item.(object)[method].(object); found == nil {
			for _, op := range item.(object) {
				found = op.(object)
			}
		}
	}
	return found
}

// undocumented lists what an answer has that its operation does not promise.
func undocumented(doc, op object, w *httptest.ResponseRecorder) (problems []string) {
	answer, ok := op["responses"].(object)[fmt.Sprint(w.Code)].(object)
	if !ok {
		return []string{fmt.Sprintf("no status %d: %.100s", w.Code, w.Body)}
	}
	headers, _ := answer["headers"].(object)
	for name := range w.Header() {
		if slices.Contains(ofHTTP, name) ||
			slices.ContainsFunc(ofHTTP, func(h string) bool { return strings.EqualFold(h, name) }) {
			continue
		}
		declared := false
		for h := range headers {
			declared = declared || strings.EqualFold(h, name)
		}
		if !declared {
			problems = append(problems, fmt.Sprintf("%d has no header %s", w.Code, name))
		}
	}
	if w.Body.Len() == 0 || w.Body.Len() > 64<<10 || w.Header().Get("Content-Encoding") != "" ||
		w.Header().Get("Content-Type") == "" {
		return problems
	}
	kind, _, err := mime.ParseMediaType(w.Header().Get("Content-Type"))
	content, _ := answer["content"].(object)
	schema, ok := content[kind].(object)
	if err != nil || !ok {
		return append(problems, fmt.Sprintf("%d has no content %q", w.Code, kind))
	}
	var v any
	d := json.NewDecoder(strings.NewReader(w.Body.String()))
	d.UseNumber()
	if d.Decode(&v) == nil { // one that was cut off is the business of its test
		problems = append(problems, mismatch(doc, schema["schema"].(object), v, fmt.Sprint(w.Code))...)
	}
	if e, ok := v.(object); ok && w.Code >= 400 && e["code"] != nil {
		if text, _ := answer["description"].(string); !strings.Contains(text, fmt.Sprint(e["code"], ":")) {
			problems = append(problems, fmt.Sprintf("%d does not have the code %v", w.Code, e["code"]))
		}
	}
	return problems
}

// The comparison finds what is not declared: a status, a header, a code, a member.
func TestUndeclaredAnswers(t *testing.T) {
	s := newServer(t)
	doc := document(t)
	op := operationOf(doc, "get", "/antennas")
	if op["operationId"] != "antennas.list" ||
		operationOf(doc, "get", "/antennas/x")["operationId"] != "antennas.get" ||
		operationOf(doc, "get", "/antennas/search")["operationId"] != "antennas.search" ||
		operationOf(doc, "get", "/nowhere") != nil || operationOf(doc, "delete", "/antennas") == nil {
		t.Fatal("the operations of paths are not found")
	}
	if problems := undocumented(doc, op, get(t, s, "/antennas?limit=1")); len(problems) != 0 {
		t.Errorf("a good answer: %q, want none", problems)
	}
	for _, tt := range []struct {
		want  string
		spoil func(w *httptest.ResponseRecorder)
	}{
		{"no status 418", func(w *httptest.ResponseRecorder) { w.Code = 418 }},
		{"header X-New", func(w *httptest.ResponseRecorder) { w.Header().Set("X-New", "1") }},
		{"no content", func(w *httptest.ResponseRecorder) { w.Header().Set("Content-Type", "text/plain") }},
		{"is missing", func(w *httptest.ResponseRecorder) { w.Body.Reset(); w.Body.WriteString(`{"data":[]}`) }},
		{"not documented", func(
			w *httptest.ResponseRecorder) {
			w.Body.Reset()
			w.Body.WriteString(`{"data":[],"more":1}`)
		}},
		{"the code NOTHING", func(w *httptest.ResponseRecorder) {
			w.Code = 400
			w.Body.Reset()
			w.Body.WriteString(`{"code":"NOTHING"}`)
		}},
	} {
		t.Run(tt.want, func(t *testing.T) {
			w := get(t, s, "/antennas?limit=1")
			tt.spoil(w)
			if problems := fmt.Sprint(undocumented(doc, op, w)); !strings.Contains(problems, tt.want) {
				t.Errorf("want %q in %s", tt.want, problems)
			}
		})
	}
}

// A generated client has a place for all that a request may bring.
func TestGeneratedClientsHaveAPlace(t *testing.T) {
	doc := document(t)
	schemes := doc["components"].(object)["securitySchemes"].(object)
	for _, tt := range []struct{ name, header string }{
		{"apiKey", "X-API-Key"},
		{"signature", "X-Sq-Signature"},
		{"attestation", "X-Device-Attestation"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if scheme, _ := schemes[tt.name].(object); scheme["type"] != "apiKey" || scheme["in"] != "header" ||
				scheme["name"] != tt.header {
				t.Errorf("%s: %v, type %v, in %v, name %v, want type = apiKey, in = header and name = %v", tt.name,
					schemes[tt.name], scheme["type"], scheme["in"], scheme["name"], tt.header)
			}
		})
	}
	if want := `map[attestation:[] bearer:[] signature:[]]`; !strings.Contains(fmt.Sprint(doc["security"]), want) {
		t.Errorf("security %v lacks %s", doc["security"], want)
	}
	if version := doc["info"].(object)["version"]; version == "test" || version == "" {
		t.Errorf("the version is %v, that of the build, want other than test and a value", version)
	}
	for path, item := range doc["paths"].(object) {
		for method, op := range item.(object) {
			text := fmt.Sprint(op.(object)["parameters"])
			if !strings.Contains(text, "parameters/RequestId") ||
				strings.Contains(text, "parameters/IfNoneMatch") != (method == "get") {
				t.Errorf("%s %s: got parameters %.100s, want RequestId, and IfNoneMatch with GET only", method, path,
					text)
			}
		}
	}
	for _, tt := range []struct{ name, kind string }{
		{"X-RateLimit-Limit", "integer"},
		{"X-RateLimit-Reset-Day", "integer"},
		{"RateLimit", "string"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if h := doc["components"].(object)["headers"].(object)[tt.name].(object)["schema"].(object); h["type"] != tt.kind {
				t.Errorf("%s is %v, want %s", tt.name, h["type"], tt.kind)
			}
		})
	}
	// Any page may read the document, whatever its origin, and no cache mixes them up.
	for _, origin := range []string{"", "https://editor.example"} {
		w := do(t, newServer(t), "GET", "/openapi.json", "Origin", origin)
		if h := w.Header(); h.Get("Access-Control-Allow-Origin") != "*" || len(h["Access-Control-Allow-Origin"]) != 1 {
			t.Errorf("origin %q: got headers %v, want one Access-Control-Allow-Origin *", origin, h)
		}
	}
}
