package tools

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"relais/api/endpoint"
	"relais/coverage"
	"relais/index"
	"relais/market"
	"relais/measure"
	"relais/site"
)

var marketsCompareCoverage = endpoint.New(endpoint.Decl{
	Name: "markets_compare_coverage", Title: "Markets side by side",
	Summary: "For each market, operator and generation: sites, coverage points, speedtests and the land that official coverage maps expect to be covered, with the dates of the data. Registers count differently (a site is a mast in FR, a licensee's place in CA, an operator's installation in CH): compare operators of one market rather than markets. Use anfr_get_stats for French departments.",
}, compareMarkets)

type compareParams struct {
	Markets string `param:"markets" max:"60" doc:"Markets with commas in between; default: all that are loaded." example:"FR,DROM"`
}

// codes returns the markets that are asked for, each once; nil for all.
func (p *compareParams) codes() (codes []market.Code, err error) {
	if p.Markets == "" {
		return nil, nil
	}
	for _, name := range strings.Split(p.Markets, ",") {
		var code market.Code
		if err := code.UnmarshalText([]byte(strings.TrimSpace(name))); err != nil {
			return nil, &endpoint.ParamError{Param: "markets", Value: p.Markets,
				Want: err.Error() + ", or several with commas in between"}
		}
		if !slices.Contains(codes, code) {
			codes = append(codes, code)
		}
	}
	return codes, nil
}

// Check holds the rules of the list.
func (p *compareParams) Check() error {
	_, err := p.codes()
	return err
}

// A Comparison is markets side by side.
type Comparison struct {
	Markets []ComparedMarket `json:"markets"`
	Notes   []string         `json:"notes"`
	Sourced
}

// A ComparedMarket is one of them.
type ComparedMarket struct {
	Market    market.Code        `json:"market"`
	Label     string             `json:"label"`
	Loaded    bool               `json:"loaded" doc:"Whether this server has the market's inventory."`
	Date      *string            `json:"registerDate" doc:"The register's own date, YYYY-MM-DD; null when it is not loaded."`
	Sites     *int               `json:"sites" doc:"null when the inventory is not loaded."`
	Points    MeasureCount       `json:"coveragePoints"`
	Tests     MeasureCount       `json:"speedtests"`
	Operators []ComparedOperator `json:"operators"`
	Others    *OtherNetworks     `json:"otherNetworks,omitempty" doc:"Measurements of networks that do not belong to an operator of the market, of all generations; absent when it would be 0."`
}

// A MeasureCount says how many measures of a kind there are, and of when.
type MeasureCount struct {
	Count  int     `json:"count"`
	Oldest *string `json:"oldest" doc:"Day of the oldest, YYYY-MM-DD, UTC; one of unknown age is as old as its import."`
	Newest *string `json:"newest" doc:"Day of the newest."`
}

// A ComparedOperator is an operator of a market.
type ComparedOperator struct {
	Operator    string               `json:"operator"`
	Sites       *int                 `json:"sites" doc:"With an emission of the operator, in any status."`
	Generations []ComparedGeneration `json:"generations"`
}

// OtherNetworks counts measurements of networks that do not belong to an operator of the market.
type OtherNetworks struct {
	Points int `json:"coveragePoints"`
	Tests  int `json:"speedtests"`
}

// A ComparedGeneration is a generation of an operator.
type ComparedGeneration struct {
	Generation string `json:"generation" doc:"2G to 5G; empty when it is not stated."`
	Sites      *int   `json:"sites" doc:"With an emission of it that is not only a project; in registers without statuses, with any."`
	Projects   *int   `json:"onlyProjects" doc:"With a project of it and nothing else; null in registers that state no projects."`
	Points     int    `json:"coveragePoints"`
	Tests      int    `json:"speedtests"`
	// Covered is nil without a map.
	Covered *int `json:"officiallyCoveredKm2" doc:"Land that the official coverage map of the operator expects to be covered outdoors, of all territories; null when this server has no such map."`
}

func compareMarkets(r *Reading, _ context.Context, p *compareParams) (*Comparison, error) {
	codes, err := p.codes()
	if err != nil {
		return nil, err
	}
	if codes == nil || r.Set == nil { // while nothing is loaded, Among fails for stated markets too
		registers, err := r.Among(nil)
		if err != nil {
			return nil, err
		}
		for _, m := range registers {
			codes = append(codes, m.Table.Code)
		}
	}
	store, err := r.MeasureStore()
	if err != nil {
		return nil, err
	}
	answer := &Comparison{Markets: []ComparedMarket{}, Notes: []string{}}
	for _, code := range codes {
		m := market.Get(code)
		loaded, _ := r.Register(m) // its measurements are counted without it
		maps, err := r.CoverageMaps(m, nil, nil)
		if err != nil {
			return nil, err
		}
		row := compareMarket(m, loaded, store, coveredLand(m, maps))
		row.Points, row.Tests = countMeasures(store, code, measure.Coverage), countMeasures(store, code,
			measure.Speedtest)
		answer.Markets = append(answer.Markets, row)
		answer.Sources = append(answer.Sources, sourceOf(m, loaded))
		if loaded == nil && m.HasInventory() {
			answer.Notes = append(answer.Notes,
				fmt.Sprintf("%s is not loaded on this server: that says nothing of its sites.", code))
		}
	}
	return answer, nil
}

// coveredLand adds up the land that maps expect to be covered, by operator and generation. A map of several generations
// is of none.
func coveredLand(m *market.Market, maps []*coverage.Layer) map[int]*[site.Generations]float64 {
	all := map[int]*[site.Generations]float64{}
	for _, l := range maps {
		var g site.Generation
		if at, ok := m.Operator(l.Operator); ok && g.UnmarshalText([]byte(l.Technology)) == nil {
			if all[at] == nil {
				all[at] = new([site.Generations]float64)
			}
			all[at][g] += l.CoveredKm2()
		}
	}
	return all
}

// countMeasures counts the measurements of a kind that a market has, and returns their ages.
func countMeasures(store *measure.Store, code market.Code, kind measure.Kind) MeasureCount {
	oldest, newest := store.Ages(code, kind, time.Time{})
	return MeasureCount{store.Count(code, kind), dayOf(oldest), dayOf(newest)}
}

// compareMarket counts by operator and generation. loaded may be nil: then only measurements and maps are counted.
func compareMarket(m *market.Market, loaded *index.Market, store *measure.Store,
	covered map[int]*[site.Generations]float64) ComparedMarket {
	row := ComparedMarket{Market: m.Code, Label: m.Label, Operators: []ComparedOperator{}}
	points, tests := store.Counts(m.Code, measure.Coverage), store.Counts(m.Code, measure.Speedtest)
	if loaded != nil {
		row.Loaded, row.Date, row.Sites = true, &loaded.Snap.SourceDate, new(loaded.Len())
	}
	_, err := projectStatus(m)
	hasProjects := err == nil // else 0 projects would look like a statement of the register
	for o, operator := range m.Operators {
		one := ComparedOperator{Operator: operator.Key, Generations: []ComparedGeneration{}}
		var extent index.Extent
		if loaded != nil {
			extent = loaded.Extent(o)
			one.Sites = &extent.Sites
		}
		for g, there := range extent.Generations {
			v := ComparedGeneration{Generation: site.Generation(g).String(), Points: points[o+1][g],
				Tests: tests[o+1][g]}
			if land := covered[o]; land != nil && land[g] > 0 {
				v.Covered = new(int(math.Round(land[g])))
			}
			if there.Sites+v.Points+v.Tests == 0 && v.Covered == nil {
				continue
			}
			if loaded != nil {
				v.Sites = new(there.Sites - there.Projects)
				if hasProjects {
					v.Projects = &there.Projects
				}
			}
			one.Generations = append(one.Generations, v)
		}
		row.Operators = append(row.Operators, one)
	}
	var others OtherNetworks
	for g := range points[0] {
		others.Points, others.Tests = others.Points+points[0][g], others.Tests+tests[0][g]
	}
	if others.Points+others.Tests > 0 {
		row.Others = &others
	}
	return row
}
