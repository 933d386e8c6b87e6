package photos

import (
	"context"
	"errors"
	"path/filepath"

	"relais/internal/folder"
	"relais/internal/store"
)

// CopyShown copies the photos that are shown, of the sites that keep chooses, into a folder without photos,
// and returns their number. The copies say who took them as the API does, by name: neither clients nor
// reports are copied. lost names photos without images.
func (s *Store) CopyShown(ctx context.Context, dir folder.Dir, keep func(siteKey string) bool) (
	n int, lost, err error) {
	db, err := store.Open(filepath.Join(string(dir), "photos.db"), Buckets...)
	if err != nil {
		return 0, nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := folder.MakeDir(dir.Photos()); err != nil {
		return 0, nil, err
	}
	w, sizes := monthWriter{dir: dir}, map[string]int{}
	_, lost, err = s.eachImage(ctx, func(p *Photo) bool { return p.Hidden == nil && keep(p.SiteKey) },
		func(p *Photo, size Size, image []byte) error {
			if err := w.put(p, size, image); err != nil {
				return err
			}
			if sizes[p.ID]++; sizes[p.ID] < len(Sizes) {
				return nil
			}
			n++
			delete(sizes, p.ID)
			public := *p
			public.ClientID, public.DeleteHash = "", nil // the API does not show them
			return db.Update(func(tx *store.Tx) error { return public.put(tx) })
		})
	return n, lost, errors.Join(err, w.close())
}
