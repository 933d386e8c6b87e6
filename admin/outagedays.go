package admin

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"relais/ingest/source"
	"relais/market"
	"relais/outage"
	"relais/outage/history"
	"relais/site"
)

// AddOutageDays adds lists of the unavailable sites of all operators to the archive of days, each under its day. What
// is the newest is today's list too, if it is not too old. The answer is OutageDays. A list that cannot be used does
// not stop the others. The process with the stores open reads them, so the paths are absolute.
type AddOutageDays struct {
	Market market.Code `json:"market"`
	Files  []string    `json:"files"` // also folders, and zip archives; none: only say which days there are
	// Day is the day of the only file, YYYY-MM-DD; "": the days are in the files' names.
	Day string `json:"day,omitempty"`
	// Force lets a list replace one of its day that has far more sites.
	Force bool `json:"force,omitempty"`
}

// OutageDays is the answer of AddOutageDays.
type OutageDays struct {
	Days []OutageDay `json:"days"` // in the order of the files
	// Newest is the newest day of the archive, Read how many days it has, and Missing how many between its first and
	// its newest day it lacks.
	Newest  string `json:"newest"`
	Read    int    `json:"read"`
	Missing int    `json:"missing"`
	// Known are all days of the archive, if no file was given.
	Known []string `json:"known,omitempty"`
}

// An OutageDay is a list, and the result of adding it.
type OutageDay struct {
	File string `json:"file"`
	Day  string `json:"day"` // "" when it is not known
	history.Added
	Operators []string `json:"operators"` // that the list names: of others, the day is a gap
	// Current are the operators whose unavailable sites of today these are now.
	Current []string       `json:"current"`
	Report  *source.Report `json:"report,omitempty"`
	Refused string         `json:"refused,omitempty"` // why the list was not taken
}

// Refused returns how many lists were refused.
func (d *OutageDays) Refused() (n int) {
	for _, day := range d.Days {
		if day.Refused != "" {
			n++
		}
	}
	return n
}

func (c AddOutageDays) run(ctx context.Context, s *Stores) (any, error) {
	if len(c.Files) == 0 {
		answer := OutageDays{Days: []OutageDay{}}
		days, err := s.History.Days(ctx, c.Market)
		for _, day := range days {
			answer.Known = append(answer.Known, day.String())
		}
		if err != nil {
			return nil, err
		}
		return c.finish(ctx, s, answer, nil)
	}
	inputs, err := source.Expand(c.Files)
	switch {
	case err != nil:
		return nil, err
	case c.Day != "" && len(inputs) > 1:
		return nil, errors.New("a day belongs to one file")
	}
	// By month, so that a month is stored once, and with the newest day last.
	slices.SortStableFunc(inputs, func(a, b *source.Input) int { return cmp.Compare(dayOf(a.Name()), dayOf(b.Name())) })
	answer := OutageDays{Days: make([]OutageDay, len(inputs))}
	var month []history.DayList // that are read and not yet stored, of the days before i
	for i, in := range inputs {
		d, l, err := c.read(ctx, s, in)
		if err != nil {
			return nil, err
		}
		if answer.Days[i] = d; l == nil {
			continue
		}
		if len(month) > 0 && !sameMonth(month[0].Day, l.Day) {
			if _, err := c.store(s, month, answer.Days[:i]); err != nil {
				return nil, err
			}
			month = nil
		}
		month = append(month, *l)
	}
	if month, err = c.store(s, month, answer.Days); err != nil {
		return nil, err
	}
	return c.finish(ctx, s, answer, month)
}

func sameMonth(a, b site.Date) bool { return a.String()[:7] == b.String()[:7] }

// read reads one list, nil if the file cannot be used. An error is not about the file.
func (c AddOutageDays) read(ctx context.Context, s *Stores, in *source.Input) (d OutageDay, l *history.DayList, err error) {
	d = OutageDay{File: in.Name(), Operators: []string{}, Current: []string{}}
	day := cmp.Or(site.ParseDate([]byte(c.Day)), dayOf(in.Name()))
	if d.Day = day.String(); day == 0 {
		d.Refused = "its name has no day such as 2026-11-26: rename it, or give --day; an operator's own file needs --operator"
		return d, nil, nil
	}
	if day.Time().After(s.now().Add(24 * time.Hour)) {
		d.Refused = "its day is in the future"
		return d, nil, nil
	}
	list, err := outage.ReadList(ctx, c.Market, in)
	_, unread := errors.AsType[*fs.PathError](err)
	switch {
	case errors.Is(err, outage.ErrNoList), unread, ctx.Err() != nil:
		return d, nil, err
	case err != nil:
		d.Refused = err.Error()
		return d, nil, nil
	}
	d.Report, d.Operators = list.Report, list.Operators
	return d, &history.DayList{Day: day, Force: c.Force, List: list}, nil
}

// store stores the lists of a month, and notes the result in those of the days that have one. It returns the lists
// that were taken.
func (c AddOutageDays) store(s *Stores, month []history.DayList, days []OutageDay) (taken []history.DayList, err error) {
	if len(month) == 0 {
		return nil, nil
	}
	added, err := s.History.Add(month...)
	if err != nil {
		return nil, err
	}
	for i, a := range added {
		if a.Fewer == "" {
			taken = append(taken, month[i])
		}
	}
	for i := len(days) - 1; i >= 0 && len(added) > 0; i-- {
		if d := &days[i]; d.Refused == "" {
			d.Added, added = added[len(added)-1], added[:len(added)-1]
			d.Refused = d.Fewer
		}
	}
	return taken, nil
}

// finish makes the newest of the lists today's, if it is the newest of all.
func (c AddOutageDays) finish(ctx context.Context, s *Stores, answer OutageDays, month []history.DayList) (any, error) {
	o, err := s.History.Overview(ctx, c.Market)
	if err != nil {
		return nil, err
	}
	answer.Newest, answer.Read = o.Newest.String(), o.Read
	for _, gap := range o.Gaps {
		answer.Missing += int(gap.Last-gap.First) + 1
	}
	if len(month) == 0 || month[len(month)-1].Day != o.Newest {
		return answer, nil
	}
	taken, err := s.Outages.TakeList(o.Newest, month[len(month)-1].List)
	for i := range answer.Days {
		if d := &answer.Days[i]; d.Refused == "" && d.Day == answer.Newest {
			d.Current = append(d.Current, taken...)
		}
	}
	return answer, err
}

var dayInName = regexp.MustCompile(`20[0-9]{2}-[0-9]{2}-[0-9]{2}`)

// dayOf returns the last day in the last part of a file's name, 0 for none.
func dayOf(name string) site.Date {
	days := dayInName.FindAllString(path.Base(filepath.ToSlash(name)), -1)
	if len(days) == 0 {
		return 0
	}
	return site.ParseDate([]byte(days[len(days)-1]))
}
