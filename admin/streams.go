package admin

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"relais/internal/folder"
	"relais/internal/system"
)

// sendFiles answers with the tar archive that add makes. If add fails before the first byte, the answer is the error.
// If it fails later, status 200 is sent already: sendFiles ends the connection, so that the client notices.
func sendFiles(w http.ResponseWriter, add func(t *tar.Writer) error) {
	begun := false
	t := tar.NewWriter(writerFunc(func(b []byte) (int, error) {
		begun = true
		return w.Write(b)
	}))
	err := add(t)
	if err != nil && !begun {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if err := errors.Join(err, t.Close()); err != nil {
		panic(http.ErrAbortHandler)
	}
}

type writerFunc func(b []byte) (int, error)

// Write implements io.Writer.
func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// addFile adds a file to an archive, with its mode and the time of its last change.
func addFile(t *tar.Writer, name, path string) error {
	return readFile(path, func(f *os.File, info fs.FileInfo) error {
		err := t.WriteHeader(&tar.Header{Name: filepath.ToSlash(name), Size: info.Size(), Mode: int64(info.Mode().Perm()),
			ModTime: info.ModTime()})
		if err != nil {
			return err
		}
		_, err = io.Copy(t, f)
		return err
	})
}

// readFile opens a file for read, and closes it.
func readFile(path string, read func(f *os.File, info fs.FileInfo) error) error {
	f, err := system.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return read(f, info)
}

// fetchFiles asks the folder's server for the files at a path of the socket, and calls file for each.
func fetchFiles(ctx context.Context, dir folder.Dir, method, path string, body io.Reader,
	file func(h *tar.Header, r io.Reader) error) error {
	r, err := http.NewRequestWithContext(ctx, method, "http://admin"+path, body)
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
	if err := eachFile(a.Body, file); err != nil {
		return fmt.Errorf("the server stopped: %v", err) // not a net error: it must not be tried again
	}
	return nil
}

// eachFile calls file for each file of a tar archive, and reads the stream to its end: the tar reader stops before it,
// and a stream that was cut there would look complete.
func eachFile(r io.Reader, file func(h *tar.Header, r io.Reader) error) error {
	for t := tar.NewReader(r); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			_, err := io.Copy(io.Discard, r) // a cut stream fails at its end
			return err
		}
		if err != nil {
			return err
		}
		if err := file(h, t); err != nil {
			return err
		}
	}
}
