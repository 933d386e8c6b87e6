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
	// Force lets the list replace one of its day that has far more sites.
	Force bool `json:"force,omitempty"`
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
	var odd []string
	if err == nil {
		all, odd, err = daysOf(all, time.Now())
	}
	if err != nil {
		report.fail(err)
		return
	}
	if len(odd) > 0 {
		s.report.Notes = append(s.report.Notes, fmt.Sprintf("%s: %d of the files that the catalogue has are not of a day, and were "+
			"left out; the first is of %.50q", f.Name, len(odd), odd[0]))
	}
	newest := all[len(all)-1]
	last := s.state.Files[f.Name]
	if err := last.checkRank(f, newest); err != nil && !s.Force {
		report.fail(err)
		return
	}
	report.Status = Unchanged
	var listed []string
	for _, at := range all {
		listed = append(listed, at.Rank)
	}
	for _, at := range append([]remote{newest}, all[:len(all)-1]...) {
		isNewest, has, since := at.Rank == newest.Rank, slices.Contains(taken.Days, at.Rank), s.Choice.since()
		if !isNewest && (since == "" || at.Rank < since || has && !s.Force) {
			continue
		}
		known := s.state.Files[refusedDay(f, at)]
		if isNewest && has {
			known.Good = last.Good
		}
		if s.Force {
			known = record{}
		}
		if !d.day(ctx, s, f, report, at, known, isNewest) {
			break
		}
	}
	slices.Sort(report.Days)
	report.Gaps = append(report.Gaps, gaps(listed, s.Choice.since(), newest.Rank)...)
	slices.Sort(report.Gaps)
}

// refusedDay is the name in the state of a day whose list was refused.
func refusedDay(f *File, at remote) string { return f.Name + " " + at.Rank }

// daysOf returns the lists, one for each day, at least one. Where a day has several, the last counts. odd is what files
// have in the place of a day that has begun.
func daysOf(all []remote, now time.Time) (list []remote, odd []string, err error) {
	for _, at := range all {
		day, err := time.Parse(time.DateOnly, at.Rank)
		switch n := len(list); {
		case err != nil || day.After(now.AddDate(0, 0, 1)):
			odd = append(odd, at.Rank)
		case n > 0 && list[n-1].Rank == at.Rank:
			list[n-1] = at
		default:
			list = append(list, at)
		}
	}
	if len(list) == 0 {
		return nil, odd, fmt.Errorf("the catalogue has no list of a day: of %d files, the first is of %.50q", len(odd), odd[0])
	}
	return list, odd, nil
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
	defer os.RemoveAll(get.dir)
	seen := get.got
	report.Bytes += get.received
	_, useless := errors.AsType[unusable](err)
	switch status, _ := errors.AsType[statusError](err); {
	case err == nil && seen.is(known.Refused) && !newest:
		s.noteRefusal(f, at.Rank, known)
		return true
	case err == nil && seen.is(known.Refused):
		report.failPart(at.Rank, known.refusal())
		return true
	case err == nil && seen.is(known.Good):
		s.state.set(refusedDay(f, at), record{})
		return true
	case status.code == http.StatusNotFound:
		report.Gaps = append(report.Gaps, at.Rank)
		return true
	case useless:
		d.refuse(s, f, report, at, seen, err)
		return true
	case err != nil:
		report.failPart(at.Rank, err)
		return status.ofOne()
	}
	taken, err := s.Days(ctx, d.market, DayFile{at.Rank, absolute(get.path), s.Force})
	if err == nil && taken.Refused != "" {
		d.refuse(s, f, report, at, seen, errors.New(taken.Refused))
		return true
	}
	if err != nil {
		report.fail(err)
		return false
	}
	report.Days = append(report.Days, at.Rank)
	s.report.Imports = append(s.report.Imports, taken.Files...)
	s.state.set(refusedDay(f, at), record{})
	if newest {
		s.state.set(f.Name, record{Good: seen})
	}
	if report.Status != Failed {
		report.Status = Fetched
	}
	return true
}

// refuse remembers a list that cannot be used.
func (days) refuse(s *source, f *File, report *FileReport, at remote, v version, err error) {
	report.failPart(at.Rank, err)
	s.state.refuse(refusedDay(f, at), v, truncate(err.Error(), maxError))
}
