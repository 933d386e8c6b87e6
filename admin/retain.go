package admin

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"relais/community"
	"relais/internal/retention"
	"relais/measure"
)

// retainEvery is how often old measurements are removed.
const retainEvery = 6 * time.Hour

// RetainMeasures removes measurements that are older than keep, at once and then regularly, until
// ctx ends. keep 0 keeps them all.
func (s *Stores) RetainMeasures(ctx context.Context, keep time.Duration, log *slog.Logger) {
	m, err := s.Measures()
	if err != nil || keep <= 0 {
		return // the first caller that opens them reports the error
	}
	tick := time.NewTicker(retainEvery)
	defer tick.Stop()
	for {
		err := s.retain(log, keep, func() (removed []any, err error) {
			n, err := m.Retain(keep)
			return count(removed, "measures", n), err
		})
		switch {
		case errors.Is(err, measure.ErrReadOnly):
			return
		case err != nil:
			log.Error("removing old measurements", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// retainReports removes expired contributions of people.
func (s *Stores) retainReports() error {
	if s.lock == nil || s.failed[CommunityFile] != nil {
		return nil // the next that can write does it
	}
	return s.retain(s.log, community.Keep, func() (removed []any, err error) {
		reports, others, err := s.Community.Retain(community.Keep)
		removed = count(removed, "outageReports", reports)
		return count(removed, "validationsAndBugs", others), err
	})
}

// retain calls remove unless the clock may be wrong, and logs in one line what was removed.
func (s *Stores) retain(log *slog.Logger, keep time.Duration, remove func() (removed []any, err error)) error {
	switch err := s.Clock.Check(); {
	case errors.Is(err, retention.ErrUnproven):
		log.Info("what is old stays", "reason", err)
		return nil
	case err != nil:
		log.Warn("what is old stays, because the system clock may be wrong", "error", err)
		return nil
	}
	removed, err := remove()
	if len(removed) > 0 {
		log.Info("old records are removed", append(removed, "olderThan", keep)...)
	}
	if err == nil {
		s.Clock.NoteDeletion()
	}
	return err
}

// count adds how many things were removed to the attributes of a log line.
func count(attrs []any, name string, n int) []any {
	if n == 0 {
		return attrs
	}
	return append(attrs, name, n)
}
