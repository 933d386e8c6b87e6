package index

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"slices"
	"time"

	"relais/internal/folder"
	"relais/market"
	"relais/snapshot"
)

// A Live has the current Set of a data folder. It follows the folder: when snapshots are
// replaced, it loads them while the old Set is in use, and then replaces the Set.
type Live struct {
	dir     folder.Dir
	encoder func(*snapshot.Snapshot) Encode
	log     *slog.Logger
	only    []market.Code         // nil: all markets
	set     *Set                  // nil before the first Refresh
	stamps  map[market.Code]stamp // of the files that were loaded or refused last
	changed func(*Set)
}

// A stamp identifies the content of a file, as far as the file system knows.
type stamp struct {
	size    int64
	written time.Time
	file    fs.FileInfo // for os.SameFile
}

func (s stamp) same(o stamp) bool {
	return s.size == o.size && s.written.Equal(o.written) && (s.file == nil) == (o.file == nil) &&
		(s.file == nil || os.SameFile(s.file, o.file))
}

// NewLive returns a Live that has loaded nothing. It calls changed, unless nil, with each
// new Set in the goroutine that refreshes.
func NewLive(dir folder.Dir, encoder func(*snapshot.Snapshot) Encode, log *slog.Logger, changed func(*Set)) *Live {
	return &Live{dir: dir, encoder: encoder, log: log, stamps: map[market.Code]stamp{}, changed: changed}
}

// Only makes l leave out the snapshots of all other markets, as if the folder did not have
// them. It must be called before the first Refresh; nil means all markets.
func (l *Live) Only(markets []market.Code) { l.only = markets }

// Empty reports whether no market is loaded. It must not be called while Follow runs.
func (l *Live) Empty() bool { return l.set == nil || len(l.set.markets) == 0 }

// Follow refreshes until ctx ends, each time the folder has changed and then not changed
// for one interval: an ingest replaces several snapshots, which belong together.
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
		now := l.stampFiles()
		if still := maps.EqualFunc(now, seen, stamp.same); still && !maps.EqualFunc(now, l.stamps, stamp.same) {
			l.refresh(now)
		}
		seen = now
	}
}

// Refresh loads the new snapshots of the folder. It must not be called while Follow runs.
func (l *Live) Refresh() { l.refresh(l.stampFiles()) }

func (l *Live) stampFiles() map[market.Code]stamp {
	now := map[market.Code]stamp{}
	for i := range market.All {
		code := market.All[i].Code
		if l.only != nil && !slices.Contains(l.only, code) {
			continue
		}
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
			if had != nil { // a USB stick that was pulled out must not stop the service
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
			if !snapshot.Refused(err) { // it could not be read: try again
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

// load reads and indexes a market's snapshot. It returns had if that has the same content.
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
	if had != nil {
		m.PrepareText() // who searches meanwhile asks the old data
	}
	l.log.Info("loaded", "market", code, "version", s.Version, "sites", s.Len(), "took",
		time.Since(start).Round(time.Millisecond))
	return m, nil
}
