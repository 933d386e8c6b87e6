package web

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"relais/httpapi/web/docs"
	"relais/market"
)

// rooted find, by kind of source, where an address begins that may be one of the root of a host: the values of
// attributes, the texts of scripts, addresses of styles and links of guides.
var rooted = map[string]*regexp.Regexp{
	".html": regexp.MustCompile(`\b(?:href|src|srcset|action|formaction|poster)\s*=\s*["']?|=\s*["']?/`),
	".mjs":  regexp.MustCompile("['\"`](?:\\$\\{[\\w.]*origin\\})?/[a-z$?]"),
	".css":  regexp.MustCompile(`url\(\s*["']?/`),
	".txt":  regexp.MustCompile(`\]\(/`),
}

var (
	// rightValue begins the value of an attribute that does not lead out.
	rightValue = regexp.MustCompile(`^(?:\{\{(?:url|asset) |#)`)
	// throughURL ends what is before a text that is completed: by url, or by ask, which calls it.
	throughURL = regexp.MustCompile(`\b(?:url|ask)\(\s*$`)
)

// rootedAddresses returns the addresses of a source that are those of the root of a host, wherever the service is.
func rootedAddresses(name, source string) (list []string) {
	kind := path.Ext(name)
	for _, at := range rooted[kind].FindAllStringIndex(source, -1) {
		before, value := source[:at[0]], source[at[1]:]
		if kind == ".html" && rightValue.MatchString(value) || kind == ".mjs" && throughURL.MatchString(before) {
			continue
		}
		list = append(list, source[at[0]:min(at[1]+40, len(source))])
	}
	return list
}

func TestRootedAddresses(t *testing.T) {
	for _, tt := range []struct {
		name, source string
		want         int
	}{
		{"a.html", `<a href="{{url "/search"}}"><img src="{{asset "a.svg"}}"><a href="#b"><a href="{{url .Link}}?lang=fr">`, 0},
		{"a.html", `<a href="/search">`, 1},
		{"a.html", `<a href="{{.Link}}"><form action='{{.To}}'>`, 2},
		{"a.html", `<p data-to="/x"><meta content=/x><a href=x>`, 3},
		{"a.html", `<a href='{{asset}}'>`, 1},
		{"a.mjs", "ask('/antennas'); ask(\n '/antennas'); url(`/site/${key}`); text.split('/'); '../x'", 0},
		{"a.mjs", "fetch(`/site/${key}`); import('/map/a'); origin + '/map'; url('x', '/map'); `${location.origin}/map`", 5},
		{"a.css", `a { background: url(data:image/png;base64,/x) } b { background: url("b.svg") }`, 0},
		{"a.css", `a { background: url(/a.svg) } b { background: url( "/b.svg") }`, 2},
		{"a.txt", `[a]({{path}}/docs) [b](#docs) [c](/docs)`, 1},
	} {
		if got := rootedAddresses(tt.name, tt.source); len(got) != tt.want {
			t.Errorf("%s: got %q, want %d", tt.source, got, tt.want)
		}
	}
}

// Pages, scripts and styles have no address that leaves the path below which the service is.
func TestSourcesHaveNoRootedAddress(t *testing.T) {
	read := map[string]int{}
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, d fs.DirEntry, err error) error {
		kind := path.Ext(name)
		ours := kind == ".html" || kind == ".css" || strings.HasPrefix(name, "static/") && kind == ".mjs" ||
			strings.HasPrefix(name, "docs/guides/") && kind == ".txt"
		if err != nil || !ours || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		read[kind]++
		for _, address := range rootedAddresses(name, string(text)) {
			t.Errorf("%s: %s does not go through url", name, address)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if read[".html"] < 30 || read[".mjs"] < 30 || read[".css"] < 10 || read[".txt"] < 16 {
		t.Errorf("read %v: some are missing", read)
	}
}

// Below a path, all addresses of a page have it in front, once. At the root they have nothing in front.
func TestPagesUnderAPath(t *testing.T) {
	o := pagesAbout(true, country(t, market.FR, 60)).Options
	addresses := regexp.MustCompile(`(?:(?:href|src|action)="|":"|Disallow: )(/[^"\n]*)`)
	for _, base := range []string{"", "/antennes"} {
		o.BaseURL = "https://relais.test" + base
		o.Docs = &docs.Docs{BaseURL: o.BaseURL, Tools: []docs.Tool{{}}}
		p := New(o)
		for _, path := range []string{"/", "/search?operator=FREE&lang=fr", "/near?lat=48.8&lon=2.3", "/site/fr-1000", "/stats",
			"/go", "/at/48.8,2.3", "/log?lang=fr", "/docs?lang=fr", "/docs/tools", "/robots.txt"} {
			found := addresses.FindAllStringSubmatch(ask(p, "GET", path).Body.String(), -1)
			for _, m := range found {
				rest, below := strings.CutPrefix(m[1], base+"/")
				if !below || strings.HasPrefix(rest, "/") || strings.Contains(rest, "antennes/") {
					t.Errorf("%s has %s, want it below %q", path, m[1], base)
				}
			}
			if len(found) < 5 {
				t.Errorf("%s has %d addresses, want 5 or more", path, len(found))
			}
		}
		if to := ask(p, "GET", "/search?q=48.8,2.3").Header().Get("Location"); !strings.HasPrefix(to, base+"/near?") {
			t.Errorf("a position leads to %s, want %s/near", to, base)
		}
	}
}
