package update

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"relais/internal/filetest"
)

// The answers of Brussels' interface have these members: html_fr with a link, isOldPermit, id_global_outdoor, else
// id_global_horiz, and an object of panels with transmitters.
const brusselsList = `{"type":"FeatureCollection","features":[
 {"properties":{"html_fr":"<p>Site</p><a href=\"https://antennes3d.environnement.brussels/?id=3&amp;lang=fr\">3D</a>"}},
 {"properties":{"html_fr":"<a href=\"https://antennes3d.environnement.brussels/?lang=fr&amp;id=1\">3D</a>"}},
 {"properties":{"html_fr":"<a href=\"https://antennes3d.environnement.brussels/?id=3\">3D</a>"}},
 {"properties":{"html_fr":null}},
 {"properties":{"html_fr":"<a href=\"https://antennes3d.environnement.brussels/?id=2\">3D</a>"}}]}`

// walkKit serves three sites: 3 with the permit 103, 1 with an old permit, 2 with the permit 102 as a text.
func walkKit(t *testing.T) *kit {
	t.Helper()
	k := newKit(t)
	k.put("/list", []byte(brusselsList))
	metas := map[string]string{"3": `{"id_global_outdoor": 103, "id_global_horiz": 9, "date_exportation":"<2014>&"}`,
		"1": `{"isOldPermit":true,"id_global_outdoor":101}`, "2": `{"isOldPermit":false,"id_global_outdoor":null,"id_global_horiz":"102"}`}
	k.behave("/meta", func(w http.ResponseWriter, r *http.Request, _ int) bool {
		fmt.Fprint(w, metas[r.FormValue("id")])
		return true
	})
	k.behave("/permit", func(w http.ResponseWriter, r *http.Request, _ int) bool {
		fmt.Fprintf(w, "{\n \"p-%s\": {\"geometry\": {}}\n}", r.FormValue("id"))
		return true
	})
	k.use(k.walkLine())
	return k
}

func (k *kit) walkLine() string {
	return strings.Replace(k.file("walk", "walk", "/list", `[?&;]id=([0-9]+)`), `"licence"`, fmt.Sprintf(
		`"pages":[{"name":"meta","url":%q},{"name":"permitantennas","url":%q,"id":["id_global_outdoor","id_global_horiz"],`+
			`"unless":"isOldPermit"}],"licence"`, k.URL+"/meta?id={id}", k.URL+"/permit?id={id}"), 1)
}

const wholeWalk = `"items":{
"3":{"meta":{"id_global_outdoor":103,"id_global_horiz":9,"date_exportation":"<2014>&"},"permitantennas":{"p-103":{"geometry":{}}}},
"1":{"meta":{"isOldPermit":true,"id_global_outdoor":101},"permitantennas":null},
"2":{"meta":{"isOldPermit":false,"id_global_outdoor":null,"id_global_horiz":"102"},"permitantennas":{"p-102":{"geometry":{}}}}
}}
`

func TestWalk(t *testing.T) {
	k := walkKit(t)
	text, err := k.gathered(k.walkLine())
	list, items, _ := strings.Cut(text, ",\n")
	if err != nil || items != wholeWalk {
		t.Fatalf("got %s, %v; want\n%s", text, err, wholeWalk)
	}
	var got struct {
		List  json.RawMessage
		Items map[string]map[string]json.RawMessage
	}
	must(t, json.Unmarshal([]byte(text), &got))
	if len(got.Items) != 3 || !strings.HasPrefix(list, `{"list":{"type":"FeatureCollection"`) ||
		strings.Contains(list, "\n") {
		t.Errorf("got the list %s, %d items; want it in a line, and three", list, len(got.Items))
	}
	k.wantAsked("/list 200", "/meta 200", "/permit 200", "/meta 200", "/meta 200", "/permit 200")
}

// An interrupted walk goes on with the items that it does not have.
func TestWalkGoesOn(t *testing.T) {
	k := walkKit(t)
	ctx, cancel := context.WithCancel(t.Context())
	k.behave("/permit", func(w http.ResponseWriter, r *http.Request, nth int) bool {
		if nth == 2 {
			cancel()
			<-r.Context().Done()
			return true
		}
		fmt.Fprint(w, `{"p-103": {"geometry":{}}}`)
		return true
	})
	if _, err := Run(ctx, k.options()); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want the run cancelled", err)
	}
	part := partOf(k.dir, "walk")
	kept := string(filetest.Read(t, part))
	if strings.Count(kept, "\n") != 2 || strings.Contains(kept, "p-102") {
		t.Errorf("kept %s, want two items", kept)
	}
	filetest.Write(t, part, []byte(kept+`{"asked":"`)) // a line that a killed process left
	k.asked()
	k.behave("/permit", answering(200, `{"p-102":{"geometry":{}}}`))
	text, err := k.gathered(k.walkLine())
	if _, items, _ := strings.Cut(text, ",\n"); err != nil || items != wholeWalk {
		t.Errorf("got %s, %v; want\n%s", text, err, wholeWalk)
	}
	k.wantAsked("/list 200", "/meta 200", "/permit 200")
	// Items of last week, of another question or of another clock are asked for again.
	for _, change := range [][2]string{{`"asked":"`, `"asked":"0`}, {time.Now().UTC().Format("2006"), "2007"},
		{time.Now().UTC().Format("2006"), "2999"}} {
		filetest.Write(t, part, []byte(strings.ReplaceAll(kept, change[0], change[1])))
		k.asked()
		if _, err := k.gathered(k.walkLine()); err != nil || len(k.asked()) != 6 {
			t.Errorf("%q: %v, want all six pages asked for", change, err)
		}
	}
}

// The items that fail do not lose the others, and yesterday's file stays.
func TestWalkErrors(t *testing.T) {
	k := walkKit(t)
	for _, tt := range []struct {
		name, path string
		answer     handler
		want       string
	}{
		{"HTML", "/meta", once(answering(200, "<html>")), "2 of 3 items are there, and the next walk goes on with them: " +
			"item 3: meta: an HTML page"},
		{"not JSON", "/permit", answering(200, "busy"), "1 of 3 items"},
		{"forbidden", "/permit", answering(403, ""), "1 of 3 items"},
		{"asks for too long", "/meta", answering(503, "", "Retry-After", "3600"), "asks to be left alone for 1h0m0s"},
		{"no list", "/list", answering(404, ""), "the list: the server answers 404"},
		{"an empty list", "/list", answering(200, `{"features":[]}`), "the list has no item"},
		{"an HTML list", "/list", answering(200, `<html>?id=1`), "the list: an HTML page"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := walkKit(t)
			k.behave(tt.path, tt.answer)
			if text, err := k.gathered(k.walkLine()); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %s, %v; want an error with %q", text, err, tt.want)
			}
		})
	}
	k.behave("/permit", answering(404, ""))
	if text, err := k.gathered(k.walkLine()); err != nil || strings.Count(text, `"permitantennas":null`) != 3 {
		t.Errorf("got %s, %v; want pages that are not there as null", text, err)
	}
	k.put("/meta", []byte("{}"))
	k.behave("/permit", answering(200, "{}"))
	k.behave("/meta", once(answering(429, "", "Retry-After", "1")))
	os.RemoveAll(filepath.Dir(partOf(k.dir, "walk")))
	began := time.Now()
	if _, err := k.gathered(k.walkLine()); err != nil || time.Since(began) < time.Second {
		t.Errorf("%v after %s, want the answer asked for again after a second", err, time.Since(began))
	}
}

// What the server does not have is null, and asked for again by the next run, which keeps the rest.
func TestWalkMissing(t *testing.T) {
	k := walkKit(t)
	gone := true
	k.behave("/permit", func(w http.ResponseWriter, r *http.Request, _ int) bool {
		if gone && r.FormValue("id") == "102" {
			w.WriteHeader(http.StatusNotFound)
		} else {
			fmt.Fprintf(w, `{"p-%s":{"geometry":{}}}`, r.FormValue("id"))
		}
		return true
	})
	run := func() *SourceReport { // the items stay
		t.Helper()
		r, err := Run(t.Context(), k.options())
		must(t, err)
		return r.Sources[0]
	}
	r := run()
	if !strings.Contains(r.Problem(), "is the brussels-antennas of BE") { // no register of the market reads it
		t.Errorf("problem %q, want the file refused", r.Problem())
	}
	if note := fmt.Sprint(r.Notes); !strings.Contains(note, "all pages of 1 items") {
		t.Errorf("notes %s, want the item without a page", note)
	}
	k.asked()
	if r = run(); !strings.Contains(r.Problem(), "refused before") {
		t.Errorf("problem %q, want the same file", r.Problem())
	}
	k.wantAsked("/list 200", "/meta 200", "/permit 404")
	gone = false
	if r = run(); len(r.Notes) > 0 {
		t.Errorf("notes %q, want none", r.Notes)
	}
	k.wantAsked("/list 200", "/meta 200", "/permit 200")
	run()
	k.wantAsked()
	k.behave("/meta", answering(404, ""))
	k.behave("/permit", answering(404, ""))
	if _, err := k.gathered(k.walkLine()); err == nil || !strings.Contains(err.Error(), "none of the 3 items") {
		t.Errorf("%v, want an error: nothing is there", err)
	}
}

// The file of the items is bounded, and lines that count for nothing leave it.
func TestPart(t *testing.T) {
	path, now := filepath.Join(t.TempDir(), "walks", "w.jsonl"), time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	open := func(asked string, after time.Duration) *part {
		t.Helper()
		p, err := openPart(path, asked, 400, now.Add(after))
		must(t, err)
		t.Cleanup(func() { p.close() })
		return p
	}
	p := open("q", 0)
	for i, id := range []string{"1", "2", "3"} {
		must(t, p.add(id, []byte(`{"a":1}`), i == 1))
	}
	text := []byte(`"` + strings.Repeat("x", 300) + `"`)
	if err := p.add("4", text, false); err == nil || !strings.Contains(err.Error(), "maxMB") {
		t.Errorf("%v, want an error of the bound", err)
	}
	must(t, p.close())
	for _, tt := range []struct {
		name, asked string
		after       time.Duration
		want        string
		lines       int
	}{
		{"the next day", "q", 24 * time.Hour, "1 3", 2},
		{"another question", "r", time.Hour, "", 0},
	} {
		p := open(tt.asked, tt.after)
		var ids []string
		for _, id := range []string{"1", "2", "3", "4"} {
			if p.has(id) {
				item, err := p.item(id)
				if must(t, err); string(item) != `{"a":1}` {
					t.Errorf("%s: item %s is %s", tt.name, id, item)
				}
				ids = append(ids, id)
			}
		}
		if n := bytes.Count(filetest.Read(t, path), []byte("\n")); strings.Join(ids, " ") != tt.want || n != tt.lines {
			t.Errorf("%s: items %q in %d lines, want %q in %d", tt.name, ids, n, tt.want, tt.lines)
		}
		must(t, p.close())
	}
	p = open("r", time.Hour)
	must(t, p.add("4", text, false)) // there is room again
	info, err := os.Stat(filepath.Dir(path))
	if must(t, err); runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("the folder has the mode %v, want its owner's alone", info.Mode())
	}
}

// A walk whose file the register took, or refused, leaves no items behind.
func TestWalkIsDropped(t *testing.T) {
	k := walkKit(t)
	k.want(k.run(), Failed, "is the brussels-antennas of BE")
	k.asked()
	k.want(k.run(), Failed, "refused before")
	k.wantAsked()
}

func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pacer{every: time.Second}
		began := time.Now()
		var at []time.Duration
		for range 3 {
			must(t, p.wait(t.Context()))
			at = append(at, time.Since(began))
		}
		time.Sleep(5 * time.Second)
		must(t, p.wait(t.Context()))
		if at = append(at, time.Since(began)); !slices.Equal(at, []time.Duration{0, time.Second, 2 * time.Second,
			7 * time.Second}) {
			t.Errorf("asked after %v, want one request a second", at)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := p.wait(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want an end", err)
		}
	})
	if DefaultLimits.Pace != time.Second {
		t.Errorf("the pace is %s, want a second", DefaultLimits.Pace)
	}
}

func FuzzGathered(f *testing.F) {
	f.Add([]byte(brusselsList))
	f.Add([]byte(`{"head":{"vars":["a"]},"results":{"bindings":[{"a":{"type":"uri","value":"x"}}]}}`))
	f.Add([]byte(`{"id_global_outdoor":1e9,"isOldPermit":true}`))
	f.Add([]byte(`<ListBucketResult><Contents><Key>%2e%2e/../x</Key></Contents></ListBucketResult>`))
	place := &Place{Find: byWalk, Match: "id=([^&]*)", URL: "https://h/"}
	page := Page{ID: []string{"id_global_outdoor"}, Unless: "isOldPermit"}
	f.Fuzz(func(t *testing.T, text []byte) {
		if place.match == nil {
			place.check()
		}
		readRows(bytes.NewReader(text))
		idsOf(text, place.match)
		var before map[string]json.RawMessage
		if json.Unmarshal(text, &before) == nil && !page.left(before) && page.target("x", before) == "" {
			t.Error("an empty id")
		}
		at, _ := parseAddress("https://h/b/?list-type=2")
		if b, err := parseBucket(text); err == nil {
			for _, e := range place.filesOf(b, at) {
				if !strings.HasPrefix(e.URL, "https://h/") {
					t.Errorf("%s leads away", e.URL)
				}
			}
		}
		linksOf(text, at)
	})
}
