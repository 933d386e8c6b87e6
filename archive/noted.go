package archive

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"relais/archive/change"
	"relais/internal/store"
	"relais/market"
	"relais/site"
	"relais/snapshot"
)

// A notedRecord is a noted edition as it is stored.
type notedRecord struct {
	Version   string    `json:"version"` // of the snapshot
	Sites     int       `json:"sites"`
	Synthetic bool      `json:"synthetic,omitempty"`
	Registers []string  `json:"registers,omitempty"`
	Noted     time.Time `json:"noted"`
	Late      bool      `json:"late,omitempty"` // a later edition was there when it was noted
	Corrected int       `json:"corrected,omitempty"`
}

// noted returns the noted editions of a market, oldest first. Errors: errDamaged.
func noted(tx *store.Tx, code market.Code) (all []Edition, err error) {
	b := tx.Bucket([]byte(editionsBucket))
	if b == nil {
		return nil, nil
	}
	prefix := marketKey(code, 0)
	c := b.Cursor()
	for k, v := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, v = c.Next() {
		_, date, ok := readMarketKey(k)
		var r notedRecord
		if err := readJSON(editionsBucket, k, v, &r); err != nil || !ok || r.Version == "" {
			return nil, cmp.Or(err, damaged("an edition"))
		}
		all = append(all, Edition{Date: date, Version: r.Version, Synthetic: r.Synthetic, Registers: r.Registers,
			Sites: r.Sites, Corrected: r.Corrected})
	}
	return all, nil
}

// Note makes a snapshot an edition of its market, with its SourceDate, unless it is one already. It
// may come between others, and replaces the one of its date. The first edition of the authority
// replaces all synthetic ones. noted is false if there is nothing to do: for a known snapshot, for
// one of a market whose editions are publications, and for a synthetic one of a market that has
// editions of the authority. Errors: errReadOnly, errDamaged, those of ctx and of writing.
func (s *Store) Note(ctx context.Context, snap *snapshot.Snapshot) (noted bool, err error) {
	n := noting{code: snap.Market, edition: Edition{Date: site.ParseDate([]byte(snap.SourceDate)),
		Version: snap.Version, Synthetic: snap.Synthetic, Registers: snap.Registers, Sites: snap.Len()}, now: s.now()}
	switch {
	case published(n.code):
		return false, nil
	case n.edition.Date == 0:
		return false, fmt.Errorf("the snapshot of %s has no date", n.code)
	case s.db == nil:
		return false, errReadOnly
	}
	todo := false
	if err := s.view(func(tx *store.Tx) (err error) {
		todo, err = n.find(tx)
		return err
	}); err != nil || !todo {
		return false, err
	}
	if s.readOnly() {
		return false, errReadOnly
	}
	if n.state, err = change.StateOf(snap); err != nil {
		return false, err
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	err = s.db.Update(func(tx *store.Tx) error {
		if todo, err = n.find(tx); err != nil || !todo {
			return err
		}
		return n.run(tx)
	})
	return todo && err == nil, err
}

// A noting is the transaction of a Note.
type noting struct {
	code    market.Code
	edition Edition
	state   *change.State
	now     time.Time

	all, gone []Edition
}

// find reads the editions, and reports whether there is something to do.
func (n *noting) find(tx *store.Tx) (todo bool, err error) {
	all, err := noted(tx, n.code)
	n.all, n.gone = nil, nil
	for _, e := range all {
		switch {
		case e.Date == n.edition.Date && e.Version == n.edition.Version, n.edition.Synthetic && !e.Synthetic:
			return false, err
		case e.Synthetic && !n.edition.Synthetic:
			n.gone = append(n.gone, e)
		default:
			n.all = append(n.all, e)
		}
	}
	return true, err
}

func (n *noting) run(tx *store.Tx) error {
	at, there := slices.BinarySearchFunc(n.all, n.edition.Date,
		func(e Edition, d site.Date) int { return int(e.Date - d) })
	next := at
	if there {
		next++
	}
	before, after, err := n.neighbours(tx, at-1, next)
	if err != nil {
		return err
	}
	var corrects *correction
	if there && before != nil && next == len(n.all) {
		if corrects, err = newCorrection(tx, []market.Code{n.code}, n.all[at-1], n.all[at]); err != nil {
			return err
		}
	}
	corrected, untrue := 0, slices.Clone(n.gone) // editions whose news is not true any more
	if there {
		corrected = n.all[at].Corrected
	}
	if corrects == nil {
		untrue = append(untrue, n.edition)
	} else {
		corrected = corrects.number()
	}
	if next < len(n.all) {
		untrue = append(untrue, n.all[next])
	}
	for _, e := range untrue {
		if err := removeTold(tx, []market.Code{n.code}, e.Date); err != nil {
			return err
		}
	}
	for _, e := range append(n.gone, n.edition) { // the oldest has no differences
		if err := n.remove(tx, e); err != nil {
			return err
		}
	}
	if before != nil {
		if err := n.put(tx, n.all[at-1], n.edition, before, n.state); err != nil {
			return err
		}
	}
	if after != nil {
		if err := n.put(tx, n.edition, n.all[next], n.state, after); err != nil {
			return err
		}
	} else if err := putState(tx, n.code, n.edition, n.state); err != nil {
		return err
	}
	if corrects != nil {
		if err := corrects.put(tx, n.edition); err != nil {
			return err
		}
	}
	return putJSON(tx, editionsBucket, marketKey(n.code, n.edition.Date), notedRecord{n.edition.Version,
		n.edition.Sites, n.edition.Synthetic, n.edition.Registers, n.now.UTC(), next < len(n.all),
		corrected})
}

// neighbours returns the states of the editions before and after the new one, nil for none.
func (n *noting) neighbours(tx *store.Tx, before, after int) (old, next *change.State, err error) {
	if len(n.all) == 0 {
		return nil, nil, nil
	}
	last := len(n.all) - 1
	state, err := stateOf(tx, n.code, n.all[last])
	for i := last; err == nil; i-- {
		if i == after {
			next = state
		}
		if i == before {
			old = state
		}
		if i == max(before, 0) {
			break
		}
		state, err = undo(tx, n.code, n.all[i-1], n.all[i], state)
	}
	return old, next, err
}

// undo returns the state before an edition.
func undo(tx *store.Tx, code market.Code, from, to Edition, state *change.State) (*change.State, error) {
	key := marketKey(code, to.Date)
	l, err := readDifference(key, tx.Value(differencesBucket, key), from, to)
	if err != nil {
		return nil, err
	}
	if state, err = change.Undo(state, l); err != nil {
		return nil, damaged(fmt.Sprintf("%s, %s: %v", code, to.Date, err))
	}
	return state, nil
}

func (n *noting) put(tx *store.Tx, from, to Edition, before, after *change.State) error {
	l, err := change.Compare(before, after)
	if err != nil {
		return err
	}
	return putDifference(tx, n.code, from, to, l)
}

func (n *noting) remove(tx *store.Tx, e Edition) error {
	key := marketKey(n.code, e.Date)
	return errors.Join(tx.Bucket([]byte(differencesBucket)).Delete(key), tx.Bucket([]byte(editionsBucket)).Delete(key))
}

func putState(tx *store.Tx, code market.Code, e Edition, state *change.State) error {
	var w writer
	w.text(e.Version)
	key := marketKey(code, 0)
	return tx.Bucket([]byte(statesBucket)).Put(key, seal(statesBucket, key, state.Append(w.b)))
}

// stateOf returns the stored state, which must be that of an edition. Errors: errDamaged.
func stateOf(tx *store.Tx, code market.Code, e Edition) (*change.State, error) {
	key := marketKey(code, 0)
	plain, err := unseal(statesBucket, key, tx.Value(statesBucket, key))
	if err != nil {
		return nil, err
	}
	r := reader{b: plain}
	if string(r.text()) != e.Version {
		return nil, damaged("the newest state of " + string(code))
	}
	state, err := change.ReadState(r.b)
	if err != nil || state.Len() != e.Sites {
		return nil, damaged("the newest state of " + string(code))
	}
	return state, nil
}
