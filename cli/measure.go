package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"relais/admin"
	"relais/market"
	"relais/measure"
)

type speedtestCommand struct {
	Import speedtestImport `cmd:"" help:"Import files of speedtests."`
}

type coverageCommand struct {
	Import coverageImport     `cmd:"" help:"Import files of coverage points."`
	Map    coverageMapCommand `cmd:"" help:"Official coverage maps."`
}

// importFlags is the flags of both imports.
type importFlags struct {
	dataFlag
	Market market.Code `required:"" placeholder:"MARKET" help:"The market that the files are of, such as FR."`
	Files  []string    `arg:"" name:"file" help:"Files, folders or zip archives; what each is, is found by its content."`
	Force  bool        `help:"Take a file with far fewer measurements than the campaign that is there."`
	JSON   bool        `name:"json" help:"Print the report as one JSON object."`
}

// Validate refuses an empty market, which kong takes for a given one.
func (f *importFlags) Validate() error {
	if f.Market == "" {
		return errors.New("--market: no market named")
	}
	return f.dataFlag.Validate()
}

type speedtestImport struct{ importFlags }

// Run imports the files.
func (c *speedtestImport) Run(ctx context.Context, streams Streams) error {
	return c.run(ctx, streams, measure.Speedtest)
}

type coverageImport struct{ importFlags }

// Run imports the files.
func (c *coverageImport) Run(ctx context.Context, streams Streams) error {
	return c.run(ctx, streams, measure.Coverage)
}

// run imports files of a kind. The paths are absolute, for a server with another working directory.
func (f *importFlags) run(ctx context.Context, streams Streams, kind measure.Kind) error {
	command := admin.ImportMeasures{Market: f.Market, Kind: kind, Force: f.Force, Progress: progress(streams.Err, "reading")}
	for _, name := range f.Files {
		path, err := filepath.Abs(name)
		if err != nil {
			return err
		}
		command.Paths = append(command.Paths, path)
	}
	defer collectOften()()
	r, err := admin.Import(ctx, f.dir(), command, streams.warnings())
	if err != nil {
		return err
	}
	if f.JSON {
		return printJSON(streams.Out, r)
	}
	if err := printImported(streams.Out, r.Files); err != nil {
		return err
	}
	what := map[measure.Kind]string{measure.Speedtest: "speedtest", measure.Coverage: "coverage point"}[kind]
	_, err = fmt.Fprintf(streams.Out, "%s has %s now\ndone in %.1f s\n", r.Market, admin.Number(r.Total, what),
		r.Seconds)
	return err
}
