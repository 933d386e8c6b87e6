package admin

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"relais/internal/folder"
)

const packPath = "/pack" // on the socket

// sendPack makes the pack that the body asks for, and sends its files as a tar archive. If it fails in the
// middle, it ends the connection, so that the client notices.
func (s *Stores) sendPack(w http.ResponseWriter, r *http.Request) {
	var spec PackSpec
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxCommand)).Decode(&spec)
	dir := ""
	if err == nil {
		dir, err = os.MkdirTemp("", "relais-pack-*")
	}
	if err == nil {
		defer os.RemoveAll(dir)
		err = s.pack(r.Context(), spec, folder.Dir(dir))
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	t := tar.NewWriter(w)
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		return addFile(t, filepath.ToSlash(name), path)
	})
	if err := errors.Join(err, t.Close()); err != nil {
		panic(http.ErrAbortHandler)
	}
}

// downloadPack has the running server make a pack.
func downloadPack(ctx context.Context, dir folder.Dir, spec PackSpec, to folder.Dir) error {
	body, err := json.Marshal(spec)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://admin"+packPath, bytes.NewReader(body))
	if err != nil {
		return err
	}
	a, err := dial(dir).Do(r)
	if err != nil {
		return err
	}
	defer a.Body.Close()
	if a.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(a.Body, 64<<10)) // a courtesy
		return errors.New(strings.TrimSpace(string(text)))
	}
	if err := unpackPack(a.Body, to); err != nil {
		return fmt.Errorf("the server stopped: %v", err) // not a net error: the pack must not be tried again
	}
	return readable(to)
}

// unpackPack writes the files of a tar archive into a folder.
func unpackPack(r io.Reader, to folder.Dir) error {
	for t := tar.NewReader(r); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			_, err := io.Copy(io.Discard, r) // a cut stream fails at its end
			return err
		}
		if err != nil {
			return err
		}
		if !filepath.IsLocal(h.Name) || h.Typeflag != tar.TypeReg {
			return fmt.Errorf("%.100q is not a file of a pack", h.Name)
		}
		err = folder.Replace(filepath.Join(string(to), h.Name), func(w io.Writer) error {
			_, err := io.Copy(w, t)
			return err
		})
		if err != nil {
			return err
		}
	}
}
