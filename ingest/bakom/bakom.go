// Package bakom reads the Swiss regulator's national file of mobile antenna sites
// (BAKOM/OFCOM, standorte-mobilfunkanlagen_2056.json). One feature of the file is
// one operator's installation, and one site. Raw spellings of the file live here and
// nowhere else.
package bakom

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"relais/geo"
	"relais/ingest/source"
	"relais/ingest/table"
	"relais/market"
	"relais/site"
	"relais/snapshot"
)

// Markets are the markets that Build makes.
var Markets = []market.Code{market.CH}

// The names of the kinds, as reports and the kept sources call them.
const (
	kindSites         = "bakom-standorte"
	kindPerTechnology = "bakom-mobil-antennenstandorte"
)

// Bases are the kinds that Build needs to see. It refuses the second one.
var Bases = []string{kindSites, kindPerTechnology}

// Kinds lists the table that the package reads, and the two forms of the publication until
// 2024, which it refuses.
var Kinds = []*source.Kind{
	{Name: kindSites, Items: &source.Items{List: "features",
		Names:   []string{"station", "koord", "typ_en", "techno_en", "bewilligung_en"},
		Columns: []table.Column{{Name: "geometry", Required: true}}, Properties: properties,
		Others: append(inLanguages("typ", "power", "adaptiv", "agw")[1:], "koord")}},
	{Name: kindPerTechnology, Many: true, Items: &source.Items{List: "features", Names: perTechnology}},
	{Name: kindPerTechnology, Many: true, Items: &source.Items{Names: perTechnology}},
}

// properties are the properties of a feature that are read. Where the languages agree, any
// one is enough. Classes are published in English.
var properties = []table.Column{
	{Name: "station", Required: true, Gives: snapshot.OperatorSiteIDs},
	{Name: "typ_en", Required: true, Blank: true, Gives: snapshot.Statuses},
	{Name: "techno_en", Aliases: []string{"techno_de", "techno_fr", "techno_it"}, Required: true, Blank: true,
		Gives: snapshot.Generations},
	{Name: "bewilligung_en", Aliases: []string{"bewilligung_de", "bewilligung_fr", "bewilligung_it"}},
}

// inLanguages returns properties that there are in four languages, the first of them in English first.
func inLanguages(names ...string) (list []string) {
	for _, name := range names {
		for _, language := range []string{"_en", "_de", "_fr", "_it"} {
			list = append(list, name+language)
		}
	}
	return list
}

var perTechnology = []string{"lang", "description", "powercode_de"}

// projection is the crs that the coordinates are in: LV95.
const projection = "2056"

// Build reads the file and returns the snapshot of the market, and a report on the file.
//
// The file does not state a date. It gets the day in its name or that of its newest data
// sheet, whichever is later; it may be newer, but never older. The modification time does
// not count, because copying may change it. Errors: a file of the earlier publication, in
// another projection, without a usable row, or without a date.
func Build(files []source.Found, markets []*market.Market, watch source.Watch) ([]*snapshot.Builder, []*source.Report,
	error) {
	for _, f := range files {
		if f.Kind.Name == kindPerTechnology {
			return nil, nil, fmt.Errorf(
				"%s:1: one of the files by technology that ended in 2024, which name no operator: give "+
					"standorte-mobilfunkanlagen_2056.json (collection ch.bakom.standorte-mobilfunkanlagen of "+
					"data.geo.admin.ch) instead", f.Name())
		}
	}
	r := &register{market: markets[0], classes: map[string]bool{}, unknown: source.Spellings{},
		unknownTechnologies: source.Spellings{},
		sheets:              source.NewDays(time.Now())}
	report, err := r.read(&files[0], watch)
	if err != nil {
		return nil, nil, err
	}
	b, err := r.assemble(&files[0], report)
	if err != nil {
		return nil, nil, err
	}
	report.CountServed()
	return []*snapshot.Builder{b}, []*source.Report{report}, nil
}

// A register is the state while the file is read.
type register struct {
	market              *market.Market
	stations            []station
	classes             map[string]bool // the installation classes that occur
	unknown             source.Spellings
	unknownTechnologies source.Spellings // technologies without a generation
	sheets              *source.Days
}

func (r *register) read(f *source.Found, watch source.Watch) (*source.Report, error) {
	in, err := f.ReadItems(watch)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if err := checkProjection(in.Before()); err != nil {
		return nil, fmt.Errorf("%s:1: %w", f.Name(), err)
	}
	for row := new(feature); in.NextRow(row); {
		if reason := r.row(row, in); reason != "" {
			in.Reject(reason)
		}
		if len(r.classes) > maxClasses {
			return nil, fmt.Errorf("%s:%d: over %d installation classes (typ_en): the file is not what it was",
				f.Name(), in.Line(), maxClasses)
		}
	}
	report, err := in.Done()
	if err != nil {
		return nil, err
	}
	report.Unknown = r.unknown.Top()
	for _, s := range r.unknownTechnologies.Top() {
		report.Warn(fmt.Sprintf("technology %q of %d rows is unknown and was left out", s.Name, s.Rows))
	}
	if n := r.sheets.Future(); n > 0 {
		report.Warn(fmt.Sprintf("%d data sheets are dated later than tomorrow and count as undated", n))
	}
	report.DateBy(f.Input, r.sheets)
	return report, nil
}

// checkProjection checks the crs before the list. A file without one is accepted: no other
// coordinates of Switzerland look like LV95.
func checkProjection(before []byte) error {
	var head struct {
		CRS *struct{ Properties struct{ Name string } } `json:"crs"`
	}
	if err := json.Unmarshal(before, &head); err != nil {
		return fmt.Errorf("the members before the features: %w", err)
	}
	if head.CRS == nil {
		return nil
	}
	if name := head.CRS.Properties.Name; name[strings.LastIndexByte(name, ':')+1:] != projection {
		return fmt.Errorf("crs %.40q, not EPSG:%s (LV95): give the file whose name ends in _%s.json", name, projection,
			projection)
	}
	return nil
}

// assemble makes the sites. Of stations with the same id it keeps the best, in any order of
// the rows.
func (r *register) assemble(f *source.Found, report *source.Report) (*snapshot.Builder, error) {
	if len(r.stations) == 0 {
		first := report.Examples[0] // the list has a row, which was rejected
		return nil, fmt.Errorf("%s:%d: %s; none of the %d rows is served", report.Path, first.Line, first.Reason,
			report.Rows)
	}
	if report.Date == "" {
		return nil, fmt.Errorf(
			"%s:1: neither the file's name nor a data sheet says the data's date; name the file like "+
				"standorte-mobilfunkanlagen_2056_2026-08-14.json", report.Path)
	}
	statuses := r.statuses()
	b := snapshot.NewBuilder(r.market, statuses)
	b.SourceDate, b.UpdatedAt, b.Synthetic = report.Date, report.Date+"T00:00:00", f.Synthetic()
	slices.SortFunc(r.stations, func(x, y station) int { return cmp.Or(cmp.Compare(x.id, y.id), x.compare(&y)) })
	var s site.Site
	var best *station // of its id
	for i := range r.stations {
		t := &r.stations[i]
		if best != nil && t.id == best.id {
			report.RejectAt(t.line, t.rejectReason(best))
			continue
		}
		best = t
		t.fill(&s, slices.Index(statuses, t.class))
		if err := b.Add(&s); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// classOrder lists the installation classes by coverage, from least to most. Unknown classes
// come before all of them.
var classOrder = []string{"Temporary station", "Indoor ≤ 6 Werp", "Tunnel", "Outdoor ≤ 6 Werp", "Outdoor > 6 Werp"}

// maxClasses bounds the list of classes. The real list has five.
const maxClasses = 32

// statuses lists the classes in the file, from least to most advanced.
func (r *register) statuses() []string {
	list := []string{}
	for class := range r.classes {
		list = append(list, class)
	}
	slices.SortFunc(list, func(a, b string) int {
		return cmp.Or(cmp.Compare(slices.Index(classOrder, a), slices.Index(classOrder, b)), strings.Compare(a, b))
	})
	return list
}

// LV95 coordinates of the country and its borders, metres.
const (
	west, east   = 2.4e6, 2.9e6
	south, north = 1.0e6, 1.4e6
)

// findPosition returns the position of the feature, or the reason for rejecting it.
func (r *register) findPosition(f *feature) (geo.Point, string) {
	var at []float64
	switch g := f.Geometry; {
	case g == nil:
		return geo.Point{}, "no position"
	case g.Type != "Point":
		return geo.Point{}, "geometry is not a point"
	case json.Unmarshal(g.Coordinates, &at) != nil || len(at) < 2:
		return geo.Point{}, "no position"
	}
	e, n := at[0], at[1]
	switch {
	case e == 0 && n == 0:
		return geo.Point{}, "position 0, 0"
	case max(e, n) <= 180 && min(e, n) >= -180:
		return geo.Point{}, "position in degrees"
	case n >= west && n <= east && e >= south && e <= north:
		return geo.Point{}, "east and north swapped"
	case e < west || e > east || n < south || n > north: // outside the range of the projection
		return geo.Point{}, "position outside the market"
	}
	p := geo.FromLV95(e, n)
	if !r.market.Holds(-1, p) {
		return geo.Point{}, "position outside the market"
	}
	return p, ""
}
