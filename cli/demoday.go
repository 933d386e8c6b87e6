package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"relais/admin"
	"relais/community"
	"relais/coverage"
	"relais/demo"
	"relais/internal/folder"
	"relais/internal/system"
	"relais/measure"
	"relais/photos"
	"relais/photos/render"
	"relais/snapshot"
)

// addSampleData adds archives, coverage maps and photos, and outages and measurements of the last days, to the
// registers of a demonstration. On another day it adds those of that day. A folder that
// cannot be written to is left as it is.
func (c *demoCommand) addSampleData(ctx context.Context, streams Streams) (err error) {
	tmp, err := os.MkdirTemp("", "relais-demo-")
	if err != nil {
		return err
	}
	defer system.RemoveAll(tmp)
	// The stores are opened, filled and closed before the server opens them: only one process and one holder
	// may have them.
	stores, err := admin.Open(folder.Dir(c.Data), "relais demo", c.newLog(streams.Err))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stores.Close()) }()
	france := sync.OnceValues(func() (*demo.France, error) { return demo.NewFrance(demo.Supports) })
	var work errgroup.Group
	work.Go(func() error { return addPhotos(ctx, stores.Photos, france) })
	work.Go(func() error { return addMaps(ctx, stores.Dir, france, filepath.Join(tmp, "maps")) })
	work.Go(func() error {
		if err := addWeeks(ctx, stores, france, tmp); err != nil {
			return err
		}
		if err := addEditions(ctx, stores); err != nil {
			return err
		}
		return addDay(ctx, stores, france, tmp, time.Now())
	})
	err = work.Wait()
	if folder.ReadOnly(err) {
		fmt.Fprintf(streams.Err, "archives, coverage maps, photos, outages and measurements stay as they are: %v\n", err)
		return nil
	}
	return err
}

// makeFrance makes the country at its first call, and returns it again at the others.
type makeFrance func() (*demo.France, error)

// addWeeks adds the archives that are missing.
func addWeeks(ctx context.Context, stores *admin.Stores, france makeFrance, tmp string) error {
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
	f, err := france()
	if err != nil {
		return err
	}
	return f.Publications(tmp, demo.Weeks, func(path string) error {
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

// addMaps adds the coverage maps, unless the folder has as many that can be read. Their cells have the largest size:
// those that were painted are far larger.
func addMaps(ctx context.Context, dir folder.Dir, france makeFrance, tmp string) error {
	there, err := coverage.Files(dir.Coverage())
	if err != nil {
		return err
	}
	there = slices.DeleteFunc(there, func(path string) bool {
		_, err := coverage.ReadInfo(path)
		return err != nil // of another version
	})
	if len(there) >= demo.Maps() {
		return nil
	}
	f, err := france()
	if err != nil {
		return err
	}
	if err := f.WriteMaps(tmp); err != nil {
		return err
	}
	r, err := coverage.Import(ctx, coverage.Options{Dir: dir, Paths: []string{tmp}, Metres: coverage.MostMetres, Now: time.Now()})
	if err != nil {
		return err
	}
	return r.Failed()
}

// addDay adds the outages and measurements of the days before now. It does not repeat
// those that the folder has.
func addDay(ctx context.Context, stores *admin.Stores, france makeFrance, tmp string, now time.Time) error {
	f, err := france()
	if err != nil {
		return err
	}
	day, err := f.WriteDay(tmp, now)
	if err != nil {
		return err
	}
	for _, f := range day.Feeds {
		if _, err := stores.Outages.Import(ctx, demo.DayMarket, f.Operator, f.Path); err != nil {
			return err
		}
	}
	days := filepath.Join(tmp, "days")
	if err := f.WriteDays(days, now); err != nil {
		return err
	}
	// After the operators' own files, which are newer: today's outages are theirs.
	if _, err := admin.NewCommands(stores).Do(ctx, admin.AddOutageDays{Market: demo.DayMarket, Files: []string{days}}); err != nil {
		return err
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
	_, err = measures.Import(ctx, demo.DayMarket, measure.Options{}, day.Speedtests, day.Coverage, day.Campaign)
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

// addPhotos adds the photos if the folder has none. Their images are made in this process: they are no
// strangers'.
func addPhotos(ctx context.Context, store *photos.Store, france makeFrance) error {
	if store.ReadOnly() {
		return photos.ErrReadOnly
	}
	if _, n, err := store.All(photos.Filter{}, 1, 0); err != nil || n > 0 {
		return err
	}
	f, err := france()
	if err != nil {
		return err
	}
	drawn := map[string]map[photos.Size][]byte{}
	for _, p := range f.Photos() {
		images := drawn[p.SVG]
		if images == nil {
			made, err := render.Renderer{}.Render(ctx, []byte(p.SVG))
			if err != nil {
				return err
			}
			images = map[photos.Size][]byte{photos.Main: made.Main.WebP, photos.Thumb: made.Thumbnail.WebP,
				photos.OG: made.OpenGraph.WebP}
			drawn[p.SVG] = images
		}
		if err := addPhoto(ctx, store, p, images); err != nil {
			return err
		}
	}
	return nil
}

func addPhoto(ctx context.Context, store *photos.Store, p demo.Photo, images map[photos.Size][]byte) error {
	const client, name = "demonstration", "Demonstration"
	added, err := store.Add(ctx, photos.New{SiteKey: p.SiteKey, ENB: p.ENB, Operator: p.Operator, Caption: p.Caption,
		ClientID: client, AuthorName: name, Images: images, Held: p.Held})
	if err != nil || p.Report == "" {
		return err
	}
	text := "SYNTHETIC: nobody reported this"
	_, err = store.Report(photos.NewReport{PhotoID: added.ID, ClientID: client, ClientName: name,
		Reason: photos.Reason(p.Report), Description: &text})
	return err
}
