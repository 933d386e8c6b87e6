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

// Help is shown below the commands.
func (*speedtestCommand) Help() string {
	return `Speedtests come from files, and are answered by /speedtests and /speedtests/site.

Example:
  relais speedtest import --data DIR --market FR speedtests.csv`
}

type coverageCommand struct {
	Import coverageImport `cmd:"" help:"Import files of coverage points."`
}

// Help is shown below the commands.
func (*coverageCommand) Help() string {
	return `Coverage points come from files, and are answered by /coverage/points.

Example:
  relais coverage import --data DIR --market FR coverage.csv`
}

// importFlags is the flags of both imports.
type importFlags struct {
	dataFlag
	Market market.Code `required:"" placeholder:"MARKET" help:"The market that the files are of, such as FR."`
	Files  []string    `arg:"" name:"file" help:"Files, folders or zip archives; what each is, is found by its content."`
	JSON   bool        `name:"json" help:"Print the report as one JSON object."`
}

// Validate refuses an empty market, which kong takes for a given one.
func (f *importFlags) Validate() error {
	if f.Market == "" {
		return errors.New("--market: no market named")
	}
	return f.dataFlag.Validate()
}

// importHelp is part of the help of both imports.
const importHelp = `All files are imported or none. Rows that were imported before are counted as duplicates. A running
server answers with the new measurements at once. Who measured, with which device and from
which address is not kept.`

type speedtestImport struct{ importFlags }

// Help is shown below the flags.
func (*speedtestImport) Help() string {
	return importHelp + `

Takes CSV with the columns timestamp, lat, lng, download_mbps and, where known, average_mbps,
max_mbps, upload_mbps, ping_ms, mcc, mnc, operator, network_type, connection_type, device_type, enb,
gnb, cell_id, pci, rsrp, rsrq, snr; and ARCEP's measurements of 2022 to 2025.

Example:
  relais speedtest import --data DIR --market FR speedtests.csv`
}

// Run imports the files.
func (c *speedtestImport) Run(ctx context.Context, streams Streams) error {
	return c.run(ctx, streams, measure.Speedtest)
}

type coverageImport struct{ importFlags }

// Help is shown below the flags.
func (*coverageImport) Help() string {
	return importHelp + `

Takes CSV with the columns timestamp, lat, lng, technology and, where known, signal_strength,
network_type, mcc, mnc, operator, enb, gnb, cell_id, pci, rsrp, rsrq, snr; ARCEP's measurements;
OpenCelliD files; and logs of Tower Collector, G-MoN Pro, CellMapper, Network Survey, NeoStumbler and
NetMonster. Files may be compressed with gzip.

Example:
  relais coverage import --data DIR --market FR coverage.csv`
}

// Run imports the files.
func (c *coverageImport) Run(ctx context.Context, streams Streams) error {
	return c.run(ctx, streams, measure.Coverage)
}

func (f *importFlags) run(ctx context.Context, streams Streams, kind measure.Kind) error {
	command := admin.ImportMeasures{Market: f.Market, Kind: kind, Progress: progress(streams.Err, "reading")}
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
