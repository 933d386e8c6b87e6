package sketch

import (
	"encoding/json"
	"io"

	"relais/geo"
)

// A Base is the map without streets under the drawings: land, lakes and the borders of countries.
type Base struct {
	land, lakes []polygon
	borders     []ring
}

// A polygon is a closed ring and its holes, which turn the other way. Its box has the first.
type polygon struct {
	rings []ring
	box   geo.Box
}

// A ring is positions as longitude and latitude, in degrees. A border is one too, and not closed.
type ring [][2]float64

// ReadBase reads what basemap/build.mjs writes.
func ReadBase(r io.Reader) (*Base, error) {
	var file struct {
		Features []struct {
			Properties struct{ Kind string }
			Geometry   struct{ Coordinates json.RawMessage }
		}
	}
	if err := json.NewDecoder(r).Decode(&file); err != nil {
		return nil, err
	}
	b := &Base{}
	for _, f := range file.Features {
		var into *[]polygon
		var rings []ring
		switch f.Properties.Kind {
		case "land":
			into = &b.land
		case "lake":
			into = &b.lakes
		case "border":
		default:
			continue
		}
		if err := json.Unmarshal(f.Geometry.Coordinates, &rings); err != nil {
			return nil, err
		}
		if into == nil {
			b.borders = append(b.borders, rings...)
		} else if len(rings) > 0 {
			*into = append(*into, polygon{rings, boxOf(rings[0])})
		}
	}
	return b, nil
}

// boxOf returns the box of a ring.
func boxOf(r ring) geo.Box {
	b := geo.Box{South: 90, West: 180, North: -90, East: -180}
	for _, p := range r {
		b.West, b.East = min(b.West, p[0]), max(b.East, p[0])
		b.South, b.North = min(b.South, p[1]), max(b.North, p[1])
	}
	return b
}

// overlap reports whether two boxes have a point in common.
func overlap(a, b geo.Box) bool {
	return a.West <= b.East && b.West <= a.East && a.South <= b.North && b.South <= a.North
}

// clipped returns the part of a ring inside a box (Sutherland and Hodgman), nil for none.
func clipped(r ring, b geo.Box) ring {
	for _, side := range []struct {
		axis  int
		at    float64
		above bool
	}{{0, b.West, true}, {0, b.East, false}, {1, b.South, true}, {1, b.North, false}} {
		inside := func(p [2]float64) bool { return p[side.axis] == side.at || (p[side.axis] > side.at) == side.above }
		var kept ring
		for i, p := range r {
			before := r[(i+len(r)-1)%len(r)]
			if inside(p) != inside(before) {
				t := (side.at - before[side.axis]) / (p[side.axis] - before[side.axis])
				crossing := [2]float64{before[0] + t*(p[0]-before[0]), before[1] + t*(p[1]-before[1])}
				crossing[side.axis] = side.at
				kept = append(kept, crossing)
			}
			if inside(p) {
				kept = append(kept, p)
			}
		}
		if r = kept; len(r) == 0 {
			return nil
		}
	}
	return r
}
