package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"relais/api"
	"relais/api/endpoint"
	"relais/api/view"
	"relais/archive"
	"relais/geo"
	"relais/index"
	"relais/market"
)

var archiveTools = []*Tool{anfrListArchives, anfrListSnapshotSites, anfrGetSiteSnapshot, anfrCompareSiteDates,
	anfrGetSiteHistory}

var anfrListArchives = endpoint.New(endpoint.Decl{
	Name: "anfr_list_archives", Title: "Dates of the ANFR's archives",
	Summary: "Dates of the publications of the French register (ANFR) that are kept, the newest first: the dates that anfr_list_snapshot_sites, anfr_get_site_snapshot and anfr_compare_site_dates take.",
}, listArchives)

// An ArchiveList is a page of the dates of publications.
type ArchiveList struct {
	Current *string `json:"current" doc:"The newest date; null when there is no archive."`
	Oldest  *string `json:"oldest" doc:"The oldest date: nothing is known of before."`
	List[Archive]
	Sourced
}

// An Archive is a publication that is kept.
type Archive struct {
	Date     string `json:"date" doc:"YYYY-MM-DD; names the archive in other tools."`
	Sites    int    `json:"sites" doc:"Supports in it, of all French territories."`
	Rows     int    `json:"rows" doc:"Emissions: one for each station, operator and system."`
	Previous string `json:"previous,omitempty" doc:"The archive before; absent for the oldest."`
}

func listArchives(r *Reading, _ context.Context, p *pageParams) (*ArchiveList, error) {
	all, err := r.Archives.List()
	if err != nil {
		return nil, err
	}
	answer, items := &ArchiveList{Sourced: archiveSources(all)}, []Archive{}
	if n := len(all); n > 0 {
		answer.Current, answer.Oldest, answer.Sourced = &all[n-1].Date, &all[0].Date, archiveSources(all, all[n-1].Date)
	}
	for i := len(all) - 1 - p.Offset; i >= 0 && len(items) < p.Limit; i-- { // all begins with the oldest
		a := Archive{Date: all[i].Date, Sites: all[i].Supports, Rows: all[i].Rows}
		if i > 0 {
			a.Previous = all[i-1].Date
		}
		items = append(items, a)
	}
	answer.List = listOf(items, p.Offset, len(all))
	return answer, nil
}

// archivedOn returns the sources of an answer from archives of dates: the register, once for each date.
func archivedOn(s *archive.Store, dates ...string) (Sourced, error) {
	all, err := s.List()
	return archiveSources(all, dates...), err
}

// archiveSources returns the same if all archives are known already; without a date, the register without one.
func archiveSources(all []archive.Publication, dates ...string) Sourced {
	m := market.Get(archive.Markets[0]) // one publication has all French territories
	s := sourceOf(m, nil)
	if len(all) > 0 && all[0].Synthetic { // then all are: a folder has synthetic archives or real ones
		s.Label = view.Demonstration(m.Register).Source
	}
	if len(dates) == 0 {
		return Sourced{[]Source{s}}
	}
	var from Sourced
	for _, date := range dates {
		s.Date = &date
		from.Sources = append(from.Sources, s)
	}
	return from
}

// dateParams name an archive.
type dateParams struct {
	Date api.ArchiveDate `param:"date" required:"true" doc:"Date of an archive, YYYY-MM-DD; anfr_list_archives lists them." example:"2026-08-27"`
}

// requiredBoxParams are a box that must be given.
type requiredBoxParams struct {
	North float64 `param:"north" min:"-90" max:"90" required:"true" doc:"Northern edge of the box, WGS84 degrees." example:"48.9"`
	South float64 `param:"south" min:"-90" max:"90" required:"true" doc:"Southern edge." example:"48.8"`
	East  float64 `param:"east" min:"-180" max:"180" required:"true" doc:"Eastern edge; west of west, the box crosses the antimeridian." example:"2.4"`
	West  float64 `param:"west" min:"-180" max:"180" required:"true" doc:"Western edge." example:"2.3"`
}

// Check holds the rule over several parameters.
func (p *requiredBoxParams) Check() error {
	if p.South > p.North {
		return &endpoint.ParamError{Param: "south", Value: fmt.Sprint(p.South), Want: "at most north"}
	}
	return nil
}

var anfrListSnapshotSites = endpoint.New(endpoint.Decl{
	Name: "anfr_list_snapshot_sites", Title: "Sites of a date in a box",
	Summary: "Sites of the French register (ANFR) in a bounding box as an archive has them, by number. Use sites_search and sites_nearby for the sites of today, anfr_get_site_snapshot for the emissions of one site.",
}, listSnapshotSites)

type snapshotSitesParams struct {
	dateParams
	requiredBoxParams
	pageParams
}

// A SnapshotList is a page of the sites of an archive.
type SnapshotList struct {
	Date string `json:"date"`
	List[SnapshotSite]
	Sourced
}

// A SnapshotSite is a site as an archive has it.
type SnapshotSite struct {
	ArchiveSite
	Operators   []string         `json:"operators" doc:"As published."`
	Systems     []string         `json:"systems" doc:"Such as LTE 800, as published."`
	Statuses    []string         `json:"statuses" doc:"Of its emissions, as published."`
	Commune     *string          `json:"commune" doc:"Null where the present register does not know its INSEE code."`
	Coordinates view.Coordinates `json:"coordinates"`
}

// An ArchiveSite names a site of archives.
type ArchiveSite struct {
	Support string  `json:"supId" doc:"The support's number (sup_id); names the site in tools of archives."`
	SiteKey *string `json:"siteKey" doc:"Names the site in other tools; null where the present register does not have it."`
}

func listSnapshotSites(r *Reading, ctx context.Context, p *snapshotSitesParams) (*SnapshotList, error) {
	date := string(p.Date)
	overview, err := r.Archives.Overview(ctx, date)
	if err != nil {
		return nil, noArchive(r.Archives, err, "date", date)
	}
	page, total := overview.InBox(geo.Box{South: p.South, West: p.West, North: p.North, East: p.East}, p.Offset, p.Limit)
	items := each(page, func(b archive.Brief) SnapshotSite {
		return SnapshotSite{r.archiveSite(b.ID), texts(b.Operators), texts(b.Systems), texts(b.Statuses),
			textOrNull(r.CommuneName(b.Insee)), *rounded(b.Point)}
	})
	from, err := archivedOn(r.Archives, date)
	return &SnapshotList{date, listOf(items, p.Offset, total), from}, err
}

// texts returns a copy of a list that is not nil: JSON has [] for an empty one, and null for nil.
func texts(list []string) []string { return append([]string{}, list...) }

// textOrNull returns a text as answers have it: null where a source states none.
func textOrNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// archiveSite returns the names of a support. It has a siteKey only in the present register: of a support
// that is gone, other tools know nothing.
func (r *Reading) archiveSite(support string) ArchiveSite {
	for _, code := range archive.Markets {
		m, _ := r.Register(market.Get(code))
		if m == nil {
			continue
		}
		if at, ok := m.ByID(index.Key(code, support)); ok && m.Snap.ID(int(at)) == support {
			return ArchiveSite{support, new(index.Key(code, support))}
		}
	}
	return ArchiveSite{Support: support}
}

// noArchive replaces the error of a date without an archive by one that names the nearest dates. It returns
// other errors as they are.
func noArchive(s *archive.Store, err error, param, date string) error {
	if !errors.Is(err, archive.ErrNoArchive) {
		return err
	}
	dates, _, err := s.Dates()
	if err != nil {
		return err
	}
	if len(dates) == 0 {
		return api.NotFound(param +
			": this server has no archives; its operator adds them with: relais archive add --data DIR FILE…")
	}
	at, _ := slices.BinarySearch(dates, date)
	nearest := dates[max(0, at-1):min(at+1, len(dates))] // the one before and the one after, where they exist
	text := "the nearest is " + nearest[0]
	if len(nearest) > 1 {
		text = fmt.Sprintf("the nearest are %s and %s", nearest[0], nearest[1])
	}
	return api.NotFound(fmt.Sprintf("%s: there is no archive of %s; %s, and anfr_list_archives lists all", param,
		date, text))
}
