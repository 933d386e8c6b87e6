package ogc

import (
	"context"
	"slices"
	"strings"

	"relais/api"
	"relais/api/endpoint"
	"relais/catalog"
	"relais/export"
	"relais/market"
)

type sectorItems struct {
	api.SiteParams
	place
	when
	size
	After string `param:"after" max:"300" doc:"The id of the sector before the page, as the link to the next page has it."`
}

// Sectors are read site by site, and how many come before a page is not known without reading them. So a page
// begins after a sector, not at an offset: it costs the same wherever it is.
var sectors = func() kind {
	k := kind{name: "sectors", title: "Sectors",
		description: "The sectors of sites as wedges of 250 m, for each operator and azimuth of its emissions.",
		inRegister:  true, reach: export.WedgeMetres + 1, // their corners are rounded
		table: func() *export.Table { return new(export.Register).SectorTable() }}
	k.items, k.item = declare(decl{name: k.name, columns: k.table().Names(),
		scope: "antennas:read", failure: "ANTENNAS", errors: siteErrors, maxAge: 60},
		func(ctx context.Context, r *api.Env, p *sectorItems) (*features, error) {
			q, err := p.Question()
			if err != nil {
				return nil, err
			}
			q.Where.Box = p.BBox.box()
			found, err := r.Sites(ctx, q)
			if err != nil {
				return nil, err
			}
			rows := rowsOf(found.Selected, found.Sites...)
			f := &features{market: p.Market, kind: "sectors", limit: p.limit(), after: true, total: unknown}
			if m := rows.Market; m != nil && rows.Filter == nil && len(rows.Sites) == m.Len() {
				// Counting under a filter would read every site for each page; numberMatched is optional.
				if f.total, err = r.Sectors.Of(ctx, m); err != nil {
					return nil, err
				}
			}
			if p.After != "" {
				f.skip, err = beginAfter(r, p, rows)
			}
			f.table = rows.SectorTable()
			return f, err
		},
		func(_ context.Context, r *api.Env, p *marketOne) (*features, error) {
			f := &features{market: p.Market, kind: "sectors", table: k.table(), id: p.FeatureID}
			if rows := siteOfSector(r, p.Market, p.FeatureID); rows != nil {
				f.table = rows.SectorTable()
			}
			return f, nil
		})
	return k
}()

// beginAfter leaves out the sites before that of the sector after which a page begins, and returns how many
// sectors of that one come before the page.
func beginAfter(r *api.Env, p *sectorItems, rows *export.Register) (skip int, err error) {
	own := siteOfSector(r, p.Market, p.After)
	if own == nil {
		return 0, &endpoint.ParamError{Param: "after", Value: p.After,
			Want: "the id of a sector, as the link to the next page has it: its site is not there, so begin again without it"}
	}
	at, selected := slices.BinarySearch(rows.Sites, own.Sites[0])
	rows.Sites = rows.Sites[at:]
	if !selected {
		return 0, nil
	}
	own.Filter = rows.Filter
	t, v := own.SectorTable(), new(export.Value)
	for row := range t.Rows {
		skip++
		if row.Cell(t.ID, v); v.Text == p.After {
			return skip, nil
		}
	}
	return 0, nil // the register has changed: the site is there again as a whole
}

// siteOfSector returns the site of a sector with the id, nil if it does not exist.
func siteOfSector(r *api.Env, c market.Code, id string) *export.Register {
	for _, name := range sitesOfSector(id) {
		if found, err := r.Site(catalog.Site{Name: name, Market: market.Get(c)}); err == nil {
			return rowOf(found)
		}
	}
	return nil
}

// sitesOfSector returns what the siteKey of a sector with the id may be: the id without its azimuth, and without the
// operator before it. A siteKey may have dashes.
func sitesOfSector(id string) (names []string) {
	for range 2 {
		i := strings.LastIndexByte(id, '-')
		if i < 0 {
			break
		}
		id = id[:i]
		names = append(names, id)
	}
	return names
}
