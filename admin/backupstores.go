package admin

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"

	"relais/internal/folder"
	"relais/internal/store"
	"relais/measure"
)

// backupStores copies the databases as they are at one moment, so that references between them are
// true in the copy.
func backupStores(ctx context.Context, dir folder.Dir, dest string, log *slog.Logger) error {
	return callServerOrHere(ctx, func() error { return download(ctx, dir, dest) }, func() error {
		all, err := databasesOf(dir)
		if err != nil {
			return err
		}
		_, err = os.Stat(filepath.Join(string(dir), measure.Dir))
		if err != nil && !slices.ContainsFunc(all, func(d database) bool { return d.existsIn(dir) }) {
			return nil // a folder without stores gets none
		}
		s, err := Open(dir, "relais backup", log)
		if err != nil {
			return err
		}
		err = s.copyAll(func(name string, tx *store.Tx) error {
			return folder.ReplacePrivate(filepath.Join(dest, name), func(w io.Writer) error {
				_, err := tx.WriteTo(w)
				return err
			})
		}, func(name string) error {
			if err := makePrivate(dest, name); err != nil {
				return err
			}
			return copyFile(filepath.Join(string(dir), name), filepath.Join(dest, name))
		})
		return errors.Join(err, s.Close())
	})
}

func (d database) existsIn(dir folder.Dir) bool {
	_, err := os.Stat(filepath.Join(string(dir), d.file))
	return err == nil
}

// copyAll calls put for each database as it is at one moment, and then file for each file of
// measurements that counts at that moment. Requests and changes go on, but adding or deleting
// photos or measurements waits until all copies have begun. Databases cannot reuse space until put
// returns, so put should not be slow.
func (s *Stores) copyAll(put func(name string, tx *store.Tx) error, file func(name string) error) error {
	measures, err := s.Measures()
	if err != nil {
		return err
	}
	if _, _, err := s.databases(); err != nil { // opens them before anybody has to wait
		return err
	}
	resume := s.Photos.Pause()
	defer resume()
	hold := measures.Hold()
	defer hold.Release()
	names, dbs, err := s.databases()
	if err != nil {
		return err
	}
	err = store.ViewAll(dbs, func(txs []*store.Tx) error {
		resume()
		hold.Resume()
		for i, tx := range txs {
			if err := put(names[i], tx); err != nil {
				return fmt.Errorf("%s: %w", names[i], err)
			}
		}
		return nil
	})
	for _, name := range hold.Files {
		if err == nil {
			err = file(name)
		}
	}
	return err
}

// databases returns the databases that exist.
func (s *Stores) databases() (names []string, dbs []*store.DB, err error) {
	all, err := databasesOf(s.Dir)
	if err != nil {
		return nil, nil, err
	}
	for _, d := range all {
		if d.shared { // the copy is an ordinary folder
			continue
		}
		db, err := s.database(d)
		if err != nil {
			return nil, nil, err
		}
		if db != nil {
			names, dbs = append(names, d.file), append(dbs, db)
		}
	}
	return names, dbs, nil
}

const backupPath = "/backup" // on the socket

// upload sends the databases and the measurements as a tar archive. If it fails in the middle, it
// ends the connection, so that the client notices.
func (s *Stores) upload(w http.ResponseWriter) {
	t := tar.NewWriter(w)
	begun := false
	err := s.copyAll(func(name string, tx *store.Tx) error {
		begun = true
		if err := t.WriteHeader(&tar.Header{Name: name, Size: tx.Size(), Mode: 0o600}); err != nil {
			return err
		}
		_, err := tx.WriteTo(t)
		return err
	}, func(name string) error {
		begun = true
		return addFile(t, name, s.path(name))
	})
	if err != nil && !begun {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if err := errors.Join(err, t.Close()); err != nil {
		panic(http.ErrAbortHandler)
	}
}

func addFile(t *tar.Writer, name, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := t.WriteHeader(&tar.Header{Name: name, Size: info.Size(), Mode: 0o600}); err != nil {
		return err
	}
	_, err = io.Copy(t, f)
	return err
}

// download has the running server copy its databases.
func download(ctx context.Context, dir folder.Dir, dest string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://admin"+backupPath, nil)
	if err != nil {
		return err
	}
	a, err := dial(dir).Do(r)
	if err != nil {
		return err
	}
	defer a.Body.Close()
	if a.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(a.Body, 4096)) // a courtesy
		return fmt.Errorf("the server answers %s: %s", a.Status, bytes.TrimSpace(text))
	}
	if err := unpack(a.Body, dest); err != nil {
		return fmt.Errorf("the server stopped: %v", err) // not a net error: the copy must not be tried again
	}
	return nil
}

// unpack writes the databases of an archive.
func unpack(r io.Reader, dest string) error {
	for t := tar.NewReader(r); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			_, err := io.Copy(io.Discard, r) // a cut stream fails at its end
			return err
		}
		if err != nil {
			return err
		}
		if !isDatabase(h.Name) && !measure.IsFile(h.Name) {
			return fmt.Errorf("%q is not a store", h.Name)
		}
		if err := makePrivate(dest, h.Name); err != nil {
			return err
		}
		replace := folder.ReplacePrivate
		if !isDatabase(h.Name) {
			replace = folder.Replace
		}
		err = replace(filepath.Join(dest, h.Name), func(w io.Writer) error {
			_, err := io.Copy(w, t)
			return err
		})
		if err != nil {
			return err
		}
	}
}
