package tiles

import (
	"math"

	"relais/measure"
)

// withMeasures is the zoom from which a tile has the layers coverage and speedtests.
const withMeasures = 6

// measureBits says how many squares of measurements a tile has: 2^measureBits columns and rows.
const measureBits = 5

// Keys of the layers of measurements. gen is the newest generation that was measured. Levels and
// speeds are medians; a square without a stated one has none. synthetic is 1 where measurements were
// made up for a demonstration.
const (
	measureN = iota
	measureGen
	measureSynthetic
	measureFirst  // RSRP in dBm, or download in Mbit/s
	measureSecond // upload in Mbit/s
)

var (
	coverageKeys  = []string{"n", "gen", "synthetic", "rsrp"}
	speedtestKeys = []string{"n", "gen", "synthetic", "down", "up"}
)

// Coverage returns the layer coverage, of the coverage points that a query selects. A feature is a
// square of the tile, and stands for those in it. Below zoom 6 the layer is empty.
func Coverage(s *measure.Store, q measure.Query, t Tile) ([]byte, error) {
	return measures(newLayer(CoverageLayer, coverageKeys...), s, measure.Coverage, q, t)
}

// Speedtests is Coverage for the layer speedtests.
func Speedtests(s *measure.Store, q measure.Query, t Tile) ([]byte, error) {
	return measures(newLayer(SpeedtestsLayer, speedtestKeys...), s, measure.Speedtest, q, t)
}

func measures(l *layer, s *measure.Store, kind measure.Kind, q measure.Query, t Tile) ([]byte, error) {
	if t.Z < withMeasures {
		return nil, nil
	}
	q.Box = new(t.Box())
	g := newGrid(t, measureBits)
	squares, err := s.Squares(kind, q, 1<<(2*measureBits), g.square)
	if err != nil {
		return nil, err
	}
	for k := range squares {
		if squares[k].Count > 0 {
			addSquare(l, &squares[k], uint32(k))
		}
	}
	return l.appendTo(nil), nil
}

// addSquare adds a square by its number in a grid, whose rows count from the south.
func addSquare(l *layer, s *measure.Square, at uint32) {
	l.number(measureN, uint64(s.Count))
	l.number(measureGen, uint64(s.Newest))
	if s.Synthetic {
		l.number(measureSynthetic, 1)
	}
	for key := measureFirst; key < len(l.keys); key++ {
		if v := s.Values[key-measureFirst]; v.Of > 0 {
			l.decimal(key, math.Round(v.Median*10)/10)
		}
	}
	const side, last = Extent >> measureBits, 1<<measureBits - 1
	l.square(int64(at&last*side), int64((last-at>>measureBits)*side), side)
}
