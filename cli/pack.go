package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"relais/admin"
	"relais/admin/backup"
	"relais/geo"
	"relais/internal/folder"
	"relais/market"
)

type packCommand struct {
	dataFlag
	Area         string      `placeholder:"AREA" help:"Department, territory, region, province or market, such as 35, Bretagne, QC or CH."`
	Market       market.Code `placeholder:"MARKET" help:"The market of the area, where several have one of that name."`
	Disc         string      `placeholder:"LAT,LON,KM" help:"Instead: a disc, of all markets, such as 48.11,-1.68,30."`
	Dest         string      `arg:"" name:"dest" help:"The stick, or a folder: missing or empty."`
	Programs     string      `type:"path" placeholder:"DIR" help:"Where the programs of a release are, such as relais-windows-amd64.exe; default: this program alone."`
	Photos       bool        `negatable:"" default:"true" help:"Pack the photos of the sites (default; --no-photos leaves them out)."`
	Measurements bool        `negatable:"" default:"true" help:"Pack speedtests and coverage points (the default)."`
	Basemap      bool        `help:"Pack the streets of the area, which relais basemap has fetched into the folder."`
	Restricted   bool        `name:"with-restricted" help:"Also pack registers that need their publisher's permission, which you have."`
	JSON         bool        `name:"json" help:"Print one JSON object."`
}

// maxPackKm is the greatest radius of a disc.
const maxPackKm = 500

// Run makes the pack.
func (c *packCommand) Run(ctx context.Context, streams Streams) error {
	spec, name, err := c.spec()
	if err != nil {
		return usageError{err}
	}
	programs, err := c.programs()
	if err != nil {
		return usageError{err}
	}
	if err := c.checkDest(); err != nil {
		return err
	}
	log := streams.warnings()
	var report *admin.PackReport
	err = backup.Fill(c.Dest, func(dir string) error {
		fmt.Fprintf(streams.Err, "Collecting what the folder has of %s …\n", name)
		report, err = admin.Pack(ctx, c.dir(), spec, folder.Dir(filepath.Join(dir, "data")), log)
		if err != nil {
			return err
		}
		fmt.Fprintln(streams.Err, "Writing programs and texts …")
		if err := writePack(dir, name, report, programs); err != nil {
			return err
		}
		// Last: until then, Fill's mark says that the pack is unfinished.
		return errors.Join(ctx.Err(), backup.Unseal(dir))
	})
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(streams.Out, map[string]any{"data": c.Data, "pack": c.Dest, "programs": slices.Sorted(maps.Keys(programs)),
			"contents": report})
	}
	return c.print(streams, report, programs)
}

func (c *packCommand) print(streams Streams, r *admin.PackReport, programs map[string]string) error {
	fmt.Fprintf(streams.Out, "%s has %s\n", c.Dest, strings.Join(contents(r), ", "))
	for _, what := range r.LeftOut {
		fmt.Fprintf(streams.Out, "  left out: %s\n", visible(what, ""))
	}
	for _, name := range packPrograms {
		if programs[name] == "" {
			fmt.Fprintf(streams.Out, "  without %s: --programs takes it from a folder\n", name)
		}
	}
	_, err := fmt.Fprintf(streams.Out, "Show it with: %s open %q\n", program(), c.Dest)
	return err
}

// spec returns what to pack, and its name for people.
func (c *packCommand) spec() (spec admin.PackSpec, name string, err error) {
	spec = admin.PackSpec{Photos: c.Photos, Measures: c.Measurements, Basemap: c.Basemap, Restricted: c.Restricted, Program: version()}
	switch {
	case (c.Area == "") == (c.Disc == ""):
		return spec, "", errors.New("name an --area or a --disc, one of them")
	case c.Disc != "":
		if c.Market != "" {
			return spec, "", errors.New("--market is for --area: a disc is of all markets")
		}
		spec.Disc, err = parseDisc(c.Disc)
		return spec, "the disc " + c.Disc + " km", err
	}
	found, name, err := namedArea(c.Area, c.Market)
	spec.Market, spec.Areas = found.Market, found.Areas
	return spec, name, err
}

// namedArea returns the area that a text names in a market, or in the only one that has it if the market is "". The
// result has the market and the areas alone.
func namedArea(text string, code market.Code) (spec admin.PackSpec, name string, err error) {
	var matches []string // markets
	for _, m := range market.All {
		if code != "" && m.Code != code || !m.HasInventory() {
			continue
		}
		if areas, label, ok := packArea(m, text); ok {
			spec.Market, spec.Areas, name = m.Code, areas, label
			matches = append(matches, string(m.Code))
		}
	}
	switch {
	case len(matches) == 0:
		return spec, "", fmt.Errorf("the area %.60q: no market has it; want the code or name of a department, territory, "+
			"region or province, or the code of a market", text)
	case len(matches) > 1:
		return spec, "", fmt.Errorf("the area %.60q: %s have it; say which with --market", text, strings.Join(matches, ", "))
	}
	return spec, name, nil
}

// packArea returns the codes of the areas that a text names in a market, nil for all of it.
func packArea(m *market.Market, text string) (areas []string, label string, ok bool) {
	if strings.EqualFold(text, string(m.Code)) {
		return nil, m.Label, true
	}
	if i, ok := m.AreaNamed(text); ok {
		return []string{m.Areas[i].Code}, m.Areas[i].Label + " (" + m.Areas[i].Code + ")", true
	}
	if i, ok := m.RegionNamed(text); ok {
		return m.Regions[i].Codes, m.Regions[i].Label, true
	}
	return nil, "", false
}

// parseDisc reads LAT,LON,KM.
func parseDisc(text string) (*geo.Disc, error) {
	parts := strings.Split(text, ",")
	var v [3]float64
	ok := len(parts) == len(v)
	for i := 0; ok && i < len(v); i++ {
		var err error
		v[i], err = strconv.ParseFloat(strings.TrimSpace(parts[i]), 64)
		ok = err == nil
	}
	d := &geo.Disc{Center: geo.Point{Lat: v[0], Lng: v[1]}, Radius: v[2] * 1000}
	if !ok || !d.Center.Valid() || !(v[2] > 0 && v[2] <= maxPackKm) {
		return nil, fmt.Errorf("the disc %.60q: want LAT,LON,KM in degrees and kilometres, at most %d km", text, maxPackKm)
	}
	return d, nil
}

// checkDest fails unless the destination is missing or empty, and outside the data folder.
func (c *packCommand) checkDest() error {
	entries, err := os.ReadDir(c.Dest)
	switch {
	case errors.Is(err, os.ErrNotExist):
	case err != nil:
		return err
	case len(entries) > 0:
		return fmt.Errorf("%s is not empty: name another folder, or empty it", c.Dest)
	}
	dir, err1 := realPath(c.Data)
	dest, err2 := realPath(c.Dest)
	name, err3 := filepath.Rel(dir, dest)
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	if filepath.IsLocal(name) {
		return fmt.Errorf("%s is in the data folder: name one outside", c.Dest)
	}
	return nil
}

// realPath returns the absolute path without symbolic links. The end of the path may be missing.
func realPath(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(path)
	if above := filepath.Dir(path); errors.Is(err, os.ErrNotExist) && above != path { // the root is its own parent
		if real, err = realPath(above); err == nil {
			real = filepath.Join(real, filepath.Base(path))
		}
	}
	return real, err
}
