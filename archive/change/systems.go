package change

import "slices"

// Technologies lists the technologies of the records, as published, in order.
func (l *List) Technologies() (names []string) {
	seen := make([]bool, len(l.texts.list))
	for i := range l.rows {
		if l.rows[i].kind.shown() {
			seen[l.rows[i].technology] = true
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
