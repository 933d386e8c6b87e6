package web

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"strconv"
	"strings"

	"relais/auth/access"
	"relais/internal/system"
	"relais/tiles/pmtiles"
)

// BasemapPath is the path of the file with streets.
const BasemapPath = "/map/basemap.pmtiles"

// A Basemap is a PMTiles file with vector tiles of streets. It is opened for each request, so that a
// file that is replaced or removed needs no restart.
type Basemap struct{ path string }

// FolderBasemap is the file of a data folder, which may be missing, and may come while the server runs.
func FolderBasemap(path string) *Basemap { return &Basemap{path} }

// OpenBasemap checks the file.
func OpenBasemap(path string) (*Basemap, error) {
	b := &Basemap{path}
	f, _, err := b.open()
	if err != nil {
		return nil, err
	}
	return b, f.Close()
}

// open opens the file if it is a PMTiles file.
func (b *Basemap) open() (*os.File, fs.FileInfo, error) {
	info, err := os.Stat(b.path)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() { // opening a pipe would wait
		return nil, nil, fmt.Errorf("%s: not a regular file", b.path)
	}
	f, err := system.OpenFile(b.path, os.O_RDONLY, 0)
	if err != nil {
		return nil, nil, err
	}
	if info, err = f.Stat(); err == nil {
		err = check(f)
	}
	if err != nil {
		f.Close()
		return nil, nil, fmt.Errorf("%s: %w", b.path, err)
	}
	return f, info, nil
}

// check returns an error for a file that is not a whole PMTiles file of vector tiles which browsers can read.
func check(f *os.File) error {
	src, err := pmtiles.NewFile(f)
	if err == nil {
		_, err = pmtiles.ReadHeader(context.Background(), src)
	}
	return err
}

// hasStreets reports whether there is a file with streets now.
func (p *Pages) hasStreets() bool {
	if p.Basemap == nil {
		return false
	}
	f, _, err := p.Basemap.open()
	switch {
	case err == nil:
		f.Close()
	case !errors.Is(err, fs.ErrNotExist):
		p.Log.Error("the map is shown without streets", "error", err)
	}
	return err == nil
}

// maxRange is the most bytes of the file in an answer.
const maxRange = 1 << 20

// basemap answers a range of the file, to pages of this server alone.
func (p *Pages) basemap(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	if !access.FromOwnPage(r.Header["Sec-Fetch-Site"]) {
		http.Error(w, "only pages of this server may read the map", http.StatusForbidden)
		return
	}
	f, info, err := p.Basemap.open()
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			p.Log.Error("the basemap cannot be served", "error", err)
		}
		http.Error(w, "the basemap cannot be read now", http.StatusNotFound)
		return
	}
	defer f.Close()
	tag := fmt.Sprintf(`"%x-%x"`, info.Size(), info.ModTime().UnixNano())
	if r.Method == http.MethodGet && !smallRange(r.Header, tag, info.Size()) {
		h.Set("Content-Range", fmt.Sprintf("bytes */%d", info.Size()))
		http.Error(w, fmt.Sprintf("ask for one range of at most %d bytes", maxRange), http.StatusRequestedRangeNotSatisfiable)
		return
	}
	h.Set("Content-Type", "application/vnd.pmtiles")
	h.Set("Cache-Control", "no-cache")
	h.Set("Etag", tag)
	http.ServeContent(w, r, "", info.ModTime(), f)
}

// smallRange reports whether the answer to a request is one range of at most maxRange bytes.
func smallRange(h http.Header, tag string, size int64) bool {
	text, ok := strings.CutPrefix(h.Get("Range"), "bytes=")
	from, to, dash := strings.Cut(text, "-")
	if !ok || !dash || len(h["Range"]) != 1 {
		return false
	}
	if like := h.Get("If-Range"); like != "" && like != tag { // the answer would be the whole file
		return false
	}
	last, err := strconv.ParseUint(to, 10, 62)
	if from == "" { // the last bytes
		return err == nil && last <= maxRange
	}
	first, bad := strconv.ParseUint(from, 10, 62)
	if to == "" || last >= uint64(size) {
		last, err = uint64(max(size, 1))-1, nil
	}
	return bad == nil && err == nil && first <= last && last-first < maxRange
}
