package api

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"relais/api/endpoint"
	"relais/archive"
	"relais/index"
	"relais/market"
	"relais/site"
)

// changeParams are the filter by date of the last change.
type changeParams struct {
	ChangedSince archiveDate `param:"changedSince" code:"INVALID_DATE" doc:"Sites with a change, of the kinds of /changes, in an edition after this date (YYYY-MM-DD), up to the edition that is served; also those whose change was undone since. None from the date of the served edition on; all for a date before the oldest edition that this server keeps, because it does not know what changed until then." example:"2026-08-20"`
}

// Refine adds the version of the archives, on which answers depend if the date is given.
func (p changeParams) Refine(r *Env, f *Freshness) {
	if p.ChangedSince == "" {
		return
	}
	if archives := r.datasetVersion(dataArchives); archives != "" {
		f.Version += " " + archives
	} else {
		f.Version = ""
	}
}

const changedSince = "changedSince"

// check fails for a market without a register.
func (p changeParams) check(m *market.Market) error {
	if p.ChangedSince == "" || m.HasFilter(changedSince) {
		return nil
	}
	return &endpoint.ParamError{Param: changedSince, Value: string(p.ChangedSince),
		Want: fmt.Sprintf("%s has the filters %s", m.Code, strings.Join(m.Filters, ", "))}
}

// changed returns the sites that have changed since the date, nil for all.
func (r *Env) changed(ctx context.Context, p changeParams, m *index.Market) (*index.Subset, error) {
	if p.ChangedSince == "" {
		return nil, nil
	}
	if err := r.CheckUsable(dataArchives); err != nil {
		return nil, err
	}
	current := m.Snap.SourceDate
	if string(p.ChangedSince) >= current {
		return m.Subset(ctx, "", func(context.Context) ([]string, error) { return nil, nil })
	}
	version, code := r.Archives.Version(), m.Table.Code // the version before they are read
	all, err := r.Archives.Editions(code)
	if err != nil {
		return nil, err
	}
	at := servedEdition(all, m)
	if at < 0 {
		return nil, &Error{Status: 404, Code: codeNoArchive, Parameter: changedSince, Message: fmt.Sprintf(
			"this server does not keep the edition of %s, which it serves, so that its changes are unknown: leave changedSince out",
			current)}
	}
	from := newest(all, p.ChangedSince)
	if from < 0 {
		return nil, nil
	}
	since, until := all[from].Date, all[at].Date
	return m.Subset(ctx, version+" "+since.String(), func(ctx context.Context) ([]string, error) {
		span, err := r.Archives.Between(ctx, code, since, until)
		if err != nil {
			return nil, err
		}
		return changedSites(span), nil
	})
}

// servedEdition returns the position of the edition that is served, or -1.
func servedEdition(all []archive.Edition, m *index.Market) int {
	date := site.ParseDate([]byte(m.Snap.SourceDate))
	return slices.IndexFunc(all, func(e archive.Edition) bool { return e.Date == date })
}

// ChangesKnown reports whether the changes of the served edition of a market are known.
func (r *Env) ChangesKnown(m *index.Market) bool {
	if r.Archives == nil || r.CheckUsable(dataArchives) != nil {
		return false
	}
	all, err := r.Archives.Editions(m.Table.Code)
	return err == nil && servedEdition(all, m) > 0
}

// changedSites returns the ids of the sites with a change. Ids can be there several times.
func changedSites(span *archive.Span) (ids []string) {
	for _, l := range span.Lists {
		for c := range l.Records(nil) {
			if n := len(ids); n == 0 || ids[n-1] != c.Site {
				ids = append(ids, c.Site)
			}
		}
	}
	return ids
}
