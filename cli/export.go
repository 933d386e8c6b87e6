package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"relais/api"
	"relais/api/endpoint"
	"relais/api/view"
	"relais/catalog"
	"relais/index"
	"relais/internal/folder"
	"relais/internal/system"
	"relais/market"
	"relais/snapshot"
)

// exportCommand writes the answer of /antennas/export. It reads the snapshot alone: a running server may have
// the folder and its stores.
type exportCommand struct {
	dataFlag
	Market     market.Code `required:"" placeholder:"MARKET" help:"The market, such as FR."`
	Format     string      `required:"" enum:"json,geojson,csv,parquet,kmz" help:"json, geojson, csv, parquet or kmz."`
	Rows       string      `help:"csv and parquet: sites or emissions."`
	Properties string      `help:"geojson: short or full."`
	BOM        bool        `name:"bom" help:"csv: begin with a byte order mark, for Excel."`
	Sep        string      `help:"csv: comma, or semicolon for Excel in French."`
	Lang       string      `help:"kmz: en or fr."`
	exportFilters
	Output string `name:"output" short:"o" placeholder:"FILE" help:"The file to write, whole or not at all; default: standard output."`
	JSON   bool   `name:"json" help:"With -o: print one JSON object about the file."`
}

// exportFilters are the filters of the route that need no store, which a server may have open.
type exportFilters struct {
	Operator   string `help:"Operators, with commas."`
	Department string `help:"FR and DROM: a department."`
	Territory  string `help:"DROM: a territory."`
	Province   string `help:"CA: a province."`
	Generation string `help:"Generations of an emission, with commas."`
	Status     string `help:"Statuses of an emission, with commas."`
	Technology string `help:"Technologies of an emission, with commas, such as '5G NR 3500'."`
	Band       string `help:"Bands of an emission in MHz, with commas."`
	Together   bool   `help:"A site must have every value that is listed, on some emission."`
	Words      string `name:"q" help:"Words of identifiers, commune, postal code or address."`
	BBox       string `name:"bbox" placeholder:"W,S,E,N" help:"A box in degrees."`
	Lat        string `help:"Centre of a disc, latitude; with --lon and --radius-km."`
	Lon        string `help:"Centre of a disc, longitude."`
	RadiusKm   string `help:"Radius of the disc in kilometres, at most 50."`
}

// params returns the flags by the names of the route's parameters.
func (c *exportCommand) params() map[string]string {
	p := map[string]string{"market": string(c.Market), "format": c.Format, "rows": c.Rows, "properties": c.Properties,
		"sep": c.Sep, "lang": c.Lang, "operator": c.Operator, "department": c.Department, "territory": c.Territory,
		"province": c.Province, "generation": c.Generation, "status": c.Status, "technology": c.Technology, "band": c.Band,
		"q": c.Words, "bbox": c.BBox, "lat": c.Lat, "lon": c.Lon, "radiusKm": c.RadiusKm}
	for name, set := range map[string]bool{"bom": c.BOM, "together": c.Together} {
		if set {
			p[name] = strconv.FormatBool(set)
		}
	}
	return p
}

// Run writes the export.
func (c *exportCommand) Run(ctx context.Context, streams Streams) error {
	if c.JSON && c.Output == "" {
		return usageError{errors.New("--json is about the file of -o: give that too")}
	}
	answer, err := c.answer(ctx)
	if err != nil {
		return err
	}
	if c.Output == "" {
		_, err := writeAnswer(ctx, streams.Out, answer)
		return err
	}
	n, err := writeWhole(c.Output, func(w io.Writer) (int64, error) {
		if bar := progress(streams.Err, filepath.Base(c.Output)); bar != nil {
			add := bar(-1)
			w = io.MultiWriter(w, writerFunc(func(b []byte) (int, error) { add(len(b)); return len(b), nil }))
		}
		return writeAnswer(ctx, w, answer)
	})
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(streams.Out, map[string]any{"market": c.Market, "format": c.Format, "file": c.Output, "bytes": n})
	}
	fmt.Fprintf(streams.Err, "%s: %d bytes\n", visible(c.Output, ""), n)
	return nil
}

// answer asks the operation of the route.
func (c *exportCommand) answer(ctx context.Context) (*endpoint.Answer, error) {
	ops := api.Operations()
	op := ops[slices.IndexFunc(ops, func(op *endpoint.Op[*api.Env]) bool { return op.Name == "antennas.export" })]
	params := c.params()
	call, err := op.Bind(func(p *endpoint.Param) (string, error) { return params[p.Name], nil })
	if err != nil {
		return nil, usageError{err}
	}
	now := time.Now()
	loaded, err := loadRegister(c.dir(), c.Market, now) // after Bind: wrong flags are refused before seconds of loading
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s has no snapshot of %s: run relais ingest or relais update", c.dir(), c.Market)
	}
	if err != nil {
		return nil, err
	}
	result, err := call.Do(ctx, &api.Env{Catalog: catalog.Catalog{Set: index.NewSet([]*index.Market{loaded}, nil), Now: now}})
	if api.Invalid(err) {
		return nil, usageError{err}
	}
	if err != nil {
		return nil, err
	}
	return result.(*endpoint.Answer), nil
}

// loadRegister loads a market's snapshot. Errors: fs.ErrNotExist, and those of reading.
func loadRegister(dir folder.Dir, code market.Code, now time.Time) (*index.Market, error) {
	snap, err := snapshot.ReadFile(dir.Snapshot(string(code)), code)
	if err != nil {
		return nil, err
	}
	return index.Load(snap, view.Summaries, now)
}

// writeAnswer writes an answer to its end. It closes the object of JSON, to which the API would first add a last
// member. It returns the number of bytes, and fails once ctx ends.
func writeAnswer(ctx context.Context, w io.Writer, answer *endpoint.Answer) (n int64, err error) {
	counted := writerFunc(func(p []byte) (int, error) {
		written, err := w.Write(p)
		n += int64(written)
		return written, err
	})
	err = answer.Stoppable(ctx).Write(counted)
	if err == nil && !answer.Whole {
		_, err = io.WriteString(counted, "}\n")
	}
	return n, err
}

// writeWhole writes a file that has its name only once it is whole and on disk, so that no other program
// reads half an export. The name of the unfinished file has the process in it: two exports do not mix.
func writeWhole(path string, write func(io.Writer) (int64, error)) (n int64, err error) {
	f, err := os.OpenFile(fmt.Sprintf("%s.part-%d", path, os.Getpid()), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return 0, err
	}
	defer func() {
		if err != nil {
			f.Close()
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	if n, err = write(f); err != nil {
		return n, err
	}
	if err = errors.Join(f.Sync(), f.Close()); err != nil {
		return n, err
	}
	return n, system.Rename(f.Name(), path)
}

type writerFunc func(p []byte) (int, error)

// Write implements io.Writer.
func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
