package archive

import "slices"

// putSegment stores the new rows, ranked in the order of the file.
func (a *adding) putSegment() error {
	bucket := a.tx.Bucket([]byte(segmentsBucket))
	next, err := bucket.NextSequence()
	if err != nil {
		return err
	}
	number := uint32(next)
	if uint64(number) != next {
		return damaged("the number of segments")
	}
	g := segment{}
	fresh := make([]bool, len(a.refs))
	for row, r := range a.refs {
		if fresh[row] = r == (ref{}); fresh[row] {
			a.refs[row] = ref{number, uint32(g.Rows)}
			g.Rows++
		}
	}
	if g.Rows == 0 {
		return nil
	}
	var w blockWriter
	last := uint32(0)
	for _, row := range a.order {
		if !fresh[row] {
			continue
		}
		support := a.file.rows[row].support
		if len(w.ranks) >= blockRows && support != last {
			if err := a.putBlock(&w, &g, number, last); err != nil {
				return err
			}
		}
		w.add(a.refs[row].rank, a.file.content(int(row)))
		last = support
	}
	if err := a.putBlock(&w, &g, number, last); err != nil {
		return err
	}
	a.report.Bytes += g.Bytes
	return putJSON(a.tx, segmentsBucket, numberKeyOf(number), g)
}

func (a *adding) putBlock(w *blockWriter, g *segment, number, last uint32) error {
	if err := a.ctx.Err(); err != nil {
		return err
	}
	key := pairKey(number, last)
	sealed := seal(blocksBucket, key, w.finish())
	g.Bytes += len(sealed)
	return a.tx.Bucket([]byte(blocksBucket)).Put(key, sealed)
}

// sweep deletes the segments that no publication uses.
func (a *adding) sweep() error {
	all, err := publications(a.tx)
	if err != nil {
		return err
	}
	used := map[uint32]bool{}
	for _, p := range all {
		for _, n := range p.Segments {
			used[n] = true
		}
	}
	var unused []uint32
	segments, blocks := a.tx.Bucket([]byte(segmentsBucket)), a.tx.Bucket([]byte(blocksBucket))
	err = segments.ForEach(func(k, _ []byte) error {
		if n := numberIn(k); !used[n] {
			unused = append(unused, n)
		}
		return nil
	})
	for _, n := range unused {
		for k, _ := blocks.Cursor().Seek(pairKey(n, 0)); len(k) == 8 &&
			numberIn(k) == n; k, _ = blocks.Cursor().Seek(pairKey(n, 0)) {
			if err == nil {
				err = blocks.Delete(slices.Clone(k))
			}
			if err != nil {
				return err
			}
		}
		if err == nil {
			err = segments.Delete(numberKeyOf(n))
		}
	}
	return err
}
