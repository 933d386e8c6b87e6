package cluster

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"relais/internal/store"
)

// Bounds of a node that is ready. Clocks must agree because signatures live five minutes and quotas count by the
// minute.
const (
	mostLag  = 5 * time.Second
	mostSkew = 5 * time.Second
	warnSkew = time.Second
)

// A Health says whether a node follows its cluster.
type Health struct {
	// State is following, behind, detached (the engine does not answer) or rebuilding (the node is
	// copying what it needs).
	State      string  `json:"state"`
	LagSeconds float64 `json:"lagSeconds"`
	Node       string  `json:"node"`
	Nodes      int     `json:"nodes"` // that live
	// Engine says why the engine does not answer, "" if it does.
	Engine string `json:"engine,omitempty"`
	// NotReady says why a proxy should ask other nodes, "" if this one is ready.
	NotReady string `json:"notReady,omitempty"`
}

// Health returns the state. A node whose engine does not answer is ready for the time stale, with the records that it
// has.
func (r *Replicas) Health(stale time.Duration) Health {
	bringing := r.Files != nil && !r.Files.Ready()
	s := &r.engine.state
	s.mu.Lock()
	defer s.mu.Unlock()
	h := Health{State: "following", Node: r.engine.node, Nodes: max(1, s.nodes)}
	// A damaged store is left out here and below: no node can follow it, and a proxy would be left with none.
	for name, l := range s.lag {
		if _, damaged := s.damage[name]; !damaged && !l.since.IsZero() {
			h.LagSeconds = max(h.LagSeconds, time.Since(l.since).Seconds())
		}
	}
	lag := time.Duration(h.LagSeconds * float64(time.Second))
	if s.engineErr != nil {
		h.State, h.Engine = "detached", s.engineErr.Error()
		if away := time.Since(s.lastAnswer); away > stale {
			h.NotReady = fmt.Sprintf("the cluster's database has not answered for %v", away.Round(time.Second))
		}
	} else if lag > mostLag {
		h.State, h.NotReady = "behind", fmt.Sprintf("this node is %v behind the cluster", lag.Round(time.Second))
	}
	for _, name := range slices.Sorted(maps.Keys(s.trouble)) {
		err := s.trouble[name]
		// Only the connection is lost: the lag says since when.
		lost := errors.Is(err, store.ErrAway) && !errors.Is(err, ErrNewer)
		if s.engineErr == nil && !lost {
			h.NotReady = fmt.Sprintf("the store %s does not follow the cluster: %v", name, err)
		}
	}
	if s.skew.Abs() > mostSkew {
		h.NotReady = fmt.Sprintf("the clock of this node differs from the database's by %v", s.skew.Round(time.Second))
	}
	for name, db := range r.dbs {
		if _, damaged := s.damage[name]; !damaged && db.Rebuilding() {
			h.State, h.NotReady = "rebuilding", "this node is copying a store of the cluster"
		}
	}
	if bringing {
		h.State, h.NotReady = "rebuilding", "this node is copying the snapshots of the cluster"
	}
	return h
}

// Refused returns why requests that need a store must be refused: this node lacks changes of it, which
// cannot be read in the database. It is nil while the node's records are new enough. The other stores go on,
// and the node stays ready, because the problem is the same on every node.
func (r *Replicas) Refused(name string) error {
	s := &r.engine.state
	s.mu.Lock()
	defer s.mu.Unlock()
	d, damaged := s.damage[name]
	if !damaged || time.Since(d.since) < mostLag {
		return nil
	}
	return d.err
}

// Warnings returns the problems that an operator should know although the node is ready.
func (r *Replicas) Warnings() (list []string) {
	s := &r.engine.state
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.engineErr != nil {
		list = append(list, fmt.Sprintf("the cluster's database does not answer: changes are refused (%v)", s.engineErr))
	}
	if s.engineErr == nil && s.writeErr != nil {
		list = append(list, fmt.Sprintf("the cluster's database takes no changes: %v", s.writeErr))
	}
	for _, name := range slices.Sorted(maps.Keys(s.damage)) {
		list = append(list, fmt.Sprintf("the store %s does not follow the cluster, and is copied again: %v", name,
			s.damage[name].err))
	}
	if s.skew.Abs() > warnSkew {
		list = append(list, fmt.Sprintf("the clock differs from that of the cluster's database by %v",
			s.skew.Round(time.Millisecond)))
	}
	return list
}
