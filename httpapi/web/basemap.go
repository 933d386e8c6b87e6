package web

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strconv"
	"strings"

	"relais/auth/access"
)

// BasemapPath is the path of the file with streets.
const BasemapPath = "/map/basemap.pmtiles"

// A Basemap is a PMTiles file with vector tiles of streets. It is opened for each request, so that a
// file that is replaced or removed needs no restart.
type Basemap struct{ path string }

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
	f, err := os.Open(b.path)
	if err != nil {
		return nil, nil, err
	}
	if info, err = f.Stat(); err == nil {
		err = checkPMTiles(f, info.Size())
	}
	if err != nil {
		f.Close()
		return nil, nil, fmt.Errorf("%s: %w", b.path, err)
	}
	return f, info, nil
}

// The header of a PMTiles file, version 3:
// https://github.com/protomaps/PMTiles/blob/main/spec/v3/spec.md
const (
	pmHeader   = 127     // bytes
	pmRootEnds = 1 << 14 // the root directory is within so many bytes
	pmMaxZoom  = 30
)

var pmSections = []string{"root directory", "metadata", "leaf directories", "tiles"}

// checkPMTiles returns an error for a file that is not a whole PMTiles file of vector tiles which
// browsers can read.
func checkPMTiles(f io.ReaderAt, size int64) error {
	var h [pmHeader]byte
	if n, err := f.ReadAt(h[:], 0); n < len(h) && err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if string(h[:7]) != "PMTiles" {
		return errors.New("not a PMTiles file: it does not begin with PMTiles")
	}
	if h[7] != 3 {
		return fmt.Errorf("a PMTiles file of version %d: want version 3", h[7])
	}
	if size < pmHeader {
		return errors.New("the PMTiles file is cut off in its header")
	}
	for i, name := range pmSections {
		at, length := binary.LittleEndian.Uint64(h[8+16*i:]), binary.LittleEndian.Uint64(h[16+16*i:])
		switch {
		case at > uint64(size) || length > uint64(size)-at:
			return fmt.Errorf("the PMTiles file is cut off: it has %d bytes, and its %s would end after that", size, name)
		case i == 0 && (length == 0 || at < pmHeader || at+length > pmRootEnds):
			return errors.New("the PMTiles file is damaged: its root directory is not at its beginning")
		}
	}
	switch compression, kind := h[97], h[99]; {
	case kind != 1:
		return errors.New("the PMTiles file has pictures: want vector tiles (MVT)")
	case compression != 1 && compression != 2 || h[98] != 1 && h[98] != 2:
		return errors.New("the PMTiles file is compressed in a way that browsers cannot read: want gzip")
	case h[100] > h[101] || h[101] > pmMaxZoom:
		return fmt.Errorf("the PMTiles file is damaged: its zooms are %d to %d", h[100], h[101])
	}
	return nil
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
		p.Log.Error("the basemap cannot be served", "error", err)
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
