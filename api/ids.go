package api

import "relais/index"

// onlyNamed restricts a filter to the sites that have these siteKeys or ids. It returns the names that no site of
// the market has, nil without names.
func onlyNamed(names []string, f *index.Filter, m *index.Market) (unknown []string) {
	if len(names) == 0 || m == nil {
		return names
	}
	var named *index.Subset
	named, unknown = m.Named(names)
	f.Within = named.And(f.Within)
	return unknown
}
