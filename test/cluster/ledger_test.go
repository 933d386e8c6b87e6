//go:build linux

package cluster

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// A ledger holds what was acknowledged. What a later write may or may not have ended is taken out
// before that write is tried.
type ledger struct {
	mu   sync.Mutex
	kept map[string]map[string]string // by kind and id: what else is known of it
}

func newLedger() *ledger { return &ledger{kept: map[string]map[string]string{}} }

func (l *ledger) add(kind, id, about string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.kept[kind] == nil {
		l.kept[kind] = map[string]string{}
	}
	l.kept[kind][id] = about
}

func (l *ledger) remove(kind, id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.kept[kind], id)
}

// of returns a copy of what was acknowledged of a kind.
func (l *ledger) of(kind string) map[string]string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.kept[kind])
}

// String says how many of what were acknowledged.
func (l *ledger) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var parts []string
	for _, kind := range slices.Sorted(maps.Keys(l.kept)) {
		parts = append(parts, fmt.Sprintf("%d %s", len(l.kept[kind]), kind))
	}
	return strings.Join(parts, ", ")
}
