package httpapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"relais/api"
	"relais/api/endpoint"
)

// A filed is what the operations of these tests answer.
type filed struct {
	Title, Note string
	Size        int64
	Sum         string // SHA-256 of the file, in hexadecimal, read twice
}

type filing struct {
	Title string `param:"title" in:"body" required:"true" max:"20"`
	Note  string `param:"note" in:"body" max:"2000" lines:"true"`
}

const maxFile = 100 << 10

// formServer serves an operation that takes a form and one that takes JSON.
func formServer(t *testing.T) *Server {
	t.Helper()
	s := newServer(t)
	for _, body := range []*endpoint.Body{
		{Type: endpoint.Form, MaxBytes: maxFile + 100<<10, TooLarge: "IMAGE_TOO_LARGE", File: "file",
			MaxFileBytes: maxFile},
		{Type: endpoint.JSON, MaxBytes: plainBody},
	} {
		s.mountOperations([]*endpoint.Op[*api.Env]{endpoint.New(endpoint.Decl{
			Name: "filed." + body.Type, Method: "POST", Path: "/filed/" + strings.ReplaceAll(body.Type, "/", "-"),
			Scope: "photos:write", FailureName: "FILED", Body: body,
		}, func(r *api.Env, _ context.Context, p *filing) (*filed, error) {
			f := &filed{Title: p.Title, Note: p.Note}
			if r.File == nil {
				return f, nil
			}
			h := sha256.New()
			for range 2 {
				file, err := r.File.Open()
				if err != nil {
					return nil, err
				}
				n, err := io.Copy(h, file)
				if err != nil {
					return nil, err
				}
				if n != r.File.Size {
					return nil, fmt.Errorf("%d bytes, and %d were stated", n, r.File.Size)
				}
			}
			f.Size, f.Sum = r.File.Size, hex.EncodeToString(h.Sum(nil))
			return f, nil
		})})
	}
	return s
}

// part is a part of a form; a file has a name.
type part struct{ name, file, content string }

func form(parts ...part) (body []byte, contentType string) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, p := range parts {
		var to io.Writer
		if p.file != "" {
			to, _ = w.CreateFormFile(p.name, p.file)
		} else {
			to, _ = w.CreateFormField(p.name)
		}
		io.WriteString(to, p.content)
	}
	w.Close()
	return b.Bytes(), w.FormDataContentType()
}

func postTo(t *testing.T, s *Server, key, path, contentType string, body io.Reader) *httptest.ResponseRecorder {
	t.Helper()
	text, err := io.ReadAll(body)
	must(t, err)
	return send(t, s, "POST", mount+path, text, "X-API-Key", key, "Content-Type", contentType)
}

func TestFormMembers(t *testing.T) {
	s := formServer(t)
	key := writer(t, s, false).APIKey
	post := func(parts ...part) *httptest.ResponseRecorder {
		body, contentType := form(parts...)
		return postTo(t, s, key, "/filed/multipart-form-data", contentType, bytes.NewReader(body))
	}
	file := strings.Repeat("not an image\r\n--", 6000)
	twice := sha256.Sum256([]byte(file + file))
	for _, tt := range []struct {
		name  string
		parts []part
	}{
		{"the file last", []part{{"title", "", "T"}, {"note", "", "two\r\nlines\tand a tab"}, {"other", "", "x"},
			{"file", "../../etc/passwd", file}}},
		{"the file first", []part{{"file", "a.jpg", file}, {"note", "", "two\nlines\tand a tab"}, {"title", "", "T"}}},
		{"a file without name",
			[]part{{"file", "", file}, {"note", "n.txt", "two\nlines\tand a tab"}, {"title", "", "T"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := post(tt.parts...)
			var f filed
			if err := json.Unmarshal(w.Body.Bytes(), &f); err != nil || w.Code != 200 {
				t.Fatalf("%s: status %d %s, want 200 and JSON", tt.name, w.Code, w.Body)
			}
			if want := (filed{"T", "two\nlines\tand a tab", int64(len(file)),
				hex.EncodeToString(twice[:])}); f != want {
				t.Errorf("%s: %+v, want %+v", tt.name, f, want)
			}
		})
	}
	many := make([]part, maxParts+1)
	for i := range many {
		many[i] = part{"x", "", "y"}
	}
	for _, tt := range []struct {
		name       string
		parts      []part
		code, says string
	}{
		{"no title", []part{{"file", "f", "x"}}, "INVALID_PARAMETER", "title: it must be given"},
		{"two titles", []part{{"title", "", "a"}, {"title", "", "b"}}, "INVALID_PARAMETER",
			"title: \"a\" is not allowed; give it once"},
		{"two files", []part{{"title", "", "a"}, {"file", "f", "x"}, {"file", "f", "y"}}, "INVALID_PARAMETER",
			"file: give it once"},
		{"a long title", []part{{"title", "", strings.Repeat("a", 21)}}, "INVALID_PARAMETER", "title"},
		{"control", []part{{"title", "", "T"}, {"note", "", "a\x00b"}}, "INVALID_PARAMETER", "note"},
		{"not UTF-8", []part{{"title", "", "T"}, {"note", "", "a\xffb"}}, "INVALID_PARAMETER", "note"},
		{"lines in a title", []part{{"title", "", "a\nb"}}, "INVALID_PARAMETER", "title"},
		{"a huge text", []part{{"title", "", "T"}, {"note", "", strings.Repeat("x", maxField+1)}}, "INVALID_PARAMETER",
			"note"},
		{"a huge file", []part{{"title", "", "T"}, {"file", "f", strings.Repeat("x", maxFile+1)}}, "IMAGE_TOO_LARGE",
			"at most 102400 bytes"},
		{"many parts", many, "INVALID_PARAMETER", "32 parts"},
	} {
		t.Run(tt.name, func(t *testing.T) { wantError(t, post(tt.parts...), 400, tt.code, tt.says) })
	}
	if w := post(part{"title", "", "T"}, part{"file", "f", strings.Repeat("x", maxFile)}); w.Code != 200 {
		t.Errorf("a file of the size that is allowed: %d %s, want 200", w.Code, w.Body)
	}
}

func TestBrokenForm(t *testing.T) {
	s := formServer(t)
	key := writer(t, s, false).APIKey
	whole, contentType := form(part{"title", "", "T"}, part{"file", "f", "content"})
	_, boundary, _ := strings.Cut(contentType, "boundary=")
	for _, tt := range []struct {
		name              string
		contentType, body string
		status            int
	}{
		{"cut in the file", contentType, string(whole[:len(whole)-len(boundary)-8]), 400},
		{"cut in a header", contentType, string(whole[:len(boundary)+20]), 400},
		{"cut at a boundary", contentType, string(whole[:len(whole)-4]), 400},
		{"empty", contentType, "", 400},
		{"no boundary", "multipart/form-data", string(whole), 400},
		{"an empty boundary", `multipart/form-data; boundary=""`, string(whole), 400},
		{"another boundary", "multipart/form-data; boundary=other", string(whole), 400},
		{"another kind", "multipart/mixed; boundary=" + boundary, string(whole), 400},
		{"no kind", "", string(whole), 400},
		{"a name that is cut", contentType,
			"--" + boundary + "\r\nContent-Disposition: form-data; name=\"file\"; filename=my photo.jpg\r\n\r\nv\r\n--" + boundary + "--\r\n", 400},
		{"a header of 20 kB", contentType,
			"--" + boundary + "\r\nX: " + strings.Repeat("x", 20<<10) + "\r\n\r\nv\r\n--" + boundary + "--\r\n", 400},
		{"a part without head", contentType, "--" + boundary + "\r\n\r\nv\r\n--" + boundary + "--\r\n", 400},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := postTo(t, s, key, "/filed/multipart-form-data", tt.contentType, strings.NewReader(tt.body))
			if w.Code != tt.status || w.Code == 400 && !strings.Contains(w.Body.String(), "the body: ") &&
				!strings.Contains(w.Body.String(), "MISSING_FILE") {
				t.Errorf("%s: status %d %s, want %d with the body named", tt.name, w.Code, w.Body, tt.status)
			}
		})
	}
}

var formOp = endpoint.New(endpoint.Decl{Name: "form",
	Body: &endpoint.Body{Type: endpoint.Form, File: "file", MaxFileBytes: 1 << 20}},
	func(*api.Env, context.Context, *filing) (*filed, error) { return nil, nil })

// A form whose parts have large headers costs little memory.
func TestMemoryOfForms(t *testing.T) {
	m := &members{texts: map[string]string{}, wrong: map[string]error{}}
	b := &body{memory: []byte("--b\r\n" + strings.Repeat("A: b\r\n", 3<<20) + "\r\n\r\n--b--\r\n")}
	b.size = int64(len(b.memory))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := m.readForm(b, "b", formOp)
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; err == nil || grown > 64<<20 {
		t.Errorf("%d bytes were allocated, %v, want at most %d and an error", grown, err, 64<<20)
	}
}

func TestJSONBody(t *testing.T) {
	s := formServer(t)
	key := writer(t, s, false).APIKey
	for _, tt := range []struct{ body, want string }{
		{`{"title":"T","note":"a\r\nb"}`, `"Title":"T","Note":"a\nb"`},
		{` {"title":"é😀","note":null,"other":[1,{"a":2}]} `, `"Title":"é😀","Note":""`},
		{`{"title":1}`, "title: a text"},
		{`{"title":"T","note":["x"]}`, "note: a text"},
		{`{"title":"a","title":"b"}`, "title"},
		{`{"note":"x"}`, "title: it must be given"},
		{`{"title":"T"} {}`, "something follows"},
		{`{"title":"T"`, "not a JSON object"},
		{`["title"]`, "not a JSON object"},
		{`title=T`, "not a JSON object"},
		{``, "not a JSON object"},
		{"{\"title\":\"\xff\"}", "not in UTF-8"},
		{`{"title":` + strings.Repeat("[", 20000), "not a JSON object"},
		{`{"title":"T","x":` + strings.Repeat("9", 400) + `}`, `"Title":"T"`},
	} {
		t.Run(fmt.Sprintf("%.60s", tt.body), func(t *testing.T) {
			w := postTo(t, s, key, "/filed/application-json", "application/json; charset=utf-8", strings.NewReader(tt.body))
			if strings.HasPrefix(tt.want, `"Title"`) != (w.Code == 200) || w.Code != 200 && w.Code != 400 ||
				!strings.Contains(w.Body.String(), tt.want) {
				t.Errorf("%.60s: %d %s, want %s", tt.body, w.Code, w.Body, tt.want)
			}
		})
	}
	w := postTo(t, s, key, "/filed/application-json", "application/json",
		strings.NewReader(`{"title":"`+strings.Repeat("x", plainBody)+`"}`))
	wantError(t, w, 413, "PAYLOAD_TOO_LARGE", "65536")
}

func FuzzForm(f *testing.F) {
	whole, _ := form(part{"title", "", "T"}, part{"file", "f", "content"})
	f.Add(whole, "b")
	f.Add([]byte("--b\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nabc\r\n--b--\r\n"), "b")
	f.Fuzz(func(t *testing.T, data []byte, boundary string) {
		m := &members{texts: map[string]string{}, wrong: map[string]error{}}
		if m.readForm(&body{memory: data, size: int64(len(data))}, boundary, formOp) != nil || m.file == nil {
			return
		}
		file, err := m.file.Open()
		must(t, err)
		if n, err := io.Copy(io.Discard, file); err != nil || n != m.file.Size {
			t.Errorf("%d bytes, %v; stated %d, want %d and no error", n, err, m.file.Size, m.file.Size)
		}
	})
}
