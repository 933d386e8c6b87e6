package tools

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"relais/api"
	"relais/api/endpoint"
	"relais/api/view"
	"relais/archive"
	"relais/index"
	"relais/ingest/anfr/column"
	"relais/internal/fold"
)

// archiveSiteParams name a site of archives.
type archiveSiteParams struct {
	Site string `param:"siteId" max:"128" required:"true" doc:"siteKey (such as fr-23444) or the support's number (sup_id, 23444). Sites that are gone have a number still." example:"fr-23444"`
}

// support returns the support's number.
func (p archiveSiteParams) support() (string, error) {
	number := strings.TrimSpace(p.Site)
	// Archives have the territories of both markets under one numbering, so the market of a siteKey does not count.
	for _, code := range archive.Markets {
		if prefix := index.Key(code, ""); len(number) > len(prefix) && fold.EqualASCII(number[:len(prefix)], prefix) {
			number = number[len(prefix):]
			break
		}
	}
	if len(number) == 0 || len(number) > 9 || number[0] == '0' || strings.Trim(number, "0123456789") != "" {
		return "", &endpoint.ParamError{Param: "siteId", Value: p.Site,
			Want: "archives know sites of the French register: a siteKey such as fr-23444 or drom-23444, or a sup_id of at most 9 digits"}
	}
	return number, nil
}

// rowParams pick a page of rows.
type rowParams struct {
	Limit  int `param:"limit" default:"40" min:"1" max:"200" doc:"Most rows to answer."`
	Offset int `param:"offset" default:"0" min:"0" max:"1000000" doc:"Rows to pass over: nextOffset of the page before."`
}

var anfrGetSiteSnapshot = endpoint.New(endpoint.Decl{
	Name: "anfr_get_site_snapshot", Title: "One site at a date",
	Summary: "A site of the French register (ANFR) as the archive of a date has it: its place and all its emissions, with their status then. The date must be one of anfr_list_archives. Use sites_get for the site of today, anfr_compare_site_dates for two dates.",
}, getSiteSnapshot)

type siteSnapshotParams struct {
	archiveSiteParams
	dateParams
	rowParams
}

// A SiteSnapshot is a site as an archive has it.
type SiteSnapshot struct {
	Date string `json:"date"`
	ArchiveSite
	Place ArchivePlace `json:"place"`
	List[ArchiveRow]
	Sourced
}

// An ArchivePlace is the place of a support as an archive states it. Values that it does not
// state are null.
type ArchivePlace struct {
	Commune     *string           `json:"commune" doc:"Null where the present register does not know its INSEE code."`
	Insee       *string           `json:"inseeCode"`
	PostalCode  *string           `json:"postalCode"`
	Address     *string           `json:"address"`
	Department  *string           `json:"department"`
	Nature      *string           `json:"natureCode" doc:"nat_id, the ANFR's code of the kind of support."`
	Owner       *string           `json:"ownerCode" doc:"tpo_id, the ANFR's code of the owner's kind."`
	Height      *string           `json:"height" doc:"sup_nm_haut, metres, as published."`
	Coordinates *view.Coordinates `json:"coordinates"`
}

// An ArchiveRow is an emission as an archive has it. Values that it does not state are null.
type ArchiveRow struct {
	Operator   string  `json:"operator" doc:"As published."`
	System     string  `json:"system" doc:"Such as LTE 800."`
	Station    string  `json:"station" doc:"The ANFR's station number."`
	Generation *string `json:"generation"`
	Status     *string `json:"status"`
	Date       *string `json:"emissionDate" doc:"emr_dt: of putting into service, YYYY-MM-DD."`
}

// newArchiveRow returns the row of a record.
func newArchiveRow(r archive.Record) ArchiveRow {
	v := &r.Values
	return ArchiveRow{v[column.Operator], v[column.System], v[column.Station], textOrNull(v[column.Generation]),
		textOrNull(v[column.Status]), textOrNull(v[column.Date])}
}

func getSiteSnapshot(r *Reading, _ context.Context, p *siteSnapshotParams) (*SiteSnapshot, error) {
	support, err := p.support()
	if err != nil {
		return nil, err
	}
	site, err := r.Archives.SiteAt(support, string(p.Date))
	if err != nil {
		return nil, noArchive(r.Archives, err, "date", string(p.Date))
	}
	if len(site.Records) == 0 {
		return nil, notThere(r.Archives, support, "the archive of "+string(p.Date)+" does not have")
	}
	from, err := archivedOn(r.Archives, string(p.Date))
	return &SiteSnapshot{string(p.Date), r.archiveSite(support), r.archivePlace(&site.Records[0]),
		paged(each(site.Records, newArchiveRow), p.Offset, p.Limit), from}, err
}

// archivePlace returns the place that a record states.
func (r *Reading) archivePlace(record *archive.Record) ArchivePlace {
	v := &record.Values
	insee := cmp.Or(v[column.Insee], v[column.Insee2])
	lines := slices.DeleteFunc([]string{v[column.Lieu], v[column.Address1], v[column.Address2], v[column.Address3]},
		func(s string) bool { return s == "" })
	place := ArchivePlace{Commune: textOrNull(r.CommuneName(insee)), Insee: textOrNull(insee), PostalCode: textOrNull(v[column.Postal]),
		Address:    textOrNull(strings.Join(lines, ", ")),
		Department: textOrNull(v[column.Department]), Nature: textOrNull(v[column.Nature]), Owner: textOrNull(v[column.Owner]),
		Height: textOrNull(v[column.Height])}
	if at, ok := record.Point(); ok {
		place.Coordinates = rounded(at)
	}
	return place
}

// notThere returns the error of a support that the archives of a question do not have. It says when it was
// there.
func notThere(s *archive.Store, support, which string) error {
	versions, err := s.History(support)
	if err != nil {
		return err
	}
	if len(versions) == 0 {
		return neverThere(support)
	}
	return api.NotFound(fmt.Sprintf(
		"siteId: %s support %s; others changed it, first that of %s and last that of %s, and anfr_get_site_history says how",
		which, support, versions[0].Date, versions[len(versions)-1].Date))
}

// neverThere returns the error of a support that no archive has.
func neverThere(support string) error {
	return api.NotFound(fmt.Sprintf(
		"siteId: no archive has a support %s; anfr_list_snapshot_sites lists those in a box, anfr_search those of today", support))
}
