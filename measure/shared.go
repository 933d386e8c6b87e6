package measure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"relais/internal/folder"
	"relais/internal/store"
)

const (
	// fetchTime bounds how long a commit of another machine makes this one wait for files: it commits
	// nothing meanwhile. Fetch gets the rest.
	fetchTime = 2 * time.Second
	// One file takes at most blobTime, and a second for every minBytesPerSecond bytes.
	blobTime          = 30 * time.Second
	minBytesPerSecond = 1 << 20
)

const blobPrefix = "segment/"

// BlobName returns the name of a file in Blobs.
func BlobName(file string) string { return blobPrefix + file }

// NewShared is New for a database that several machines share by a log, with the files of segments
// in blobs. It gets the files that the folder lacks; those that it cannot get are Problems until
// Fetch gets them. Files that do not count are removed: the blobs have what the others need.
func NewShared(ctx context.Context, dir folder.Dir, db *store.DB, now func() time.Time, blobs store.Blobs,
) (*Store, error) {
	s := newStore(dir, db, now)
	s.blobs = blobs
	list, err := readRows(db)
	if err != nil {
		return nil, err
	}
	_ = s.fetchMissing(ctx, list) // the view says what is missing
	if err := s.open(); err != nil {
		return nil, err
	}
	return s, nil
}

// Fetch gets the files of other machines that could not be got when their rows came, and shows them.
// It does nothing when none is missing. Errors: why some are still missing.
func (s *Store) Fetch(ctx context.Context) error {
	s.viewMu.Lock()
	rows, complete := s.rows, s.viewErr == nil && len(s.view().problems) == 0
	s.viewMu.Unlock()
	if s.blobs == nil || complete {
		return nil
	}
	err := s.fetchMissing(ctx, rows) // without the lock: commits and Problems need not wait for the network
	s.viewMu.Lock()
	defer s.viewMu.Unlock()
	for _, row := range rows {
		if !isOf(row.File, s.rows) { // it was fetched after its row was deleted
			s.addRemovable(row.File)
		}
	}
	s.show(s.rows)
	_ = s.removeFiles() // what stays is tried again after the next change
	return err
}

// fetchMissing gets the files of rows that are not loaded and cannot be.
func (s *Store) fetchMissing(ctx context.Context, rows []SegmentInfo) error {
	known := s.loaded()
	var errs store.Problems
	for _, row := range rows {
		if known[row.File] != nil {
			continue
		}
		if _, err := load(s.dir, row); err != nil {
			_, err = s.fetch(ctx, row)
			errs.Add(err)
			if err != nil && !lasting(err) {
				break // each of the others may take its whole time too
			}
		}
	}
	return errs.Err()
}

// fetch gets the file of a row and loads it. Errors: those of lasting, and others that will
// pass.
func (s *Store) fetch(ctx context.Context, row SegmentInfo) (*segment, error) {
	ctx, cancel := context.WithTimeout(ctx, timeFor(row.Bytes))
	defer cancel()
	if err := folder.MakePrivateDir(s.dir); err != nil {
		return nil, err
	}
	body, err := s.blobs.Get(ctx, BlobName(row.File))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", row.File, err)
	}
	path := filepath.Join(s.dir, row.File)
	err = folder.Replace(path, func(w io.Writer) error {
		_, err := io.Copy(w, io.LimitReader(body, row.Bytes+1)) // load refuses a file that is too long
		return err
	})
	if err := errors.Join(err, body.Close()); err != nil {
		return nil, fmt.Errorf("%s: %w", row.File, err)
	}
	seg, err := load(s.dir, row)
	if err != nil {
		os.Remove(path) // it is fetched again
	}
	return seg, err
}

func timeFor(size int64) time.Duration {
	return blobTime + time.Duration(size/minBytesPerSecond)*time.Second
}

// lasting reports whether an error of fetch stays until somebody puts the right file there.
func lasting(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, errDamaged) || errors.Is(err, store.ErrDamaged) ||
		errors.Is(err, ErrNewer)
}

// share puts the files of a change in blobs, and makes those pending that lose their row. It does
// both before the commit: if this machine dies in between, the caller of Unused deletes files without a row.
func (s *Store) share(c *change, segments map[string]*segment) error {
	if s.blobs == nil {
		return nil
	}
	var names []string
	for _, file := range c.drop {
		names = append(names, BlobName(file))
	}
	if len(names) > 0 {
		ctx, cancel := context.WithTimeout(context.Background(), blobTime)
		defer cancel()
		if err := s.blobs.Pend(ctx, names...); err != nil {
			return err
		}
	}
	for file, seg := range segments {
		if err := s.putFile(file, seg.bytes); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) putFile(file string, size int64) error {
	ctx, cancel := context.WithTimeout(context.Background(), timeFor(size))
	defer cancel()
	f, err := os.Open(filepath.Join(s.dir, file))
	if err != nil {
		return err
	}
	defer f.Close()
	return s.blobs.Put(ctx, BlobName(file), f, size)
}

// Unused returns which of names in Blobs are those of files without a row. It knows everything
// that any machine did before the call.
func (s *Store) Unused(ctx context.Context, names []string) (unused []string, err error) {
	if err := s.db.Fresh(ctx); err != nil {
		return nil, err
	}
	rows, err := readRows(s.db)
	if err != nil {
		return nil, err
	}
	counts := map[string]bool{}
	for _, row := range rows {
		counts[BlobName(row.File)] = true
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return counts[name] || len(name) < len(blobPrefix) || name[:len(blobPrefix)] != blobPrefix ||
			!segmentName.MatchString(name[len(blobPrefix):])
	}), nil
}
