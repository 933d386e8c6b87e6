package web

import (
	"encoding/json"
	"net/http"
	"path"
	"slices"
)

// manifestPath is the path of what browsers read to install the map. The language is its parameter.
const manifestPath = "/manifest.webmanifest"

// workerPath is the path of the service worker, which answers for kept areas without a network. It may
// answer for what is below its folder: all of this server.
const workerPath = "/offline.js"

// A manifest describes the map as an application: https://www.w3.org/TR/appmanifest/
type manifest struct {
	ID         string         `json:"id"`
	Name       string         `json:"name"`
	ShortName  string         `json:"short_name"`
	Lang       string         `json:"lang"`
	StartURL   string         `json:"start_url"`
	Scope      string         `json:"scope"`
	Display    string         `json:"display"`
	Theme      string         `json:"theme_color"`
	Background string         `json:"background_color"`
	Icons      []manifestIcon `json:"icons"`
}

type manifestIcon struct {
	Source  string `json:"src"`
	Sizes   string `json:"sizes"`
	Type    string `json:"type"`
	Purpose string `json:"purpose"`
}

// manifest answers the description of the map in the reader's language.
func (p *Pages) manifest(w http.ResponseWriter, r *http.Request) {
	words, paper := wordsFor(r), pictureColors().Paper
	icon := func(name, sizes, purpose string) manifestIcon {
		return manifestIcon{p.assetURL(name), sizes, "image/png", purpose}
	}
	p.sendData(w, r, "application/manifest+json", "", manifest{ID: p.URL("/"), Name: "relais · " + words["map"],
		ShortName: "relais", Lang: words["lang"], StartURL: p.URL("/") + "?lang=" + words["lang"], Scope: p.URL("/"),
		Display: "standalone", Theme: paper, Background: paper, Icons: []manifestIcon{icon("icon-192.png", "192x192", "any"),
			icon("icon-512.png", "512x512", "any"), icon("icon-whole.png", "512x512", "maskable")}})
}

// keptStyles are the styles that the map's page needs without a network.
func keptStyles() []string {
	return []string{"tokens.css", "page.css", "maplibre-gl.css", "site.css", "map.css", "sheet.css"}
}

// keptAssets lists what the map needs without a network, and its size in bytes: all scripts but those of
// streets, which are not kept.
func keptAssets() (names []string, size int) {
	assets, _ := readAssets()
	for name, a := range assets {
		script := path.Ext(name) == ".mjs" && name != "protomaps-basemaps.mjs" && name != workerFile
		if script || name == "base.json" || name == "icon.svg" || slices.Contains(keptStyles(), name) {
			names, size = append(names, name), size+a.size
		}
	}
	slices.Sort(names)
	return names, size
}

// workerFile is the script of the service worker, without the line that says what it keeps.
const workerFile = "serviceworker.mjs"

// A build is what the service worker keeps of the program.
type build struct {
	Hash  string   `json:"hash"`  // of all assets
	Base  string   `json:"base"`  // path of the map
	Page  string   `json:"page"`  // in the reader's language
	Files []string `json:"files"` // that the page needs
}

// worker answers the service worker. Browsers replace theirs when a byte is another one: it names the
// build of the program.
func (p *Pages) worker(w http.ResponseWriter, r *http.Request) {
	_, hash := readAssets()
	files, _ := keptAssets()
	for i, name := range files {
		files[i] = p.assetURL(name)
	}
	script, err := assetFiles.ReadFile("static/" + workerFile)
	if err != nil {
		panic("web: " + err.Error()) // the file is in the program
	}
	w.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
	w.Header().Set("Content-Security-Policy", p.mapPolicy())
	p.sendData(w, r, mediaTypeOf(workerFile), string(script), build{Hash: hash, Base: p.URL("/"),
		Page: p.URL("/") + "?lang=" + wordsFor(r)["lang"], Files: append(files, p.URL(themePath))})
}

// sendData sends a value as JSON, or as the constant build before a script.
func (p *Pages) sendData(w http.ResponseWriter, r *http.Request, mediaType, script string, data any) {
	text, err := json.Marshal(data)
	if err != nil {
		p.Log.Error("a page failed", "error", err)
		p.fail(w, r, http.StatusInternalServerError)
		return
	}
	if script != "" {
		text = []byte("const build = " + string(text) + ";\n" + script)
	}
	h := w.Header()
	h.Set("Content-Type", mediaType)
	h.Set("Cache-Control", "no-cache")
	h.Set("Vary", "Accept-Language, Accept-Encoding")
	sendText(w, r, http.StatusOK, text)
}
