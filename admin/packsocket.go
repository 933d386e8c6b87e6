package admin

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path/filepath"

	"relais/internal/folder"
)

const packPath = "/pack" // on the socket

// packScratch begins the names of temporary folders of packs.
const packScratch = "relais-pack-"

// sendPack makes the pack that the body asks for, and sends its files as a tar archive.
func (r Commands) sendPack(w http.ResponseWriter, q *http.Request) {
	sendFiles(w, func(t *tar.Writer) error {
		var spec PackSpec
		if err := json.NewDecoder(http.MaxBytesReader(w, q.Body, maxCommand)).Decode(&spec); err != nil {
			return err
		}
		return folder.Scratch(packScratch, func(dir string) error {
			if err := r.stores.pack(q.Context(), spec, folder.Dir(dir)); err != nil {
				return err
			}
			return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
				if err != nil || e.IsDir() {
					return err
				}
				name, err := filepath.Rel(dir, path)
				if err != nil {
					return err
				}
				return addFile(t, name, path)
			})
		})
	})
}

// fetchPack has the running server make a pack, and gets its files: no copy of the server's stores leaves it.
func fetchPack(ctx context.Context, dir folder.Dir, spec PackSpec, to folder.Dir) error {
	body, err := json.Marshal(spec)
	if err != nil {
		return err
	}
	return fetchFiles(ctx, dir, http.MethodPost, packPath, bytes.NewReader(body), func(h *tar.Header, r io.Reader) error {
		return writePacked(to, h, r)
	})
}

// writePacked writes a file of a pack that came over the socket.
func writePacked(to folder.Dir, h *tar.Header, r io.Reader) error {
	if !filepath.IsLocal(h.Name) || h.Typeflag != tar.TypeReg {
		return fmt.Errorf("%.100q is not a file of a pack", h.Name)
	}
	return folder.Replace(filepath.Join(string(to), h.Name), func(w io.Writer) error {
		_, err := io.Copy(w, r)
		return err
	})
}
