package index

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"time"

	"relais/folder"
	"relais/market"
	"relais/snapshot"
)

// A Live is the current Set of a data folder. It follows the folder: a snapshot
// that is replaced is loaded beside the old one and swapped in whole, together
// with others that were replaced at the same time.
type Live struct {
	dir     folder.Dir
	encoder func(*snapshot.Snapshot) Encode
	log     *slog.Logger
	set     *Set                  // nil before the first Refresh
	stamps  map[market.Code]stamp // of what was loaded, or refused, last
	changed func(*Set)
}

// A stamp tells whether a file is still the same.
type stamp struct {
	size    int64
	written time.Time
	file    fs.FileInfo // for os.SameFile
}

func (s stamp) same(o stamp) bool {
	return s.size == o.size && s.written.Equal(o.written) && (s.file == nil) == (o.file == nil) &&
		(s.file == nil || os.SameFile(s.file, o.file))
}

// NewLive makes a Live that has nothing loaded yet. changed, unless nil, is given
// each new set, in the goroutine that refreshes.
func NewLive(dir folder.Dir, encoder func(*snapshot.Snapshot) Encode, log *slog.Logger, changed func(*Set)) *Live {
	return &Live{dir: dir, encoder: encoder, log: log, stamps: map[market.Code]stamp{}, changed: changed}
}

// Empty tells whether nothing is loaded. It must not run beside Follow.
func (l *Live) Empty() bool { return l.set == nil || len(l.set.markets) == 0 }

// Follow refreshes until ctx ends, when the folder has changed and then kept
// still for one interval: an ingest replaces several snapshots, and they belong
// together.
func (l *Live) Follow(ctx context.Context, interval time.Duration) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	seen := l.stamps
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := l.look()
		if still := maps.EqualFunc(now, seen, stamp.same); still && !maps.EqualFunc(now, l.stamps, stamp.same) {
			l.refresh(now)
		}
		seen = now
	}
}

// Refresh loads what is new in the folder. It must not run beside Follow.
func (l *Live) Refresh() { l.refresh(l.look()) }

func (l *Live) look() map[market.Code]stamp {
	now := map[market.Code]stamp{}
	for i := range market.All {
		code := market.All[i].Code
		if info, err := os.Stat(l.dir.Snapshot(string(code))); err == nil {
			now[code] = stamp{info.Size(), info.ModTime(), info}
		} else if !errors.Is(err, fs.ErrNotExist) {
			now[code] = stamp{size: -1}
		}
	}
	return now
}

func (l *Live) refresh(now map[market.Code]stamp) {
	old := l.set
	var markets []*Market
	problems := map[market.Code]string{}
	for i := range market.All {
		code := market.All[i].Code
		var had *Market
		if old != nil {
			had = old.Market(code)
		}
		at, there := now[code]
		if !there {
			if had != nil { // a stick that was pulled out is no reason to stop answering
				problems[code] = string(code) + ".snap is gone; what was loaded stays"
				markets = append(markets, had)
			}
			continue
		}
		if was, ok := l.stamps[code]; ok && was.same(at) && old != nil {
			if p, bad := old.Problems[code]; bad {
				problems[code] = p
			}
			if had != nil {
				markets = append(markets, had)
			}
			continue
		}
		m, err := l.load(code, had)
		if err != nil {
			if old == nil || old.Problems[code] != err.Error() {
				l.log.Error("a snapshot was refused; what was loaded stays", "market", code, "error", err)
			}
			problems[code], m = err.Error(), had
			if !snapshot.Refused(err) { // not read, so read again
				now[code] = stamp{size: -1}
			}
		}
		if m != nil {
			markets = append(markets, m)
		}
	}
	l.stamps = now
	set := NewSet(markets, problems)
	if old != nil && set.Version == old.Version && maps.Equal(problems, old.Problems) {
		return
	}
	l.set = set
	if l.changed != nil {
		l.changed(set)
	}
}

// load reads and indexes a market's snapshot. One with the content that had
// already has gives had again.
func (l *Live) load(code market.Code, had *Market) (*Market, error) {
	start := time.Now()
	s, err := snapshot.ReadFile(l.dir.Snapshot(string(code)), code)
	if err != nil {
		return nil, err
	}
	if had != nil && had.Snap.Version == s.Version {
		return had, nil
	}
	m, err := Load(s, l.encoder, time.Now())
	if err != nil {
		return nil, err
	}
	l.log.Info("loaded", "market", code, "version", s.Version, "sites", s.Len(), "took",
		time.Since(start).Round(time.Millisecond))
	return m, nil
}
