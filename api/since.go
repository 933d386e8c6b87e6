package api

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"relais/api/endpoint"
	"relais/archive"
	"relais/index"
	"relais/market"
)

// changeParams are the filter by date of the last change.
type changeParams struct {
	ChangedSince archiveDate `param:"changedSince" code:"INVALID_DATE" doc:"FR and DROM: sites that an edition of the register after this date (YYYY-MM-DD), up to the one that is served, changed in some way: a row came, went, or says something else than before. None from the date of the served edition on; all for a date before the oldest edition that this server keeps, because it does not know what changed until then." example:"2026-08-20"`
}

// refine adds the version of the archives, on which answers depend if the date is given.
func (p changeParams) refine(r *Env, f *Freshness) {
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

// check fails for a market without archives.
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
	version := r.Archives.Version() // before they are read
	since, err := r.Archives.Since(string(p.ChangedSince), m.Snap.SourceDate)
	switch {
	case errors.Is(err, archive.ErrNoArchive):
		return nil, &Error{Status: 404, Code: codeNoArchive, Parameter: changedSince, Message: fmt.Sprintf(
			"this server does not keep the edition of %s, which it serves, so that its changes are unknown: leave changedSince out",
			m.Snap.SourceDate)}
	case err != nil || since.Whole:
		return nil, err
	}
	name := version + " " + strconv.Itoa(len(since.Editions))
	return m.Subset(name, func() ([]string, error) {
		supports, err := since.Supports(ctx)
		ids := make([]string, len(supports))
		for i, n := range supports {
			ids[i] = strconv.FormatUint(uint64(n), 10)
		}
		return ids, err
	})
}
