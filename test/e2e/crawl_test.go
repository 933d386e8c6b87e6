//go:build linux

package e2e

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// A crawl follows the addresses of a service that is below a path of its host. All addresses must be below it,
// and lead somewhere.
type crawl struct {
	t            *testing.T
	origin, path string
	key          string // for the collections
	jar          http.CookieJar
	from         *http.Client
	asked        int
	known        map[string]bool // addresses
	alike        map[string]int  // followed addresses, by what they differ in
	queue        []link
	followed     map[string]int // by media type
}

// A link is an address with the page where it is.
type link struct{ to, on string }

func newCrawl(t *testing.T, origin, path, key string) *crawl {
	jar, err := cookiejar.New(nil)
	must(t, err)
	return &crawl{t: t, origin: origin, path: path, key: key, jar: jar, known: map[string]bool{}, alike: map[string]int{},
		followed: map[string]int{}}
}

// ask sends a request. An address of a caller has only so many pages a minute.
func (c *crawl) ask(method, address string, body []byte, headers ...string) answer {
	c.t.Helper()
	if c.asked%40 == 0 {
		d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, byte(10+c.asked/40), 1)}}
		transport := &http.Transport{DialContext: d.DialContext, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
		c.t.Cleanup(transport.CloseIdleConnections)
		c.from = &http.Client{Transport: transport, Jar: c.jar, Timeout: 30 * time.Second,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	c.asked++
	return call(c.t, c.from, method, address, body, append(headers, "Accept", "text/html", "X-API-Key", c.key)...)
}

// missingPage is the path of a page that does not exist.
const missingPage = "/site/nowhere"

// alikeMost is how many addresses are followed that differ only in numbers and values.
const alikeMost = 2

var numbered = regexp.MustCompile(`[\w.-]*\d[\w.-]*`)

// add notes an address, given as it stands on a page. It fails for one of this host that is not below the path.
func (c *crawl) add(to, on string) {
	c.t.Helper()
	page, err1 := url.Parse(on)
	u, err2 := page.Parse(to)
	if err1 != nil || err2 != nil {
		c.t.Errorf("%s: %q: %v %v", on, to, err1, err2)
		return
	}
	u.Fragment = ""
	if address := u.String(); strings.HasPrefix(address, c.origin) && !c.known[address] {
		c.known[address] = true
		if u.Path != c.path && !strings.HasPrefix(u.Path, c.path+"/") {
			c.t.Errorf("%s: %q leads out of %s", on, to, c.path)
			return
		}
		shape := u.Path + "?" + strings.Join(slices.Sorted(maps.Keys(u.Query())), "&")
		if !strings.Contains(u.Path, "/map/a/") {
			shape = numbered.ReplaceAllString(shape, "0")
		}
		if c.alike[shape]++; c.alike[shape] <= alikeMost {
			c.queue = append(c.queue, link{address, on})
		}
	}
}

// run follows what is in the queue, and what it leads to.
func (c *crawl) run() {
	c.t.Helper()
	for len(c.queue) > 0 {
		at := c.queue[0]
		c.queue = c.queue[1:]
		a := c.ask(http.MethodGet, at.to, nil)
		if a.status >= 400 && !strings.Contains(at.to, missingPage) {
			c.t.Errorf("%s on %s: got %d, want it answered", at.to, at.on, a.status)
		}
		if to := a.header.Get("Location"); to != "" {
			c.add(to, at.to)
		}
		for _, m := range regexp.MustCompile(`<([^>]+)>`).FindAllStringSubmatch(a.header.Get("Link"), -1) {
			c.add(m[1], at.to)
		}
		kind, _, _ := strings.Cut(a.header.Get("Content-Type"), ";")
		c.followed[kind]++
		c.read(kind, string(a.body), at.to)
	}
}

var (
	htmlAddress  = regexp.MustCompile(`\s(href|src|srcset|action|formaction|poster)="([^"]*)"`)
	htmlForm     = regexp.MustCompile(`<form[^>]*method="post"[^>]*>`)
	htmlConfig   = regexp.MustCompile(`(?s)<script type="application/json" id="config">(.*?)</script>`)
	cssAddress   = regexp.MustCompile(`url\(\s*["']?([^"')]+)`)
	ourImport    = regexp.MustCompile(`(?m)\b(?:from |import\()'(\./[^']+)'\)?;$`)
	robotAddress = regexp.MustCompile(`(?m)^Disallow: (\S+)`)
)

// read finds the addresses in an answer.
func (c *crawl) read(kind, text, on string) {
	c.t.Helper()
	switch kind {
	case "text/html", "application/atom+xml":
		for _, form := range htmlForm.FindAllString(text, -1) { // what is sent changes something
			for _, m := range htmlAddress.FindAllStringSubmatch(form, -1) {
				c.below(html.UnescapeString(m[2]), on)
			}
		}
		for _, m := range htmlAddress.FindAllStringSubmatch(htmlForm.ReplaceAllString(text, ""), -1) {
			c.add(html.UnescapeString(m[2]), on)
		}
		if m := htmlConfig.FindStringSubmatch(text); m != nil {
			c.json(m[1], on, true)
		}
	case "text/css":
		for _, m := range cssAddress.FindAllStringSubmatch(text, -1) {
			c.add(m[1], on)
		}
	case "text/javascript":
		for _, m := range ourImport.FindAllStringSubmatch(text, -1) {
			c.add(m[1], on)
		}
	case "text/plain":
		for _, m := range robotAddress.FindAllStringSubmatch(text, -1) {
			c.below(m[1], on)
		}
	case "application/feed+json":
		c.json(text, on, true)
	case "application/json", "application/geo+json", "application/vnd.oai.openapi+json":
		c.json(text, on, strings.Contains(on, "/ogc") && !strings.HasSuffix(on, "/ogc/api"))
	}
}

// below notes an address that is not followed.
func (c *crawl) below(to, on string) {
	c.t.Helper()
	was := len(c.queue)
	c.add(to, on)
	c.queue = c.queue[:was]
}

// json finds the addresses in JSON. Those of the documentation of the API are examples: they are not followed.
func (c *crawl) json(text, on string, follow bool) {
	c.t.Helper()
	var all any
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		c.t.Errorf("%s: %v", on, err)
	}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, member := range v {
				walk(member)
			}
		case []any:
			for _, element := range v {
				walk(element)
			}
		case string:
			switch rooted := strings.HasPrefix(v, c.path) || follow && strings.HasPrefix(v, "/"); {
			case !rooted && !strings.HasPrefix(v, c.origin):
			case follow && !strings.Contains(v, "{"):
				c.add(v, on)
			default:
				c.below(strings.NewReplacer("{", "%7B", "}", "%7D").Replace(v), on)
			}
		}
	}
	walk(all)
}

// signIn signs a person in as the form of the page has it, and leads to another page.
func (c *crawl) signIn(w *person, next string) {
	c.t.Helper()
	page := c.origin + c.path + "/sign-in?next=" + url.QueryEscape(next)
	form := regexp.MustCompile(`<form method="post" action="([^"]+)"`).FindSubmatch(c.ask(http.MethodGet, page, nil).body)
	if form == nil {
		c.t.Fatal("the page of the sign-in has no form")
	}
	fields := url.Values{"name": {w.Name}, "password": {w.password}}.Encode()
	a := c.ask(http.MethodPost, c.origin+html.UnescapeString(string(form[1])), []byte(fields),
		"Content-Type", "application/x-www-form-urlencoded")
	for range 2 { // it looks whether the cookie is kept
		a = c.ask(http.MethodGet, c.origin+a.header.Get("Location"), nil)
	}
	if a.status != http.StatusOK || !strings.Contains(string(a.body), w.Name) {
		c.t.Fatalf("signing in: got %s, want %s with the name %s", a, next, w.Name)
	}
}

// counts makes sure that enough was followed of a media type.
func (c *crawl) counts(least map[string]int) {
	c.t.Helper()
	for kind, n := range least {
		if c.followed[kind] < n {
			c.t.Errorf("followed %d of %s, want %d or more: %v", c.followed[kind], kind, n, c.followed)
		}
	}
	c.t.Log(fmt.Sprintf("followed %d of %d addresses", len(c.alike), len(c.known)), c.followed)
}
