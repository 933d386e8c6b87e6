package tools

import (
	"cmp"
	"context"
	"slices"

	"relais/api"
	"relais/api/endpoint"
	"relais/archive"
	"relais/ingest/anfr/column"
)

var anfrCompareSiteDates = endpoint.New(endpoint.Decl{
	Name: "anfr_compare_site_dates", Title: "One site at two dates",
	Summary: "What differs of a site of the French register (ANFR) between the archives of two dates: emissions that are new, added, activated, deleted or changed, with the columns that changed. Use anfr_get_site_history for all dates.",
}, compareSiteDates)

type compareDatesParams struct {
	archiveSiteParams
	From api.ArchiveDate `param:"from" required:"true" doc:"Date of the earlier archive, YYYY-MM-DD; anfr_list_archives lists them." example:"2026-08-20"`
	To   api.ArchiveDate `param:"to" required:"true" doc:"Date of the later archive, YYYY-MM-DD." example:"2026-08-27"`
	rowParams
}

// Check holds the rule over several parameters.
func (p *compareDatesParams) Check() error {
	if p.From >= p.To {
		return &endpoint.ParamError{Param: "from", Value: string(p.From), Want: "a date before to"}
	}
	return nil
}

// A SiteComparison has the differences of a site between two archives.
type SiteComparison struct {
	From string `json:"from"`
	To   string `json:"to"`
	ArchiveSite
	Before int    `json:"emissionsBefore" doc:"Emissions in the earlier archive; 0 where it does not have the site."`
	After  int    `json:"emissionsAfter"`
	Counts Counts `json:"counts" doc:"Differences by type, on all pages."`
	List[ArchiveChange]
	Sourced
}

// Counts are the numbers of changes by type.
type Counts struct {
	New       int `json:"new"`
	Added     int `json:"added"`
	Activated int `json:"activated"`
	Deleted   int `json:"deleted"`
	Changed   int `json:"changed"`
}

func (c *Counts) add(k archive.Kind) {
	switch k {
	case archive.New:
		c.New++
	case archive.Added:
		c.Added++
	case archive.Activated:
		c.Activated++
	case archive.Deleted:
		c.Deleted++
	default:
		c.Changed++
	}
}

// A changeType is the way in which an emission changed.
type changeType string

// Values lists the types.
func (changeType) Values() []string {
	return []string{"new", "added", "activated", "deleted", "changed"}
}

// An ArchiveChange is a change of an emission between two archives.
type ArchiveChange struct {
	Type changeType `json:"type" doc:"new: of a site that was not there; added: on a site that was; activated: no longer a project; deleted: gone; changed: something else differs. Emissions are known by station, operator and system."`
	ArchiveRow
	Columns []ColumnChange `json:"columns" doc:"What differs. Empty for what is new, added or deleted, and for a row that came from another support, went to one, or was published twice."`
}

// A ColumnChange is a column of the publication that differs.
type ColumnChange struct {
	Column string  `json:"column" doc:"As the publication names it, such as statut."`
	Before *string `json:"before"`
	After  *string `json:"after"`
}

func newArchiveChange(d *archive.Difference) ArchiveChange {
	c := ArchiveChange{Type: changeType(cmp.Or(d.Kind.Type(), "changed")),
		ArchiveRow: newArchiveRow(*cmp.Or(d.After, d.Before)), Columns: []ColumnChange{}}
	for _, at := range d.Columns {
		c.Columns = append(c.Columns,
			ColumnChange{column.Names[at], textOrNull(d.Before.Values[at]), textOrNull(d.After.Values[at])})
	}
	return c
}

func compareSiteDates(r *Reading, _ context.Context, p *compareDatesParams) (*SiteComparison, error) {
	support, err := p.support()
	if err != nil {
		return nil, err
	}
	from, to := string(p.From), string(p.To)
	c, err := r.Archives.CompareSite(support, from, to)
	if err != nil {
		return nil, notBoth(r.Archives, err, from, to)
	}
	if c.Before+c.After == 0 { // no differences would say that nothing changed
		return nil, notThere(r.Archives, support, "neither the archive of "+from+" nor that of "+to+" has")
	}
	sources, err := archivedOn(r.Archives, from, to)
	if err != nil {
		return nil, err
	}
	answer := &SiteComparison{From: from, To: to, ArchiveSite: r.archiveSite(support), Before: c.Before, After: c.After,
		Sourced: sources}
	var rows []ArchiveChange
	for i := range c.Differences {
		answer.Counts.add(c.Differences[i].Kind)
		rows = append(rows, newArchiveChange(&c.Differences[i]))
	}
	answer.List = paged(rows, p.Offset, p.Limit)
	return answer, nil
}

// notBoth returns the error of two dates if one of them has no archive. The store does not say which one.
func notBoth(s *archive.Store, err error, from, to string) error {
	dates, _, failed := s.Dates()
	if failed != nil {
		return failed
	}
	if !slices.Contains(dates, from) {
		return noArchive(s, err, "from", from)
	}
	return noArchive(s, err, "to", to)
}

var anfrGetSiteHistory = endpoint.New(endpoint.Decl{
	Name: "anfr_get_site_history", Title: "Every change of a site",
	Summary: "What the archives of the French register (ANFR) changed of a site, the newest publication first: emissions that are new, added, activated, deleted or changed, and on which date. In the oldest archive everything is new, whenever it was built.",
}, getSiteHistory)

type siteHistoryParams struct {
	archiveSiteParams
	rowParams
}

// A SiteHistory is a page of the changes of a site.
type SiteHistory struct {
	ArchiveSite
	Oldest       string `json:"oldestArchive" doc:"What is of this date was there before, nobody knows since when."`
	Newest       string `json:"newestArchive"`
	Publications int    `json:"publications" doc:"That changed the site."`
	Counts       Counts `json:"counts" doc:"Changes by type, on all pages."`
	List[DatedChange]
	Sourced
}

// A DatedChange is a change of an emission with the date of its publication.
type DatedChange struct {
	Published string `json:"date" doc:"Of the archive that first has the change, YYYY-MM-DD."`
	ArchiveChange
}

func getSiteHistory(r *Reading, _ context.Context, p *siteHistoryParams) (*SiteHistory, error) {
	support, err := p.support()
	if err != nil {
		return nil, err
	}
	all, err := r.Archives.List()
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, noArchive(r.Archives, archive.ErrNoArchive, "siteId", "")
	}
	versions, err := r.Archives.History(support)
	if err != nil {
		return nil, err
	}
	if len(versions) == 0 {
		return nil, neverThere(support)
	}
	newest := all[len(all)-1].Date
	answer := &SiteHistory{ArchiveSite: r.archiveSite(support), Oldest: all[0].Date, Newest: newest,
		Publications: len(versions), Sourced: archiveSources(all, newest)}
	var rows []DatedChange
	for _, v := range slices.Backward(versions) { // versions begin with the oldest
		for i := range v.Differences {
			answer.Counts.add(v.Differences[i].Kind)
			rows = append(rows, DatedChange{v.Date, newArchiveChange(&v.Differences[i])})
		}
	}
	answer.List = paged(rows, p.Offset, p.Limit)
	return answer, nil
}
