package measure

// Points returns a page of the coverage points that a query selects, in the order of the store, which
// stays the same until measurements are added or dropped. total is the number of selected points.
func (s *Store) Points(q Query) (points []Point, total int, err error) {
	if err := q.check(); err != nil {
		return nil, 0, err
	}
	for _, f := range s.view().filters(Coverage, &q) {
		for rows := range f.matches() {
			if first := q.Offset - total; first < len(rows) {
				for _, i := range rows[max(first, 0):] {
					if len(points) == q.Limit {
						break
					}
					points = append(points, f.point(i))
				}
			}
			total += len(rows)
		}
	}
	return points, total, nil
}

// PointByID returns the coverage point with an id among those that a query selects, false if no such point has it.
func (s *Store) PointByID(q Query, id string) (Point, bool) {
	for _, f := range s.view().filters(Coverage, &q) {
		for rows := range f.matches() {
			for _, i := range rows {
				if idText(f.id(i)) == id {
					return f.point(i), true
				}
			}
		}
	}
	return Point{}, false
}
