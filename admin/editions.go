package admin

import (
	"context"
	"errors"
	"log/slog"

	"relais/internal/store"
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

// CompleteArchives stores differences between publications that an older version added. It logs what
// it does.
func (s *Stores) CompleteArchives(ctx context.Context, log *slog.Logger) {
	if s.cannotChangeArchives() {
		return
	}
	n, err := s.Archives.Complete(ctx)
	if n > 0 {
		log.Info("the differences between archives are complete", "added", n)
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, store.ErrAway) {
		log.Error("completing the differences between archives", "error", err)
	}
}

func (s *Stores) cannotChangeArchives() bool {
	db := s.opened()[ArchivesFile]
	return db == nil || db.ReadOnly()
}
