package admin

import (
	"context"

	"relais/market"
	"relais/snapshot"
)

// NoteEditions notes the snapshots of markets in the folder: see archive.Store.Note. The answer is the
// list of the markets that have a new edition.
type NoteEditions struct {
	Markets []market.Code `json:"markets"`
}

func (c NoteEditions) run(ctx context.Context, s *Stores) (any, error) {
	changed := []market.Code{}
	for _, code := range c.Markets {
		if market.Get(code) == nil {
			continue
		}
		snap, err := snapshot.ReadFile(s.Dir.Snapshot(string(code)), code)
		if err != nil {
			return nil, err
		}
		noted, err := s.Archives.Note(ctx, snap)
		if err != nil {
			return nil, err
		}
		if noted {
			changed = append(changed, code)
		}
	}
	return changed, nil
}

// NoteEdition notes a snapshot that a server loaded, if the folder can be written to. It logs errors.
func (j *Jobs) NoteEdition(ctx context.Context, snap *snapshot.Snapshot) {
	if j.stores.cannotChangeArchives() {
		return
	}
	if _, err := j.stores.Archives.Note(ctx, snap); err != nil && ctx.Err() == nil {
		j.log.Error("noting what a snapshot changed failed", "market", snap.Market, "error", err)
	}
}

// cannotChangeArchives reports whether archives.db is missing, out of use or read-only.
func (s *Stores) cannotChangeArchives() bool {
	db := s.opened()[ArchivesFile]
	return db == nil || db.ReadOnly()
}
