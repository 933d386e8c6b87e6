package admin

import (
	"archive/tar"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"relais/admin/backup"
	"relais/internal/folder"
)

// BackupTar writes a copy of a folder as a tar archive. The copy is made in the temporary folder first, so
// that a slow reader holds nothing up, and that nothing is written of a copy that fails.
func BackupTar(ctx context.Context, dir folder.Dir, w io.Writer, images bool, log *slog.Logger) error {
	return folder.Scratch(backupScratch, func(scratch string) error {
		copied := filepath.Join(scratch, "copy")
		if err := Backup(ctx, dir, copied, images, log); err != nil {
			return fmt.Errorf("make the copy in %s: %w", os.TempDir(), err)
		}
		return writeTar(ctx, w, copied)
	})
}

// backupScratch begins the names of the folders in which copies are made for archives.
const backupScratch = "relais-backup-"

// writeTar writes the files of a copy, the list last: an archive that was cut lacks it.
func writeTar(ctx context.Context, w io.Writer, copied string) error {
	t := tar.NewWriter(w)
	err := filepath.WalkDir(copied, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || path == filepath.Join(copied, backup.Name) {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		name, err := filepath.Rel(copied, path)
		if err != nil {
			return err
		}
		return addFile(t, name, path)
	})
	if err == nil {
		err = addFile(t, backup.Name, filepath.Join(copied, backup.Name))
	}
	return errors.Join(err, t.Close())
}

// RestoreTar is Restore from an archive that BackupTar wrote. The archive is read once, so that it is compared with its
// list only when its files are in the folder.
func RestoreTar(ctx context.Context, from io.Reader, dir folder.Dir) error {
	if err := refuseUsed(dir); err != nil {
		return err
	}
	return fillRestored(ctx, dir, func(to string) error {
		if err := untar(ctx, from, to); err != nil {
			return fmt.Errorf("the archive: %w", err)
		}
		return nil
	})
}

// untar writes the files of an archive below a folder, the list of the copy last.
func untar(ctx context.Context, from io.Reader, to string) error {
	listed, extracted := []byte(nil), map[string]bool{}
	for t := tar.NewReader(from); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("%w: want what relais backup wrote to standard output, not compressed", err)
		}
		name := filepath.FromSlash(h.Name)
		switch {
		case h.Typeflag == tar.TypeDir:
			continue
		case h.Typeflag != tar.TypeReg || !filepath.IsLocal(name):
			return fmt.Errorf("%.100q does not belong into a copy", h.Name)
		case ctx.Err() != nil:
			return ctx.Err()
		}
		if name = filepath.Clean(name); name == backup.Name {
			if listed, err = io.ReadAll(io.LimitReader(t, 64<<20)); err != nil {
				return err
			}
			continue
		}
		extracted[filepath.ToSlash(name)] = true
		if err := extract(t, h, to, name); err != nil {
			return err
		}
	}
	return writeList(to, listed, extracted)
}

// extract writes a file of an archive.
func extract(t *tar.Reader, h *tar.Header, to, name string) error {
	if err := makePrivate(to, name); err != nil {
		return err
	}
	return writeCopy(filepath.Join(to, name), t, h.FileInfo())
}

// writeList writes the list of a copy, which must have every file that was extracted: a file that it does not list is
// not verified.
func writeList(to string, text []byte, extracted map[string]bool) error {
	var l backup.List
	if text == nil || json.Unmarshal(text, &l) != nil {
		return fmt.Errorf("it has no %s, or a damaged one: it may have been cut", backup.Name)
	}
	for _, f := range l.Files {
		delete(extracted, f.Path)
	}
	for name := range extracted {
		return fmt.Errorf("it has %.100q, which %s does not list", name, backup.Name)
	}
	return folder.Replace(filepath.Join(to, backup.Name), func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}
