package admin

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"relais/community"
	"relais/internal/retention"
	"relais/market"
	"relais/measure"
)

// retainEvery is how often old measurements are removed.
const retainEvery = 6 * time.Hour

// newest returns the date of the newest data of the folder: editions of registers, lists of operators and
// reports of people; zero for no data. Ages are reckoned from it, so that a wrong clock deletes nothing.
func (s *Stores) newest() (at time.Time) {
	var dates []time.Time
	for _, m := range market.All {
		if all, err := s.Archives.Editions(m.Code); err == nil && len(all) > 0 {
			dates = append(dates, all[len(all)-1].Date.Time())
		}
		for _, f := range s.Outages.Feeds(m.Code) {
			if f.ReadAt != nil {
				dates = append(dates, *f.ReadAt)
			}
		}
	}
	if list, _, err := s.Community.Reports(community.ReportFilter{}, 1, 0); err == nil && len(list) > 0 {
		dates = append(dates, list[0].CreatedAt)
	}
	return latest(dates)
}

func latest(dates []time.Time) (at time.Time) {
	if len(dates) > 0 {
		at = slices.MaxFunc(dates, time.Time.Compare)
	}
	return at
}

// RetainMeasures removes measurements that are older than keep, at once and then regularly, until
// ctx ends. keep 0 keeps them all.
func (j *Jobs) RetainMeasures(ctx context.Context, keep time.Duration) {
	m, err := j.stores.Measures()
	if err != nil || keep <= 0 {
		return // the first caller that opens them reports the error
	}
	dates := []time.Time{j.stores.newest()}
	for _, segment := range m.Segments() {
		dates = append(dates, segment.Newest)
	}
	clock := retention.NewClock(latest(dates), j.stores.now)
	tick := time.NewTicker(retainEvery)
	defer tick.Stop()
	for {
		err := retain(j.log, clock, keep, func(keep time.Duration) (removed []any, err error) {
			n, err := m.Retain(keep)
			return count(removed, "measures", n), err
		})
		switch {
		case errors.Is(err, measure.ErrReadOnly):
			return
		case err != nil:
			j.log.Error("removing old measurements failed", "error", err)
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
	return retain(s.log, s.clock(), community.Keep, func(keep time.Duration) (removed []any, err error) {
		reports, others, err := s.Community.Retain(keep)
		removed = count(removed, "outageReports", reports)
		return count(removed, "validationsAndBugs", others), err
	})
}

// retain calls remove with the age from which records are too old, and logs in one line what was removed.
func retain(log *slog.Logger, clock *retention.Clock, keep time.Duration,
	remove func(keep time.Duration) (removed []any, err error)) error {
	kept := clock.Keep(keep)
	if kept > keep && clock.HasData() {
		log.Info("old records are kept longer: the system clock is far ahead of the newest data", "by", kept-keep)
	}
	removed, err := remove(kept)
	if len(removed) > 0 {
		log.Info("old records are removed", append(removed, "olderThan", kept)...)
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
