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
	from    int      // the first row of the tile
	byTime  []uint16 // their numbers in their order, from that one
	older   int      // how many of them are too old
	notches []notch  // of all of them, or none
}

// rows is how many match.
func (r *runRows) rows() int { return len(r.byTime) - r.older }

// near is the notch of the i-th row that matches, or of one that is fewer than notchRows
// before it and matches; nil where there is none.
func (r *runRows) near(i int) *notch {
	at := r.older + i
	if k := at / notchRows; k < len(r.notches) && k*notchRows >= r.older {
		return &r.notches[k]
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
	r := &f.run
	r.from = t * g.blocks * blockRows
	begin, notches := uint32(r.from), g.notches[g.tiles[t].notches:]
	for _, r.run = range g.runsOf(&g.tiles[t]) {
		r.byTime, begin = g.byTime[begin:r.end], r.end
		r.notches = notches[:notchesOf(len(r.byTime), notches)]
		notches = notches[len(r.notches):]
		if !f.passes(r.run) {
			continue
		}
		if r.older = 0; g.tiles[t].oldest < f.since {
			r.older = f.older(r.byTime, r.from, r.notches)
		}
		v.all(f, r)
	}
}

// passes tells whether the filter lets the rows of a run pass.
func (f *filter) passes(r run) bool {
	return (f.networks == nil || f.networks[r.network]) && (f.kinds == nil || f.kinds[r.technology])
}
