package photos

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"relais/internal/folder"
	"relais/internal/store"
)

// EachImage calls f for every image of every photo, the oldest first, and returns the number of
// photos. It compares each image with its record. Those that are lost are left out, and named by
// lost, as photos that cannot be read are. Other errors end it, as those of f do.
func (s *Store) EachImage(ctx context.Context, f func(p *Photo, size Size, image []byte) error,
) (n int, lost, err error) {
	return s.eachImage(ctx, func(*Photo) bool { return true }, f)
}

// eachImage is EachImage for the photos that wants chooses.
func (s *Store) eachImage(ctx context.Context, wants func(*Photo) bool, f func(p *Photo, size Size, image []byte) error,
) (n int, lost, err error) {
	if s.db == nil {
		return 0, nil, nil
	}
	var problems store.Problems
	var end error
	problems.Add(eachKey(s.db, photosBucket, func(k []byte) {
		if end != nil {
			return
		}
		p, err := s.get(id(k))
		if errors.Is(err, ErrNoPhoto) { // deleted meanwhile
			return
		}
		if err != nil {
			problems.Add(err)
			return
		}
		if !wants(p) {
			return
		}
		n++
		for _, size := range Sizes {
			image, err := s.images.read(ctx, p, size)
			if err == nil && !p.fits(size, image) {
				err = fmt.Errorf("photo %s, %s: it was changed after it was written: %w", p.ID, size, errLost)
			}
			if err == nil {
				err = f(p, size, image)
			} else if errors.Is(err, errLost) || errors.Is(err, ErrNoPhoto) || errors.Is(err, store.ErrDamaged) {
				problems.Add(s.unlessDeleted(k, err))
				continue
			}
			if end = errors.Join(err, ctx.Err()); end != nil {
				return
			}
		}
	}))
	return n, problems.Err(), end
}

// WriteMonths writes all images into the monthly files of a folder, which need not be that of the
// store, and returns the number of photos. It may be repeated. lost is that of EachImage.
func (s *Store) WriteMonths(ctx context.Context, dir folder.Dir) (n int, lost, err error) {
	if err := folder.MakeDir(dir.Photos()); err != nil {
		return 0, nil, err
	}
	w := monthWriter{dir: dir}
	n, lost, err = s.EachImage(ctx, w.put)
	return n, lost, errors.Join(err, w.close())
}

// A monthWriter writes images into the files of months.
type monthWriter struct {
	dir     folder.Dir
	month   string
	db      *store.DB
	waiting []namedImage
	size    int // bytes of waiting
}

type namedImage struct {
	key   []byte
	size  Size
	image []byte
}

// written is how many bytes are written at once.
const written = 16 << 20

func (w *monthWriter) put(p *Photo, size Size, image []byte) error {
	if p.Month != w.month {
		if err := w.close(); err != nil {
			return err
		}
		if MonthOf(FileOf(p.Month)) == "" {
			return fmt.Errorf("photo %s: %.20q is not a month", p.ID, p.Month)
		}
		db, err := store.Open(filepath.Join(w.dir.Photos(), p.Month+suffix), imagesBucket, openBucket)
		if err != nil {
			return err
		}
		w.month, w.db = p.Month, db
	}
	w.waiting, w.size = append(w.waiting, namedImage{key(p.ID), size, image}), w.size+len(image)
	if w.size < written {
		return nil
	}
	return w.flush()
}

func (w *monthWriter) flush() error {
	err := w.db.Update(func(tx *store.Tx) error {
		for _, i := range w.waiting {
			b, err := tx.Bucket([]byte(imagesBucket)).CreateBucketIfNotExists(i.key)
			if err == nil {
				err = b.Put([]byte(i.size), i.image)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	w.waiting, w.size = nil, 0
	return err
}

// close ends the file that is open.
func (w *monthWriter) close() error {
	if w.db == nil {
		return nil
	}
	err := errors.Join(w.flush(), w.db.Close())
	w.month, w.db = "", nil
	return err
}
