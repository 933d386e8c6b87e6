package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"time"

	"relais/demo"
	"relais/folder"
	"relais/geo"
	"relais/ingest/source"
	"relais/market"
	"relais/measure"
	"relais/site"
)

// measuredDays is how many days the points are spread over, and pointsOfTest how many
// there are for each speedtest.
const measuredDays, pointsOfTest = 300, 10

func measuresDir(work string) string { return filepath.Join(work, "measures") }

// importMeasures imports about so many coverage points around so many supports, and a
// tenth of them speedtests.
func importMeasures(work string, supports, points int) (err error) {
	dir := measuresDir(work)
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	each := max(points/measuredDays, pointsOfTest)
	tests, coverage, err := demo.WriteMeasures(filepath.Join(dir, "files"), supports, nil, time.Now(), measuredDays, each/pointsOfTest, each)
	if err != nil {
		return err
	}
	s, err := measure.Open(folder.Dir(dir), false, time.Now)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	fmt.Printf("\n%-34s %12s %12s %14s %24s\n", "MEASURES, IMPORT", "rows", "seconds", "rows/s", "seconds of the processor")
	for _, path := range []string{tests, coverage} {
		var t times
		var reports []*source.Report
		if err := t.add(func() (err error) {
			reports, err = s.Import(context.Background(), market.FR, measure.Sniffed, nil, path)
			return err
		}); err != nil {
			return err
		}
		took, rows := t.clock[0].Seconds(), float64(reports[0].Rows)
		fmt.Printf("%-34s %12.0f %12.2f %14.0f %24.2f\n", reports[0].Kind, rows, took, rows/took, t.processor[0].Seconds())
	}
	return os.RemoveAll(filepath.Join(dir, "files"))
}

// askMeasures loads what was imported, as a server does when it starts, and asks.
func askMeasures(work string) error {
	before := rssMB(os.Getpid())
	start := time.Now()
	s, err := measure.Open(folder.Dir(measuresDir(work)), true, time.Now)
	if err != nil {
		return err
	}
	loading := time.Since(start)
	runtime.GC()
	debug.FreeOSMemory()
	resident := (rssMB(os.Getpid()) - before) * 1e6
	points, tests := s.Count(market.FR, measure.Coverage), s.Count(market.FR, measure.Speedtest)
	disk := int64(0)
	for _, g := range s.Segments() {
		disk += g.Bytes
	}
	fmt.Printf("\n%-34s %d coverage points, %d speedtests\n", "MEASURES", points, tests)
	fmt.Printf("%-34s %.1f MB, %.0f bytes a measure\n", "on disk", mb(disk), float64(disk)/float64(points+tests))
	fmt.Printf("%-34s %s\n", "load", ms(loading))
	fmt.Printf("%-34s %.1f MB, %.1f bytes a measure\n", "resident", resident/1e6, resident/float64(points+tests))
	return errors.Join(askCoverage(s, points), askTests(s))
}

// askCoverage asks for places with more points than an answer has.
func askCoverage(s *measure.Store, points int) error {
	million := min(1, 1e6/float64(points))
	box, share, err := shareBox(s, points, million)
	if err != nil {
		return err
	}
	few := func(q measure.Query) error {
		_, err := s.Coverage(q)
		return err
	}
	together := func(q measure.Query) error {
		_, err := s.Survey(measure.Coverage, q)
		return err
	}
	for _, row := range []struct {
		name string
		ask  func(measure.Query) error
		q    measure.Query
	}{
		{fmt.Sprintf("5000 of a box with %d", int(share*float64(points))), few, measure.Query{Box: &box}},
		{"the same, of 30 days", few, measure.Query{Box: &box, Since: ago(30)}},
		{"5000 of all", few, measure.Query{}},
		{"what those of the box say together", together, measure.Query{Box: &box}},
		{"the same, of 30 days", together, measure.Query{Box: &box, Since: ago(30)}},
	} {
		row.q.Market, row.q.Limit = market.FR, 5000
		var t times
		for range 30 {
			if err := t.add(func() error { return row.ask(row.q) }); err != nil {
				return err
			}
		}
		fmt.Printf("%-34s %s\n", row.name, &t)
	}
	return nil
}

// ago is so many days before now.
func ago(days int) time.Time { return time.Now().AddDate(0, 0, -days) }

// mostAnswered is the most points of an answer that is asked for here.
const mostAnswered = 100_000

// shareBox widens a box around Paris until it has a share of the points, which is told by
// those of the last days, as many as an answer has.
func shareBox(s *measure.Store, points int, want float64) (box geo.Box, share float64, err error) {
	days := 1 + mostAnswered*measuredDays*9/10/points
	count := func(box *geo.Box) float64 {
		list, e := s.Coverage(measure.Query{Market: market.FR, Box: box, Since: ago(days), Limit: mostAnswered})
		err = errors.Join(err, e)
		return float64(len(list))
	}
	all := count(nil)
	lo, hi := 0.0, 10.0 // degrees
	for range 30 {
		half := (lo + hi) / 2
		box = geo.Box{South: 48.8566 - half, North: 48.8566 + half, West: 2.3522 - half*1.5, East: 2.3522 + half*1.5}
		if share = count(&box) / max(1, all); share < want {
			lo = half
		} else {
			hi = half
		}
	}
	return box, share, err
}

// askTests asks for the speedtests of sites: of those that they name, and of those around.
func askTests(s *measure.Store) error {
	list, _, err := s.Speedtests(measure.Query{Market: market.FR, Limit: 10_000})
	if err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(1, 2))
	var named, near times
	for range 200 {
		t := &list[r.IntN(len(list))]
		q := measure.SiteQuery{Query: measure.Query{Market: market.FR, Limit: 20}}
		q.Radio = []site.RadioID{{Kind: site.ENB, Operator: -1, Value: uint64(t.Radio.ENB)}, {Kind: site.GNB, Operator: -1, Value: uint64(t.Radio.GNB)}}
		for i, took := range []*times{&named, &near} {
			if i > 0 {
				q.Radio, q.Center, q.Best = nil, &t.Position, true
			}
			if err := took.add(func() error {
				_, total, err := s.SpeedtestsOfSite(q)
				if err == nil && total == 0 {
					err = errors.New("no speedtests of a site that has some")
				}
				return err
			}); err != nil {
				return err
			}
		}
	}
	fmt.Printf("%-34s %s\n", "speedtests that name a site", &named)
	fmt.Printf("%-34s %s\n", "the best within 1 km of a site", &near)
	return nil
}
