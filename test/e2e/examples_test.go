//go:build linux

package e2e

import (
	"bytes"
	bin "encoding/binary"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"relais/api"
	"relais/api/endpoint"
	"relais/catalog"
	"relais/httpapi/web/docs"
	"relais/internal/filetest"
)

const (
	exampleFolder = "../../httpapi/web/docs/examples/"
	examplePhoto  = "01a1fe0a-f5d7-7aa6-b32f-fd73a4e1e2c7"
)

// ofTheDay reports whether answers have what the demonstration makes up for each day: outages, measurements, and what
// is learned from them. Their examples have the members of an answer, and the values of another day.
func ofTheDay(op *endpoint.Op[*api.Env]) bool {
	steady := []string{catalog.Registers, catalog.Archives, catalog.DataPhotos}
	return slices.ContainsFunc(op.DependsOn, func(data string) bool { return !slices.Contains(steady, data) })
}

// examples compares the example answers of the documentation with what the demonstration answers, shortened, and writes
// them with -args -record. Package httpapi compares them with their schemas.
func (s *server) examples(t *testing.T, dir string) {
	t.Helper()
	partner := createClient(t, dir, ofBackend("Les photographes", "all-read,photos:write", "--partner")...).APIKey
	shown := mustSendPhoto(t, s, partner, fromTheStreet(), map[string]string{"description": "From the street"}).Data.ID
	var names []string
	for _, op := range api.Operations() {
		if op.Produces != "" {
			continue
		}
		request := op.Example
		photo := shown
		if op.Name == "photos.delete" { // others show that one
			photo = mustSendPhoto(t, s, partner, picture(64, 48), nil).Data.ID
		}
		target := s.base + "/external/v1" + strings.Replace(request.Target, examplePhoto, photo, 1)
		body, contentType := []byte(request.JSON), "application/json"
		if request.Upload != "" {
			var err error
			body, contentType, err = photoForm(fromTheStreet(), map[string]string{"description": "From the street"})
			must(t, err)
		}
		a := call(t, http.DefaultClient, op.Method, target, body, "Content-Type", contentType, "X-API-Key", partner)
		if a.status != op.Status {
			t.Errorf("%s: got %s, want %d", op.Name, a, op.Status)
			continue
		}
		names = append(names, op.Name)
		s.compareExample(t, op, a.body)
	}
	if slices.Sort(names); !*record && !slices.Equal(names, docs.ExampleNames()) {
		t.Errorf("examples of %q, want %q", docs.ExampleNames(), names)
	}
}

func (s *server) compareExample(t *testing.T, op *endpoint.Op[*api.Env], body []byte) {
	t.Helper()
	file, got := exampleFolder+op.Name+".json", s.shortened(t, body)
	if *record {
		filetest.Write(t, file, []byte(got))
		return
	}
	want := string(filetest.Read(t, file))
	if ofTheDay(op) {
		got, want = strings.Join(membersOf(t, got), "\n"), strings.Join(membersOf(t, want), "\n")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: recorded (-), got (+):\n%s\nwhen it is meant: go test ./test/e2e -run TestDemo$ -args -record", op.Name, diff)
	}
}

// membersOf are the names of the members of an answer, with those of the objects in it.
func membersOf(t *testing.T, text string) (names []string) {
	t.Helper()
	var v any
	must(t, json.Unmarshal([]byte(text), &v))
	var walk func(at string, v any)
	walk = func(at string, v any) {
		switch v := v.(type) {
		case object:
			for name, member := range v {
				names = append(names, at+name)
				walk(at+name+".", member)
			}
		case []any:
			for _, item := range v {
				walk(at, item)
			}
		}
	}
	walk("", v)
	slices.Sort(names)
	return slices.Compact(names)
}

// fromTheStreet is a picture that was taken near the site of the examples, at 46°13'1" N, 5°12'53" E.
func fromTheStreet() []byte {
	position := func(degreesMinutesSeconds ...uint32) (text []byte) {
		for _, n := range degreesMinutesSeconds {
			text = bin.LittleEndian.AppendUint32(bin.LittleEndian.AppendUint32(text, n), 1)
		}
		return text
	}
	file := bytes.Replace(picture(640, 480), []byte("PlantedCamera"), []byte("DemoCamera 64"), 1)
	return bytes.Replace(file, position(43, 30, 0, 1, 15, 0), position(46, 13, 1, 5, 12, 53), 1)
}

// What differs from run to run, and how the examples show it.
var (
	uuids     = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	requestIs = regexp.MustCompile(`"requestId": "[^"]*"`)
	versions  = []*regexp.Regexp{regexp.MustCompile(`("(?:dataVersion|version)": "\d{4}-\d\d-\d\d-)([0-9a-f]{16})"`),
		regexp.MustCompile(`("(?:dataVersion|version)": ")([0-9a-f]{16})"`),
		regexp.MustCompile(`("(?:dataVersion|version)": ")([0-9a-z]{12}\.\d+)"`)}
	versionsShown = []string{"9bec5ac47e3ce2a0", "9739e987c0264ae0", "fb5hurvymk5d.8"}
	hashes        = regexp.MustCompile(`"id": "[0-9a-f]{16}"`)
	times         = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`)
)

// maxItems is the length of lists in examples.
const maxItems = 2

// shortened returns an answer with short lists and without what differs from run to run.
func (s *server) shortened(t *testing.T, body []byte) string {
	t.Helper()
	var text, indented bytes.Buffer
	shorten(t, &text, body)
	must(t, json.Indent(&indented, text.Bytes(), "", "  "))
	out := uuids.ReplaceAllString(indented.String(), examplePhoto)
	out = requestIs.ReplaceAllString(out, `"requestId": "5f0c2f7e9b1d4a63"`)
	for i, v := range versions {
		out = v.ReplaceAllString(out, "${1}"+versionsShown[i]+`"`)
	}
	out = hashes.ReplaceAllString(out, `"id": "028d3a9d13c3e627"`)
	out = strings.ReplaceAll(out, s.base, "{{base}}")
	return times.ReplaceAllString(out, "2026-08-28T06:10:00.000Z") + "\n"
}

// shorten copies a JSON value with at most maxItems items in each list of objects.
func shorten(t *testing.T, to *bytes.Buffer, value json.RawMessage) {
	t.Helper()
	switch value = bytes.TrimSpace(value); value[0] {
	case '[':
		var list []json.RawMessage
		must(t, json.Unmarshal(value, &list))
		if len(list) > maxItems && bytes.ContainsAny(list[0][:1], "{[") {
			list = list[:maxItems]
		}
		to.WriteByte('[')
		for i, item := range list {
			if i > 0 {
				to.WriteByte(',')
			}
			shorten(t, to, item)
		}
		to.WriteByte(']')
	case '{':
		shortenObject(t, to, value)
	default:
		to.Write(value)
	}
}

func shortenObject(t *testing.T, to *bytes.Buffer, value json.RawMessage) {
	t.Helper()
	in := json.NewDecoder(bytes.NewReader(value))
	if _, err := in.Token(); err != nil {
		t.Fatal(err)
	}
	to.WriteByte('{')
	byID := 0 // members whose names are numbers: a list by id
	for first := true; in.More(); first = false {
		name, err := in.Token()
		must(t, err)
		var member json.RawMessage
		must(t, in.Decode(&member))
		if strings.Trim(name.(string), "0123456789") == "" {
			if byID++; byID > maxItems {
				continue
			}
		}
		if !first {
			to.WriteByte(',')
		}
		text, _ := json.Marshal(name)
		to.Write(append(text, ':'))
		shorten(t, to, member)
	}
	to.WriteByte('}')
}
