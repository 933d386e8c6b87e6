package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"relais/api"
	"relais/archive"
	"relais/community"
	"relais/httpapi/web/docs"
	"relais/internal/filetest"
	"relais/market"
	"relais/photos/exif"
	"relais/photos/render"
	"relais/site"
)

const exampleFolder = "web/docs/examples/"

// The example answers of the documentation are what a server answers, shortened, and have the
// documented shapes.
func TestExamples(t *testing.T) {
	s, photo := exampleServer(t)
	doc := document(t)
	var names []string
	for _, op := range api.Operations() {
		request, ok := docs.Requests[op.Name]
		if !ok {
			t.Errorf("%s: the documentation has no request of it", op.Name)
			continue
		}
		sample := photo
		if op.Name == "photos.delete" { // others show that one
			sample = parse(t, upload(t, s, nil), 201)["data"].(object)["id"].(string)
		}
		w := example(t, s, op.Method, request, sample)
		if w.Code != op.Status {
			t.Errorf("%s: status %d, want %d: %.200s", op.Name, w.Code, op.Status, w.Body)
			continue
		}
		if op.Produces != "" {
			continue
		}
		names = append(names, op.Name)
		file, got := exampleFolder+op.Name+".json", shortened(t, w.Body.Bytes())
		answers := doc["paths"].(object)[op.Path].(object)[strings.ToLower(op.Method)].(object)["responses"].(object)
		content := answers[strconv.Itoa(op.Status)].(object)["content"].(object)[request.MediaType()].(object)
		for _, problem := range mismatch(doc, content["schema"].(object), content["example"], op.Name) {
			t.Error(problem)
		}
		if *update {
			filetest.Write(t, file, []byte(got))
		} else if diff := cmp.Diff(string(filetest.Read(t, file)), got); diff != "" {
			t.Errorf("%s: recorded (-), got (+):\n%s\nwhen it is meant: go test ./httpapi -run TestExamples -update", op.Name, diff)
		}
	}
	if slices.Sort(names); !*update && !slices.Equal(names, docs.ExampleNames()) {
		t.Errorf("examples of %q, want %q", docs.ExampleNames(), names)
	}
}

// exampleServer serves what the examples show. It returns the id of a photo.
func exampleServer(t *testing.T) (s *Server, photo string) {
	t.Helper()
	s = newServer(t)
	importOutages(t, s, market.FR, "ORANGE", paris)
	report(t, s, community.NewReport{})
	s.Archives = noArchives(t)
	for _, edition := range [][2]string{{"2026-08-20", "Projet approuvé"}, {"2026-08-27", "En service"}} {
		row := "1;ORANGE;90000010;LTE 800;2026-08-24;002;02691;4G;" + edition[0] +
			";0020990006;23;32;72;;174 avenue de la Démonstration;;;02100;02691;49.85 , 3.29;;" + edition[1]
		path := filetest.New(t, edition[0]+".csv", exampleArchive+"\n"+row+"\n")
		files, err := archive.Files([]string{path})
		if err == nil {
			_, err = s.Archives.Add(t.Context(), &files[0], archive.Options{})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var at site.Site
	s.set.Load().Market(market.FR).Site(exampleSite(t, s), &at)
	s.Photos.Render = func(ctx context.Context, name string, file io.Reader, size int64) (*render.Result, error) {
		r, err := fakeRender(ctx, name, file, size)
		if err == nil {
			r.Exif.Position = &exif.Position{Lat: at.Position.Lat + 0.001, Lon: at.Position.Lng}
		}
		return r, err
	}
	up := parse(t, upload(t, s, map[string]string{"description": "From the street"}), 201)
	return s, up["data"].(object)["id"].(string)
}

// exampleSite returns the index of the site of the examples.
func exampleSite(t *testing.T, s *Server) uint32 {
	t.Helper()
	_, at, err := s.Env().Locate("fr-90000010", nil)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// exampleArchive is the head of the observatoire's file.
const exampleArchive = "id;adm_lb_nom;sup_id;emr_lb_systeme;emr_dt;sta_nm_dpt;code_insee;generation;date_maj;" +
	"sta_nm_anfr;nat_id;sup_nm_haut;tpo_id;adr_lb_lieu;adr_lb_add1;adr_lb_add2;adr_lb_add3;adr_nm_cp;com_cd_insee;" +
	"coordonnees;coord;statut"

// example sends the request of an example.
func example(t *testing.T, s *Server, method string, request docs.Request, photo string) *httptest.ResponseRecorder {
	t.Helper()
	switch {
	case request.Upload != "":
		return upload(t, s, map[string]string{"description": "From the street"})
	case request.JSON != "":
		key, _ := testKeys.Load(s.Gate)
		path := strings.Replace(request.Target, "01a1fe0a-f5d7-7aa6-b32f-fd73a4e1e2c7", photo, 1)
		return postTo(t, s, key.(string), path, "application/json", strings.NewReader(request.JSON))
	}
	if method == "DELETE" {
		return do(t, s, method, mount+strings.Replace(request.Target, "01a1fe0a-f5d7-7aa6-b32f-fd73a4e1e2c7", photo, 1))
	}
	return get(t, s, request.Target)
}

// What differs from run to run, and how the examples show it.
var (
	uuids     = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	requestIs = regexp.MustCompile(`"requestId": "[^"]*"`)
	versionIs = regexp.MustCompile(`"(dataVersion|version)": "[^"]*"`)
	hashes    = regexp.MustCompile(`"id": "[0-9a-f]{16}"`)
	times     = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`)
)

// maxItems is the length of lists in examples.
const maxItems = 2

// shortened returns an answer with short lists and without what differs from run to run.
func shortened(t *testing.T, body []byte) string {
	t.Helper()
	var text, indented bytes.Buffer
	shorten(t, &text, body)
	if err := json.Indent(&indented, text.Bytes(), "", "  "); err != nil {
		t.Fatal(err)
	}
	out := uuids.ReplaceAllString(indented.String(), "01a1fe0a-f5d7-7aa6-b32f-fd73a4e1e2c7")
	out = requestIs.ReplaceAllString(out, `"requestId": "5f0c2f7e9b1d4a63"`)
	out = versionIs.ReplaceAllString(out, `"$1": "8c1f6e0b"`)
	out = hashes.ReplaceAllString(out, `"id": "028d3a9d13c3e627"`)
	out = strings.ReplaceAll(out, "http://relais.test", "{{base}}")
	out = strings.ReplaceAll(out, "every test", "Les photographes")
	return times.ReplaceAllString(out, "2026-08-28T06:10:00.000Z") + "\n"
}

// shorten copies a JSON value with at most maxItems items in each list of objects.
func shorten(t *testing.T, to *bytes.Buffer, value json.RawMessage) {
	t.Helper()
	switch value = bytes.TrimSpace(value); value[0] {
	case '[':
		var list []json.RawMessage
		if err := json.Unmarshal(value, &list); err != nil {
			t.Fatal(err)
		}
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
	for first := true; in.More(); first = false {
		name, err := in.Token()
		if err != nil {
			t.Fatal(err)
		}
		var member json.RawMessage
		if err := in.Decode(&member); err != nil {
			t.Fatal(err)
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
