package admin

import (
	"context"

	"relais/ingest/source"
	"relais/ingest/update"
	"relais/market"
	"relais/outage/history"
	"relais/site"
)

// TakeOutageDays adds lists of the unavailable sites of all operators that an update fetched to the archive of days.
// The answer is an update.Taken with the days that the archive has.
type TakeOutageDays struct {
	Market market.Code      `json:"market"`
	Files  []update.DayFile `json:"files"`
}

func (c TakeOutageDays) run(ctx context.Context, s *Stores) (any, error) {
	return s.TakeOutageDays(ctx, c.Market, c.Files...)
}

// TakeOutageDays is the command of that name, for the process that has the stores open. It ends at a list that cannot
// be used.
func (s *Stores) TakeOutageDays(ctx context.Context, code market.Code, files ...update.DayFile) (t update.Taken, err error) {
	for _, f := range files {
		answer, err := AddOutageDays{Market: code, Files: []string{f.Path}, Day: f.Day}.run(ctx, s)
		if err != nil {
			return t, err
		}
		for _, d := range answer.(OutageDays).Days {
			if d.Refused != "" {
				t.Refused = d.Refused
				return t, nil
			}
			t.Files = append(t.Files, d.Report)
		}
	}
	o, err := s.History.Overview(ctx, code)
	if err == nil {
		t.Days = daysRead(o)
	}
	return t, err
}

// daysRead returns the days of an overview that were read.
func daysRead(o history.Overview) (days []string) {
	gaps := o.Gaps
	for day := o.First; day != 0 && day <= o.Newest; day++ {
		for len(gaps) > 0 && gaps[0].Last < day {
			gaps = gaps[1:]
		}
		if len(gaps) == 0 || day < gaps[0].First {
			days = append(days, site.Date(day).String())
		}
	}
	return days
}

var _ []*source.Report = update.Taken{}.Files
