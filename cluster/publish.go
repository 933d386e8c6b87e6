package cluster

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"relais/internal/store"
)

// Base brings the folder up to date, and names the files whose path begins with prefix: Publish
// takes the name.
func (f *Files) Base(ctx context.Context, prefix string) (base string, err error) {
	if err := f.db.Fresh(ctx); err != nil {
		return "", err
	}
	if err := f.Bring(ctx); err != nil {
		return "", err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return baseOf(f.present, prefix), nil
}

// baseOf returns a checksum of the paths and bytes of the files whose path begins with prefix.
func baseOf(rows map[string]fileRow, prefix string) string {
	sum := sha256.New()
	for _, path := range slices.Sorted(maps.Keys(rows)) {
		if strings.HasPrefix(path, prefix) {
			fmt.Fprintf(sum, "%q %s\n", path, rows[path].Sum)
		}
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// Publish gives files to all nodes, in one commit. The files of the list replace all files whose path begins with
// prefix; others of the list are added or replaced. It is refused when
// base does not name the files of the prefix any more: another node has published since this one read
// them, and its files would be lost. When Publish returns nil, this node has the files
// in their places, and the others will have them within seconds.
//
// The bytes come before the rows that name them, and old bytes go after their rows. A node that is behind may miss
// old bytes; it tries again with the new rows. A publication that was refused or interrupted leaves pending blobs,
// which Sweep removes.
func (f *Files) Publish(ctx context.Context, prefix, base string, list []Local) error {
	rows, err := f.put(ctx, list)
	if err != nil {
		return err
	}
	var replaced []string
	old, err := f.rows()
	if err != nil {
		return err
	}
	for path, row := range old {
		if _, ok := rows[path]; ok || strings.HasPrefix(path, prefix) {
			replaced = append(replaced, row.Blob)
		}
	}
	// If this node dies after the commit, a sweep removes the old bytes.
	if err := f.blobs.Pend(ctx, replaced...); err != nil {
		return err
	}
	for _, l := range list { // before the commit, after which Run may bring the files as well
		f.addCopy(rows[l.Path].Sum, l.From)
	}
	err = f.db.Update(func(tx *store.Tx) error { return replaceRows(tx, prefix, base, rows) })
	if err != nil {
		return err
	}
	if err := f.Bring(ctx); err != nil { // the publication is done: Run tries again
		f.log.Error("putting the published files in their places failed", "error", err)
	}
	var names []string
	for _, row := range rows {
		names = append(names, row.Blob)
	}
	if err := errors.Join(f.blobs.Keep(ctx, names...), f.blobs.Delete(ctx, replaced...)); err != nil {
		f.log.Warn("removing old shared files failed: they are removed later", "error", err)
	}
	return nil
}

// addCopy says that a file of this node has the bytes with a sum, so that Bring need not download them.
func (f *Files) addCopy(sum, path string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.copies[sum] = path
}

// Files copies files of a folder to a new cluster.
func (i *Import) Files(list []Local) error {
	rows, err := putFiles(list, i.Blob)
	if err != nil {
		return err
	}
	for path, row := range rows {
		text, err := json.Marshal(row)
		if err == nil {
			err = i.row("files", pathOf([][]byte{[]byte(filesBucket)}), []byte(path), text)
		}
		if err != nil {
			return err
		}
	}
	return i.flush("files")
}

// put stores the bytes of files.
func (f *Files) put(ctx context.Context, list []Local) (map[string]fileRow, error) {
	return putFiles(list, func(name string, body io.ReadSeeker, size int64) error {
		return f.blobs.Put(ctx, name, body, size)
	})
}

// putFiles stores the bytes of files under new names, so that a name never has other bytes, and returns their rows.
func putFiles(list []Local, put func(name string, body io.ReadSeeker, size int64) error) (map[string]fileRow, error) {
	rows := map[string]fileRow{}
	for _, l := range list {
		if !sharedPath(l.Path) {
			return nil, fmt.Errorf("%q is not a snapshot or source", l.Path)
		}
		sum, info, err := sumFile(l.From)
		if err != nil {
			return nil, err
		}
		row := fileRow{"file/" + strings.ToLower(rand.Text()), sum, info.Size(), info.ModTime().UTC()}
		in, err := os.Open(l.From)
		if err != nil {
			return nil, err
		}
		err = put(row.Blob, in, row.Size)
		in.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.Path, err)
		}
		rows[l.Path] = row
	}
	return rows, nil
}

// replaceRows is the commit of Publish. It compares the base in the turn, after which no other node can publish before
// the commit.
func replaceRows(tx *store.Tx, prefix, base string, rows map[string]fileRow) error {
	old, err := rowsIn(tx, prefix)
	if err != nil {
		return err
	}
	if baseOf(old, prefix) != base {
		return errMoved
	}
	b := tx.Bucket([]byte(filesBucket))
	for path := range old {
		if err := b.Delete([]byte(path)); err != nil {
			return err
		}
	}
	for _, path := range slices.Sorted(maps.Keys(rows)) {
		if err := store.PutJSON(tx, filesBucket, []byte(path), rows[path]); err != nil {
			return err
		}
	}
	return nil
}

// Refers reports whether a file has the bytes of a blob. It asks the engine first: the row may be of another node and
// a moment old, and its bytes would be deleted.
func (f *Files) Refers(ctx context.Context, blob string) (bool, error) {
	if err := f.db.Fresh(ctx); err != nil {
		return false, err
	}
	rows, err := f.rows()
	for _, row := range rows {
		if row.Blob == blob {
			return true, err
		}
	}
	return false, err
}
