package archive

import (
	"context"

	"relais/internal/store"
)

// members are the rows of a publication: for each segment one bit for each rank.
type members map[uint32][]uint64

func (m members) has(r ref) bool {
	bits := m[r.segment]
	return int(r.rank/64) < len(bits) && bits[r.rank/64]&(1<<(r.rank%64)) != 0
}

// size returns about how many bytes of memory they take.
func (m members) size() (n int) {
	for _, bits := range m {
		n += 64 + 8*cap(bits)
	}
	return n
}

// membersOf returns the rows of a publication. Errors: errDamaged.
func (s *Store) membersOf(tx *store.Tx, p *Publication) (members, error) {
	key := numberKey(uint32(p.day()))
	name, err := nameOf(tx.Value(rowsBucket, key[:]))
	if err != nil {
		return nil, err
	}
	return s.memory.members.Make(context.Background(), name, func(context.Context) (members, error) {
		l, err := listingOf(tx, p)
		if err != nil {
			return nil, err
		}
		m := members{}
		for _, r := range l.refs {
			bits := m[r.segment]
			for len(bits) <= int(r.rank/64) {
				bits = append(bits, 0)
			}
			bits[r.rank/64] |= 1 << (r.rank % 64)
			m[r.segment] = bits
		}
		return m, nil
	})
}
