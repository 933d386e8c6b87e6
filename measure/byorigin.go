package measure

// byOrigin are the days of the imports that were put together in a segment.
type byOrigin struct {
	last  uint32
	count int     // of the rows of runs
	days  []*days // by origin, nil for one without a row
}

func (b *byOrigin) add(f *filter, row uint32) {
	at := f.origin[row]
	if b.days[at] == nil {
		b.days[at] = newDays(f, f.Origins[at], b.last)
	}
	b.days[at].add(f, f.time[row], f.network[row], f.technology[row])
}

func (b *byOrigin) some(f *filter, rows []uint32) {
	for _, i := range rows { // of which the filter leaves out what is not looked at
		b.add(f, i)
	}
}

func (b *byOrigin) all(f *filter, r *runRows) {
	n := r.rows()
	for i := -b.count & (f.step - 1); i < n; i += f.step {
		b.add(f, uint32(r.row(i)))
	}
	b.count += n
}

// sessions appends the days of the imports with a row.
func (b *byOrigin) sessions(list []*days) []*days {
	for _, d := range b.days {
		if d != nil {
			list = append(list, d)
		}
	}
	return list
}
