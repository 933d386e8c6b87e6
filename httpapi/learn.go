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
// replaced has learned nothing. What is only measured waits until nine times as long has
// passed as the last learning took: speedtests come one by one, and each is news.
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

// restFactor is how many times as long as it learned the server rests from it.
const restFactor = 9

// learn looks once, at what is only measured when it is again to, and tells whether it
// learned.
func (s *Server) learn(ctx context.Context, again bool) (learned bool) {
	set, measures := s.set.Load(), s.Measures()
	if set == nil || measures == nil {
		return false
	}
	var markets []*index.Market
	news, from := false, measures.Version()
	for m := range set.Loaded() {
		if last := m.LearnedFrom(); last != from && (again || last == "") {
			m, news = s.learnMarket(ctx, m, measures, from), true
		}
		markets = append(markets, m)
	}
	if news && ctx.Err() == nil {
		// When another set is shown by now, the next look learns for that one.
		s.set.CompareAndSwap(set, index.NewSet(markets, set.Problems))
	}
	return news
}

// learnMarket returns m with what it learns from the measures.
func (s *Server) learnMarket(ctx context.Context, m *index.Market, measures *measure.Store, from string) *index.Market {
	start := time.Now()
	taught, err := m.Learn(from, untilDone(ctx, measures.CellObservations(m.Table.Code)))
	switch {
	case ctx.Err() != nil: // half of it is not shown
	case err != nil:
		s.Log.Error("measures are not learned from", "market", m.Table.Code, "error", err)
	case taught.LearnedIDs()+m.LearnedIDs() > 0:
		s.Log.Info("learned from measures", "market", m.Table.Code, "radioIdentifiers", taught.LearnedIDs(), "took",
			time.Since(start).Round(time.Millisecond))
	}
	return taught
}

// contextCheckEvery is after how many sightings it is looked whether the context has ended.
const contextCheckEvery = 4096

// untilDone ends a sequence early when ctx ends.
func untilDone(ctx context.Context, seen iter.Seq2[sighting.Cell, geo.Point]) iter.Seq2[sighting.Cell, geo.Point] {
	return func(yield func(sighting.Cell, geo.Point) bool) {
		n := 0
		for c, p := range seen {
			if n++; n%contextCheckEvery == 0 && ctx.Err() != nil || !yield(c, p) {
				return
			}
		}
	}
}
