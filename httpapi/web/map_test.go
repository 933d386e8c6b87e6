package web

import (
	"encoding/json"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"relais/api"
	"relais/internal/tier"
)

var mapConfigText = regexp.MustCompile(`(?s)<script type="application/json" id="config">(.*?)</script>`)

// configOf reads the configuration of the map's page.
func configOf(t *testing.T, page string) (c mapConfig) {
	t.Helper()
	m := mapConfigText.FindStringSubmatch(page)
	if m == nil {
		t.Fatalf("the page has no configuration:\n%s", page)
	}
	if err := json.Unmarshal([]byte(m[1]), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestMapPage(t *testing.T) {
	p, _ := pagesOf(t)
	for _, keyed := range []bool{false, true} {
		p.Keyed = keyed
		w := ask(p, "GET", "/?lang=fr&operator=%22%3E%3Cscript%3Ealert(1)%3C/script%3E")
		page := w.Body.String()
		if strings.Contains(page, "alert(1)<") || strings.Contains(page, " style=") || strings.Contains(page, "<script>") {
			t.Errorf("the page repeats its address, or has scripts or styles in it:\n%s", page)
		}
		c := configOf(t, page)
		if c.Key != keyed || len(c.Markets) == 0 || c.Words["lang"] != "fr" {
			t.Errorf("key %t, %d markets, language %q; want %t, some, fr", c.Key, len(c.Markets), c.Words["lang"], keyed)
		}
	}
}

// Only the map alone can be in a frame, on pages of the origins that the operator names. Where it asks for a key, it
// never is.
func TestMapAlone(t *testing.T) {
	p, _ := pagesOf(t)
	for _, tt := range []struct {
		target string
		embed  []string
		keyed  bool
		want   string
		alone  bool
	}{
		{"/?ui=0", []string{"https://a.example", "https://b.example:8443"}, false, "https://a.example https://b.example:8443", true},
		{"/map?lang=fr&ui=0", []string{"https://a.example"}, false, "https://a.example", true},
		{"/?ui=0", nil, false, "'none'", true},
		{"/", []string{"https://a.example"}, false, "'none'", false},
		{"/?ui=00", []string{"https://a.example"}, false, "'none'", false},
		{"/?ui=0", []string{"https://a.example"}, true, "'none'", false},
		{"/stats?ui=0", []string{"https://a.example"}, false, "'none'", false},
		{"/search?q=a&ui=0", []string{"https://a.example"}, false, "'none'", false},
	} {
		t.Run(tt.target, func(t *testing.T) {
			p.Embed, p.Keyed = tt.embed, tt.keyed
			w := ask(p, "GET", tt.target)
			_, got, _ := strings.Cut(w.Header().Get("Content-Security-Policy"), "frame-ancestors ")
			if alone := strings.Contains(w.Body.String(), `class="map alone"`); got != tt.want || alone != tt.alone {
				t.Errorf("in frames of %q, alone %v; want %q and %v", got, alone, tt.want, tt.alone)
			}
		})
	}
}

// Every script that the page names exists, and every word that a script uses.
func TestMapNames(t *testing.T) {
	p, _ := pagesOf(t)
	page := ask(p, "GET", "/").Body.String()
	c := configOf(t, page)
	n := 0
	for _, m := range regexp.MustCompile(`(?:href|src)="(/map/a/[^"]+)"`).FindAllStringSubmatch(page, -1) {
		n++
		if w := ask(p, "HEAD", m[1]); w.Code != 200 {
			t.Errorf("%s: status %d, want 200", m[1], w.Code)
		}
	}
	if n < 12 {
		t.Errorf("the page names %d files: the pattern finds too few", n)
	}
	scripts, err := assetFiles.ReadDir("static")
	if err != nil {
		t.Fatal(err)
	}
	used := 0
	for _, f := range scripts {
		text, err := assetFiles.ReadFile("static/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`\bwords\.(\w+)`).FindAllSubmatch(text, -1) {
			used++
			if c.Words[string(m[1])] == "" {
				t.Errorf("%s uses the word %s, which no file of words has", f.Name(), m[1])
			}
		}
	}
	if used < 50 {
		t.Errorf("the scripts use %d words: the pattern finds too few", used)
	}
	for _, name := range []string{"types.d.ts", "tsconfig.json"} {
		if w := ask(p, "GET", p.assetURL(name)); w.Code != 404 {
			t.Errorf("%s: status %d, want 404: only the compiler reads it", name, w.Code)
		}
	}
}

// The map offers only filters that both the tiles and the list have, or its numbers would be wrong.
func TestMapFilters(t *testing.T) {
	for _, op := range api.MapOperations() {
		for _, name := range []string{"changedSince", "together"} {
			if (op.Name == "tiles.get" || op.Name == "antennas.list") && !op.Accepts(name) {
				t.Errorf("the map offers %s, which %s does not have", name, op.Name)
			}
		}
	}
}

// What the scripts compute without a browser is tested with Node.
func TestMapScripts(t *testing.T) {
	tier.Slow(t)
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no Node")
	}
	if out, err := exec.Command(node, "--test", "scripts/state.test.mjs").CombinedOutput(); err != nil {
		t.Errorf("node --test: %v\n%s", err, out)
	}
}

// The map offers what the last edition changed if an edition before it is kept.
func TestMapOffersKnownChanges(t *testing.T) {
	tier.Slow(t)
	for editions := 1; editions <= 2; editions++ {
		p, _, _ := figurePages(t, editions)
		for _, m := range configOf(t, ask(p, "GET", "/").Body.String()).Markets {
			if want := editions == 2; m.Changes != want {
				t.Errorf("%s with %d editions: got changes %t, want %t", m.Code, editions, m.Changes, want)
			}
		}
	}
}
