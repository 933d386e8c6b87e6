//go:build linux

package e2e

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"image/color"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"relais/internal/filetest"
	"relais/market"
)

// pageOf serves a page at every path of an origin of its own.
func pageOf(t *testing.T, text func() string) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, text())
	}))
	t.Cleanup(s.Close)
	return s
}

// inFrame returns the address of the frame of a page, "" if the browser refused to show it, and the value of an
// expression in it.
func (m *mapTab) inFrame(expression string) (address string, value bool) {
	m.t.Helper()
	var tree struct {
		FrameTree struct {
			ChildFrames []struct {
				Frame struct{ ID, URL, UnreachableURL string }
			}
		}
	}
	m.must("Page.getFrameTree", object{}, &tree)
	if len(tree.FrameTree.ChildFrames) != 1 {
		return "none", false
	}
	frame := tree.FrameTree.ChildFrames[0].Frame
	if frame.UnreachableURL != "" {
		return "", false
	}
	var world struct{ ExecutionContextID int }
	var answer struct{ Result struct{ Value bool } }
	if m.call("Page.createIsolatedWorld", object{"frameId": frame.ID}, &world) != nil || m.call("Runtime.evaluate",
		object{"contextId": world.ExecutionContextID, "expression": expression, "returnByValue": true}, &answer) != nil {
		return frame.URL, false // it is on its way
	}
	return frame.URL, answer.Result.Value
}

// A page of an origin that the operator names shows the map alone in a frame. Other pages do not, and nobody shows
// another page of the server.
func TestEmbed(t *testing.T) {
	t.Parallel()
	c := makeCountry(t, 200)
	shown := ""
	town, other := pageOf(t, func() string { return shown }), pageOf(t, func() string { return shown })
	named, closed := serve(t, c.dir, "--embed", "https://town.example,"+town.URL), serve(t, makeCountry(t, 40).dir)
	m := openMap(t, strings.TrimPrefix(named.base, "http://"), webGL...)
	for _, tt := range []struct {
		name, page, frame string
		want              bool
	}{
		{"the named origin", town.URL, named.base + "/?ui=0&lang=en#map=5/46.6/2.5", true},
		{"another port", other.URL, named.base + "/?ui=0", false},
		{"the whole map", town.URL, named.base + "/", false},
		{"ui=1", town.URL, named.base + "/?ui=1", false},
		{"another page", town.URL, named.base + "/stats?ui=0", false},
		{"the sign-in", town.URL, named.base + "/sign-in?ui=0", false},
		{"a server without --embed", town.URL, closed.base + "/?ui=0", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			shown = `<!doctype html><title>town</title><iframe width="300" height="240" src="` + html.EscapeString(tt.frame) + `"></iframe>`
			m.denied, m.asked = nil, nil
			m.open("about:blank")
			m.open(tt.page + "/" + url.PathEscape(tt.name))
			m.until("the page is there", "document.readyState === 'complete' && document.querySelector('iframe')")
			address, drawn := "", false
			waitFor(func() bool {
				address, drawn = m.inFrame(`document.querySelector('#source span') && document.getElementById('progress').hidden`)
				return drawn || address == ""
			})
			if drawn != tt.want {
				t.Fatalf("the frame at %q is drawn: %v, want %v; faults %q", address, drawn, tt.want, m.faults)
			}
			if tiles := strings.Count(strings.Join(m.asked, "\n"), "/map/tiles/"); tt.want && (tiles == 0 || len(m.denied) > 0) {
				t.Errorf("%d tiles were asked for, refused %q; want some, and nothing refused", tiles, m.denied)
			}
			if !tt.want {
				return
			}
			if _, plain := m.inFrame(`!document.querySelector('form, input, header, nav, #locate, #card, a[href*="account"]') &&
				document.querySelectorAll('a[href]:not([target=_blank]):not(.maplibregl-ctrl a)').length === 0 &&
				document.getElementById('open').rel === 'noopener'`); !plain {
				t.Error("the map alone has a form, or a link that leads somewhere in the frame")
			}
		})
	}
}

// The page to copy from /docs is a map as it stands, with the reader's key in it. The library is at its address what
// the package has, and the browser compares the hash.
func TestConformanceOfCopiedPage(t *testing.T) {
	dir := os.Getenv("RELAIS_NPM")
	if dir == "" {
		t.Skip("make conformance installs MapLibre and runs this")
	}
	library := filepath.Join(dir, "maplibre-gl")
	var pack struct{ Version string }
	must(t, json.Unmarshal(filetest.Read(t, filepath.Join(library, "package.json")), &pack))
	cdn := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		file, ok := strings.CutPrefix(r.URL.Path, "/maplibre-gl@"+pack.Version+"/dist/")
		if !ok || r.Host != "unpkg.com" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Access-Control-Allow-Origin", "*")
		if strings.HasSuffix(file, ".mjs") {
			w.Header().Set("Content-Type", "text/javascript")
		}
		http.ServeFile(w, r, filepath.Join(library, "dist", file))
	}))
	t.Cleanup(cdn.Close)
	c, copied := makeCountry(t, 1000), ""
	s, reader := serve(t, c.dir), pageOf(t, func() string { return copied })
	key := createClient(t, c.dir, "--name", "reader", "--mode", "browser", "--origin", reader.URL, "--scopes", "antennas:read").APIKey
	m := openMap(t, strings.TrimPrefix(s.base, "http://"), append(webGL[:2:2], "--ignore-certificate-errors",
		"--host-resolver-rules=MAP unpkg.com "+cdn.Listener.Addr().String()+", MAP * ~NOTFOUND, EXCLUDE 127.0.0.1")...)
	m.open(s.base + "/docs")
	m.fill("#own input", key)
	m.evaluate(`[...document.querySelectorAll('#tiles pre')].map((e) => e.textContent).find((t) => t.startsWith('<!doctype'))`, &copied)
	if m.clean(t); !strings.Contains(copied, s.base) || !strings.Contains(copied, key) {
		t.Fatalf("the page has neither the address of the server nor the key:\n%s", copied)
	}

	m.size(500, 400)
	site := siteAlone(t, s)
	m.asked = nil
	m.open(fmt.Sprintf("%s/#13/%v/%v", reader.URL, site.Coordinates.Lat, site.Coordinates.Lng))
	want := tone(t, site.Operators[0])
	if !waitFor(func() bool { return alike(m.middle(), want) }) {
		t.Fatalf("the middle of the map is %v, want the colour %v of %s; faults %q, refused %q", m.middle(), want, site.Operators[0],
			m.faults, m.denied)
	}
	for _, address := range m.asked {
		if strings.Contains(address, key) {
			t.Errorf("%s has the key in it", address)
		}
	}
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		m.must("Input.dispatchMouseEvent", object{"type": kind, "x": 250, "y": 200, "button": "left", "clickCount": 1}, nil)
	}
	m.until("the site is named", "document.querySelector('.maplibregl-popup-content')")
	var popup string
	m.evaluate(`document.querySelector('.maplibregl-popup-content').textContent`, &popup)
	for _, part := range []string{site.SiteKey, labelOf(t, site.Operators[0]), site.Radio.Generation} {
		if !strings.Contains(popup, part) {
			t.Errorf("the site is described as %q, want %s in it", popup, part)
		}
	}
	if len(m.denied) > 0 {
		t.Errorf("refused: %q", m.denied)
	}
}

// A listedSite is what the tests read of a list.
type listedSite struct {
	SiteKey     string
	Operators   []string
	Coordinates struct{ Lat, Lng float64 }
	Radio       struct{ Generation string }
	Status      string
}

// siteAlone returns a site in service of one operator.
func siteAlone(t *testing.T, s *server) listedSite {
	t.Helper()
	var list struct{ Data []listedSite }
	must(t, json.Unmarshal(s.get("/external/v1/antennas?limit=1000&status=en-service").body, &list))
	for _, site := range list.Data {
		if len(site.Operators) == 1 {
			return site
		}
	}
	t.Fatal("every site has several operators")
	return listedSite{}
}

func operatorOf(t *testing.T, key string) market.Operator {
	t.Helper()
	m := market.Get(market.Default)
	i, ok := m.OperatorNamed(key)
	if !ok {
		t.Fatalf("no operator %s", key)
	}
	return m.Operators[i]
}

func labelOf(t *testing.T, key string) string { return operatorOf(t, key).Label }

// tone is the colour of an operator by day.
func tone(t *testing.T, key string) (c color.RGBA) {
	t.Helper()
	if _, err := fmt.Sscanf(operatorOf(t, key).Light, "#%02x%02x%02x", &c.R, &c.G, &c.B); err != nil {
		t.Fatal(err)
	}
	return c
}

// alike reports whether two colours differ by no more than the land that shines through a dot.
func alike(a, b color.RGBA) bool {
	far := func(x, y uint8) bool { return max(x, y)-min(x, y) > 32 }
	return !far(a.R, b.R) && !far(a.G, b.G) && !far(a.B, b.B)
}

// middle returns the colour in the middle of the window.
func (m *mapTab) middle() color.RGBA {
	m.t.Helper()
	time.Sleep(500 * time.Millisecond) // a picture takes time from the map
	var shot struct{ Data string }
	if m.call("Page.captureScreenshot", object{"format": "png"}, &shot) != nil {
		return color.RGBA{} // the page is on its way
	}
	text, err := base64.StdEncoding.DecodeString(shot.Data)
	must(m.t, err)
	picture, err := png.Decode(bytes.NewReader(text))
	must(m.t, err)
	b := picture.Bounds()
	return color.RGBAModel.Convert(picture.At(b.Dx()/2, b.Dy()/2)).(color.RGBA)
}
