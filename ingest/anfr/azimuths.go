package anfr

import (
	"bytes"
	"slices"

	"relais/ingest/source"
)

// azimuthLists are the lists of the column list_azimut. Equal texts share a list.
type azimuthLists struct {
	lists  [][]uint16 // distinct, ascending, 0 to 359 from true north; list 0 is not stated
	parsed map[string]parsedAzimuths
}

type parsedAzimuths struct {
	list  uint32 // index in lists
	wrong int    // values that were left out
}

func newAzimuthLists() azimuthLists {
	return azimuthLists{lists: [][]uint16{nil}, parsed: map[string]parsedAzimuths{}}
}

// find returns the index of the list that a row states.
func (a *azimuthLists) find(r *source.Reader) uint32 {
	field := r.Field(obsAzimuths)
	if len(field) == 0 {
		return 0
	}
	p, known := a.parsed[string(field)]
	if !known {
		list, wrong := parseAzimuths(field)
		p = parsedAzimuths{a.add(list), wrong}
		if cacheable(0, field) {
			a.parsed[string(field)] = p
		}
	}
	r.NoteOdd("list_azimut", p.wrong, r.Line(), "whole degrees from 0 to 360")
	return p.list
}

// add returns the index of a new list.
func (a *azimuthLists) add(list []uint16) uint32 {
	if len(list) == 0 {
		return 0
	}
	a.lists = append(a.lists, list)
	return uint32(len(a.lists) - 1)
}

// unite returns the index of the list with the numbers of two lists.
func (a *azimuthLists) unite(i, k uint32) uint32 {
	all := slices.Concat(a.lists[i], a.lists[k])
	slices.Sort(all)
	switch all = slices.Compact(all); {
	case len(all) == len(a.lists[i]):
		return i
	case len(all) == len(a.lists[k]):
		return k
	}
	return a.add(all)
}

// parseAzimuths parses whole degrees with "|" in between. It leaves out and counts other values.
func parseAzimuths(field []byte) (list []uint16, wrong int) {
	var stated [360]bool
	for value := range bytes.SplitSeq(field, []byte("|")) {
		value = bytes.TrimSpace(value)
		if degrees, ok := parseWhole(value); ok && degrees <= 360 {
			stated[degrees%360] = true
		} else if len(value) > 0 {
			wrong++
		}
	}
	for degrees, is := range stated {
		if is {
			list = append(list, uint16(degrees))
		}
	}
	return list, wrong
}
