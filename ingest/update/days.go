package update

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"time"

	"relais/market"
)

// A DayFile is the list of a day's unavailable sites of all operators of a market.
type DayFile struct {
	Day  string `json:"day"`  // YYYY-MM-DD
	Path string `json:"path"` // absolute
}

// Days passes daily lists of unavailable sites to the process that has the stores open. Without a file it only returns
// the days that the archive has.
type Days func(ctx context.Context, code market.Code, files ...DayFile) (Taken, error)

// days is the target of the daily lists of a market.
type days struct{ market market.Code }

func (days) forgetStale(context.Context, *source) ([]string, error) { return nil, nil }

// apply has nothing to do: the archive got each day when it was there.
func (days) apply(context.Context, *source) {}

// fetch downloads the newest list if it changed, and then those of the wanted days that the archive lacks, each alone: one
// day needs little room, and an interrupted run keeps the days that it has. A day that the authority does not have is
// a gap.
func (d days) fetch(ctx context.Context, s *source, f *File, report *FileReport) {
	taken, err := s.Days(ctx, d.market)
	if err != nil {
		report.fail(err)
		return
	}
	all, err := s.client.candidates(ctx, f)
	if err == nil {
		all, err = daysOf(all, time.Now())
	}
	if err != nil {
		report.fail(err)
		return
	}
	newest := all[len(all)-1]
	last := s.state.Files[f.Name]
	if s.Force || !slices.Contains(taken.Days, newest.Rank) {
		last = record{}
	}
	if err := s.state.Files[f.Name].checkRank(f, newest); err != nil && !s.Force {
		report.fail(err)
		return
	}
	report.Status = Unchanged
	var listed []string
	for _, at := range append([]remote{newest}, all[:len(all)-1]...) {
		listed = append(listed, at.Rank)
		known, isNewest := record{}, at.Rank == newest.Rank
		switch since := s.Choice.since(); {
		case isNewest:
			known = last
		case since == "" || at.Rank < since || slices.Contains(taken.Days, at.Rank) && !s.Force:
			continue
		}
		if !d.day(ctx, s, f, report, at, known, isNewest) {
			break
		}
	}
	slices.Sort(report.Days)
	report.Gaps = append(report.Gaps, gaps(listed, s.Choice.since(), newest.Rank)...)
	slices.Sort(report.Gaps)
}

// daysOf returns the lists, one for each day. Where a day has several, the last counts.
func daysOf(all []remote, now time.Time) (list []remote, err error) {
	for _, at := range all {
		day, err := time.Parse(time.DateOnly, at.Rank)
		switch n := len(list); {
		case err != nil || day.After(now.AddDate(0, 0, 1)):
			return nil, fmt.Errorf("the catalogue has a list of the day %.50q", at.Rank)
		case n > 0 && list[n-1].Rank == at.Rank:
			list[n-1] = at
		default:
			list = append(list, at)
		}
	}
	return list, nil
}

// gaps returns the days between two that are not listed. Without a first one it returns nothing.
func gaps(listed []string, since, until string) (missing []string) {
	day, err := time.Parse(time.DateOnly, since)
	if err != nil {
		return nil
	}
	for ; day.Format(time.DateOnly) < until; day = day.AddDate(0, 0, 1) {
		if text := day.Format(time.DateOnly); !slices.Contains(listed, text) {
			missing = append(missing, text)
		}
	}
	return missing
}

// day brings one list into the archive, unless it is the known one. It reports whether others may be asked for.
func (d days) day(ctx context.Context, s *source, f *File, report *FileReport, at remote, known record,
	newest bool,
) bool {
	u, _ := parseAddress(at.URL) // it was checked
	report.URL = redacted(u)
	get := s.download(f, at, known)
	err := get.run(ctx)
	report.Bytes += get.received
	_, useless := errors.AsType[unusable](err)
	switch status, _ := errors.AsType[statusError](err); {
	case errors.Is(err, errUnchanged):
		return true
	case status.code == http.StatusNotFound:
		report.Gaps = append(report.Gaps, at.Rank)
		return true
	case err != nil:
		report.fail(fmt.Errorf("%s: %w", at.Rank, err))
		return useless || status.code == http.StatusForbidden || status.code == http.StatusGone // of this day alone
	case known.Good != (version{}) && get.got.is(known.Good):
		return true
	}
	defer os.RemoveAll(get.dir)
	taken, err := s.Days(ctx, d.market, DayFile{at.Rank, absolute(get.path)})
	if err == nil && taken.Refused != "" {
		report.fail(fmt.Errorf("%s: %s", at.Rank, taken.Refused))
		return true
	}
	if err != nil {
		report.fail(err)
		return false
	}
	report.Days = append(report.Days, at.Rank)
	s.report.Imports = append(s.report.Imports, taken.Files...)
	if newest {
		s.state.set(f.Name, record{Good: get.got})
	}
	if report.Status != Failed {
		report.Status = Fetched
	}
	return true
}
