package measure

// A visitor is shown the rows that a filter matches, as they lie in the tiles of a segment.
// It must not keep them.
type visitor interface {
	// some is shown rows that are of several runs.
	some(f *filter, rows []uint32)
	// all is shown a run.
	all(f *filter, r *runRows)
}

// A runRows is the rows of a run of which all but the first ones match.
type runRows struct {
	run
	from   int      // the first row of the tile
	byTime []uint16 // their numbers in their order, from that one
	since  uint32   // the least time that matches
	older  int      // how many of them are too old
	// of has their notches and marks, which begin there.
	of             *tiling
	notches, marks int
}

// rows is how many match.
func (r *runRows) rows() int { return len(r.byTime) - r.older }

// near is what stands for the i-th row that matches in a sample of each step rows: a mark or
// notch of the same rows that matches. nil is for the row itself.
func (r *runRows) near(i, step int) *notch {
	at := r.older + i
	if step >= markRows {
		if n := &r.of.marks[r.marks+at/markRows]; n.time >= r.since {
			return n
		}
	}
	if step >= notchRows && len(r.of.notches) > 0 {
		if n := &r.of.notches[r.notches+at/notchRows]; n.time >= r.since {
			return n
		}
	}
	return nil
}

// row is the i-th that matches.
func (r *runRows) row(i int) int { return r.from + int(r.byTime[r.older+i]) }

// visit shows the rows that match, in their order but for those of a tile.
func (f *filter) visit(v visitor) { f.visitTiles(v, 0, 0, len(f.blocks)) }

// visitTiles shows the rows that match of the blocks from to to-1, by the tiles of a tiling
// and, of those that lie in the place in part, by the next one's.
func (f *filter) visitTiles(v visitor, level, from, to int) {
	if level == len(f.tilings) {
		for k := from; k < to; k++ {
			v.some(f, f.matches(k))
		}
		return
	}
	g := &f.tilings[level]
	for k := from; k < to; k += g.blocks {
		switch t := &g.tiles[k/g.blocks]; {
		case !f.meets(&t.extent):
		case f.covers(&t.rectangle):
			f.visitRuns(v, g, k/g.blocks)
		default:
			f.visitTiles(v, level+1, k, min(k+g.blocks, to))
		}
	}
}

// visitRuns shows the rows that match of a tile that lies in the place.
func (f *filter) visitRuns(v visitor, g *tiling, t int) {
	r, tile := &f.run, &g.tiles[t]
	*r = runRows{from: t * g.blocks * blockRows, since: f.since, of: g, notches: int(tile.notches), marks: int(tile.marks)}
	begin := uint32(r.from)
	for _, r.run = range g.runsOf(tile) {
		r.byTime, begin = g.byTime[begin:r.end], r.end
		if f.passes(r.run) {
			if r.older = 0; tile.oldest < f.since {
				r.older = f.older(r.byTime, r.from, g.notchesOf(r.notches, len(r.byTime)))
			}
			v.all(f, r)
		}
		r.notches, r.marks = r.notches+in(len(r.byTime), notchRows), r.marks+in(len(r.byTime), markRows)
	}
}

// passes tells whether the filter lets the rows of a run pass.
func (f *filter) passes(r run) bool {
	return (f.networks == nil || f.networks[r.network]) && (f.kinds == nil || f.kinds[r.technology])
}
