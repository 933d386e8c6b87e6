package coverage

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"

	"relais/data"
	"relais/geo"
	"relais/ingest/table"
)

// A land is the land of a country or an island: its spans of longitudes on lines of latitude.
type land struct {
	step  float64           // between lines, degrees
	lines map[int][]float64 // line → longitudes where land begins and ends, in turn
}

// lands has the land of countries and islands, and the departments, by name: a market's, or an area's code.
var lands = sync.OnceValue(func() map[string]*land {
	all := map[string]*land{}
	for _, name := range []string{"land.csv", "areas.csv"} {
		if err := readLands(name, all); err != nil {
			panic("coverage: " + err.Error()) // the file is in the program
		}
	}
	return all
})

func readLands(name string, all map[string]*land) error {
	rows, err := table.Embedded(data.Files, name, []table.Column{{Name: "frame"}, {Name: "lat"}, {Name: "spans"}})
	if err != nil {
		return err
	}
	last := map[string]float64{}
	for rows.Next() {
		var numbers []float64
		for i := 1; i <= 2; i++ {
			for text := range strings.FieldsSeq(string(rows.Field(i))) {
				x, err := strconv.ParseFloat(text, 64)
				if err != nil {
					return fmt.Errorf("%s:%d: %w", name, rows.Line(), err)
				}
				numbers = append(numbers, x)
			}
		}
		frame, lat := string(rows.Field(0)), numbers[0]
		l := all[frame]
		if l == nil {
			l = &land{lines: map[int][]float64{}, step: math.Inf(1)}
			all[frame] = l
		} else {
			l.step = min(l.step, math.Round((lat-last[frame])*1e4)/1e4)
		}
		last[frame], l.lines[key(lat)] = lat, numbers[1:]
	}
	return rows.Err()
}

// AreaBoxes returns the land of a department, or of a country or an island that has maps, as boxes that do not overlap,
// nil if where it ends is not known. Its border is a kilometre from the true one, on islands less.
func AreaBoxes(code string) []geo.Box {
	if l := lands()[code]; l != nil {
		return l.boxes()
	}
	return nil
}

// landsOf returns the lands of an outline.
func landsOf(outline string) (list []*land) {
	for name := range strings.FieldsSeq(outline) {
		if l := lands()[name]; l != nil {
			list = append(list, l)
		}
	}
	return list
}

// key is the key of a line of latitude.
func key(lat float64) int { return int(math.Round(lat * 1000)) }

// has reports whether a point is on the land, by the nearest line.
func (l *land) has(p geo.Point) bool {
	spans := l.lines[key(math.Round(p.Lat/l.step)*l.step)]
	for i := 0; i+1 < len(spans); i += 2 {
		if p.Lng >= spans[i] && p.Lng <= spans[i+1] {
			return true
		}
	}
	return false
}

// boxes lists the land as boxes, one for each span.
func (l *land) boxes() (list []geo.Box) {
	for at, spans := range l.lines {
		lat := float64(at) / 1000
		for i := 0; i+1 < len(spans); i += 2 {
			list = append(list, geo.Box{South: lat - l.step/2, West: spans[i], North: lat + l.step/2, East: spans[i+1]})
		}
	}
	return list
}
