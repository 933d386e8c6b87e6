package admin

import (
	"context"

	"relais/ingest/update"
	"relais/market"
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
		answer, err := AddOutageDays{Market: code, Files: []string{f.Path}, Day: f.Day, Force: f.Force}.run(ctx, s)
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
	days, err := s.History.Days(ctx, code)
	for _, day := range days {
		t.Days = append(t.Days, day.String())
	}
	return t, err
}
