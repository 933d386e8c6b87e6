package admin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"relais/geo"
	"relais/internal/folder"
	"relais/internal/system"
	"relais/market"
	"relais/snapshot"
	"relais/tiles/pmtiles"
)

// AreaBoxes returns boxes that together have the area of a pack. Where the table of the market has no box of an area,
// the sites of the folder's register say where it is.
func AreaBoxes(dir folder.Dir, spec PackSpec) (boxes []geo.Box, err error) {
	if spec.Disc != nil {
		return []geo.Box{spec.Disc.Box()}, nil
	}
	m := market.Get(spec.Market)
	wanted, all := spec.Areas, len(spec.Areas) == 0
	if all {
		wanted = m.AreaCodes()
	}
	var snap *snapshot.Snapshot
	for _, code := range wanted {
		i, ok := m.Area(code)
		switch {
		case !ok:
			return nil, fmt.Errorf("%s has no area %q", m.Code, code)
		case m.Areas[i].Box != nil:
			boxes = append(boxes, *m.Areas[i].Box)
			continue
		case all:
			return []geo.Box{m.Box}, nil
		case snap == nil:
			snap, err = snapshot.ReadFile(dir.Snapshot(string(m.Code)), m.Code)
			if errors.Is(err, fs.ErrNotExist) {
				return nil, fmt.Errorf("where %s is follows from its sites, and the folder has no register of %s: run "+
					"relais update --data %s %[2]s first, or name a disc (LAT,LON,KM)", code, m.Code, dir)
			}
			if err != nil {
				return nil, err
			}
		}
		if b, ok := extent(snap, i); ok {
			boxes = append(boxes, b)
		}
	}
	if all && len(boxes) == 0 { // the source names no areas
		return []geo.Box{m.Box}, nil
	}
	if len(boxes) == 0 {
		return nil, errors.New("the register of the folder has no site in the area")
	}
	return boxes, nil
}

// Around the sites of an area, streets go on for marginKm. One site in strayEvery at each side is left out, because
// registers have some whose coordinates are wrong: each would make the box as large as the country.
const (
	marginKm   = 10
	strayEvery = 500
)

// extent returns the box of the sites of an area.
func extent(snap *snapshot.Snapshot, area int) (b geo.Box, ok bool) {
	var lats, lngs []int32
	lat, lng := snap.Positions()
	for i := range snap.Len() {
		if snap.Area(i) == area {
			lats, lngs = append(lats, lat[i]), append(lngs, lng[i])
		}
	}
	if len(lats) == 0 {
		return b, false
	}
	slices.Sort(lats)
	slices.Sort(lngs)
	stray := len(lats) / strayEvery
	last := len(lats) - 1 - stray
	around := func(lat, lng int32) geo.Box {
		return geo.Disc{Center: geo.Point{Lat: geo.Degrees(lat), Lng: geo.Degrees(lng)}, Radius: marginKm * 1000}.Box()
	}
	low, high := around(lats[stray], lngs[stray]), around(lats[last], lngs[last])
	return geo.Box{South: low.South, West: low.West, North: high.North, East: high.East}, true
}

// A BasemapSource is an archive that streets are cut out of.
type BasemapSource struct {
	From    string // its address or path
	Version string // by which a later run knows that it is the same; "": it cannot know, and begins again
	pmtiles.Source
}

// A BasemapJob cuts an area out of an archive, into a folder.
type BasemapJob struct {
	Dir     folder.Dir
	Area    []geo.Box
	MaxZoom int
	// Planned, which may be nil, is told what will be read and how much of it an earlier run has left, and how much
	// room the disk has. It returns a function that is told of bytes that came, which may be nil.
	Planned func(p *pmtiles.Plan, done int64, free uint64) func(n int)
}

// Fetch makes basemap.pmtiles of a folder. What there is stays until the new file is complete. A run that ends before
// leaves what it has for the next one, which goes on if archive, area and zoom are the same. Errors: those of the source
// and the disk; that the disk has no room.
func (j *BasemapJob) Fetch(ctx context.Context, src BasemapSource) (*pmtiles.Plan, error) {
	plan, err := pmtiles.NewPlan(ctx, src, j.Area, j.MaxZoom)
	if err != nil {
		return nil, err
	}
	part := &basemapPart{path: j.Dir.Basemap() + partSuffix,
		state: partState{Format: partFormat, From: src.From, Version: src.Version, Area: j.Area, MaxZoom: j.MaxZoom,
			Read: plan.Read, Ranges: plan.Ranges, Layout: plan.Layout()}}
	if err := part.open(); err != nil {
		return nil, err
	}
	defer part.file.Close()
	free, _, err := system.Free(string(j.Dir))
	if err != nil {
		return nil, err
	}
	var advance func(int)
	if j.Planned != nil {
		advance = j.Planned(plan, part.state.Done, free)
	}
	need := plan.Size
	if done := part.state.Done; done > 0 {
		need = min(need, plan.Read-done) // what will be read is not less than what of it will be written
	}
	if err := roomFor(j.Dir, need+leastRoom, free, "a lower --max-zoom"); err != nil {
		return nil, errors.Join(err, part.discardEmpty())
	}
	if err := part.write(ctx, plan, src, advance); err != nil {
		return nil, err
	}
	return plan, part.publish(ctx, j.Dir.Basemap())
}

// roomFor returns an error if a disk has not so many bytes free. It names what to do instead.
func roomFor(dir folder.Dir, need int64, free uint64, instead string) error {
	if uint64(need) <= free {
		return nil
	}
	return fmt.Errorf("the disk of %s has %d MB free, and %d MB are needed: take a smaller area or %s, or free some space",
		dir, free>>20, need>>20, instead)
}

// UnfinishedBasemap returns where an earlier run was reading from, "" if all runs were finished.
func UnfinishedBasemap(dir folder.Dir) string {
	var s partState
	_ = folder.ReadJSON(dir.Basemap()+partSuffix+stateSuffix, &s) // the next run begins again
	return s.From
}

// streets cuts the area out of the file with streets.
func (p *packing) streets(ctx context.Context) error {
	if !p.spec.Basemap {
		return nil
	}
	f, err := os.Open(p.Dir.Basemap())
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("--basemap: the folder has no streets: relais basemap --data %s AREA fetches them", p.Dir)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	src, err := pmtiles.NewFile(f)
	if err != nil {
		return err
	}
	boxes, err := AreaBoxes(p.Dir, p.spec)
	if err != nil {
		return err
	}
	plan, err := pmtiles.NewPlan(ctx, src, boxes, pmtiles.MaxZoom)
	if err != nil {
		return fmt.Errorf("%s: %w", folder.BasemapName, err)
	}
	p.report.Streets = plan.Size
	return writeStreets(ctx, plan, src, p.to)
}

// writeStreets writes a new file in a folder.
func writeStreets(ctx context.Context, plan *pmtiles.Plan, src pmtiles.Source, to folder.Dir) error {
	if err := folder.MakeDir(string(to)); err != nil {
		return err
	}
	free, _, err := system.Free(string(to))
	if err != nil {
		return err
	}
	if err := roomFor(to, plan.Size, free, "no --basemap"); err != nil {
		return err
	}
	f, err := os.OpenFile(to.Basemap(), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	err = plan.Write(ctx, src, f, 0, func(int64) error { return nil })
	return errors.Join(err, f.Sync())
}

// streetsText describes a file with streets.
func streetsText(h *pmtiles.Header) string {
	return fmt.Sprintf("streets of %s up to zoom %d", Number(int(h.Tiles), "tile"), h.MaxZoom)
}

// ReadBasemap returns the header of the file with streets, and reads all its directories: basemap.pmtiles is damaged
// if there is an error. A missing file is fs.ErrNotExist.
func ReadBasemap(ctx context.Context, path string) (*pmtiles.Header, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	src, err := pmtiles.NewFile(f)
	if err != nil {
		return nil, err
	}
	h, err := pmtiles.Check(ctx, src)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	return h, nil
}
