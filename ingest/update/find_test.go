package update

import (
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"net/url"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"relais/internal/tier"
	"relais/market"
)

func TestDataset(t *testing.T) {
	k := newKit(t)
	const api = "/api/1/datasets/weekly/"
	sum := func(text []byte) string { s := sha1.Sum(text); return hex.EncodeToString(s[:]) }
	old, latest := observatory(t, "2026-01-15"), observatory(t, "2026-01-22")
	k.put("/r/SYNTHETIC_1_observatoire.csv", old)
	k.put("/r/SYNTHETIC_2_observatoire.csv", latest)
	dataset := func(sum1, sum2 string) []byte {
		return fmt.Appendf(nil, `{"title":"x","resources":[
			{"url":"/r/readme.pdf","title":"notes","last_modified":"2026-02-22T10:00:00+00:00"},
			{"url":"/r/SYNTHETIC_2_observatoire.csv","title":"week 2","format":"csv","filesize":%d,"last_modified":"2026-01-22T10:00:00+00:00","checksum":{"type":"sha1","value":"%s"}},
			{"url":"/r/SYNTHETIC_1_observatoire.csv","title":"week 1","last_modified":"2026-01-15T10:00:00+00:00","checksum":{"type":"sha1","value":"%s"}},
			{"url":"/r/other.csv","title":"other","last_modified":null,"checksum":null}]}`, len(latest), sum2, sum1)
	}
	k.use(k.file("weekly", "data.gouv.fr", api, `observatoire\.csv$`))
	k.put(api, dataset(sum(old), sum(latest)))
	r := k.run()
	k.want(r, Updated, "")
	k.wantDate("2026-01-22")
	if want := k.URL + "/r/SYNTHETIC_2_observatoire.csv"; r.Files[0].URL != want {
		t.Errorf("got %s, want %s", r.Files[0].URL, want)
	}
	k.want(k.run(), Unchanged, "")
	k.put(api, []byte(`{"resources":[]}`))
	k.want(k.run(), Failed, "none of its 0 entries matches")
	k.put(api, bytes.Repeat([]byte(" "), maxDocument+1))
	k.want(k.run(), Failed, "over 4194304 bytes")
	k.put(api, []byte(`<html>`))
	k.want(k.run(), Failed, "an HTML page")
	k.put(api, []byte(`{"resources":[{"url":"file:///etc/x_observatoire.csv"}]}`))
	k.want(k.run(), Failed, "must be a full address with http or https")
	k.wantDate("2026-01-22")
}

func TestWhen(t *testing.T) {
	order := []string{"soon", "2026-08-27T10:00:00", "2026-08-27T10:00:00.5+00:00", "2026-08-27T13:00:00+02:00",
		"2026-08-28T00:00:00Z"}
	for i := range order[1:] {
		if !parseTime(order[i]).Before(parseTime(order[i+1])) {
			t.Errorf("%s is not before %s; want when(order[i]).Before(when(order[i+1]))", order[i], order[i+1])
		}
	}
}

const (
	md5hex    = "d41d8cd98f00b204e9800998ecf8427e"
	sha256hex = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
)

func TestSTAC(t *testing.T) {
	entries, err := parseSTAC([]byte(`{"type":"FeatureCollection","features":[
		{"properties":{"datetime":"2026-08-14T00:00:00Z"},"assets":{"x_2056.json":{"href":"https://h/x_2056.json","updated":"2026-08-15T00:00:00Z","checksum:multihash":"1220` + sha256hex + `","file:size":27}}},
		{"properties":{"updated":"2026-08-13T00:00:00Z"},"assets":{"y":{"href":"../y.csv","file:checksum":"d50110` + strings.ToUpper(md5hex) + `","file:size":-3},"z":{"href":"z","file:checksum":"zz"}}}]}`))
	want := []entry{
		{remote{URL: "https://h/x_2056.json", Size: 27, Sum: checksum{"sha256", sha256hex}}, []string{"x_2056.json", "x_2056.json"},
			"2026-08-15T00:00:00Z"},
		{remote{URL: "../y.csv", Size: 0, Sum: checksum{"md5", md5hex}}, []string{"y.csv", "y"}, "2026-08-13T00:00:00Z"},
		{remote{URL: "z", Size: 0, Sum: checksum{}}, []string{"z", "z"}, "2026-08-13T00:00:00Z"},
	}
	if err != nil || !reflect.DeepEqual(entries, want) {
		t.Errorf("got %+v, %v; want %+v", entries, err, want)
	}
}

func TestChecksumOfCatalogue(t *testing.T) {
	for _, tt := range []struct{ stated, want checksum }{
		{checksum{"SHA-256", strings.ToUpper(sha256hex) + " "}, checksum{"sha256", sha256hex}},
		{checksum{"sha256", sha256hex}, checksum{"sha256", sha256hex}},
		{checksum{"sha256", md5hex}, checksum{}},
		{checksum{"crc32", "00"}, checksum{}},
	} {
		if got := tt.stated.normalized(); got != tt.want {
			t.Errorf("%v: got %v, want %v", tt.stated, got, tt.want)
		}
	}
}

// A member of a wrong type is ignored and does not affect other entries.
func TestOddEntries(t *testing.T) {
	sum := checksum{"md5", md5hex}
	for _, tt := range []struct {
		name  string
		parse func([]byte) ([]entry, error)
		text  string
		want  remote // of the last entry
	}{
		{"checksum", parseDataset, `{"resources":[{"url":"a.pdf","checksum":"abc"},{"url":"b","filesize":7}]}`,
			remote{URL: "b", Size: 7, Sum: checksum{}}},
		{"its type", parseDataset, `{"resources":[{"url":"b","checksum":{"type":7,"value":"00"},"filesize":7}]}`,
			remote{URL: "b", Size: 7, Sum: checksum{}}},
		{"size", parseDataset,
			`{"resources":[{"filesize":"7 MB","url":"b","checksum":{"type":"md5","value":"` + md5hex + `"}}]}`,
			remote{URL: "b", Size: 0, Sum: sum}},
		{"huge size", parseDataset, `{"resources":[{"filesize":1e999,"url":"b"}]}`, remote{URL: "b"}},
		{"title", parseDataset, `{"resources":[{"title":{"fr":"x"},"last_modified":7,"url":"b"}]}`, remote{URL: "b"}},
		{"url", parseDataset, `{"resources":[{"url":["a"]},7,"x",[],{"url":"b"}]}`, remote{URL: "b"}},
		{"asset", parseSTAC, `{"assets":{"a":"thumbnail","b":{"href":"b"}}}`, remote{URL: "b"}},
		{"properties", parseSTAC, `{"properties":"x","assets":{"b":{"href":"b"}}}`, remote{URL: "b"}},
		{"decimals", parseSTAC, `{"assets":{"b":{"file:size":27000000.0,"href":"b"}}}`,
			remote{URL: "b", Size: 27000000, Sum: checksum{}}},
		{"STAC size", parseSTAC, `{"assets":{"b":{"file:size":{},"href":"b"}}}`, remote{URL: "b"}},
		{"two digests", parseSTAC,
			`{"assets":{"b":{"checksum:multihash":"zz","file:checksum":"d50110` + md5hex + `","href":"b"}}}`,
			remote{URL: "b", Size: 0, Sum: sum}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			entries, err := tt.parse([]byte(tt.text))
			if err != nil || len(entries) == 0 || entries[len(entries)-1].remote != tt.want {
				t.Errorf("got %+v, %v; want the last to be %+v", entries, err, tt.want)
			}
		})
	}
}

func TestSTACCatalogue(t *testing.T) {
	k := newKit(t)
	k.put("/stac/items", []byte(`{"assets":{"SYNTHETIC":{"href":"../files/SYNTHETIC_observatoire.csv"}}}`))
	k.put(weekly, observatory(t, "2026-01-15"))
	k.use(k.file("weekly", "stac", "/stac/items", "observatoire"))
	k.want(k.run(), Updated, "")
}

// A catalogue of the greatest size takes some ten times its bytes, however small its values are.
func TestHugeCatalogues(t *testing.T) {
	tier.Slow(t)
	many := strings.Repeat("{},", maxDocument/3)
	var assets strings.Builder
	for i := range 300000 {
		fmt.Fprintf(&assets, `"%d":{},`, i)
	}
	for _, tt := range []struct {
		name  string
		parse func([]byte) ([]entry, error)
		text  string
		words string // "": no error, and no entry
	}{
		{"resources", parseDataset, `{"resources":[` + many + `{}]}`, "over 10000 entries"},
		{"assets", parseSTAC, `{"assets":{` + assets.String() + `"x":{}}}`, "over 10000 entries"},
		{"features", parseSTAC, `{"features":[` + many + `{}]}`, "over 10000 entries"},
		{"other", parseDataset, `{"x":[` + many + `{}],"resources":null}`, ""},
		{"a list", parseDataset, `[` + many + `{}]`, "cannot unmarshal array"},
		{"cut", parseDataset, `{"resources":[{}`, "unexpected end"},
		{"text after the end", parseDataset, `{} {}`, "after top-level"},
		{"deep", parseDataset, `{"x":` + strings.Repeat("[", 1<<20), "depth"},
		{"a number", parseDataset, `{"resources":7}`, "not a list"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := []byte(tt.text)
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			entries, err := tt.parse(text)
			runtime.ReadMemStats(&after)
			if tt.words == "" && (err != nil || len(entries) > 0) ||
				tt.words != "" && (err == nil || !strings.Contains(err.Error(), tt.words)) {
				t.Errorf("%s: got %d entries, %v, want an error with %q, or none of both", tt.name, len(entries), err,
					tt.words)
			}
			if n := after.TotalAlloc - before.TotalAlloc; n > 80<<20 {
				t.Errorf("%s: %d MB for %d MB; want n <= 80<<20", tt.name, n>>20, len(text)>>20)
			}
		})
	}
}

// Errors and problems are short, however long a catalogue's texts are.
func TestErrorsAreShort(t *testing.T) {
	tier.Slow(t)
	n := maxDocument / 2
	if !tier.Full() {
		n = 64 << 10
	}
	long := strings.Repeat("é", n/2)
	for _, tt := range []struct{ name, text string }{
		{"long", `{"resources":[{"url":"/` + long + `observatoire"}]}`},
		{"no url", `{"resources":[{"url":"%zz` + long + `","title":"observatoire"}]}`},
		{"number", `{"resources":[{"url":` + strings.Repeat("7", n) + `}]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := newKit(t)
			k.put("/api", []byte(tt.text))
			k.use(k.file("a", "data.gouv.fr", "/api", "observatoire"),
				k.file("b", "data.gouv.fr", "/api", "observatoire"),
				k.file("c", "data.gouv.fr", "/api", "observatoire"))
			r := k.run()
			k.want(r, Failed, "a: the catalogue ")
			if p := r.Problem(); len(p) > 1024 || !utf8.ValidString(p) {
				t.Errorf("%d bytes of problem, want at most 1024 of valid text", len(p))
			}
			for _, f := range r.Files {
				if len(f.Error) > 512 || len(f.URL) > 512 || strings.Contains(f.Error, "over 4194304") {
					t.Errorf("%d bytes of error, %d of url; want at most 512, of a catalogue that was read", len(f.Error),
						len(f.URL))
				}
			}
		})
	}
}

func FuzzCatalogues(f *testing.F) {
	f.Add([]byte(`{"resources":[{"url":"/a.csv","title":"x","filesize":1e99,"checksum":{"type":"sha1","value":"00"}}]}`))
	f.Add([]byte(`{"assets":{"a":{"href":"%zz","checksum:multihash":"1220"}},"features":[{"features":[{}]}]}`))
	f.Add([]byte(`{"resources":[{"url":"a","checksum":"x"},7],"assets":{"a":{"file:size":1.5}}}`))
	f.Add([]byte(`{"files":[{"name":"x","market":"FR","url":"http://c/","find":"stac","match":"(x)?"}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		file := &File{Place: Place{Match: "(.)"}}
		if table, err := parseTable("t", text); err == nil {
			file = table.Files[0]
		}
		if file.match == nil && file.check() != nil {
			file = &File{Name: "x", Market: market.FR, Place: Place{Find: byDataset, URL: "http://c/", Match: "(.)"}}
			must(t, file.check())
		}
		for _, parse := range []func([]byte) ([]entry, error){parseDataset, parseSTAC} {
			entries, err := parse(text)
			if err != nil {
				continue
			}
			if file.match != nil {
				at, _ := url.Parse("https://h/")
				file.sorted(entries, at)
			}
			for _, e := range entries {
				if name := safeName(baseOf(e.URL)); !filepath.IsLocal(name) && name != "" ||
					strings.ContainsAny(name, "/\\") {
					t.Errorf(`%q makes %q; want filepath.IsLocal(name) or name = "", !strings.ContainsAny(name, "/\\")`,
						e.URL, name)
				}
				if e.Size < 0 {
					t.Errorf("size %d; want e.Size >= 0", e.Size)
				}
			}
		}
	})
}
