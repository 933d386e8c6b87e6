package api

import (
	"context"
	"errors"
	"io"
	"iter"
	"slices"
	"time"

	"relais/api/endpoint"
	"relais/api/view"
	"relais/archive"
	"relais/catalog"
	"relais/market"
	"relais/site"
)

var listArchives = endpoint.New(endpoint.Decl{
	Name: "anfr.archives", Path: "/anfr/archives", Scope: "anfr:read", FailureName: "ANFR_ARCHIVES", MaxAge: 3600,
	Example:   endpoint.Request{Target: "/anfr/archives"},
	DependsOn: []string{catalog.Archives},
	Summary:   "Dates of the publications of the ANFR's observatoire that are kept, the newest first.",
	Doc:       "Each is a date for /anfr/archive/{date}; meta.current is the newest one.",
}, (*Env).archives)

func (r *Env) archives(context.Context, *struct{}) (*view.Body[[]string, view.ArchivesMeta], error) {
	version := r.Archives.Version() // before they are read: one that is added meanwhile is of the next version
	answer := &view.Body[[]string, view.ArchivesMeta]{Data: []string{},
		Meta: view.ArchivesMeta{DataVersion: &version}}
	all, err := r.Archives.List()
	if err != nil {
		return nil, err
	}
	for _, p := range slices.Backward(all) {
		answer.Data = append(answer.Data, p.Date)
	}
	if len(all) > 0 {
		answer.Meta.Current = &answer.Data[0]
	}
	// The archives of a folder are either all synthetic or all real.
	answer.Meta.Attribution = archiveSource(len(all) > 0 && all[0].Synthetic)
	return answer, nil
}

// archiveSource returns the source of the archives.
func archiveSource(synthetic bool) view.Attribution {
	from := market.Get(archive.Markets[0]).Register
	if synthetic {
		from = view.Demonstration(from)
	}
	return view.Attribution{SourceLabel: from.Source, SourceAuthority: from.Authority, SourceRegions: []string{}}
}

var getArchive = endpoint.New(endpoint.Decl{
	Name: "anfr.archive", Path: "/anfr/archive/{date}", Scope: "anfr:read", FailureName: "ANFR_ARCHIVE", MaxAge: 3600,
	Example:   endpoint.Request{Target: "/anfr/archive/2026-01-15"},
	DependsOn: []string{catalog.Archives}, Large: true, Kept: true,
	Summary:    "What a publication of the ANFR's observatoire changed, or the whole of it, by site.",
	Doc:        "A row is known by station number, operator and system, and compared with the publication before; all of the oldest one is new. Sites come by number, in one answer. Ask for it compressed.",
	ErrorCodes: []string{codeInvalidDate, codeNoArchive},
	Shapes:     shapes[map[string]view.ArchiveSite, view.ArchiveMeta](),
}, (*Env).archive)

type archiveParams struct {
	Date archiveDate `param:"date" code:"INVALID_DATE" doc:"Date of the publication, YYYY-MM-DD." example:"2026-08-27"`
	View archiveView `param:"view" default:"changes" doc:"changes: the rows that are new, added, activated or deleted. full: all rows of the publication."`
}

// An archiveDate is a day, YYYY-MM-DD.
type archiveDate string

// UnmarshalText accepts days of the calendar.
func (d *archiveDate) UnmarshalText(b []byte) error {
	if _, err := time.Parse(time.DateOnly, string(b)); err != nil {
		return errors.New("a date as YYYY-MM-DD")
	}
	*d = archiveDate(b)
	return nil
}

// day returns the day, 0 for none.
func (d archiveDate) day() site.Date { return site.ParseDate([]byte(d)) }

// An archiveView is a part of a publication.
type archiveView string

// The views.
const (
	viewChanges archiveView = "changes"
	viewFull    archiveView = "full"
)

// Values lists the views.
func (archiveView) Values() []string { return []string{string(viewChanges), string(viewFull)} }

func (r *Env) archive(_ context.Context, p *archiveParams) (*endpoint.Answer, error) {
	ask := r.Archives.Changes
	if p.View == viewFull {
		ask = r.Archives.Whole
	}
	version := r.Archives.Version()
	found, err := ask(string(p.Date))
	switch {
	case errors.Is(err, archive.ErrNoArchive):
		return nil, errNoArchive
	case err != nil:
		return nil, err
	}
	meta := view.ArchiveMeta{Date: found.Date, View: string(p.View), Attribution: archiveSource(found.Synthetic),
		DataVersion: &version}
	if found.Before != "" {
		meta.Previous = &found.Before
	}
	text, err := view.JSON(meta)
	page := archivePage{sites: found.All(), city: r.CommuneName, meta: text}
	return &endpoint.Answer{ContentType: endpoint.JSONType, Size: -1, Write: page.write}, err
}

// CommuneName returns the name of the commune with an INSEE code, "" if no register has it.
// Archives can be served without a register.
func (r *Env) CommuneName(insee string) string {
	if r.Set == nil {
		return ""
	}
	for _, code := range archive.Markets {
		if m := r.Set.Market(code); m != nil {
			if name := m.Commune(insee); name != "" {
				return name
			}
		}
	}
	return ""
}

// An archivePage is the sites of an archive, encoded while it is written.
type archivePage struct {
	sites iter.Seq2[*archive.Site, error]
	city  func(insee string) string
	meta  []byte
}

func (p *archivePage) write(w io.Writer) error {
	c := &commaWriter{w: w}
	c.write([]byte(`{"data":{`))
	encode := view.Archives(p.city)
	var text []byte
	for site, err := range p.sites {
		if err == nil {
			text, err = encode(text[:0], site)
		}
		if err != nil {
			return err
		}
		if c.item(text); c.err != nil {
			return c.err
		}
	}
	c.write([]byte(`},"meta":`))
	c.write(p.meta)
	return c.err
}
