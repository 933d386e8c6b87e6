package measure

// A Square has the measurements of one square of a grid.
type Square struct {
	Count     int
	Synthetic bool       // some were made up for a demonstration
	Newest    Generation // of the measurements; 0 if none is known
	Sampled   bool       // as in Group
	Values    [3]Quantiles
}

// Squares returns the measurements that a query selects by squares. square returns the number of
// the square of a position in 1e-7 degrees, from 0 to n-1, or less than 0 for a position outside.
// Squares ignores Limit. A Square without measurements has a Count of 0.
func (s *Store) Squares(kind Kind, q Query, n int, square func(lat, lng int32) int) ([]Square, error) {
	q.Limit = 1
	if err := q.check(); err != nil {
		return nil, err
	}
	all := make([]squareStats, n)
	for _, f := range s.view().filters(kind, &q) {
		for rows := range f.matches() {
			for _, i := range rows {
				if at := square(f.lat[i], f.lng[i]); at >= 0 {
					all[at].add(f.segment, i)
				}
			}
		}
	}
	list := make([]Square, n)
	for i := range all {
		if all[i].count > 0 {
			list[i] = all[i].square(kind)
		}
	}
	return list, nil
}

// A squareStats counts the rows of a square.
type squareStats struct {
	groupStats
	newest Generation
}

func (t *squareStats) add(s *segment, row uint32) {
	t.groupStats.add(s, row)
	t.newest = max(t.newest, technologies[s.technology[row]].generation)
}

func (t *squareStats) square(kind Kind) Square {
	g := t.group(kind)
	return Square{Count: g.Count, Synthetic: g.Synthetic, Newest: t.newest, Sampled: g.Sampled, Values: g.Values}
}
