package access

import (
	"context"
	"time"
)

// A Ledger adds up the requests that several servers count for the same clients.
type Ledger interface {
	// Live is how many servers count, as far as this one knows, at least 1.
	Live() int
	// Tell says what this server has counted, and returns for each tally the sum of what the
	// others have said. A tally replaces an earlier one with the same key and end, unless it is
	// less. Error: store.ErrAway; what was said may have arrived then.
	Tell(ctx context.Context, tallies []Tally) (others []uint64, err error)
}

// A Tally is how much one server has counted in a window.
type Tally struct {
	Key   string // one of TallyKeys
	End   int64  // of the window, in seconds since 1970
	Units uint64 // twentieths of a request
}

const minuteKey = "minute:" // followed by the client's id

// TallyKeys are the keys of a client's tallies.
func TallyKeys(client string) []string { return []string{minuteKey + client, dayKey + client} }

// Twice a second each server tells its sums and hears those of the others: so it knows, after a second at
// most, what the others have counted.
const (
	tellEvery = time.Second / 2
	tellTime  = time.Second // after which the ledger is away
)

// A sharing makes limits hold over several servers. A server admits a request while what it and the
// others have counted, as far as it knows, is below the limit. While the ledger is away, it admits its
// share of what was left when it told last.
type sharing struct {
	clients *Clients
	ledger  Ledger
	away    bool // it may have lost what it was told
}

// ShareCounts makes the limits of all clients those of all servers that share a ledger. run tells the
// ledger until its context ends.
func (c *Clients) ShareCounts(ledger Ledger) (run func(context.Context)) {
	s := &sharing{clients: c, ledger: ledger}
	return s.run
}

// run tells the ledger what was counted until ctx ends, and then for the last time.
func (s *sharing) run(ctx context.Context) {
	tick := time.NewTicker(tellEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			s.tell()
			return
		case <-tick.C:
			s.tell()
		}
	}
}

// tell tells the ledger what was counted since the last time, or all of it when it was away.
func (s *sharing) tell() {
	told, tallies := s.untold()
	if len(told) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), tellTime)
	defer cancel()
	others, err := s.ledger.Tell(ctx, tallies)
	s.away = err != nil || len(others) != len(tallies)
	for i, w := range told {
		if s.away {
			w.assume(uint64(s.ledger.Live()))
		} else {
			w.hear(tallies[i].Units, others[i])
		}
	}
}

// untold returns what the ledger does not know.
func (s *sharing) untold() (told []toldWindow, tallies []Tally) {
	add := func(c *counted, key string, seconds int64, limit int) {
		window, units := split(c.word.Load())
		if units > 0 && (s.away || units > unitsIn(c.told, window)) {
			told = append(told, toldWindow{c, window, uint64(limit) * Whole})
			tallies = append(tallies, Tally{key, (int64(window) + 1) * seconds, units})
		}
	}
	for id, l := range s.clients.table.Load().clients {
		if !l.lent {
			add(&l.counter.minute, minuteKey+id, minuteSeconds, l.Limits.Minute)
			add(&l.counter.day, dayKey+id, daySeconds, l.Limits.Day)
		}
	}
	return told, tallies
}

// A toldWindow is a window of a client that the ledger is told.
type toldWindow struct {
	*counted
	window uint32
	limit  uint64 // units
}

// hear notes what the ledger was told, and what it answered.
func (w toldWindow) hear(own, others uint64) {
	w.told = join(w.window, max(own, unitsIn(w.told, w.window)))
	w.heard = join(w.window, max(others, unitsIn(w.heard, w.window)))
	w.others.Store(w.heard)
}

// assume leaves this server its share, in whole requests, of what was left when it told last.
func (w toldWindow) assume(servers uint64) {
	heard := unitsIn(w.heard, w.window)
	left := w.limit - min(w.limit, unitsIn(w.told, w.window)+heard)
	share := min(left, (left+servers*Whole-1)/(servers*Whole)*Whole)
	w.others.Store(join(w.window, heard+left-share))
}
