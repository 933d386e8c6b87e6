package httpapi

import (
	"context"
	"iter"
	"time"

	"relais/geo"
	"relais/index"
	"relais/measure"
	"relais/sighting"
)

// Learn keeps what details and look-ups have learned from measures at what is loaded and
// measured, until ctx ends: it looks every interval whether either is another, learns
// beside the answers, and shows it all at once. Until then a market whose snapshot was
// replaced has learned nothing.
func (s *Server) Learn(ctx context.Context, interval time.Duration) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		s.learn(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// learn looks once.
func (s *Server) learn(ctx context.Context) {
	set, measures := s.set.Load(), s.Measures()
	if set == nil || measures == nil {
		return
	}
	var markets []*index.Market
	news, from := false, measures.Version()
	for m := range set.Loaded() {
		if m.LearnedFrom() != from {
			m, news = s.teach(ctx, m, measures, from), true
		}
		markets = append(markets, m)
	}
	if news && ctx.Err() == nil {
		// When another set is shown by now, the next look learns for that one.
		s.set.CompareAndSwap(set, index.NewSet(markets, set.Problems))
	}
}

// teach returns m with what it learns from the measures.
func (s *Server) teach(ctx context.Context, m *index.Market, measures *measure.Store, from string) *index.Market {
	start := time.Now()
	taught, err := m.Learn(from, until(ctx, measures.CellSightings(m.Table.Code)))
	switch {
	case ctx.Err() != nil: // half of it is not shown
	case err != nil:
		s.Log.Error("measures are not learned from", "market", m.Table.Code, "error", err)
	case taught.LearnedIDs()+m.LearnedIDs() > 0:
		s.Log.Info("learned from measures", "market", m.Table.Code, "radioIdentifiers", taught.LearnedIDs(), "took", time.Since(start).Round(time.Millisecond))
	}
	return taught
}

// lookAfter is after how many sightings it is looked whether the context has ended.
const lookAfter = 4096

// until ends a sequence early when ctx ends.
func until(ctx context.Context, seen iter.Seq2[sighting.Cell, geo.Point]) iter.Seq2[sighting.Cell, geo.Point] {
	return func(yield func(sighting.Cell, geo.Point) bool) {
		n := 0
		for c, p := range seen {
			if n++; n%lookAfter == 0 && ctx.Err() != nil || !yield(c, p) {
				return
			}
		}
	}
}
