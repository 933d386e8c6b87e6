package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"relais/admin"
	"relais/ingest/update"
	"relais/market"
	"relais/tiles/pmtiles"
)

type basemapCommand struct {
	dataFlag
	Area    string      `arg:"" name:"area" help:"Department, territory, region, province or market, or a disc: 35, Bretagne, FR or 48.11,-1.68,30."`
	Market  market.Code `placeholder:"MARKET" help:"The market of the area, where several have one of that name."`
	From    string      `placeholder:"FILE|URL" help:"Cut from this PMTiles archive; default: the newest public build of the world."`
	MaxZoom int         `name:"max-zoom" default:"14" placeholder:"N" help:"The last zoom that is fetched (${default}); each one more makes the file about twice as large."`
	JSON    bool        `name:"json" help:"Print one JSON object."`
}

// Validate refuses zooms that no build has.
func (c *basemapCommand) Validate() error {
	if c.MaxZoom < 0 || c.MaxZoom > pmtiles.MaxZoom {
		return fmt.Errorf("--max-zoom %d: want 0 to %d", c.MaxZoom, pmtiles.MaxZoom)
	}
	return c.dataFlag.Validate()
}

// Run fetches the streets.
func (c *basemapCommand) Run(ctx context.Context, streams Streams) error {
	spec, name, err := c.spec()
	if err != nil {
		return usageError{err}
	}
	lock, err := c.dir().Lock("basemap", "relais basemap", time.Now())
	if err != nil {
		return err
	}
	defer lock.Unlock()
	boxes, err := admin.AreaBoxes(c.dir(), spec)
	if err != nil {
		return err
	}
	src, done, err := c.source(ctx, name, streams)
	if err != nil {
		return err
	}
	defer done()
	var kept int64
	job := admin.BasemapJob{Dir: c.dir(), Area: boxes, MaxZoom: c.MaxZoom,
		Planned: func(p *pmtiles.Plan, already int64, free uint64) func(int) {
			kept = already
			return c.planned(streams, p, already, free)
		}}
	plan, err := job.Fetch(ctx, src)
	if err != nil {
		return fmt.Errorf("%s: %w", src.From, err)
	}
	if c.JSON {
		return printJSON(streams.Out, map[string]any{"data": c.Data, "area": name, "from": src.From, "tiles": plan.Tiles,
			"maxZoom": plan.MaxZoom, "bytes": plan.Size, "read": plan.Read - kept, "ranges": plan.Ranges})
	}
	_, err = fmt.Fprintf(streams.Out, "%s has %s up to zoom %d, %s. A server of the folder shows them on its next page.\n"+
		"Streets: © OpenStreetMap contributors, ODbL\n",
		c.dir().Basemap(), admin.Number(int(plan.Tiles), "tile"), plan.MaxZoom, megabytes(plan.Size))
	return err
}

// spec returns the area, and its name for people.
func (c *basemapCommand) spec() (admin.PackSpec, string, error) {
	if !strings.Contains(c.Area, ",") {
		return namedArea(c.Area, c.Market)
	}
	disc, err := parseDisc(c.Area)
	return admin.PackSpec{Disc: disc}, "the disc " + c.Area + " km", err
}

// source opens the archive, and says who is told what. done closes it.
func (c *basemapCommand) source(ctx context.Context, area string, streams Streams) (s admin.BasemapSource, done func(), err error) {
	if c.From != "" && !strings.Contains(c.From, "://") {
		return fileSource(c.From)
	}
	s.From = c.From
	if s.From == "" {
		if s.From, err = update.NewestBuild(ctx, version(), admin.UnfinishedBasemap(c.dir())); err != nil {
			return s, nil, err
		}
	}
	fmt.Fprintf(streams.Err, "Asking %s for the parts of its map that have %s: it learns that you want this area.\n",
		visible(update.HostOf(s.From), ""), area)
	r, err := update.RangesOf(ctx, s.From, version(), func(err error, wait time.Duration) {
		retryLines(streams.Err)(update.HostOf(s.From), err, wait)
	})
	if err != nil {
		return s, nil, err
	}
	s.Source, s.Version = r, r.Version.String()
	return s, r.Close, nil
}

// fileSource opens an archive on disk.
func fileSource(path string) (s admin.BasemapSource, done func(), err error) {
	if s.From, err = filepath.Abs(path); err != nil {
		return s, nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return s, nil, err
	}
	src, err := pmtiles.NewFile(f)
	if err != nil {
		f.Close()
		return s, nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return s, nil, err
	}
	s.Source, s.Version = src, fmt.Sprint(info.Size(), info.ModTime().UnixNano())
	return s, func() { f.Close() }, nil
}

// planned says what will be read, and returns the function that moves the bar.
func (c *basemapCommand) planned(streams Streams, p *pmtiles.Plan, already int64, free uint64) func(int) {
	fmt.Fprintf(streams.Err, "%s up to zoom %d, %s: reading %s in %s. The disk of %s has %s free.\n",
		admin.Number(int(p.Tiles), "tile"), p.MaxZoom, megabytes(p.Size), megabytes(p.Read-already),
		admin.Number(p.Ranges, "part"), c.Data, megabytes(int64(free)))
	if already > 0 {
		fmt.Fprintf(streams.Err, "An earlier run has left %s of them.\n", megabytes(already))
	}
	if bar := progress(streams.Err, "streets"); bar != nil {
		return bar(p.Read)
	}
	return nil
}
