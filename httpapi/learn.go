package httpapi

import (
	"context"
	"iter"
	"time"

	"relais/geo"
	"relais/index"
	"relais/measure"
	"relais/site/observation"
)

// Learn assigns radio identifiers to sites from measurements, until ctx ends. Every
// interval it checks whether a snapshot or the measurements have changed; if so it learns
// while the server answers, and then publishes the result at once. A market whose snapshot
// was replaced has no learned identifiers until then. As speedtests come one by one, new
// measurements alone wait until nine times as long has passed as the last learning took.
func (s *Server) Learn(ctx context.Context, interval time.Duration) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	var rested time.Time
	for {
		start := time.Now()
		if s.learn(ctx, start.After(rested)) {
			end := time.Now()
			rested = end.Add(restFactor * end.Sub(start))
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// restFactor is the length of the pause after learning, in multiples of its duration.
const restFactor = 9

// learn checks once, and reports whether it learned. It looks at markets that have learned
// before only if relearn is set.
func (s *Server) learn(ctx context.Context, relearn bool) (learned bool) {
	set, measures := s.set.Load(), s.Measures()
	if set == nil || measures == nil {
		return false
	}
	var markets []*index.Market
	news, from := false, measures.Version()
	for m := range set.Loaded() {
		if last := m.LearnedFrom(); last != from && (relearn || last == "") {
			m, news = s.learnMarket(ctx, m, measures, from), true
		}
		markets = append(markets, m)
	}
	if news && ctx.Err() == nil {
		// If another set was published meanwhile, the next check learns for that one.
		s.set.CompareAndSwap(set, index.NewSet(markets, set.Problems))
	}
	return news
}

// learnMarket returns m with the identifiers that it learns from the measurements.
func (s *Server) learnMarket(ctx context.Context, m *index.Market, measures *measure.Store, from string) *index.Market {
	start := time.Now()
	taught, err := m.Learn(from, untilDone(ctx, measures.CellObservations(m.Table.Code)))
	switch {
	case ctx.Err() != nil: // a part is not published
	case err != nil:
		s.Log.Error("learning from measurements failed", "market", m.Table.Code, "error", err)
	case taught.LearnedIDs()+m.LearnedIDs() > 0:
		s.Log.Info("learned from measurements", "market", m.Table.Code, "radioIdentifiers", taught.LearnedIDs(), "took",
			time.Since(start).Round(time.Millisecond))
	}
	return taught
}

// contextCheckEvery is the number of observations between two checks of the context.
const contextCheckEvery = 4096

// untilDone stops a sequence when ctx ends.
func untilDone(ctx context.Context, seen iter.Seq2[observation.Cell, geo.Point]) iter.Seq2[observation.Cell, geo.Point] {
	return func(yield func(observation.Cell, geo.Point) bool) {
		n := 0
		for c, p := range seen {
			if n++; n%contextCheckEvery == 0 && ctx.Err() != nil || !yield(c, p) {
				return
			}
		}
	}
}
