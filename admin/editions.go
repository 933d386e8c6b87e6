package admin

import (
	"context"
	"log/slog"

	"relais/market"
	"relais/snapshot"
)

// NoteEditions notes the snapshots of markets in the folder: see archive.Store.Note. The answer is the
// list of the markets that have a new edition.
type NoteEditions struct {
	Markets []market.Code `json:"markets"`
}

func (*NoteEditions) declare() declaration { return declaration{stores: []string{ArchivesFile}} }

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
func (s *Stores) NoteEdition(ctx context.Context, snap *snapshot.Snapshot, log *slog.Logger) {
	if s.cannotChangeArchives() {
		return
	}
	if _, err := s.Archives.Note(ctx, snap); err != nil && ctx.Err() == nil {
		log.Error("noting what a snapshot changed", "market", snap.Market, "error", err)
	}
}

func (s *Stores) cannotChangeArchives() bool {
	db := s.opened()[ArchivesFile]
	return db == nil || db.ReadOnly()
}
