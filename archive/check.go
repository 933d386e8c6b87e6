package archive

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"relais/internal/store"
	"relais/market"
)

// CheckRecords reads every record of archives.db. It checks that every row that a publication or
// its changes name is stored once, that each edition has its differences, and that the noted
// editions follow from each other. It returns the numbers of publications,
// of stored rows and of noted editions. The error names the first problems.
func (s *Store) CheckRecords() (publicationCount, rows, editions int, err error) {
	if s.db == nil {
		return 0, 0, 0, nil
	}
	var all []Publication
	var segments []uint32
	err = s.db.View(func(tx *store.Tx) (err error) {
		if all, err = publications(tx); err != nil {
			return err
		}
		segments, err = segmentNumbers(tx)
		return err
	})
	if err != nil {
		return 0, 0, 0, err
	}
	stored := map[uint32][]int32{} // by rank, the last publication that has the row
	var found problems
	for _, number := range segments {
		found.add(fmt.Sprintf("segment %d", number), s.db.View(func(tx *store.Tx) (err error) {
			stored[number], err = checkSegment(tx, number)
			return err
		}))
		rows += len(stored[number])
	}
	for i := range all {
		found.add(all[i].Date,
			s.db.View(func(tx *store.Tx) error { return checkPublication(tx, &all[i], int32(i), stored) }))
	}
	found.add("what belongs to nothing", s.db.View(func(tx *store.Tx) error { return checkKeys(tx, all, stored) }))
	for _, m := range market.All {
		found.add("editions of "+string(m.Code), s.db.View(func(tx *store.Tx) error {
			n, err := s.checkEditions(tx, m.Code)
			editions += n
			return err
		}))
	}
	return len(all), rows, editions, errors.Join(found...)
}

type problems []error

func (p *problems) add(what string, err error) {
	const most = 10
	if err != nil && len(*p) < most {
		*p = append(*p, fmt.Errorf("%s: %w", what, err))
	}
}

func segmentNumbers(tx *store.Tx) (numbers []uint32, err error) {
	err = store.Each(tx, segmentsBucket, func(k, _ []byte) error {
		if len(k) != 4 {
			return damaged("a segment")
		}
		numbers = append(numbers, numberIn(k))
		return nil
	})
	return numbers, err
}

// checkSegment reads the blocks of a segment, in which every rank must occur once.
func checkSegment(tx *store.Tx, number uint32) ([]int32, error) {
	const missing, there = -2, -1
	g, err := segmentOf(tx, number)
	if err != nil {
		return nil, err
	}
	ranks, n := slices.Repeat([]int32{missing}, g.Rows), 0
	for from := uint32(0); ; {
		key, sealed, err := fetchIn(tx)(number, from)
		if err != nil {
			return nil, err
		}
		if key == nil {
			break
		}
		b, err := openBlock(key, sealed)
		if err != nil {
			return nil, err
		}
		for row, rank := range b.ranks {
			if int(rank) >= len(ranks) || ranks[rank] == there || b.supports[row] < from {
				return nil, damaged("a block")
			}
			ranks[rank] = there
			n++
		}
		from = b.last() + 1
	}
	if n != g.Rows {
		return nil, damaged(fmt.Sprintf("%d rows of %d", n, g.Rows))
	}
	return ranks, nil
}

func checkPublication(tx *store.Tx, p *Publication, at int32, stored map[uint32][]int32) error {
	l, err := listingOf(tx, p)
	if err != nil {
		return err
	}
	if !slices.Equal(l.segments(), p.Segments) {
		return damaged("its segments are not those of its rows")
	}
	for _, r := range l.refs {
		ranks := stored[r.segment]
		if int(r.rank) >= len(ranks) || ranks[r.rank] == at {
			return damaged("a row is not there, or there twice")
		}
		ranks[r.rank] = at
	}
	changes, err := changesOf(tx, p)
	if err != nil {
		return err
	}
	for _, c := range changes {
		ranks := stored[c.segment]
		if int(c.rank) >= len(ranks) || (ranks[c.rank] == at) == c.kind.old() {
			return damaged("its changes are of other rows than its own")
		}
	}
	return nil
}

// checkKeys finds records that belong to no publication or segment.
func checkKeys(tx *store.Tx, all []Publication, stored map[uint32][]int32) error {
	dates := map[uint32]bool{}
	for i := range all {
		dates[uint32(all[i].day())] = true
	}
	return errors.Join(
		eachKey(tx, rowsBucket, 4, func(n uint32) bool { return dates[n] }),
		eachKey(tx, changesBucket, 8, func(n uint32) bool { return dates[n] }),
		eachKey(tx, blocksBucket, 8, func(n uint32) bool { return stored[n] != nil }),
		checkMarketKeys(tx, all),
		checkTold(tx, all),
	)
}

func eachKey(tx *store.Tx, bucket string, length int, known func(uint32) bool) error {
	b := tx.Bucket([]byte(bucket))
	if b == nil {
		return nil
	}
	c := b.Cursor()
	for k, _ := c.First(); k != nil; k, _ = c.Next() {
		if len(k) != length || !known(numberIn(k)) {
			return damaged(fmt.Sprintf("%s: %x", bucket, bytes.Clone(k)))
		}
	}
	return nil
}
