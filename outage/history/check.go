package history

import (
	"bytes"
	"fmt"
	"math/bits"

	"relais/internal/store"
	"relais/market"
)

// Check reads every month of outages.db and counts its days and different rows. The error names the first months that
// cannot be used. A nil db is a missing file.
func Check(db *store.DB) (days, rows int, err error) {
	if db == nil {
		return 0, 0, nil
	}
	var found store.Problems
	err = db.View(func(tx *store.Tx) error {
		tx.LeaveOut(found.Add)
		return store.Each(tx, bucket, func(k, packed []byte) error {
			code, _, _ := bytes.Cut(k, []byte{0})
			m, err := unpack(packed)
			if err == nil && (market.Get(market.Code(code)) == nil || firstDay(k, market.Code(code)) == 0) {
				err = errDamaged
			}
			if err != nil {
				found.Add(fmt.Errorf("%s: %w", nameOf(k), err))
				return nil
			}
			read := dayBits(0)
			for _, o := range m.operators {
				read |= o.read
			}
			days, rows = days+bits.OnesCount32(uint32(read)), rows+len(m.rows)
			return nil
		})
	})
	if problems := found.Err(); problems != nil {
		err = problems
	}
	return days, rows, err
}
