package archive

import (
	"bytes"
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

// Told returns what was told of an edition of a market: with 0 its differences from the edition before it, as they were
// until its first correction; with n what its n-th correction changed, a span from the edition to itself. The span has
// no lists for a correction that is not kept, for the first edition, and for one that is not there. Corrections are not
// kept of an edition that was replaced when a newer one was there, or that got another one before it since. The list
// is shared. Errors: errDamaged, those of ctx.
func (s *Store) Told(ctx context.Context, code market.Code, date site.Date, n int) (*Span, error) {
	span := &Span{Market: code, store: s}
	return span, s.view(func(tx *store.Tx) error {
		all, err := s.editionsIn(tx, code)
		at := slices.IndexFunc(all, func(e Edition) bool { return e.Date == date })
		if err != nil || at < 1 {
			return err
		}
		list, err := s.told(ctx, tx, code, date, n)
		if span.From, span.To = all[at], all[at]; n == 0 {
			if span.From = all[at-1]; list == nil && err == nil {
				list, err = s.stored(ctx, tx, code, span.From, span.To)
			}
		}
		if list != nil {
			span.Lists = []Dated{{Edition: span.To, Previous: span.From.Date, List: list, previous: span.From}}
		}
		return err
	})
}

// told returns the kept list of changes for Told, nil if none is kept.
func (s *Store) told(ctx context.Context, tx *store.Tx, code market.Code, date site.Date, n int) (*change.List, error) {
	key := toldKey(code, date, n)
	sealed := tx.Value(toldBucket, key)
	if sealed == nil {
		return nil, nil
	}
	name, err := nameOf(sealed)
	if err != nil {
		return nil, err
	}
	return s.memory.differences.Make(ctx, name, func(context.Context) (*change.List, error) {
		return readTold(key, sealed)
	})
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

// newCorrection reads the differences before they are replaced. Errors: errDamaged.
func newCorrection(tx *store.Tx, codes []market.Code, previous, was Edition) (*correction, error) {
	c := &correction{codes: codes, previous: previous, was: was}
	for _, code := range codes {
		key := marketKey(code, was.Date)
		l, err := readDifference(key, tx.Value(differencesBucket, key), previous, was)
		if err != nil {
			return nil, err
		}
		c.lists = append(c.lists, l)
	}
	return c, nil
}

// number returns the number of the correction.
func (c *correction) number() int { return c.was.Corrected + 1 }

// put stores what the correction changes, and if nothing is stored, what was told until then. The differences of
// the new form are stored.
func (c *correction) put(tx *store.Tx, is Edition) error {
	for i, code := range c.codes {
		key := marketKey(code, is.Date)
		now, err := readDifference(key, tx.Value(differencesBucket, key), c.previous, is)
		if err != nil {
			return err
		}
		l, err := change.Correction(c.lists[i], now)
		if first := toldKey(code, is.Date, 0); err == nil && tx.Value(toldBucket, first) == nil {
			err = putTold(tx, first, c.lists[i])
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
	b := tx.Bucket([]byte(toldBucket))
	for _, code := range codes {
		prefix := marketKey(code, date)
		for k, _ := b.Cursor().Seek(prefix); bytes.HasPrefix(k, prefix); k, _ = b.Cursor().Seek(prefix) {
			if err := b.Delete(bytes.Clone(k)); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkTold checks that what was told can be read and is of editions that there are. What is kept of an edition is what
// was told first, and some of its corrections up to the last one.
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
	told := map[string][]int{} // numbers of the lists by edition
	if err := store.Each(tx, toldBucket, func(k, v []byte) error {
		if len(k) != 12 {
			return damaged(fmt.Sprintf("%s: %x", toldBucket, k))
		}
		told[string(k[:8])] = append(told[string(k[:8])], int(binary.BigEndian.Uint32(k[8:])))
		_, err := readTold(k, v)
		return err
	}); err != nil {
		return err
	}
	for edition, n := range told {
		last := len(n) - 1
		if last == 0 || n[0] != 0 || n[last] != corrected[edition] || n[last]-n[1] != last-1 {
			return damaged(fmt.Sprintf("%s: %x has the numbers %v", toldBucket, edition, n))
		}
	}
	return nil
}
