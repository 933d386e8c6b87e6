package archive

import (
	"slices"

	"golang.org/x/sync/errgroup"
)

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
	fresh := make([]bool, len(a.rows.refs))
	for row, r := range a.rows.refs {
		if fresh[row] = r == (ref{}); fresh[row] {
			a.rows.refs[row] = ref{number, uint32(g.Rows)}
			g.Rows++
		}
	}
	if g.Rows == 0 {
		return nil
	}
	for _, b := range a.blocks(number, fresh) {
		if err := a.ctx.Err(); err != nil {
			return err
		}
		g.Bytes += len(b.sealed)
		if err := a.tx.Bucket([]byte(blocksBucket)).Put(b.key, b.sealed); err != nil {
			return err
		}
	}
	a.report.Bytes += g.Bytes
	return putJSON(a.tx, segmentsBucket, numberKeyOf(number), g)
}

// A sealedBlock is a block as it is stored.
type sealedBlock struct{ key, sealed []byte }

// blocks makes the blocks of the fresh rows. They are compressed on all cores.
func (a *adding) blocks(number uint32, fresh []bool) (all []*sealedBlock) {
	var sealing errgroup.Group
	sealing.SetLimit(compressors())
	w := newBlockWriter(&a.file.texts)
	last := uint32(0)
	end := func() {
		b, plain := &sealedBlock{key: pairKey(number, last)}, w.finish()
		all = append(all, b)
		sealing.Go(func() error {
			b.sealed = seal(blocksBucket, b.key, plain)
			return nil
		})
	}
	for _, row := range a.order {
		if !fresh[row] {
			continue
		}
		support := a.file.number(row)
		if len(w.ranks) >= blockRows && support != last {
			end()
		}
		c := a.file.row(row).codes()
		w.add(a.rows.refs[row].rank, &c)
		last = support
	}
	end()
	sealing.Wait()
	return all
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
