package archive

import (
	"context"

	"relais/archive/change"
	"relais/internal/store"
	"relais/market"
)

// editionsIn returns the editions of a market, oldest first.
func (s *Store) editionsIn(tx *store.Tx, code market.Code) (all []Edition, err error) {
	return nil, nil
}

// difference returns what changed from an edition to the next one, and a name of it.
func (s *Store) difference(ctx context.Context, code market.Code, from, to Edition) (*change.List, uint64, error) {
	return nil, 0, nil
}
