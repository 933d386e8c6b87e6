package archive

import (
	"bytes"
	"errors"
	"fmt"

	"relais/internal/store"
	"relais/market"
	"relais/site"
)

// checkEditions reads the differences of a market. Of noted editions it undoes them one after the
// other, from the newest state to the oldest. It returns the number of noted editions.
func (s *Store) checkEditions(tx *store.Tx, code market.Code) (n int, err error) {
	all, err := s.editionsIn(tx, code)
	if err != nil || len(all) == 0 {
		return 0, err
	}
	if published(code) {
		return 0, checkDifferences(tx, code, all)
	}
	state, err := stateOf(tx, code, all[len(all)-1])
	for i := len(all) - 1; err == nil && i > 0; i-- {
		state, err = undo(tx, code, all[i-1], all[i], state)
		if err == nil && state.Len() != all[i-1].Sites {
			err = damaged(fmt.Sprintf("%d sites of %d on %s", state.Len(), all[i-1].Sites, all[i-1].Date))
		}
	}
	return len(all), err
}

// checkDifferences decodes the differences between publications.
func checkDifferences(tx *store.Tx, code market.Code, all []Edition) error {
	for i := 1; i < len(all); i++ {
		key := marketKey(code, all[i].Date)
		if _, err := readDifference(key, tx.Value(differencesBucket, key), all[i-1], all[i]); err != nil {
			return fmt.Errorf("%s: %w", all[i].Date, err)
		}
	}
	return nil
}

// checkMarketKeys finds editions, differences and states that belong to nothing. The publications are
// those that there are, oldest first.
func checkMarketKeys(tx *store.Tx, publications []Publication) error {
	var errs []error
	compared := map[site.Date]bool{} // publications with one before
	for i := 1; i < len(publications); i++ {
		compared[publications[i].day()] = true
	}
	oldest := map[market.Code]Edition{}
	for _, m := range market.All {
		all, err := noted(tx, m.Code)
		if len(all) > 0 {
			oldest[m.Code] = all[0]
		}
		errs = append(errs, err)
	}
	check := func(bucket string, sound func(key []byte) bool) {
		b := tx.Bucket([]byte(bucket))
		if b == nil {
			return
		}
		c := b.Cursor()
		for k, _ := c.First(); k != nil; k, _ = c.Next() {
			if !sound(k) {
				errs = append(errs, damaged(fmt.Sprintf("%s: %x", bucket, bytes.Clone(k))))
				return
			}
		}
	}
	check(editionsBucket, func(k []byte) bool {
		code, _, ok := readMarketKey(k)
		return ok && !published(code)
	})
	check(differencesBucket, func(k []byte) bool {
		code, date, ok := readMarketKey(k)
		if published(code) {
			return ok && compared[date]
		}
		return ok && tx.Value(editionsBucket, k) != nil && date > oldest[code].Date
	})
	check(statesBucket, func(k []byte) bool {
		code, _, ok := readMarketKey(append(bytes.Clone(k), 0, 0, 0, 1))
		return ok && oldest[code].Date > 0
	})
	return errors.Join(errs...)
}
