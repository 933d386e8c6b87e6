package change

import "slices"

// Technologies lists the technologies of the records that a filter selects, nil for all of them, as published, in order.
func (l *List) Technologies(f *Filter) (names []string) {
	seen := make([]bool, len(l.texts.list))
	var s selector
	s.compile(f, l)
	for i := range l.sites {
		if !s.site(l, &l.sites[i]) {
			continue
		}
		for _, r := range l.rowsOf(i) {
			seen[r.technology] = seen[r.technology] || s.row(&r)
		}
	}
	for i, name := range l.texts.list {
		if seen[i] && name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
