package index

import (
	"slices"
	"sort"
	"strings"
)

// A valueTable finds sites by a whole value that they have, or by its beginning. A site may
// have several.
type valueTable struct {
	values []string // ascending, each once
	start  []uint32 // of the sites of each in sites, and where the last ends
	sites  []uint32 // ascending for each value
}

// newValueTable makes a table of the values that each yields for so many sites; those that
// are "" are not found.
func newValueTable(sites int, each func(i uint32, yield func(value []byte))) *valueTable {
	of := map[string][]uint32{}
	for i := range uint32(sites) {
		each(i, func(value []byte) {
			if len(value) > 0 {
				of[string(value)] = append(of[string(value)], i)
			}
		})
	}
	t := &valueTable{values: make([]string, 0, len(of)), start: make([]uint32, 1, len(of)+1)}
	entries := 0
	for value, sites := range of {
		t.values, entries = append(t.values, value), entries+len(sites)
	}
	slices.Sort(t.values)
	t.sites = make([]uint32, 0, entries)
	for _, value := range t.values {
		t.sites = append(t.sites, of[value]...)
		t.start = append(t.start, uint32(len(t.sites)))
	}
	return t
}

// whole returns the sites that have a value.
func (t *valueTable) whole(value string) []uint32 {
	at, has := slices.BinarySearch(t.values, value)
	if !has {
		return nil
	}
	return t.sites[t.start[at]:t.start[at+1]]
}

// beginning returns the sites that have a value that begins with a text.
func (t *valueTable) beginning(text string) []uint32 {
	from, _ := slices.BinarySearch(t.values, text)
	n := sort.Search(len(t.values)-from, func(k int) bool { return !strings.HasPrefix(t.values[from+k], text) })
	return t.sites[t.start[from]:t.start[from+n]]
}
