package admin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"relais/coverage"
	"relais/geo"
	"relais/internal/folder"
	"relais/internal/system"
)

// coverageMaps reads all of the official coverage maps.
func (r *CheckReport) coverageMaps() {
	paths, err := coverage.Files(r.dir.Coverage())
	if err != nil {
		r.note("%s: %v", folder.CoverageName, err)
	}
	for _, path := range paths {
		f := File{Path: r.below(path), Bytes: size(path), Kind: "coverage map"}
		if info, err := coverage.Verify(path); err != nil {
			f.Problem = err.Error()
		} else {
			f.Detail = fmt.Sprintf("%s of %s, %.0f km²", info.Name(), info.Publisher.Authority, info.CoveredKm2())
		}
		r.Files = append(r.Files, f)
	}
}

// coverageMaps looks at the official coverage maps, which are not needed.
func (d *doctor) coverageMaps() {
	paths, err := coverage.Files(d.dir.Coverage())
	if err != nil {
		d.add(folder.CoverageName, Wrong, "", "%v", d.dir.OwnerAdvice(err))
	}
	newest, synthetic := "", false
	for _, path := range paths {
		info, err := coverage.ReadInfo(path)
		if err != nil {
			d.add(folder.CoverageName, Wrong, fmt.Sprintf("relais coverage map import --data %s MARKET FILE", d.dir), "%v",
				d.dir.OwnerAdvice(err))
			return
		}
		newest, synthetic = max(newest, info.Edition), synthetic || info.Synthetic
	}
	switch {
	case len(paths) == 0:
	case synthetic:
		d.add(folder.CoverageName, Note, "", "%s, and some are synthetic", Number(len(paths), "coverage map"))
	default:
		d.add(folder.CoverageName, Fine, "", "%s, the newest of %s", Number(len(paths), "coverage map"), newest)
	}
}

// A PackCoverage is the official coverage maps of a pack.
type PackCoverage struct {
	Maps       int                  `json:"maps"`
	Edition    string               `json:"edition"` // the newest
	Publishers []coverage.Publisher `json:"publishers"`
	Synthetic  bool                 `json:"synthetic,omitempty"`
}

// add counts a map.
func (c *PackCoverage) add(i *coverage.Info) {
	c.Maps, c.Edition, c.Synthetic = c.Maps+1, max(c.Edition, i.Edition), c.Synthetic || i.Synthetic
	if !slices.Contains(c.Publishers, i.Publisher) {
		c.Publishers = append(c.Publishers, i.Publisher)
	}
}

// coverageMaps writes the area's part of the official coverage maps.
func (p *packing) coverageMaps(ctx context.Context) error {
	paths, err := coverage.Files(p.Dir.Coverage())
	if err != nil || len(paths) == 0 {
		return err
	}
	boxes, err := AreaBoxes(p.Dir, p.spec)
	if err != nil {
		return err
	}
	for _, path := range paths {
		if err := errors.Join(p.coverageMap(path, boxes), ctx.Err()); err != nil {
			return err
		}
	}
	if p.report.Coverage == nil {
		return system.RemoveAll(p.to.Coverage())
	}
	return nil
}

// coverageMap writes the area's part of a map, if it has one and may be given away.
func (p *packing) coverageMap(path string, boxes []geo.Box) error {
	info, err := coverage.ReadInfo(path)
	if err != nil {
		p.leftOut("coverage map %s: %v", filepath.Base(path), err)
		return nil
	}
	if p.spec.Market != "" && info.Market != p.spec.Market {
		return nil
	}
	if info.Withheld() && !p.spec.Restricted {
		p.leftOut("coverage map %s: %s states no licence", filepath.Base(path), info.Publisher.Authority)
		return nil
	}
	var cut *coverage.Info
	staged, err := folder.Stage(filepath.Join(p.to.Coverage(), filepath.Base(path)), func(w io.Writer) (err error) {
		cut, err = coverage.Cut(path, w, boxes)
		return err
	})
	switch {
	case errors.Is(err, coverage.ErrDamaged):
		p.leftOut("coverage map %s: %v", filepath.Base(path), err)
		return nil
	case err != nil:
		return err
	case cut == nil || cut.CoveredKm2() == 0:
		staged.Discard()
		return nil
	}
	if p.report.Coverage == nil {
		p.report.Coverage = &PackCoverage{}
	}
	p.report.Coverage.add(cut)
	return staged.Commit()
}
