package admin

import (
	"archive/tar"
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
	return callServerOrHere(ctx, func() error { return fetchStores(ctx, dir, dest) }, func() error {
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
	if _, _, err := s.databases(); err != nil { // opens the months before requests have to wait
		return err
	}
	// Photos and measurements are in several files each, between which nothing may change until all transactions have
	// begun. Hold keeps the files of measurements from being removed until they are copied.
	resume := s.Photos.Pause()
	defer resume()
	hold := measures.Hold()
	defer hold.Release()
	names, dbs, err := s.databases() // again: a month may have come
	if err != nil {
		return err
	}
	err = store.ViewAll(dbs, func(txs []*store.Tx) error {
		resume() // all transactions have begun: changes from now on are in none of them
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
func (f *Folder) databases() (names []string, dbs []*store.DB, err error) {
	all, err := databasesOf(f.Dir)
	if err != nil {
		return nil, nil, err
	}
	for _, d := range all {
		if d.nodeOnly { // the copy is an ordinary folder
			continue
		}
		db, err := f.database(d)
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

// sendStores sends the databases and the measurements as a tar archive.
func (r Commands) sendStores(w http.ResponseWriter) {
	s := r.stores
	sendFiles(w, func(t *tar.Writer) error {
		return s.copyAll(func(name string, tx *store.Tx) error {
			if err := t.WriteHeader(&tar.Header{Name: name, Size: tx.Size(), Mode: 0o600}); err != nil {
				return err
			}
			_, err := tx.WriteTo(t)
			return err
		}, func(name string) error { return addFile(t, name, s.path(name)) })
	})
}

// fetchStores has the running server copy its databases, which no other process can open.
func fetchStores(ctx context.Context, dir folder.Dir, dest string) error {
	return fetchFiles(ctx, dir, http.MethodGet, backupPath, nil, func(h *tar.Header, r io.Reader) error {
		return writeStore(dest, h.Name, r)
	})
}

// writeStore writes a store that came over the socket.
func writeStore(dest, name string, r io.Reader) error {
	if !isDatabase(name) && !measure.IsFile(name) { // a name from the socket must not lead out of the copy
		return fmt.Errorf("%q is not a store", name)
	}
	if err := makePrivate(dest, name); err != nil {
		return err
	}
	replace := folder.ReplacePrivate
	if !isDatabase(name) {
		replace = folder.Replace
	}
	return replace(filepath.Join(dest, name), func(w io.Writer) error {
		_, err := io.Copy(w, r)
		return err
	})
}
