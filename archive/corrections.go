package archive

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"relais/archive/change"
	"relais/internal/store"
	"relais/market"
	"relais/site"
)

// Told returns the differences by which an edition of a market became known: with 0 those from the edition before it,
// as it came first, and with n up to Corrected those that its n-th correction made. It is empty for an edition that
// was not corrected, or replaced in another way since. The list is shared. Errors: errDamaged, those of ctx.
func (s *Store) Told(ctx context.Context, code market.Code, date site.Date, n int) (l *change.List, err error) {
	key := toldKey(code, date, n)
	err = s.view(func(tx *store.Tx) error {
		sealed := tx.Value(toldBucket, key)
		if sealed == nil {
			l, err = change.NewBuilder().List()
			return err
		}
		name, err := nameOf(sealed)
		if err != nil {
			return err
		}
		l, err = s.memory.differences.get(ctx, name, func() (*change.List, int, error) {
			l, err := readTold(key, sealed)
			if err != nil {
				return nil, 0, err
			}
			return l, l.Bytes(), nil
		})
		return err
	})
	return l, err
}

func toldKey(code market.Code, date site.Date, n int) []byte {
	return binary.BigEndian.AppendUint32(marketKey(code, date), uint32(n))
}

// readTold reads what was told. Errors: errDamaged.
func readTold(key, sealed []byte) (*change.List, error) {
	plain, err := unseal(toldBucket, key, sealed)
	if err != nil {
		return nil, err
	}
	l, err := change.ReadList(plain)
	if err != nil {
		return nil, damaged(toldBucket + ": " + err.Error())
	}
	return l, nil
}

// A correction replaces the newest edition of some markets by another form of it.
type correction struct {
	codes    []market.Code
	previous Edition // the one before
	was      Edition
	lists    []*change.List // by market: from previous to was
}

// newCorrection reads the differences before they are replaced. It is nil if they are not stored.
func newCorrection(tx *store.Tx, codes []market.Code, previous, was Edition) (*correction, error) {
	c := &correction{codes: codes, previous: previous, was: was}
	for _, code := range codes {
		key := marketKey(code, was.Date)
		sealed := tx.Value(differencesBucket, key)
		if sealed == nil && published(code) {
			return nil, nil
		}
		l, err := readDifference(key, sealed, previous, was)
		if errors.Is(err, errStale) && published(code) {
			return nil, nil
		} else if err != nil {
			return nil, err
		}
		c.lists = append(c.lists, l)
	}
	return c, nil
}

// number returns how often the edition is corrected with this, 0 if c is nil.
func (c *correction) number() int {
	if c == nil {
		return 0
	}
	return c.was.Corrected + 1
}

// put stores what the correction changes, and with the first one what was told until then. The differences of
// the new form are stored.
func (c *correction) put(tx *store.Tx, is Edition) error {
	for i, code := range c.codes {
		key := marketKey(code, is.Date)
		now, err := readDifference(key, tx.Value(differencesBucket, key), c.previous, is)
		if err != nil {
			return err
		}
		l, err := change.Correction(c.lists[i], now)
		if err == nil && c.number() == 1 {
			err = putTold(tx, toldKey(code, is.Date, 0), c.lists[i])
		}
		if err = errors.Join(err, putTold(tx, toldKey(code, is.Date, c.number()), l)); err != nil {
			return err
		}
	}
	return nil
}

func putTold(tx *store.Tx, key []byte, l *change.List) error {
	return tx.Bucket([]byte(toldBucket)).Put(key, seal(toldBucket, key, l.Append(nil)))
}

// removeTold deletes what was told of an edition.
func removeTold(tx *store.Tx, codes []market.Code, date site.Date) error {
	for _, code := range codes {
		for n := 0; ; n++ {
			key := toldKey(code, date, n)
			if tx.Value(toldBucket, key) == nil {
				break
			}
			if err := tx.Bucket([]byte(toldBucket)).Delete(key); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkTold checks that what was told can be read, and is of editions that there are.
func checkTold(tx *store.Tx, publications []Publication) error {
	corrected := map[string]int{} // by market and date
	for i := range publications {
		for _, code := range Markets {
			corrected[string(marketKey(code, publications[i].day()))] = publications[i].Corrected
		}
	}
	for _, m := range market.All {
		all, err := noted(tx, m.Code)
		if err != nil {
			return err
		}
		for _, e := range all {
			corrected[string(marketKey(m.Code, e.Date))] = e.Corrected
		}
	}
	left := 0
	for _, n := range corrected {
		if n > 0 {
			left += n + 1
		}
	}
	b := tx.Bucket([]byte(toldBucket))
	if b == nil {
		return nil
	}
	c := b.Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		if len(k) != 12 || int(binary.BigEndian.Uint32(k[8:])) > corrected[string(k[:8])] {
			return damaged(fmt.Sprintf("%s: %x", toldBucket, slices.Clone(k)))
		}
		if _, err := readTold(k, v); err != nil {
			return err
		}
		left--
	}
	if left != 0 {
		return damaged(fmt.Sprintf("%s: %d are missing", toldBucket, left))
	}
	return nil
}
