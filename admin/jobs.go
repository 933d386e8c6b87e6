package admin

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// Jobs keep the stores in order while a server runs.
type Jobs struct {
	stores *Stores
	log    *slog.Logger
}

// NewJobs returns the jobs of stores.
func NewJobs(s *Stores, log *slog.Logger) *Jobs { return &Jobs{s, log} }

// saveEvery is how often counts are written: a killed process loses no more. A power cut may lose those since the last
// sync. Times of last use may be older.
const (
	saveEvery     = 500 * time.Millisecond
	syncEvery     = time.Second
	saveUsedEvery = time.Minute
	// saveUsedInCluster is longer because each node saves, and each save is a commit of all.
	saveUsedInCluster = 10 * time.Minute
	sweepEvery        = 10 * time.Minute
)

// Keep regularly saves what requests change, and compacts stores with deletions, until ctx ends.
func (j *Jobs) Keep(ctx context.Context) {
	var running sync.WaitGroup
	s := j.stores
	usedEvery := saveUsedEvery
	if s.node != nil {
		running.Go(func() { s.node.replicas.Run(ctx) })
		running.Go(func() { s.reportCounts(ctx) })
		running.Go(func() { s.node.files.Run(ctx) })
		running.Go(func() { j.fetchMeasures(ctx) })
		usedEvery = saveUsedInCluster
	}
	for _, task := range []struct { // each runs by itself: a slow disk must not delay the counts
		every time.Duration
		what  string
		do    func() error
	}{
		{saveEvery, "saving quota counters", func() error { return s.counts.Save(s.Clients) }},
		{syncEvery, "syncing quota counters", s.counts.Sync},
		{usedEvery, "saving last-used times", s.saveUsed},
		{watchEvery, "", s.watch(j.log)},
		{noteEvery, "writing stores.json", s.note},
		{sweepEvery, "sweeping expired codes and tokens", s.sweepAccounts},
		{compactEvery, "compacting deleted records away", s.compactDeleted},
	} {
		running.Go(func() {
			tick := time.NewTicker(task.every)
			defer tick.Stop()
			for {
				select {
				case <-ctx.Done():
					return
				case <-tick.C:
				}
				if err := task.do(); err != nil {
					j.log.Error(task.what+" failed", "error", err)
				}
			}
		})
	}
	// At once, too: the process before may have been killed before its turn.
	if err := s.compactDeleted(); err != nil {
		j.log.Error("compacting deleted records away failed", "error", err)
	}
	running.Wait()
}

// Lead calls do: at once for an ordinary folder, and while this node has the job in a cluster, so that one node does it.
// It returns when ctx ends, or do for an ordinary folder.
func (j *Jobs) Lead(ctx context.Context, job string, do func(ctx context.Context)) {
	if j.stores.node == nil {
		do(ctx)
		return
	}
	j.stores.node.engine.Lead(ctx, job, do)
}

func (s *Stores) sweepAccounts() error {
	if s.failed[UsersFile] != nil {
		return nil
	}
	return s.Accounts.Sweep()
}

// saveUsed saves when keys were used last.
func (s *Stores) saveUsed() error {
	if s.lock == nil || s.failed[ClientsFile] != nil { // read-only, or said already
		return nil
	}
	return s.Clients.SaveLastUsed()
}
