package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"relais/demo"
	"relais/folder"
	"relais/index"
	"relais/ingest"
	"relais/ingest/source"
	"relais/market"
	"relais/snapshot"
)

type demoCommand struct {
	Data   string `default:"relais-demo" placeholder:"DIR" help:"The data folder (${default}); made when it is missing or empty."`
	Listen string `default:"127.0.0.1:8080" help:"Where to listen (${default})."`
	Log    string `enum:"text,json" default:"text" help:"Form of the log."`
}

// Help is shown below the flags.
func (*demoCommand) Help() string {
	return `Makes up about 20,000 sites, writes them as source files in the authority's formats, ingests them as usual and serves them. Everything it shows says that it is synthetic.

Examples:
  relais demo
  relais demo --data /tmp/demo --listen 127.0.0.1:9000`
}

// Validate refuses an empty name, which kong takes for a given one.
func (c *demoCommand) Validate() error { return dataFlag{c.Data}.Validate() }

// Run makes the country when there is none, and serves.
func (c *demoCommand) Run(ctx context.Context, streams Streams) error {
	dir := folder.Dir(c.Data)
	made, err := demoMade(dir)
	if err != nil {
		return err
	}
	if !made {
		if err := makeDemo(ctx, dir, streams); err != nil {
			return err
		}
	}
	s := serveCommand{dataFlag: dataFlag{c.Data}, Listen: c.Listen, Log: c.Log}
	return s.serve(ctx, streams, func(base string) { sayDemo(streams, dir, base) })
}

// demoMarkets are the markets of the demonstration.
var demoMarkets = []market.Code{market.FR, market.DROM}

// demoMade tells whether the folder has the whole demonstration, and refuses one
// that has something else. What an interrupted first run left is made again.
func demoMade(dir folder.Dir) (bool, error) {
	if unused, err := dir.Unused(); err != nil || unused {
		return false, err
	}
	made, old := 0, 0
	for _, code := range demoMarkets {
		switch s, err := snapshot.ReadFile(dir.Snapshot(string(code)), code); {
		case errors.Is(err, fs.ErrNotExist):
		case errors.Is(err, snapshot.ErrVersion) && demoSources(dir): // of an older relais
			old++
		case err != nil:
			return false, fmt.Errorf("%s is no demonstration (%w); name another folder", dir, err)
		case !s.Synthetic:
			return false, fmt.Errorf("%s holds real data: serve it with relais serve --data %s, or name another folder", dir, dir)
		default:
			made++
		}
	}
	if made+old == 0 {
		return false, fmt.Errorf("%s is neither empty nor a demonstration; name another folder", dir)
	}
	return made == len(demoMarkets), nil
}

// demoSources tells whether what is kept in the folder is a demonstration's, and
// nothing else.
func demoSources(dir folder.Dir) bool {
	synthetic, others := 0, 0
	err := filepath.WalkDir(dir.Sources(string(demoMarkets[0])), func(_ string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() || e.Name() == folder.ManifestName:
		case strings.HasPrefix(e.Name(), source.Synthetic):
			synthetic++
		default:
			others++
		}
		return nil
	})
	return err == nil && synthetic > 0 && others == 0
}

func makeDemo(ctx context.Context, dir folder.Dir, streams Streams) error {
	fmt.Fprintf(streams.Err, "Making a synthetic country of %d supports in %s …\n", demo.Supports, dir)
	tmp, err := os.MkdirTemp("", "relais-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	files, err := demo.Write(filepath.Join(tmp, "files"), demo.Supports)
	if err != nil {
		return err
	}
	r, err := ingest.Run(ctx, ingest.Options{Dir: dir, Markets: demoMarkets, Paths: files, Now: time.Now(), Progress: progress(streams.Err)})
	if err != nil {
		return err
	}
	for _, m := range r.Markets {
		fmt.Fprintf(streams.Err, "%s: %d synthetic sites, %d emissions\n", m.Market, m.Sites, m.Emissions)
	}
	return nil
}

// sayDemo prints lines to try.
func sayDemo(streams Streams, dir folder.Dir, base string) {
	id, key := "", ""
	if s, err := snapshot.ReadFile(dir.Snapshot(string(market.FR)), market.FR); err == nil && s.Len() > 0 {
		id, key = s.StationCode(0), index.Key(market.FR, s.ID(0))
	}
	api := base + "/external/v1"
	fmt.Fprintf(streams.Out, `Serving synthetic data (not a register) at %s. Try:

  curl '%s/antennas?north=48.87&south=48.85&east=2.36&west=2.33&limit=2'
  curl '%s/antennas?lat=45.76&lon=4.84&radiusKm=1&operator=ORANGE&generation=5G'
  curl '%s/antennas/search?q=saint-etienne&limit=2'
  curl '%s/antennas/%s'
  curl '%s/sites/%s'
  curl '%s/stats/departments?operator=FREE'
  curl --compressed -o france.geojson '%s/antennas/export?format=geojson'
  curl '%s/openapi.json'

Stop with Ctrl-C.
`, base, api, api, api, api, id, api, key, api, api, base)
}
