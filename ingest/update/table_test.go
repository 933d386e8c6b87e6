package update

import (
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"relais/internal/filetest"
	"relais/market"
)

func TestDefaultTable(t *testing.T) {
	table, err := Default()
	must(t, err)
	for _, f := range table.Files {
		if m := market.Get(f.Market); !m.HasInventory() || f.Licence == "" || !strings.HasPrefix(f.URL, "https://") {
			t.Errorf(`f = %+v; want m.HasInventory(), f.Licence != "", f.URL that begins with "https://"`, f)
		}
	}
	for _, m := range []string{"SFR", "BOUYGUES", "ORANGE", "FREE"} {
		if !slices.ContainsFunc(table.Files,
			func(f *File) bool { return f.Market == market.FR && f.Operator == m && f.limit() == 32<<20 }) {
			t.Errorf("no file of unavailable sites of %s", m)
		}
	}
	// The names that the datasets are known to have.
	for _, tt := range []struct{ name, want string }{
		{"20260827-export-etalab-data.zip", "anfr-sup"},
		{"20260827-export-etalab-ref.zip", "anfr-sup-reference"},
		{"20260903120000_observatoire_2g_3g_4g_5g_20260827.csv", "anfr-observatoire"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := table.fileNamed(tt.want)
			if _, ok := f.rank(&entry{names: []string{tt.name}}); !ok {
				t.Errorf("%s does not match %s; want ok", tt.name, f.Match)
			}
		})
	}
	if f := table.fileNamed("anfr-sup"); f != nil {
		at, _ := url.Parse("https://h/")
		all, err := f.sorted([]entry{
			{remote{URL: "a"}, []string{"20260701-export-etalab-data.zip"}, "2026-09-01"}, // uploaded once more
			{remote{URL: "b"}, []string{"20260801-export-etalab-data.zip"}, "2026-08-05"},
			{remote{URL: "c"}, []string{"20260901-export-etalab-ref.zip"}, "2026-09-05"},
		}, at)
		if err != nil || len(all) != 2 || all[1].URL != "https://h/b" || all[1].Rank != "20260801" {
			t.Errorf("got %+v, %v; want two, and b as the newest", all, err)
		}
	}
}

func (t *Table) fileNamed(name string) *File {
	for _, f := range t.Files {
		if f.Name == name {
			return f
		}
	}
	return nil
}

func TestTableErrors(t *testing.T) {
	file := func(members string) string { return `{"files":[{"name":"x","market":"FR",` + members + `}]}` }
	const byURL = `"url":"http://c/","find":"url"`
	for _, tt := range []struct{ name, text, want string }{
		{"empty", "", "EOF"},
		{"unknown member", "{\"files\":[\n\n{\"nam\":\"x\"}]}", "t.json:3: "},
		{"no files", "{}", "no files"},
		{"null", `{"files":[null]}`, "null"},
		{"a path as name", `{"files":[{"name":"../x"}]}`, "letters, digits"},
		{"no market", `{"files":[{"name":"x"}]}`, "no market"},
		{"unknown market", `{"files":[{"name":"x","market":"XX"}]}`, "t.json:1"},
		{"file url", file(`"url":"file:///etc/passwd"`), "http or https"},
		{"password in url", file(`"url":"http://a:b@c/"`), "http or https"},
		{"no find", file(`"url":"http://c/"`), `find ""`},
		{"no match", file(`"url":"http://c/","find":"stac"`), "match is missing"},
		{"bad match", file(`"url":"http://c/","find":"stac","match":"("`), "missing closing"},
		{"match of a fixed url", file(byURL + `,"match":"x"`), "nothing to match"},
		{"negative size", file(byURL + `,"maxMB":-1`), "maxMB"},
		{"size of a feed", file(byURL + `,"operator":"SFR","maxMB":33`), "maxMB is over 32"},
		{"same name", `{"files":[{"name":"x","market":"FR",` + byURL + `},{"name":"x","market":"FR",` + byURL + `}]}`,
			"two files"},
		{"operator of another market", file(`"operator":"ZEOP",` + byURL), "want one of SFR, BOUYGUES"},
		{"market without feeds", `{"files":[{"name":"x","market":"CH","operator":"SALT_CH",` + byURL + `}]}`,
			"operators of CH publish no"},
		{"same operator", `{"files":[{"name":"x","market":"FR","operator":"sfr",` + byURL +
			`},{"name":"y","market":"FR","operator":"SFR","url":"http://d/","find":"url"}]}`, "two files of FR SFR"},
		{"unknown use", file(byURL + `,"for":"fun"`), "want measures, unavailable-sites"},
		{"use of an operator's file", file(byURL + `,"for":"measures","operator":"SFR"`), "is a feed"},
		{"days at a fixed url", file(byURL + `,"for":"unavailable-sites"`), "want find listing or data.gouv.fr"},
		{"days of a market without feeds", `{"files":[{"name":"x","market":"CH","for":"unavailable-sites",` + byURL + `}]}`,
			"operators of CH publish no"},
		{"a phrase as a word", file(byURL + `,"with":"two words"`), "with is not made of"},
		{"no queries", file(`"url":"http://c/","find":"sparql"`), "queries are missing"},
		{"a query elsewhere", file(`"url":"http://c/","find":"sparql","queries":[{"name":"q","file":"../towns.csv"}]`),
			"has no file"},
		{"a query without an order", file(`"url":"http://c/","find":"sparql","queries":[{"name":"q","file":"sources.json"}]`),
			"ORDER BY"},
		{"no group", file(`"url":"http://c/","find":"walk","match":"id=","pages":[]`), "one group"},
		{"no pages", file(`"url":"http://c/","find":"walk","match":"id=(.)"`), "pages are missing"},
		{"no mark", file(`"url":"http://c/","find":"walk","match":"id=(.)","pages":[{"name":"a","url":"http://c/"}]`), "{id}"},
		{"a page elsewhere", file(`"url":"http://c/","find":"walk","match":"id=(.)","pages":[{"name":"a","url":"file:///{id}"}]`),
			"http or https"},
		{"nothing before the first page", file(`"url":"http://c/","find":"walk","match":"id=(.)",` +
			`"pages":[{"name":"a","url":"http://c/{id}","unless":"x"}]`), "no page before"},
		{"wrong other place", file(byURL + `,"else":{"find":"url"}`), "else: the url must"},
		{"a walk as other place", file(byURL + `,"else":{"find":"walk","url":"http://c/","match":"(x)",` +
			`"pages":[{"name":"a","url":"http://c/{id}"}]}`), "no other place"},
		{"text after the table", file(byURL) + ` x`, "after the table"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filetest.New(t, "t.json", tt.text)
			if _, err := ReadTable(path); err == nil || !strings.Contains(err.Error(), tt.want) ||
				!strings.Contains(err.Error(), "t.json") {
				t.Errorf("ReadTable(%s) = %v, want an error with t.json and %q", tt.text, err, tt.want)
			}
		})
	}
	if _, err := ReadTable(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("no error for a missing table")
	}
}
