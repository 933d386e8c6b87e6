package index

import (
	"slices"
	"sort"
	"strings"
)

// A valueTable finds sites by a value or by its beginning. A site may have several values.
type valueTable struct {
	values []string // ascending, without duplicates
	start  []uint32 // start of each value's sites, and the end of the last
	sites  []uint32 // ascending for each value
}

// newValueTable returns the table of the values that each yields for the sites 0 to sites-1.
// It leaves out "".
func newValueTable(sites int, each func(i uint32, yield func(value []byte))) *valueTable {
	sitesOf := map[string][]uint32{}
	for i := range uint32(sites) {
		each(i, func(value []byte) {
			if len(value) > 0 {
				sitesOf[string(value)] = append(sitesOf[string(value)], i)
			}
		})
	}
	t := &valueTable{values: make([]string, 0, len(sitesOf)), start: make([]uint32, 1, len(sitesOf)+1)}
	entries := 0
	for value, sites := range sitesOf {
		t.values, entries = append(t.values, value), entries+len(sites)
	}
	slices.Sort(t.values)
	t.sites = make([]uint32, 0, entries)
	for _, value := range t.values {
		t.sites = append(t.sites, sitesOf[value]...)
		t.start = append(t.start, uint32(len(t.sites)))
	}
	return t
}

// withValue returns the sites with a value.
func (t *valueTable) withValue(value string) []uint32 {
	at, has := slices.BinarySearch(t.values, value)
	if !has {
		return nil
	}
	return t.sites[t.start[at]:t.start[at+1]]
}

// withPrefix returns the sites with a value that begins with a text.
func (t *valueTable) withPrefix(text string) []uint32 {
	from, _ := slices.BinarySearch(t.values, text)
	n := sort.Search(len(t.values)-from, func(k int) bool { return !strings.HasPrefix(t.values[from+k], text) })
	return t.sites[t.start[from]:t.start[from+n]]
}
