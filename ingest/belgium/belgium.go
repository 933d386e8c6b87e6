// Package belgium reads the Belgian sources: the Flemish register of approved
// dossiers and the list of sites of the federal regulator BIPT. Either makes BE,
// together they meet in places. Raw spellings of the files live here and nowhere
// else.
package belgium

import (
	"fmt"
	"os"
	"time"

	"relais/ingest/source"
	"relais/market"
	"relais/snapshot"
)

// The names of the kinds, as reports and the kept sources call them.
const (
	Register  = "vlaanderen-zendantennes"
	BIPTSites = "bipt-sites"
)

// Markets are the markets that one reading makes.
var Markets = []market.Code{market.BE}

// Kinds lists what the package reads.
var Kinds = []*source.Kind{
	// The register is downloaded in parts, such as one for each operator.
	{Name: Register, Many: true, Items: &source.Items{List: "features",
		Names: []string{"geometry", "id", "goedkeuringsdatum", "sitecode", "locatiebeschrijving", "operatornaam", "dossiernummer"}}},
	{Name: BIPTSites, Items: &source.Items{
		Names: []string{"Adres", "Locatie", "PostcodeGemeente", "Status", "Eigenaar1", "X", "Y", "ID"}}},
}

// statuses are those of BIPT, the only source that has any: O is granted; A is
// what is neither that nor refused, and so comes before it.
var statuses = []string{"A", "O"}

const (
	noStatus = -1
	statusA  = 0
	statusO  = 1
)

// maxText bounds the texts that are kept of a row, in bytes: many times what the
// sources have.
const maxText = 500

// country is what is gathered while the files are read.
type country struct {
	market    *market.Market
	dossiers  []dossier
	dossierOf map[uint64]int // register id → position in dossiers
	sites     []biptSite
	siteOf    map[uint64]int // BIPT's ID → position in sites
	newest    approval       // of the register
}

// An origin is where a row was read, so that it can be rejected when others are
// known.
type origin struct {
	report *source.Report
	line   int
}

func (o origin) reject(reason string) { o.report.RejectAt(o.line, reason) }

// Build reads the files and returns the snapshot of Belgium, with an account of
// each file.
//
// The snapshot's date is the newest approval of the register. BIPT's list has no
// date: alone, it is of the day in its file's name (2026-08-27 or 20260827), else of
// the day on which the file was last modified.
func Build(files []source.Found, markets []*market.Market, watch source.Watch) ([]*snapshot.Builder, []*source.Report, error) {
	c := &country{market: market.Get(market.BE), dossierOf: map[uint64]int{}, siteOf: map[uint64]int{}}
	var reports []*source.Report
	for i := range files {
		read := c.readRegister
		if files[i].Kind.Name == BIPTSites {
			read = c.readBIPT
		}
		report, err := read(&files[i], watch)
		if err != nil {
			return nil, nil, err
		}
		reports = append(reports, report)
	}
	for _, kind := range Kinds {
		if err := used(reports, kind.Name); err != nil {
			return nil, nil, err
		}
	}
	b, err := c.builder(files)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range c.places() {
		s := c.site(p)
		if err := b.Add(&s); err != nil {
			return nil, nil, err
		}
	}
	for _, r := range reports {
		r.Settle()
	}
	return []*snapshot.Builder{b}, reports, nil
}

// used refuses a source of which no row can be used: its sites would silently be
// gone.
func used(reports []*source.Report, kind string) error {
	var first *source.Report
	for _, r := range reports {
		if r.Kind != kind {
			continue
		}
		if r.Settle(); r.Served > 0 {
			return nil
		}
		if first == nil {
			first = r
		}
	}
	if first == nil {
		return nil
	}
	return fmt.Errorf("%s:%d: %s; none of the %d rows is served", first.Path, first.Examples[0].Line, first.Examples[0].Reason, first.Rows)
}

func (c *country) builder(files []source.Found) (b *snapshot.Builder, err error) {
	known := []string{}
	if len(c.sites) > 0 {
		known = statuses
	}
	b = snapshot.NewBuilder(c.market, known)
	for i := range files {
		b.Synthetic = b.Synthetic || files[i].Synthetic()
	}
	if b.UpdatedAt = c.newest.text; b.UpdatedAt == "" {
		if b.UpdatedAt, err = newestFile(files); err != nil {
			return nil, err
		}
	}
	b.SourceDate = b.UpdatedAt[:len(time.DateOnly)]
	return b, nil
}

// newestFile returns the newest of the files' own dates as the API writes
// timestamps: of each the last day in its name, else when it was last modified.
func newestFile(files []source.Found) (newest string, err error) {
	for i := range files {
		f := &files[i]
		date := f.NameDate().String() + "T00:00:00"
		if f.NameDate() == 0 {
			info, err := os.Stat(f.Path)
			if err != nil {
				return "", fmt.Errorf("%s: neither its rows nor its name have a date: %w", f.Name(), err)
			}
			date = info.ModTime().UTC().Format("2006-01-02T15:04:05")
		}
		newest = max(newest, date)
	}
	return newest, nil
}
