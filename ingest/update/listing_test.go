package update

import (
	"fmt"
	"html"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// A store answers like the listing of ARCEP's store, some files a page. Its form is that of ListObjectsV2: the members
// that readers of the store use are Contents with Key, Size, ETag and LastModified, IsTruncated and
// NextContinuationToken.
type store struct {
	keys []string
	page int
}

func (s *store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	var keys []string
	for _, k := range s.keys {
		if strings.HasPrefix(k, q.Get("prefix")) && k > q.Get("continuation-token") {
			keys = append(keys, k)
		}
	}
	more := len(keys) > s.page
	keys = keys[:min(len(keys), s.page)]
	fmt.Fprintf(w, `<?xml version="1.0" encoding="UTF-8"?>
<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>arcep</Name><KeyCount>%d</KeyCount><IsTruncated>%v</IsTruncated>`,
		len(keys), more)
	if more {
		fmt.Fprintf(w, "<NextContinuationToken>%s</NextContinuationToken>", html.EscapeString(keys[len(keys)-1]))
	}
	for _, k := range keys {
		fmt.Fprintf(w, `<Contents><Key>%s</Key><LastModified>2026-09-18T08:00:00.000Z</LastModified><ETag>&quot;0&quot;</ETag>`+
			`<Size>7</Size></Contents>`, html.EscapeString(k))
	}
	fmt.Fprint(w, "</ListBucketResult>")
}

// quarters are keys of ARCEP's store: until 2022_T2 the files are in a folder of their own.
var quarters = []string{
	"mobile/sites/2022_T2/Metropole/2022_T2_sites_Metropole.csv",
	"mobile/sites/2026_T1/2026_T1_sites_Metropole.csv",
	"mobile/sites/2026_T1/2026_T1_sites_Outremer.csv",
	"mobile/sites/2026_T2/2026_T2_sites_Metropole.csv",
	"mobile/sites/2026_T2/2026_T2_sites_Outremer.csv",
	"mobile/sites/index.html",
	"mobile/voix & données/2026_T9_sites_Metropole.csv",
}

const (
	sitesList = "/arcep/?list-type=2&prefix=mobile/sites/"
	sitesName = `/([0-9]{4}_T[1-4])/.*_sites_Metropole\.csv$`
)

// testClient returns a client that may ask this machine.
func testClient(t *testing.T) *client {
	t.Helper()
	c := newClient("relais/test", quick, localHost)
	t.Cleanup(c.close)
	return c
}

// fileOf returns the only file of a table.
func fileOf(t *testing.T, line string) *File {
	t.Helper()
	table, err := parseTable("test.json", []byte(`{"files":[`+line+`]}`))
	must(t, err)
	return table.Files[0]
}

// serveStore has the server answer like a store below /arcep/.
func (p *replay) serveStore(keys []string, page int) {
	s := &store{slices.Sorted(slices.Values(keys)), page}
	p.behave("/arcep/", func(w http.ResponseWriter, r *http.Request, _ int) bool {
		s.ServeHTTP(w, r)
		return true
	})
}

func TestListing(t *testing.T) {
	k := newKit(t)
	f := fileOf(t, k.file("sites", "listing", sitesList, sitesName))
	c := testClient(t)
	for _, page := range []int{1, 2, 3, 1000} {
		t.Run(fmt.Sprint(page), func(t *testing.T) {
			k.serveStore(quarters, page)
			got, err := c.find(t.Context(), f)
			want := remote{URL: k.URL + "/arcep/" + quarters[3], Size: 7, Rank: "2026_T2"}
			if err != nil || got != want {
				t.Errorf("got %+v, %v; want %+v", got, err, want)
			}
		})
	}
	k.serveStore([]string{"mobile/sites/2026_T1/../a b&<é>%2F_sites_Metropole.csv"}, 10)
	if got, err := c.find(t.Context(), fileOf(t, k.file("x", "listing", sitesList, "Metropole"))); err != nil ||
		got.URL != k.URL+"/arcep/mobile/sites/a%20b&%3C%C3%A9%3E%252F_sites_Metropole.csv" {
		t.Errorf("got %+v, %v; want a path below the store, with its characters", got, err)
	}
}

func TestListingErrors(t *testing.T) {
	k := newKit(t)
	c := testClient(t)
	f := fileOf(t, k.file("sites", "listing", sitesList, sitesName))
	const head = `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">`
	for _, tt := range []struct{ name, text, want string }{
		{"nothing", head + `<IsTruncated>false</IsTruncated></ListBucketResult>`, "none of its 0 files matches"},
		{"other files", head + `<Contents><Key>mobile/sites/x.csv</Key></Contents></ListBucketResult>`,
			"none of its 1 files matches"},
		{"no token", head + `<IsTruncated>true</IsTruncated></ListBucketResult>`, "it is not whole"},
		{"the same token", head + `<IsTruncated>true</IsTruncated><NextContinuationToken>x</NextContinuationToken></ListBucketResult>`,
			"it is not whole"},
		{"cut", head + `<Contents><Key>mobile/si`, "not a listing of a store"},
		{"a page", `<!DOCTYPE html><html>`, "an HTML page"},
		{"another document", `<Error><Code>AccessDenied</Code></Error>`, "not a listing of a store"},
		{"JSON", `{}`, "not a listing of a store"},
		{"empty", ``, "not a listing of a store"},
		{"huge", head + strings.Repeat(" ", maxDocument), "over 4194304 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k.behave("/arcep/", answering(200, tt.text))
			if got, err := c.find(t.Context(), f); err == nil || !strings.Contains(err.Error(), tt.want) ||
				!strings.Contains(err.Error(), "the catalogue "+k.URL) {
				t.Errorf("got %+v, %v; want an error with %q and the address", got, err, tt.want)
			}
		})
	}
}

// data.arcep.fr has pages of links for folders: index.html, with plain names for files.
func TestIndexPage(t *testing.T) {
	k := newKit(t)
	c := testClient(t)
	k.behave("/sites/last/index.html", answering(200, `<html><body><a HREF='../index.html'>up</a>
<a class="x" href="2026_T1_sites_Metropole.csv">a</a> <a href="javascript:alert(1)">b</a>
<a href="2026_T2_sites_M%C3%A9tropole.csv?a=1&amp;b=2">c</a> <a href="://">d</a></body></html>`))
	f := fileOf(t, k.file("sites", "listing", "/sites/last/index.html", `(2026_T\d)_sites_M.*tropole\.csv$`))
	got, err := c.find(t.Context(), f)
	if want := k.URL + "/sites/last/2026_T2_sites_M%C3%A9tropole.csv?a=1&b=2"; err != nil || got.URL != want {
		t.Errorf("got %+v, %v; want %s", got, err, want)
	}
	k.behave("/sites/last/index.html", answering(200, `<html><body>maintenance</body></html>`))
	if _, err := c.find(t.Context(), f); err == nil || !strings.Contains(err.Error(), "none of its 0 entries") {
		t.Errorf("got %v, want an error about a page without links", err)
	}
}

// A listing that lacks the file that was read last must not lead to an older one.
func TestListingWithoutNewest(t *testing.T) {
	k := newKit(t)
	for _, week := range []string{"2026-01-15", "2026-01-22"} {
		k.put("/arcep/weeks/"+week+"/SYNTHETIC_observatoire.csv", observatory(t, week))
	}
	weeks := []string{"weeks/2026-01-15/SYNTHETIC_observatoire.csv", "weeks/2026-01-22/SYNTHETIC_observatoire.csv"}
	k.use(k.file("weekly", "listing", "/arcep/?list-type=2&prefix=weeks/", `/(\d{4}-\d\d-\d\d)/`))
	k.serveStore(weeks, 1000)
	k.want(k.run(), Updated, "")
	k.want(k.run(), Unchanged, "")
	k.serveStore(weeks[:1], 1000)
	k.want(k.run(), Failed, `is "2026-01-15", older than "2026-01-22"`)
	k.wantDate("2026-01-22")
	k.serveStore(weeks, 1)
	k.want(k.run(), Unchanged, "")
	k.serveStore(weeks[:1], 1000)
	k.want(k.force(), Updated, "")
	k.wantDate("2026-01-15")
}

// An authority need not have an optional file. A listing that cannot be read is still a failure.
func TestOptional(t *testing.T) {
	k := newKit(t)
	line := strings.Replace(k.file("sites", "listing", sitesList, "Outremer"), `"licence"`, `"optional":true,"licence"`, 1)
	k.use(line)
	k.serveStore(quarters[:1], 10)
	r := k.run()
	if k.want(r, Unchanged, ""); r.Files[0].Status != Absent {
		t.Errorf("the file is %s, want %s", r.Files[0].Status, Absent)
	}
	k.behave("/arcep/", answering(403, ""))
	k.want(k.run(), Failed, "403")
}

func TestElse(t *testing.T) {
	k := newKit(t)
	c := testClient(t)
	line := strings.Replace(k.file("days", "listing", sitesList, sitesName), `"licence"`,
		fmt.Sprintf(`"else":{"find":"data.gouv.fr","url":%q,"match":"(\\d+)\\.geojson"},"licence"`, k.URL+"/api"), 1)
	f := fileOf(t, line)
	k.behave("/arcep/", answering(404, ""))
	k.put("/api", []byte(`{"resources":[{"url":"/1.geojson"},{"url":"/2.geojson"}]}`))
	if got, err := c.find(t.Context(), f); err != nil || got.URL != k.URL+"/2.geojson" {
		t.Errorf("got %+v, %v; want the file of the other place", got, err)
	}
	k.put("/api", []byte(`{}`))
	if _, err := c.find(t.Context(), f); err == nil || !strings.Contains(err.Error(), "404") ||
		!strings.Contains(err.Error(), "none of its 0 entries") {
		t.Errorf("got %v; want an error about both places", err)
	}
}
