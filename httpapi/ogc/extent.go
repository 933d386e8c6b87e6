package ogc

import (
	"math"
	"time"

	"relais/api"
	"relais/catalog"
	"relais/geo"
	"relais/market"
	"relais/measure"
)

type extent struct {
	Spatial  spatial   `json:"spatial"`
	Temporal *temporal `json:"temporal,omitempty"`
}

type spatial struct {
	BBox [][4]float64 `json:"bbox"`
	CRS  string       `json:"crs"`
}

// A temporal is the first and last moment of what has a time. It always has both: the official test suite cannot
// read an open end.
type temporal struct {
	Interval [][2]string `json:"interval"`
}

// newExtent returns where and when the features of a collection are.
func newExtent(r *api.Env, m *market.Market, k kind) extent {
	b := m.Box
	if k.inRegister {
		if loaded, _ := r.Register(m); loaded != nil && loaded.Len() > 0 {
			b, _ = loaded.Bounds()
		}
	}
	if k.reach > 0 {
		b = widened(b, k.reach)
	}
	e := extent{Spatial: spatial{[][4]float64{{b.West, b.South, b.East, b.North}}, crs84}}
	if k.times == nil || r.Usable(k.items.DependsOn...) != nil {
		return e
	}
	if t := k.times(r, m.Code); !t.first.IsZero() {
		e.Temporal = &temporal{[][2]string{{t.first.UTC().Format(time.RFC3339),
			t.last.UTC().Add(time.Second - 1).Format(time.RFC3339)}}}
	}
	return e
}

// widened returns a box with a margin of so many metres.
func widened(b geo.Box, metres float64) geo.Box {
	lat := max(math.Abs(b.South), math.Abs(b.North)) // where a metre is most degrees of longitude
	d := geo.Disc{Center: geo.Point{Lat: lat}, Radius: metres}.Box()
	return geo.Box{South: b.South - (d.North - lat), West: b.West + d.West, North: b.North + (d.North - lat), East: b.East + d.East}
}

// moments are the first and the last moment of something, both zero where it has no time.
type moments struct{ first, last time.Time }

func (m *moments) add(t time.Time) {
	if t.IsZero() {
		return
	}
	if m.first.IsZero() || t.Before(m.first) {
		m.first = t
	}
	if t.After(m.last) {
		m.last = t
	}
}

// timesOfOutages returns when the outages of a market began.
func timesOfOutages(r *api.Env, code market.Code) (m moments) {
	for _, o := range r.FindOutages(catalog.Outages{Market: market.Get(code), Limit: -1}).Items {
		m.add(o.Began())
	}
	return m
}

// timesOfMeasures returns the times of the measurements of a kind that are features.
func timesOfMeasures(kind measure.Kind) func(*api.Env, market.Code) moments {
	return func(r *api.Env, code market.Code) (m moments) {
		if r.Measures == nil {
			return m
		}
		oldest := r.Minute().Add(-measureDays * 24 * time.Hour)
		if m.first, m.last = r.Measures.Ages(code, kind, oldest); m.first.Before(oldest) && !m.first.IsZero() {
			m.first = oldest
		}
		for _, e := range r.MeasureEditions(market.Get(code), kind) {
			if e.Newest {
				m.add(e.First)
				m.add(e.Last)
			}
		}
		return m
	}
}

// timesOfChanges returns the days of the editions of a market that have changes: all but the first one.
func timesOfChanges(r *api.Env, code market.Code) (m moments) {
	editions, err := r.Editions(market.Get(code))
	if err != nil || len(editions) < 2 {
		return m
	}
	m.add(editions[1].Date.Time())
	m.add(editions[len(editions)-1].Date.Time().Add(24*time.Hour - time.Second))
	return m
}
