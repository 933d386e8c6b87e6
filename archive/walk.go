package archive

import (
	"bytes"
	"slices"

	"relais/internal/store"
)

// A fetch returns the first block of a segment that ends at a support or after it, with its key;
// nil without one.
type fetch func(segment, support uint32) (key, sealed []byte, err error)

// fetchIn fetches within a transaction.
func fetchIn(tx *store.Tx) fetch {
	return func(segment, support uint32) (key, sealed []byte, err error) {
		b := tx.Bucket([]byte(blocksBucket))
		if b == nil {
			return nil, nil, nil
		}
		if key, sealed = b.Cursor().Seek(pairKey(segment, support)); len(key) != 8 ||
			!bytes.Equal(key[:4], pairKey(segment, 0)[:4]) {
			return nil, nil, nil
		}
		return key, sealed, nil
	}
}

// fetch fetches each block in a transaction of its own, so that no transaction is open as long as a
// reader takes. A missing segment belonged to a publication that was replaced.
func (s *Store) fetch(segment, support uint32) (key, sealed []byte, err error) {
	err = s.view(func(tx *store.Tx) (err error) {
		if number := numberKey(segment); tx.Value(segmentsBucket, number[:]) == nil {
			return errReplaced
		}
		key, sealed, err = fetchIn(tx)(segment, support)
		key, sealed = bytes.Clone(key), bytes.Clone(sealed)
		return err
	})
	return key, sealed, err
}

// An item is a selected row.
type item struct {
	ref
	picked [2]uint32 // as in picks
	block  *block
	row    int
}

func (it *item) content() content { return it.block.content(it.row) }

// A stream is the rows of one segment, by support.
type stream struct {
	segment uint32
	picks   *picks
	block   *block
	row     int
	done    bool
	ahead   chan openedBlock // the next block, nil if it is not being opened
}

type openedBlock struct {
	block *block
	err   error
}

// seek goes to the first row of a support, or of the next support in the segment. If all blocks are
// needed, the next one is opened meanwhile.
func (s *stream) seek(next fetch, support uint32, all bool) (err error) {
	for !s.done && (s.block == nil || s.block.last() < support) {
		if s.ahead == nil {
			if err := s.open(next, support); err != nil {
				return err
			}
		}
		if s.block, err = s.opened(); err != nil || s.done {
			return err
		}
		s.row = 0
		if all {
			if err := s.open(next, s.block.last()+1); err != nil {
				return err
			}
		}
	}
	for !s.done && s.block.supports[s.row] < support {
		s.row++
	}
	return nil
}

// open begins to open the block of a support.
func (s *stream) open(next fetch, support uint32) error {
	key, sealed, err := next(s.segment, support)
	if err != nil {
		return err
	}
	ahead := make(chan openedBlock, 1)
	s.ahead = ahead
	if key == nil {
		ahead <- openedBlock{}
		return nil
	}
	go func() {
		b, err := openBlock(key, sealed)
		ahead <- openedBlock{b, err}
	}()
	return nil
}

// opened returns the block that is being opened. The stream is done without one.
func (s *stream) opened() (*block, error) {
	o := <-s.ahead
	s.ahead, s.done = nil, o.block == nil && o.err == nil
	return o.block, o.err
}

func openBlock(key, sealed []byte) (*block, error) {
	plain, err := unseal(blocksBucket, key, sealed)
	if err != nil {
		return nil, err
	}
	b, err := readBlock(plain)
	if err == nil && !bytes.Equal(numberKeyOf(b.last()), key[4:]) {
		err = damaged("a block")
	}
	return b, err
}

func numberKeyOf(n uint32) []byte {
	key := numberKey(n)
	return key[:]
}

// appendRows appends the selected rows of the support at which the stream is.
func (s *stream) appendRows(items []item, support uint32) ([]item, error) {
	for ; !s.done && s.row < len(s.block.supports) && s.block.supports[s.row] == support; s.row++ {
		it := item{ref: ref{s.segment, s.block.ranks[s.row]}, block: s.block, row: s.row}
		for side, ids := range s.picks {
			if ids == nil {
				continue
			}
			if int(it.rank) >= len(ids) {
				return nil, damaged("a block")
			}
			it.picked[side] = ids[it.rank]
		}
		if it.picked != [2]uint32{} {
			items = append(items, it)
		}
	}
	if !s.done && s.row == len(s.block.supports) {
		s.block = nil
	}
	return items, nil
}

// walk calls yield with the selected rows of each support, ascending. With a list of supports, also
// ascending, it calls yield for exactly these, with or without rows. Memory holds two blocks of each
// segment. Items are valid until yield returns. Errors: those of yield and next, errDamaged.
func walk(next fetch, sel selection, only []uint32, yield func(support uint32, items []item) error) error {
	var streams []*stream
	for number, p := range sel {
		streams = append(streams, &stream{segment: number, picks: p})
	}
	slices.SortFunc(streams, func(a, b *stream) int { return int(a.segment) - int(b.segment) })
	defer func() {
		for _, s := range streams {
			if s.ahead != nil {
				s.opened() // the transaction must stay as long as it is read
			}
		}
	}()
	var items []item
	for at, support := 0, uint32(0); ; support++ {
		if only != nil {
			if at == len(only) {
				return nil
			}
			support = only[at]
			at++
		}
		least := ^uint32(0)
		for _, s := range streams {
			if err := s.seek(next, support, only == nil); err != nil {
				return err
			}
			if !s.done {
				least = min(least, s.block.supports[s.row])
			}
		}
		if only == nil {
			if support = least; least == ^uint32(0) {
				return nil
			}
		}
		items = items[:0]
		for _, s := range streams {
			var err error
			if items, err = s.appendRows(items, support); err != nil {
				return err
			}
		}
		if only == nil && len(items) == 0 {
			continue
		}
		if err := yield(support, items); err != nil {
			return err
		}
	}
}

func segmentOf(tx *store.Tx, number uint32) (g segment, err error) {
	key := numberKey(number)
	if err = readJSON(segmentsBucket, key[:], tx.Value(segmentsBucket, key[:]), &g); err == nil &&
		(g.Rows < 1 || g.Rows > maxRows) {
		err = damaged("a segment")
	}
	return g, err
}
