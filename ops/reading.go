// Package ops is the operations of the API, a file for each resource. An
// operation resolves its parameters to a question, asks one dataset, and shows
// what it answers. Transports call operations; they are nowhere else.
package ops

import (
	"relais/endpoint"
	"relais/index"
	"relais/market"
	"relais/view"
)

// A Reading is one consistent reading of the data: an operation that began with
// it ends with it, whatever is loaded meanwhile.
type Reading struct {
	Set *index.Set // nil while nothing has been loaded yet
}

// Version names the content of the reading.
func (r *Reading) Version() string {
	if r.Set == nil {
		return ""
	}
	return r.Set.Version
}

// All lists the operations. Where two paths match, the first one counts:
// literals stand before parameters.
func All() []*endpoint.Op[*Reading] {
	return []*endpoint.Op[*Reading]{
		listAntennas, exportAntennas, searchAntennas, lookupAntennas, getAntenna, getSite, departments, listMarkets,
	}
}

// market returns the row of a market and, where it has an inventory, its loaded
// register. A market with an inventory that is not loaded is an error: an empty
// success would look like a country without antennas.
func (r *Reading) market(c market.Code) (*market.Market, *index.Market, error) {
	m := market.Get(c)
	if r.Set == nil {
		return nil, nil, errLoading
	}
	if !m.HasInventory() {
		return m, nil, nil
	}
	loaded := r.Set.Market(c)
	if loaded == nil {
		return nil, nil, notLoaded(c)
	}
	return m, loaded, nil
}

// attribution says where the data comes from; loaded may be nil.
func attribution(m *market.Market, loaded *index.Market) (a view.Attribution, date *string) {
	a = view.Attribution{SourceLabel: m.Source, SourceAuthority: m.Authority, SourceUnavailableReason: reason(m)}
	if loaded != nil {
		a.SourceLabel = view.SourceLabel(m, loaded.Snap)
		date = &loaded.Snap.SourceDate
	}
	return a, date
}

func reason(m *market.Market) *string {
	if m.HasInventory() {
		return nil
	}
	return &m.UnavailableReason
}
