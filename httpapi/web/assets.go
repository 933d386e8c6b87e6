package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"

	"relais/internal/accept"
	"relais/market"
)

// static has our own scripts and styles, vendor those of others, and basemap the map without
// streets. Those whose names end in .gz are embedded compressed. The types of our scripts, which only
// the compiler reads, are left out.
//
//go:embed static/*.mjs static/*.css static/*.svg static/*.png static/*.ico vendor/*.gz basemap/base.json.gz
var assetFiles embed.FS

// AssetPath is the path prefix of scripts and styles. A hash of all of them follows.
const AssetPath = "/map/a/"

// An asset is a file of the pages, compressed with gzip.
type asset struct {
	mediaType string
	packed    []byte
	size      int // uncompressed
}

// readAssets returns the assets by name, and a hash of all of them.
var readAssets = sync.OnceValues(func() (map[string]asset, string) {
	assets, sum := map[string]asset{}, sha256.New()
	err := fs.WalkDir(assetFiles, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := assetFiles.ReadFile(name)
		if err != nil {
			return err
		}
		base := strings.TrimSuffix(path.Base(name), ".gz")
		if base == "tokens.css" {
			data = append(data, operatorStyles()...)
		}
		fmt.Fprintf(sum, "%s %d\n", name, len(data))
		sum.Write(data)
		size := len(data)
		if strings.HasSuffix(name, ".gz") {
			size = int(binary.LittleEndian.Uint32(data[len(data)-4:])) // how such a file ends
		} else {
			data = pack(data)
		}
		assets[base] = asset{mediaTypeOf(base), data, size}
		return nil
	})
	if err != nil {
		panic("web: " + err.Error()) // the files are in the program
	}
	return assets, hex.EncodeToString(sum.Sum(nil))[:12]
})

// operatorStyles returns the colours and shapes of the operators of all markets, as custom properties
// and as classes.
func operatorStyles() string {
	var text strings.Builder
	for _, m := range market.All {
		for _, o := range m.Operators {
			fmt.Fprintf(&text, ":root { --operator-%s: light-dark(%s, %s); --shape-%[1]s: %[4]s; }\n", o.Key, o.Light, o.Dark, o.Shape)
			fmt.Fprintf(&text, ".c-%s { color: var(--operator-%[1]s); }\n", o.Key)
		}
	}
	return text.String()
}

// mediaTypeOf returns the media type of a file. The tables of the machine do not count.
func mediaTypeOf(name string) string {
	switch path.Ext(name) {
	case ".mjs", ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".json":
		return "application/json"
	case ".ico":
		return "image/vnd.microsoft.icon"
	case ".svg":
		return "image/svg+xml"
	case ".png":
		return "image/png"
	}
	return mime.TypeByExtension(path.Ext(name))
}

func pack(data []byte) []byte {
	var buf bytes.Buffer
	w, err := gzip.NewWriterLevel(&buf, gzip.BestCompression)
	if err != nil {
		panic(err) // the level is a constant
	}
	_, _ = w.Write(data) // a Buffer does not fail
	_ = w.Close()
	return buf.Bytes()
}

// assetURL returns the address of an asset. It changes with the assets, so that browsers can keep
// them for ever.
func (p *Pages) assetURL(name string) string {
	_, hash := readAssets()
	return p.URL(AssetPath + hash + "/" + name)
}

// landFile is the map without streets.
const landFile = "base.json"

// Land returns the address of the map without streets, for styles.
func (p *Pages) Land() string { return strings.TrimSuffix(p.BaseURL, p.base) + p.assetURL(landFile) }

// modules lists the scripts that draw the first dots, so that the map's page asks for all of them at once.
// They fetch the others.
func modules() []string {
	return []string{"early.mjs", "dom.mjs", "kept.mjs", "marks.mjs", "sites.mjs", "state.mjs", "style.mjs", "url.mjs"}
}

// asset answers a script, a style or the base map. The hash in the address is not checked: a
// page of another version of the program gets what there is.
func (p *Pages) asset(w http.ResponseWriter, r *http.Request) {
	assets, hash := readAssets()
	asked, name := path.Split(strings.TrimPrefix(r.URL.Path, AssetPath))
	a, ok := assets[name]
	if !ok {
		p.fail(w, r, http.StatusNotFound)
		return
	}
	h := w.Header()
	h.Set("Content-Type", a.mediaType)
	h.Set("Vary", "Accept-Encoding")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	if name == landFile { // maps of others draw it too
		h.Set("Cross-Origin-Resource-Policy", "cross-origin")
		h.Set("Access-Control-Allow-Origin", "*")
	}
	h.Set("Content-Security-Policy", p.mapPolicy()) // of the worker, which fetches the tiles
	h.Set("Cache-Control", "no-cache")
	if strings.Trim(asked, "/") == hash {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	p.sendPacked(w, r, name, a.packed)
}

// sendPacked sends a file that is compressed with gzip. A client that does not accept gzip gets it
// uncompressed. The headers are set.
func (p *Pages) sendPacked(w http.ResponseWriter, r *http.Request, name string, packed []byte) {
	if q, _ := accept.Quality(r.Header["Accept-Encoding"], "gzip"); q > 0 {
		w.Header().Set("Content-Encoding", "gzip")
		send(w, r, http.StatusOK, packed)
		return
	}
	plain, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		p.Log.Error("a file of the pages is damaged", "name", name, "error", err)
		p.fail(w, r, http.StatusInternalServerError)
		return
	}
	if r.Method != http.MethodHead {
		_, _ = io.Copy(w, plain)
	}
}
