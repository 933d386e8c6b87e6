// Package belgium reads the Belgian sources: the Flemish register of approved
// dossiers and the list of sites of the federal regulator BIPT. Either makes BE,
// together they meet in places. Raw spellings of the files live here and nowhere
// else.
package belgium

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"relais/ingest/source"
	"relais/ingest/table"
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
		Names: []string{"geometry", "id", "goedkeuringsdatum", "sitecode", "locatiebeschrijving", "operatornaam",
			"dossiernummer"},
		Columns: []table.Column{{Name: "geometry", Required: true}}, Properties: registerColumns}},
	{Name: BIPTSites, Items: &source.Items{
		Names:   []string{"Adres", "Locatie", "PostcodeGemeente", "Status", "Eigenaar1", "X", "Y", "ID"},
		Columns: biptColumns()}},
}

// registerColumns are the properties of a dossier. Without the days of approval nobody
// knows which of an operator's dossiers at a place is in force.
var registerColumns = []table.Column{
	{Name: "id", Required: true}, {Name: "operatornaam", Required: true},
	{Name: "goedkeuringsdatum", Required: true, Blank: true}, {Name: "dossiernummer", Required: true, Blank: true},
	{Name: "sitecode", Gives: snapshot.OperatorSiteIDs}, {Name: "locatiebeschrijving", Gives: snapshot.Communes},
}

// biptColumns are the members of a row of BIPT's list. Without the status a site that was
// refused would pass for one that was granted. Owners have three columns each, which are
// there together.
func biptColumns() []table.Column {
	list := []table.Column{
		{Name: "ID", Required: true}, {Name: "Status", Required: true}, {Name: "X", Required: true},
		{Name: "Y", Required: true},
		{Name: "Longitude"}, {Name: "Latitude"}, {Name: "Adres"}, {Name: "Locatie"},
		{Name: "PostcodeGemeente", Gives: snapshot.Communes},
		{Name: ownerColumn + "1", Required: true, Gives: snapshot.OperatorSiteIDs},
	}
	for i := 2; i <= maxOwners; i++ {
		n := strconv.Itoa(i)
		list = append(list, table.Column{Name: ownerColumn + n, Required: true, Blank: true, With: "Ref" + n},
			table.Column{Name: "Ref" + n})
	}
	return list
}

// ownerColumn is what the names of the columns of owners begin with.
const ownerColumn = "Eigenaar"

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
	// When the data is from, as the API writes timestamps: what the files state, else
	// when they were last modified. "" when it is not known.
	stated, modified string
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
// A file is of the day in its name (2026-08-27 or 20260827) or of its newest approval,
// whichever is later; where nothing says it, as of BIPT's list, of the day on which
// the file was last modified. The last is no more than a guess, because it may be
// when somebody copied the file: the snapshot is of the newest of the days that are
// stated, and of a guessed one when none is.
func Build(files []source.Found, markets []*market.Market, watch source.Watch) ([]*snapshot.Builder, []*source.Report,
	error) {
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
	b := c.builder(files)
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
	return fmt.Errorf("%s:%d: %s; none of the %d rows is served", first.Path, first.Examples[0].Line,
		first.Examples[0].Reason, first.Rows)
}

func (c *country) builder(files []source.Found) *snapshot.Builder {
	known := []string{}
	if len(c.sites) > 0 {
		known = statuses
	}
	b := snapshot.NewBuilder(c.market, known)
	for i := range files {
		b.Synthetic = b.Synthetic || files[i].Synthetic()
	}
	for _, kind := range []struct{ name, register string }{{Register, c.market.Source},
		{BIPTSites, c.market.OtherRegisters[0].Source}} {
		if slices.ContainsFunc(files, func(f source.Found) bool { return f.Kind.Name == kind.name }) {
			b.Registers = append(b.Registers, kind.register)
		}
	}
	b.UpdatedAt = cmp.Or(c.stated, c.modified)
	b.SourceDate = b.UpdatedAt[:len(time.DateOnly)]
	return b
}

// seconds is how the API writes timestamps.
const seconds = "2006-01-02T15:04:05"

// date dates a file, of which rows are the approvals and newest is the newest one.
func (c *country) date(f *source.Found, r *source.Report, rows *source.Days, newest approval) error {
	r.DateBy(f.Input, rows)
	switch {
	case r.Date == "":
		at, err := f.ModTime()
		if err != nil {
			return fmt.Errorf("%s: neither its rows nor its name have a date: %w", f.Name(), err)
		}
		moment := at.Format(seconds)
		r.Date = moment[:len(time.DateOnly)]
		c.modified = max(c.modified, moment)
	case rows.Time().Format(time.DateOnly) == r.Date:
		c.stated = max(c.stated, newest.text)
	default:
		c.stated = max(c.stated, r.Date+"T00:00:00")
	}
	if n := rows.Future(); n > 0 {
		r.Warn(fmt.Sprintf("%d approvals are dated later than tomorrow and do not date the file", n))
	}
	return nil
}
