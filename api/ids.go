package api

import (
	"slices"
	"strings"

	"relais/index"
)

// maxIDs is the greatest number of sites that ids can name.
const maxIDs = 100

// An idList is a list of siteKeys and ids of sites, separated by commas.
type idList string

// Several is the type of one value.
func (idList) Several() any { return "" }

// UnmarshalText accepts any texts.
func (l *idList) UnmarshalText(b []byte) error {
	parts, err := splitAtMost(maxIDs, string(b))
	slices.Sort(parts) // for caches: one question has one key
	*l = idList(strings.Join(slices.Compact(parts), ","))
	return err
}

// apply restricts a filter to the sites that the list names. It returns the names that no site of the
// market has, nil without a list.
func (l idList) apply(f *index.Filter, m *index.Market) (unknown []string) {
	if l == "" {
		return nil
	}
	names := textList(l).values()
	if m == nil {
		return names
	}
	var named *index.Subset
	named, unknown = m.Named(names)
	f.Within = named.And(f.Within)
	return unknown
}
