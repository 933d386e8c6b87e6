package feed

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"math"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/mmcdole/gofeed"

	"relais/geo"
	"relais/internal/errtest"
	"relais/internal/filetest"
)

// hostile is a name that would break out of each level of an Atom or HTML text.
const hostile = `"><script>alert(1)</script>]]>&amp;<!-- é` + "\u202e\x00\x1b\uffff\xff 𝄞"

func sample(name string) *Feed {
	day := time.Date(2026, 8, 27, 0, 0, 0, 0, time.UTC)
	return &Feed{ID: "tag:relais,2026:FR", Title: "Changes: " + name, Subtitle: "S " + name, Lang: "fr",
		Atom: "http://localhost/feeds/FR.atom?operator=FREE&lang=fr", JSON: "http://localhost/feeds/FR.json?operator=FREE&lang=fr",
		Home: "http://localhost/feeds/FR?operator=FREE&lang=fr", Author: "ANFR", Rights: "Licence Ouverte 2.0", Updated: day,
		Entries: []Entry{
			{ID: "tag:relais,2026:FR/23444/2026-08-27", Title: "New site: " + name, Link: "http://localhost/site/fr-23444",
				Lines: []string{"Free: 5G NR 3500", "in " + name}, Updated: day, At: &geo.Point{Lat: 48.1173421, Lng: -1.6778},
				Tags: []string{"site-added", name}},
			{ID: "tag:relais,2026:FR/9/2026-08-20", Title: "No place, no page", Lines: []string{"gone"},
				Updated: day.AddDate(0, 0, -7)},
		}}
}

func written(t *testing.T, f *Feed) (atom, text []byte) {
	t.Helper()
	var a, j bytes.Buffer
	errtest.Must(t, f.WriteAtom(&a))
	errtest.Must(t, f.WriteJSON(&j))
	return a.Bytes(), j.Bytes()
}

// A reader of both formats finds the same news.
func TestReaders(t *testing.T) {
	f := sample("Saint-Étienne & <b>Rives</b>")
	atom, text := written(t, f)
	for name, written := range map[string][]byte{"atom": atom, "json": text} {
		t.Run(name, func(t *testing.T) {
			got, err := gofeed.NewParser().Parse(bytes.NewReader(written))
			if err != nil {
				t.Fatalf("%v in %s", err, written)
			}
			if got.FeedType != name || got.Title != f.Title || got.Link != f.Home || got.Language != f.Lang ||
				got.Description != f.Subtitle {
				t.Errorf("got the feed %s %q %s %s %q", got.FeedType, got.Title, got.Link, got.Language, got.Description)
			}
			if len(got.Items) != 2 {
				t.Fatalf("got %d items, want 2", len(got.Items))
			}
			for i, item := range got.Items {
				want := f.Entries[i]
				if item.GUID != want.ID || item.Title != want.Title || item.Link != want.Link ||
					!item.UpdatedParsed.Equal(want.Updated) || strings.Join(item.Categories, "|") != strings.Join(want.Tags, "|") {
					t.Errorf("got item %d %q %q %q %v %q", i, item.GUID, item.Title, item.Link, item.UpdatedParsed, item.Categories)
				}
				if want := "<li>in Saint-Étienne &amp; &lt;b&gt;Rives&lt;/b&gt;</li>"; i == 0 && !strings.Contains(item.Content, want) {
					t.Errorf("got the content %q, want %q in it", item.Content, want)
				}
			}
		})
	}
	parsed, err := gofeed.NewParser().Parse(bytes.NewReader(atom))
	errtest.Must(t, err)
	if got, want := parsed.Items[0].Extensions["georss"]["point"][0].Value, "48.1173421 -1.6778"; got != want {
		t.Errorf("got georss:point %q, want %q", got, want)
	}
	if parsed.FeedLink != f.Atom || parsed.Copyright != f.Rights || parsed.Authors[0].Name != f.Author {
		t.Errorf("got self %q, rights %q, author %q", parsed.FeedLink, parsed.Copyright, parsed.Authors[0].Name)
	}
}

// A hostile name stays text in both formats and in the HTML of entries.
func TestHostileNames(t *testing.T) {
	atom, text := written(t, sample(hostile))
	var tree struct {
		Entries []struct {
			Title   string `xml:"title"`
			Content string `xml:"content"`
		} `xml:"entry"`
	}
	if err := xml.Unmarshal(atom, &tree); err != nil {
		t.Fatalf("the Atom is not XML: %v", err)
	}
	if !json.Valid(text) || !utf8.Valid(text) || !utf8.Valid(atom) {
		t.Errorf("got JSON that is not valid, or bytes that are not UTF-8: %q", text)
	}
	if len(tree.Entries) != 2 || strings.Contains(tree.Entries[0].Content, "<script") {
		t.Errorf("got %q", tree.Entries)
	}
	if want := `"><script>alert(1)</script>]]>&amp;<!-- é`; !strings.Contains(tree.Entries[0].Title, want) {
		t.Errorf("got the title %q, want %q in it as text", tree.Entries[0].Title, want)
	}
	if control := regexp.MustCompile(`[\x00-\x08\x0b\x0c\x0e-\x1f]`); control.Match(atom) {
		t.Error("the Atom has a control character, which XML does not allow")
	}
	if got, err := gofeed.NewParser().Parse(bytes.NewReader(text)); err != nil || strings.Contains(got.Items[0].Content, "<script") {
		t.Errorf("got %v, %+v of the JSON", err, got)
	}
}

// A feed without news is a feed.
func TestEmpty(t *testing.T) {
	f := sample("x")
	f.Entries = nil
	atom, text := written(t, f)
	if got, err := gofeed.NewParser().Parse(bytes.NewReader(atom)); err != nil || len(got.Items) != 0 {
		t.Errorf("Atom: got %v, %v", got, err)
	}
	if !bytes.Contains(text, []byte(`"items":[]`)) {
		t.Errorf("got %s, want an empty list of items", text)
	}
}

// GDAL finds the position of an entry.
func TestGDAL(t *testing.T) {
	if _, err := exec.LookPath("ogrinfo"); err != nil {
		t.Skip("ogrinfo is not installed")
	}
	f := sample("Rennes")
	f.Entries = f.Entries[:1]
	atom, _ := written(t, f)
	path := filepath.Join(t.TempDir(), "news.xml")
	filetest.Write(t, path, atom)
	out, err := exec.Command("ogrinfo", "-al", path, "-oo", "USE_GEOMETRY=YES").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	at := regexp.MustCompile(`POINT \((\S+) (\S+)\)`).FindSubmatch(out)
	if at == nil {
		t.Fatalf("got no point from GDAL: %s", out)
	}
	lng, _ := strconv.ParseFloat(string(at[1]), 64)
	lat, _ := strconv.ParseFloat(string(at[2]), 64)
	want := f.Entries[0]
	if math.Abs(lat-want.At.Lat) > 1e-6 || math.Abs(lng-want.At.Lng) > 1e-6 || !bytes.Contains(out, []byte(want.ID)) {
		t.Errorf("got %v, %v, want %v and the id %s in %s", lat, lng, *want.At, want.ID, out)
	}
}
