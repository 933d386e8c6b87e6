package api

import (
	"fmt"
	"strings"

	"relais/api/endpoint"
	"relais/catalog"
	"relais/market"
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
	if archives := r.Catalog.Version(catalog.Archives); archives != "" {
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
