package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"relais/admin"
	"relais/coverage"
	"relais/market"
)

type coverageMapCommand struct {
	Import coverageMapImport `cmd:"" help:"Import official coverage maps: GeoPackages, 7z archives with one, GeoJSON, GeoTIFF."`
}

type coverageMapImport struct {
	dataFlag
	Market market.Code `arg:"" placeholder:"MARKET" help:"The market that the maps are of, such as FR."`
	Files  []string    `arg:"" name:"file" help:"Files, and folders with them; what each is, is found by its content."`
	Cell   string      `default:"100m" placeholder:"METRES" help:"Side of a cell of the grids that areas are made to, 50m to 200m (${default}); each half is four times the size."`
	Force  bool        `help:"Take an edition that has less than half of the area of the one that is there."`
	JSON   bool        `name:"json" help:"Print the report as one JSON object."`
}

// metres returns the side of a cell.
func (c *coverageMapImport) metres() (int, error) {
	n, err := strconv.Atoi(strings.TrimSuffix(c.Cell, "m"))
	if err != nil || n < coverage.LeastMetres || n > coverage.MostMetres {
		return 0, fmt.Errorf("--cell %s: want %dm to %dm", c.Cell, coverage.LeastMetres, coverage.MostMetres)
	}
	return n, nil
}

// Validate refuses cells that are too small or too large.
func (c *coverageMapImport) Validate() error {
	_, err := c.metres()
	return errors.Join(err, c.dataFlag.Validate())
}

// Run imports the files. If some cannot be used, the others are imported, and it fails.
func (c *coverageMapImport) Run(ctx context.Context, streams Streams) error {
	metres, err := c.metres()
	if err != nil {
		return err
	}
	r, err := coverage.Import(ctx, coverage.Options{Dir: c.dir(), Market: c.Market, Paths: c.Files, Metres: metres, Force: c.Force,
		Now: time.Now(), Progress: progress(streams.Err, "reading")})
	if err != nil {
		return err
	}
	if c.JSON {
		if err := printJSON(streams.Out, r); err != nil {
			return err
		}
	} else if err := printMaps(streams.Out, r); err != nil {
		return err
	}
	return r.Failed()
}

// printMaps prints what was imported.
func printMaps(w io.Writer, r *coverage.Report) error {
	imported := 0
	for _, f := range r.Files {
		if f.Error != "" {
			if _, err := fmt.Fprintf(w, "%s: not imported: %s\n", filepath.Base(f.Path), f.Error); err != nil {
				return err
			}
		}
		for _, l := range f.Layers {
			imported++
			more := ""
			if l.Newest != "" {
				more = ", kept as the edition before " + l.Newest
			}
			if l.Synthetic {
				more += ", SYNTHETIC"
			}
			if _, err := fmt.Fprintf(w, "%s: %s, %s, %.0f km² covered, %s%s\n", filepath.Base(f.Path), layerTitle(&l.Info), l.Edition,
				l.Covered, megabytes(l.Bytes), more); err != nil {
				return err
			}
			if l.Note != "" {
				if _, err := fmt.Fprintf(w, "  %s\n", l.Note); err != nil {
					return err
				}
			}
		}
	}
	served := ""
	if imported > 0 {
		served = "; a server of the folder answers from them at once"
	}
	_, err := fmt.Fprintf(w, "%s imported in %.1f s%s\n", admin.Number(imported, "coverage map"), r.Seconds, served)
	return err
}

// layerTitle names a layer in words.
func layerTitle(l *coverage.Info) string {
	operator := l.Publisher.Authority
	if m := market.Get(l.Market); l.Operator != "" {
		if at, ok := m.Operator(l.Operator); ok {
			operator = m.Operators[at].Label
		}
	}
	return strings.Join(strings.Fields(strings.Join([]string{string(l.Market), l.Territory, operator, l.Technology, l.Service}, " ")), " ")
}
