package admin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"relais/access"
)

// compactEvery keeps what is deleted off the disk within a day: a deletion marks its
// store, and a server compacts the stores that are marked when it starts and then
// twice a day. The mark is in the store itself, so that neither a restart nor a
// backup forgets it. Without a server the command that deletes compacts at once.
// Space that is free for other reasons is used again and needs none of this.
const compactEvery = 12 * time.Hour

// Compacted says what became of one store. Sizes are in bytes.
type Compacted struct {
	Path   string `json:"path"` // below the folder
	Before int64  `json:"before"`
	After  int64  `json:"after"`
}

// CompactStores writes the stores anew without what was deleted; the answer is a
// list of Compacted. Requests are answered meanwhile, and changes wait.
type CompactStores struct{}

func (CompactStores) run(_ context.Context, s *Stores) (any, error) {
	if s.lock == nil {
		return nil, fmt.Errorf("%s: %w", s.Dir, access.ErrReadOnly)
	}
	list := []Compacted{}
	for _, d := range databases {
		before, after, err := s.open[d.file].Compact()
		if err != nil {
			return nil, err
		}
		list = append(list, Compacted{d.file, before, after})
	}
	before, after, err := s.counts.Compact()
	return append(list, Compacted{quotaFile, before, after}), err
}

// compactDeleted compacts the stores that something was deleted from.
func (s *Stores) compactDeleted() error {
	if s.lock == nil { // read-only: the next that can write does it
		return nil
	}
	var errs []error
	for _, d := range databases {
		has, err := s.open[d.file].HasDeleted()
		if err == nil && has {
			// The counts first: the mark is gone when the store is done.
			if _, _, err = s.counts.Compact(); err == nil {
				_, _, err = s.open[d.file].Compact()
			}
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
