package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"relais/admin"
	"relais/community"
	"relais/demo"
	"relais/internal/folder"
	"relais/measure"
	"relais/snapshot"
)

// addSampleData adds archives, and outages and measurements of the last days, to the
// registers of a demonstration. On another day it adds those of that day. A folder that
// cannot be written to is left as it is.
func (c *demoCommand) addSampleData(ctx context.Context, streams Streams) (err error) {
	tmp, err := os.MkdirTemp("", "relais-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	// The stores are opened, filled and closed before the server opens them: only one process and one holder
	// may have them.
	stores, err := admin.Open(folder.Dir(c.Data), "relais demo", c.newLog(streams.Err))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stores.Close()) }()
	if err = addWeeks(ctx, stores, tmp); err == nil {
		err = addEditions(ctx, stores)
	}
	if err == nil {
		err = addDay(ctx, stores, tmp, time.Now())
	}
	if folder.ReadOnly(err) {
		fmt.Fprintf(streams.Err, "archives, outages and measurements stay as they are: %v\n", err)
		return nil
	}
	return err
}

// addWeeks adds the archives that are missing.
func addWeeks(ctx context.Context, stores *admin.Stores, tmp string) error {
	dates, _, err := stores.Archives.Dates()
	if err != nil {
		return err
	}
	missing := false
	for ago := range demo.Weeks {
		missing = missing || !slices.Contains(dates, demo.Week(ago))
	}
	if !missing {
		return nil
	}
	return demo.Publications(tmp, demo.Supports, demo.Weeks, func(path string) error {
		_, err := stores.AddArchives(ctx, admin.AddArchives{Paths: []string{path}, Known: true})
		return err
	})
}

// addEditions notes the registers whose editions are not archives, and invented editions of the week
// before. With one edition, changes, feeds and the pages of weeks would be empty.
func addEditions(ctx context.Context, stores *admin.Stores) error {
	for _, set := range demo.Sets[1:] { // the first one is France, whose editions are archives
		code := set.Markets[0]
		all, err := stores.Archives.Editions(code)
		if err != nil {
			return err
		}
		if len(all) > 1 {
			continue
		}
		newest, err := snapshot.ReadFile(stores.Dir.Snapshot(string(code)), code)
		if err != nil {
			return err
		}
		earlier, err := demo.Earlier(newest)
		if err != nil {
			return err
		}
		for _, snap := range []*snapshot.Snapshot{earlier, newest} {
			if _, err := stores.Archives.Note(ctx, snap); err != nil {
				return err
			}
		}
	}
	return nil
}

// addDay adds the outages and measurements of the days before now. It does not repeat
// those that the folder has.
func addDay(ctx context.Context, stores *admin.Stores, tmp string, now time.Time) error {
	day, err := demo.WriteDay(tmp, demo.Supports, now)
	if err != nil {
		return err
	}
	for _, f := range day.Feeds {
		if _, err := stores.Outages.Import(ctx, demo.DayMarket, f.Operator, f.Path); err != nil {
			return err
		}
	}
	for _, sample := range day.Reports {
		if err := addReport(stores.Community, &sample); err != nil {
			return err
		}
	}
	measures, err := stores.Measures()
	if err != nil {
		return err
	}
	_, err = measures.Import(ctx, demo.DayMarket, measure.Sniffed, nil, day.Speedtests, day.Coverage)
	return err
}

// addReport files a report and confirms it. The token names the report of one day, so that a demonstration
// that starts again on that day does not file or confirm it twice.
func addReport(s *community.Store, sample *demo.Report) error {
	const user = "demonstration"
	r, made, err := s.AddReport(community.NewReport{
		Market: demo.DayMarket, Operator: sample.Operator, At: sample.At, SiteKey: sample.SiteKey, SiteName: sample.SiteName,
		Address: sample.Address,
		Commune: sample.Commune, Reason: sample.Reason, Services: []string{"data", "voice"}, Technologies: []string{"4g"},
		User: user, Token: sample.Token,
	})
	for i := 0; made && i < sample.Confirmations && err == nil; i++ {
		_, err = s.Confirm(r.ID, fmt.Sprint(user, " ", i))
	}
	return err
}
