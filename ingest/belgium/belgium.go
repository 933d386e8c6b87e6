// Package belgium reads the Belgian sources: the Flemish register of approved dossiers, the
// list of sites of the federal regulator BIPT and the permits of Brussels. Each is enough for
// BE; together, their entries are joined by place. The Flemish query service adds antennas to
// places, and makes none. Raw spellings of the files live here and nowhere else.
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
	Antennas  = "vlaanderen-antennas"
	Brussels  = "brussels-antennas"
)

// Bases are the kinds with places.
var Bases = []string{Register, BIPTSites, Brussels}

// Markets are the markets that Build makes.
var Markets = []market.Code{market.BE}

// Kinds lists the files that the package reads.
var Kinds = []*source.Kind{
	// The register is downloaded in parts, such as one for each operator.
	{Name: Register, Many: true, Items: &source.Items{List: "features",
		Names: []string{"geometry", "id", "goedkeuringsdatum", "sitecode", "locatiebeschrijving", "operatornaam",
			"dossiernummer"},
		Others:  []string{"referentie", "conformiteitsattest"},
		Columns: []table.Column{{Name: "geometry", Required: true}}, Properties: registerColumns}},
	{Name: BIPTSites, Items: &source.Items{
		Names:   []string{"Adres", "Locatie", "PostcodeGemeente", "Status", "Eigenaar1", "X", "Y", "ID"},
		Columns: biptColumns(), Others: biptOthers()}},
	// What update keeps of these services is one file: the answers to several queries, and a list with the pages of
	// its items.
	{Name: Antennas, Items: &source.Items{Path: "queries/*/results/bindings/[]", Names: []string{"antenne"}}},
	{Name: Brussels, Items: &source.Items{Path: "items/*", Names: []string{"meta", "permitantennas"}}},
}

// registerColumns are the properties of a dossier. The day of approval decides which of an
// operator's dossiers at a place is in force.
var registerColumns = []table.Column{
	{Name: "id", Required: true}, {Name: "operatornaam", Required: true},
	{Name: "goedkeuringsdatum", Required: true, Blank: true, Gives: snapshot.EmissionDates},
	{Name: "dossiernummer", Required: true, Blank: true, Gives: snapshot.StationCodes},
	{Name: "sitecode", Gives: snapshot.OperatorSiteIDs}, {Name: "locatiebeschrijving", Gives: snapshot.Communes},
}

// biptColumns returns the members of a row of BIPT's list. The status is required: without
// it, refused sites would be served. Owners have three columns each, which occur together.
func biptColumns() []table.Column {
	list := []table.Column{
		{Name: "ID", Required: true}, {Name: "Status", Required: true}, {Name: "X", Required: true},
		{Name: "Y", Required: true},
		{Name: "Longitude"}, {Name: "Latitude"}, {Name: "Adres", Gives: snapshot.Addresses},
		{Name: "Locatie", Gives: snapshot.Places},
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

// biptOthers returns the members of a row that nobody reads.
func biptOthers() []string {
	list := []string{"NrOps", "AA", "SiteType"}
	for i := range maxOwners {
		list = append(list, "BIPTRef"+strconv.Itoa(i+1))
	}
	return append(list, "Ref1")
}

// ownerColumn begins the names of owners' columns.
const ownerColumn = "Eigenaar"

// statuses are BIPT's, the only source with statuses: O is granted; A is neither granted nor
// refused, so it comes first.
var statuses = []string{"A", "O"}

const (
	noStatus = -1
	statusA  = 0
	statusO  = 1
)

// maxText bounds the texts of a row in bytes. Real texts are much shorter.
const maxText = 500

// country is the state while the files are read.
type country struct {
	market    *market.Market
	dossiers  []dossier
	dossierOf map[uint64]int // register id → index in dossiers
	sites     []biptSite
	siteOf    map[uint64]int // BIPT's ID → index in sites
	antennas  []antenna      // of the query service, in force
	brussels  []brusselsSite
	now       time.Time
	// Dates of the data in the format of answers: stated by the files, and by modification
	// times. "": unknown.
	stated, modified string
}

// An origin is the report and line of a row, to reject it later.
type origin struct {
	report *source.Report
	line   int
}

func (o origin) reject(reason string) { o.report.RejectAt(o.line, reason) }

// Build reads the files and returns the snapshot of Belgium, and a report on each file.
//
// A file gets the day in its name (2026-08-27 or 20260827) or that of its newest approval,
// whichever is later. Without either, as in BIPT's list, it gets the day of its last
// modification, which is a guess: copying may change it. The snapshot gets the newest
// stated day of the register and of BIPT, or else the newest of the others.
func Build(files []source.Found, markets []*market.Market, watch source.Watch) ([]*snapshot.Builder, []*source.Report,
	error) {
	c := &country{market: market.Get(market.BE), dossierOf: map[uint64]int{}, siteOf: map[uint64]int{}, now: time.Now()}
	var reports []*source.Report
	for i := range files {
		read := map[string]func(*source.Found, source.Watch) (*source.Report, error){Register: c.readRegister,
			BIPTSites: c.readBIPT, Antennas: c.readQueries, Brussels: c.readBrussels}[files[i].Kind.Name]
		report, err := read(&files[i], watch)
		if err != nil {
			return nil, nil, err
		}
		reports = append(reports, report)
	}
	places := c.places()
	c.join(places)
	for _, kind := range Kinds {
		if err := checkUsed(reports, kind.Name); err != nil {
			return nil, nil, err
		}
	}
	b := c.builder(files)
	for _, p := range places {
		s := c.site(p)
		if err := b.Add(&s); err != nil {
			return nil, nil, err
		}
	}
	for _, r := range reports {
		r.CountServed()
	}
	return []*snapshot.Builder{b}, reports, nil
}

// checkUsed returns an error for a source without a usable row: its sites would silently
// disappear.
func checkUsed(reports []*source.Report, kind string) error {
	var first *source.Report
	for _, r := range reports {
		if r.Kind != kind {
			continue
		}
		if r.CountServed(); r.Served > 0 {
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

// registers are the kinds of the market's registers, in the order of its table.
var registers = []string{Register, BIPTSites, Antennas, Brussels}

// fromRegister returns the bit of a kind in site.Site.Registers.
func fromRegister(kind string) uint8 { return 1 << slices.Index(registers, kind) }

func (c *country) builder(files []source.Found) *snapshot.Builder {
	known := []string{}
	if len(c.sites) > 0 {
		known = statuses
	}
	b := snapshot.NewBuilder(c.market, known)
	for i := range files {
		b.Synthetic = b.Synthetic || files[i].Synthetic()
	}
	for bit, kind := range registers {
		name := c.market.Registers()[bit].Source
		if b.Synthetic && c.market.NeedsPermission([]string{name}) {
			continue // what is made up needs nobody's permission
		}
		if slices.ContainsFunc(files, func(f source.Found) bool { return f.Kind.Name == kind }) {
			b.Registers = append(b.Registers, name)
		}
	}
	b.UpdatedAt = cmp.Or(c.stated, c.modified)
	b.SourceDate = b.UpdatedAt[:len(time.DateOnly)]
	return b
}

// seconds is the API's format of timestamps.
const seconds = "2006-01-02T15:04:05"

// dateFile dates a file; rows are the days of its approvals and newest is the newest one.
func (c *country) dateFile(f *source.Found, r *source.Report, rows *source.Days, newest approval) error {
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
	case r.Kind == Antennas || r.Kind == Brussels: // what everybody may see has the date that it has without them
		c.modified = max(c.modified, r.Date+"T00:00:00")
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
