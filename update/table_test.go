package update

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"relais/market"
)

func TestDefaultTable(t *testing.T) {
	table, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range table.Files {
		if m := market.Get(f.Market); !m.HasInventory() || f.Licence == "" || !strings.HasPrefix(f.URL, "https://") {
			t.Errorf("%+v", f)
		}
	}
	// The names that the datasets are known to have.
	for name, want := range map[string]string{
		"20260827-export-etalab-data.zip":                      "anfr-sup",
		"20260827-export-etalab-ref.zip":                       "anfr-sup-reference",
		"20260903120000_observatoire_2g_3g_4g_5g_20260827.csv": "anfr-observatoire",
	} {
		f := table.named(want)
		if _, ok := f.rank(&entry{names: []string{name}}); !ok {
			t.Errorf("%s does not match %s", name, f.Match)
		}
	}
	if f := table.named("anfr-sup"); f != nil {
		r, err := newest(f, []entry{
			{remote{URL: "a"}, []string{"20260701-export-etalab-data.zip"}, "2026-09-01"}, // uploaded once more
			{remote{URL: "b"}, []string{"20260801-export-etalab-data.zip"}, "2026-08-05"},
			{remote{URL: "c"}, []string{"20260901-export-etalab-ref.zip"}, "2026-09-05"},
		})
		if err != nil || r.URL != "b" {
			t.Errorf("%+v %v", r, err)
		}
	}
}

func (t *Table) named(name string) *File {
	for _, f := range t.Files {
		if f.Name == name {
			return f
		}
	}
	return nil
}

func TestTableErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                       "EOF",
		"{\"files\":[\n\n{\"nam\":\"x\"}]}":      "t.json:3: ",
		"{}":                                     "no files",
		`{"files":[null]}`:                       "null",
		`{"files":[{"name":"../x"}]}`:            "letters, digits",
		`{"files":[{"name":"x"}]}`:               "no market",
		`{"files":[{"name":"x","market":"XX"}]}`: "t.json:1",
		`{"files":[{"name":"x","market":"FR","url":"file:///etc/passwd"}]}`:                                                               "no address",
		`{"files":[{"name":"x","market":"FR","url":"http://a:b@c/"}]}`:                                                                    "no address",
		`{"files":[{"name":"x","market":"FR","url":"http://c/"}]}`:                                                                        `find ""`,
		`{"files":[{"name":"x","market":"FR","url":"http://c/","find":"stac"}]}`:                                                          "no match",
		`{"files":[{"name":"x","market":"FR","url":"http://c/","find":"stac","match":"("}]}`:                                              "missing closing",
		`{"files":[{"name":"x","market":"FR","url":"http://c/","find":"url","match":"x"}]}`:                                               "nothing to match",
		`{"files":[{"name":"x","market":"FR","url":"http://c/","find":"url","maxMB":-1}]}`:                                                "maxMB",
		`{"files":[{"name":"x","market":"FR","url":"http://c/","find":"url"},{"name":"x","market":"FR","url":"http://c/","find":"url"}]}`: "two files",
		`{"files":[{"name":"x","market":"FR","url":"http://c/","find":"url"}]} x`:                                                         "behind",
	} {
		path := filepath.Join(t.TempDir(), "t.json")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadTable(path); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "t.json") {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if _, err := ReadTable(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("no error for a missing table")
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
		{remote{"https://h/x_2056.json", 27, checksum{"sha256", sha256hex}}, []string{"x_2056.json", "x_2056.json"}, "2026-08-15T00:00:00Z"},
		{remote{"../y.csv", 0, checksum{"md5", md5hex}}, []string{"y.csv", "y"}, "2026-08-13T00:00:00Z"},
		{remote{"z", 0, checksum{}}, []string{"z", "z"}, "2026-08-13T00:00:00Z"},
	}
	if err != nil || len(entries) != len(want) {
		t.Fatalf("%v %v", entries, err)
	}
	for i, e := range entries {
		if e.remote != want[i].remote || e.names[1] != want[i].names[1] || e.names[0] != want[i].names[0] || e.changed != want[i].changed {
			t.Errorf("%+v, want %+v", e, want[i])
		}
	}
	for text, want := range map[string]checksum{"SHA-256 " + sha256hex: {}, "sha256 " + sha256hex: {"sha256", sha256hex}, "sha256 " + md5hex: {}, "crc32 00": {}} {
		kind, value, _ := strings.Cut(text, " ")
		if got := (checksum{kind, value}).known(); kind != "SHA-256" && got != want || kind == "SHA-256" && got.Type != "sha256" {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func TestSTACCatalogue(t *testing.T) {
	k := newKit(t)
	k.put("/stac/items", []byte(`{"assets":{"SYNTHETIC":{"href":"../files/SYNTHETIC_observatoire.csv"}}}`))
	k.put(weekly, observatory(t, "2026-01-15"))
	k.use(k.file("weekly", "stac", "/stac/items", "observatoire"))
	k.want(k.run(), Updated, "")
}

func FuzzCatalogues(f *testing.F) {
	f.Add([]byte(`{"resources":[{"url":"/a.csv","title":"x","filesize":1e99,"checksum":{"type":"sha1","value":"00"}}]}`))
	f.Add([]byte(`{"assets":{"a":{"href":"%zz","checksum:multihash":"1220"}},"features":[{"features":[{}]}]}`))
	f.Add([]byte(`{"files":[{"name":"x","market":"FR","url":"http://c/","find":"stac","match":"(x)?"}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		file := &File{Match: "(.)"}
		if table, err := parseTable("t", text); err == nil {
			file = table.Files[0]
		}
		if file.match == nil && file.check() != nil {
			file = &File{Name: "x", Market: market.FR, Find: ByDataset, URL: "http://c/", Match: "(.)"}
			if err := file.check(); err != nil {
				t.Fatal(err)
			}
		}
		for _, parse := range []func([]byte) ([]entry, error){parseDataset, parseSTAC} {
			entries, err := parse(text)
			if err != nil {
				continue
			}
			if file.match != nil {
				newest(file, entries)
			}
			for _, e := range entries {
				if name := safeName(baseOf(e.URL)); !filepath.IsLocal(name) && name != "" || strings.ContainsAny(name, "/\\") {
					t.Errorf("%q makes %q", e.URL, name)
				}
				if e.Size < 0 {
					t.Errorf("size %d", e.Size)
				}
			}
		}
	})
}
