package coverage

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"relais/geo"
	"relais/ingest/areas"
	"relais/internal/system"
)

// A draft is a layer that is being made.
type draft struct {
	Info
	*canvas
	cells filler
	areas int
}

var errNoProjection = errors.New("the file does not state its projection")

// readAreas reads a file of areas.
func (o *Options) readAreas(ctx context.Context, of *origin, path string) (list []*draft, err error) {
	temporary, err := os.MkdirTemp(o.Dir.Coverage(), scratch)
	if err != nil {
		return nil, err
	}
	defer system.RemoveAll(temporary) // the next import sweeps it otherwise
	f, err := areas.Open(ctx, path, temporary, maxUnpacked)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if of.epsg = f.EPSG; f.EPSG == 0 {
		return nil, errNoProjection
	}
	var kind *reading
	n := 0
	err = f.Features(func(a areas.Feature) error {
		if n++; ctx.Err() != nil {
			return ctx.Err()
		}
		attribute := func(name string) (string, bool) { return lookup(a.Attributes, name) }
		if kind == nil {
			if kind = kindOf(attribute); kind == nil {
				return fmt.Errorf("areas with the columns %s: no publisher of coverage maps has them", columns(a.Attributes))
			}
		}
		found, err := kind.feature(of, attribute)
		if err != nil {
			return fmt.Errorf("area %d: %w", n, err)
		}
		return o.draw(of, &list, &found, &a, n)
	})
	if err != nil {
		return nil, err
	}
	for _, d := range list {
		if d.strayed != nil {
			return nil, d.strayed
		}
	}
	if len(list) == 0 {
		return nil, errors.New("the file has no areas")
	}
	return list, nil
}

// wants returns an error if a layer is of another market.
func (o *Options) wants(info *Info) error {
	if o.Market != "" && info.Market != o.Market {
		return fmt.Errorf("the file is of the market %s, not of %s: import it with %[1]s", info.Market, o.Market)
	}
	return nil
}

// draw adds an area to its layers.
func (o *Options) draw(of *origin, list *[]*draft, found *feature, a *areas.Feature, n int) error {
	for i := range found.layers {
		info := &found.layers[i]
		if err := o.wants(info); err != nil {
			return err
		}
		at := slices.IndexFunc(*list, func(d *draft) bool { return d.Name() == info.Name() })
		if at < 0 {
			if err := info.frame(o.Metres); err != nil {
				return err
			}
			if need := int64(len(*list)+1) * int64(len(info.Words)+1) * int64(info.Cols) * int64(info.Rows) / 8; need > maxPlanes {
				return fmt.Errorf("area %d: the layers of the file need %d MB of memory: larger cells need less (--cell 200m)", n, need>>20)
			}
			c, err := newCanvas(info)
			if err != nil {
				return err
			}
			if of.epsg == inDegrees {
				c.degrees, _ = geo.ByEPSG(info.EPSG) // it was checked
			}
			at, *list = len(*list), append(*list, &draft{Info: *info, canvas: c, cells: c.cells})
		}
		d := (*list)[at]
		if !slices.Equal(d.Words, info.Words) {
			return fmt.Errorf("area %d: has a level, and others of the layer have none", n)
		}
		if d.areas++; len(*list) > maxLayers {
			return fmt.Errorf("area %d: more than %d layers in one file", n, maxLayers)
		}
		if err := a.Edges(d.add); err != nil {
			return fmt.Errorf("area %d: %w", n, err)
		}
		d.fill(d.planes[found.value-1])
	}
	return nil
}

// Bounds of one file: its layers, and the bytes of their cells.
const (
	maxLayers = 8
	maxPlanes = 512 << 20
)

// lookup finds an attribute whose name may be in any case.
func lookup(attributes map[string]string, name string) (string, bool) {
	if v, ok := attributes[name]; ok {
		return v, true
	}
	for k, v := range attributes {
		if strings.EqualFold(k, name) {
			return v, true
		}
	}
	return "", false
}

// kindOf returns what reads the areas with an attribute.
func kindOf(attribute func(string) (string, bool)) *reading {
	for i := range readings {
		if _, ok := attribute(readings[i].column); ok {
			return &readings[i]
		}
	}
	return nil
}

// columns lists the names of attributes.
func columns(attributes map[string]string) string {
	names := make([]string, 0, len(attributes))
	for k := range attributes {
		names = append(names, k)
	}
	slices.Sort(names)
	return strings.Join(names[:min(len(names), 12)], ", ")
}

// readGrid reads a grid.
func (o *Options) readGrid(of *origin, path string) ([]*draft, error) {
	r, err := areas.OpenRaster(path)
	if err != nil {
		return nil, err
	}
	if of.epsg = r.EPSG; r.EPSG == 0 {
		return nil, errNoProjection
	}
	info, err := bakomLayer(of)
	if err != nil {
		return nil, err
	}
	if err := o.wants(&info); err != nil {
		return nil, err
	}
	p, _ := geo.ByEPSG(info.EPSG) // it was checked
	info.Cell, info.Metres, info.Cols, info.Rows = r.Cell, int(math.Round(r.Cell)), r.Cols, r.Rows
	info.X0, info.Y0 = r.X0, r.Y0-float64(r.Rows)*r.Cell
	if err := info.checkGrid(); err != nil {
		return nil, err
	}
	if x0, y0, x1, y1 := p.Bounds(); info.X0 > x1 || info.Y0 > y1 || r.X0+float64(r.Cols)*r.Cell < x0 || r.Y0 < y0 {
		return nil, fmt.Errorf("the grid begins at %.0f, %.0f, which is not where EPSG:%d is used", r.X0, r.Y0, info.EPSG)
	}
	for row := range r.Rows {
		for col := range r.Cols {
			if v := r.At(col, row); int(v) > len(info.Words) && !(r.NoData != nil && float64(v) == *r.NoData) {
				return nil, fmt.Errorf("cell %d, %d has the value %d, want 0 to %d", col, row, v, len(info.Words))
			}
		}
	}
	return []*draft{{Info: info, areas: r.Rows * r.Cols, cells: each(r.Cols, r.Rows, func(col, row int) Value {
		v := r.At(col, r.Rows-1-row)
		if int(v) > len(info.Words) {
			v = 0 // no data
		}
		return Value(v)
	})}}, nil
}
