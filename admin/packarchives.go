package admin

import (
	"context"
	"errors"
	"path/filepath"

	"relais/archive"
	"relais/archive/change"
	"relais/ingest/anfr/column"
	"relais/internal/store"
	"relais/market"
)

// archives writes the dated publications and the editions of the area's sites.
func (p *packing) archives(ctx context.Context) (err error) {
	if err := p.failed[ArchivesFile]; err != nil {
		p.leftOut("archives and editions: %v", err)
		return nil
	}
	db, err := store.Open(filepath.Join(string(p.to), ArchivesFile), archive.Buckets...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := p.publications(ctx, db); err != nil {
		return err
	}
	for code, c := range p.chosen {
		if err := p.editions(ctx, db, code, c); err != nil {
			return err
		}
	}
	return nil
}

// publications writes the supports of the pack's sites, and supports that left the registers and were in the
// area.
func (p *packing) publications(ctx context.Context, db *store.DB) error {
	chosen, known := siteChoice{}, false
	for _, code := range archive.Markets {
		if c := p.chosen[code]; c != nil {
			chosen.add(c)
			known = true
		}
	}
	if !known {
		return nil
	}
	var err error
	p.report.Archives, err = p.Archives.CopyTo(ctx, db, func(s *archive.Site) bool {
		return chosen.has(s.ID, func() bool { return p.wasInArea(&s.Records[0]) })
	})
	return err
}

// wasInArea reports whether a row of a support that left the registers was in the area.
func (p *packing) wasInArea(r *archive.Record) bool {
	if p.spec.Disc != nil {
		at, ok := r.Point()
		return ok && inDisc(p.spec.Disc, at)
	}
	for code := range p.chosen {
		m := market.Get(code)
		if i, ok := m.Area(r.Values[column.Department]); ok && p.spec.inAreas(m.Areas[i].Code) {
			return true
		}
	}
	return false
}

// editions writes the noted editions of a market with the sites of the area. It leaves out editions with a
// register that may not be redistributed.
func (p *packing) editions(ctx context.Context, db *store.DB, code market.Code, c *packChoice) error {
	chosen, withheld := siteChoice{}, 0
	chosen.add(c)
	n, err := p.Archives.CopyEditions(ctx, db, code, func(e *archive.Edition) bool {
		if c.table.NeedsPermission(e.Registers) && !p.spec.Restricted {
			withheld++
			return false
		}
		return true
	}, func(id string, at change.Place) bool {
		return chosen.has(id, func() bool {
			if p.spec.Disc != nil {
				return inDisc(p.spec.Disc, at.Point())
			}
			return p.spec.inAreas(at.Area)
		})
	})
	p.report.Editions += n
	if withheld > 0 {
		p.leftOut("%s: %s that may not be redistributed without their publisher's permission", code,
			Number(withheld, "edition"))
	}
	return err
}

// A siteChoice has, by id, whether a site is in a pack.
type siteChoice map[string]bool

// add adds the sites of a register.
func (s siteChoice) add(c *packChoice) {
	for i := range c.snap.Len() {
		s[c.snap.ID(i)] = c.has(i)
	}
}

// has reports whether a site is in the pack. decide answers for a site that no register has. Its answer is
// kept, so that all editions of a site are in the pack or none.
func (s siteChoice) has(id string, decide func() bool) bool {
	in, known := s[id]
	if !known {
		in = decide()
		s[id] = in
	}
	return in
}
