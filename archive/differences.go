package archive

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"relais/archive/change"
	"relais/geo"
	"relais/ingest/anfr"
	"relais/internal/store"
	"relais/market"
	"relais/site"
)

// mapping ends the versions of publications. It is a part of the format of stored differences.
const mapping = "-2"

// published reports whether the editions of a market are the publications.
func published(code market.Code) bool { return slices.Contains(Markets, code) }

// editionOf returns the edition that a publication is. Errors: errDamaged.
func editionOf(tx *store.Tx, p *Publication) (Edition, error) {
	key := numberKeyOf(uint32(p.day()))
	name, err := nameOf(tx.Value(rowsBucket, key))
	return Edition{Date: p.day(), Synthetic: p.Synthetic, Corrected: p.Corrected,
		Version: hex.EncodeToString(binary.BigEndian.AppendUint64(nil, name)) + mapping}, err
}

// marketKey is the key of a market, and of an edition of it if the date is not 0.
func marketKey(code market.Code, date site.Date) []byte {
	key := make([]byte, 4, 8)
	copy(key, code)
	if date != 0 {
		key = binary.BigEndian.AppendUint32(key, uint32(date))
	}
	return key
}

// readMarketKey is the reverse of marketKey.
func readMarketKey(key []byte) (code market.Code, date site.Date, ok bool) {
	if len(key) != 8 {
		return "", 0, false
	}
	code = market.Code(strings.TrimRight(string(key[:4]), "\x00"))
	date = site.Date(binary.BigEndian.Uint32(key[4:]))
	return code, date, market.Get(code) != nil && date > 0 && date.String() != ""
}

// putDifference stores the differences between two editions.
func putDifference(tx *store.Tx, code market.Code, from, to Edition, l *change.List) error {
	var w writer
	w.text(from.Version)
	w.text(to.Version)
	key := marketKey(code, to.Date)
	return tx.Bucket([]byte(differencesBucket)).Put(key, seal(differencesBucket, key, l.Append(w.b)))
}

// readDifference reads what putDifference stored. Errors: errDamaged.
func readDifference(key, sealed []byte, from, to Edition) (*change.List, error) {
	plain, err := unseal(differencesBucket, key, sealed)
	if err != nil {
		return nil, err
	}
	r := reader{b: plain}
	if string(r.text()) != from.Version || string(r.text()) != to.Version {
		return nil, damaged("differences of other editions")
	}
	l, err := change.ReadList(r.b)
	if err != nil {
		return nil, damaged(differencesBucket + ": " + err.Error())
	}
	return l, nil
}

// stored returns the stored differences between an edition and the one before it. The list is shared.
// Errors: errDamaged, those of ctx.
func (s *Store) stored(ctx context.Context, tx *store.Tx, code market.Code, from, to Edition) (*change.List, error) {
	key := marketKey(code, to.Date)
	sealed := tx.Value(differencesBucket, key)
	name, err := nameOf(sealed)
	if err != nil {
		return nil, err
	}
	name = xxhash.Sum64String(fmt.Sprint(name, code, from.Version, to.Version))
	return s.memory.differences.Make(ctx, name, func(context.Context) (*change.List, error) {
		return readDifference(key, sealed, from, to)
	})
}

// marketLists are the differences between two publications by market.
type marketLists map[market.Code]*change.List

// A comparing computes the differences between two publications, of the supports with a row that
// differs. Picks are 1-based positions in the file.
type comparing struct {
	ctx      context.Context
	mapper   *anfr.Mapper
	builders map[market.Code]*change.Builder
	sides    [2]mapped
	items    []item
}

// A mapped is a site of a publication.
type mapped struct {
	code market.Code // "" if the publication serves no row of it
	site.Site
	state   change.Site
	systems change.Systems
}

func newComparing(ctx context.Context) (c *comparing, err error) {
	c = &comparing{ctx: ctx, builders: map[market.Code]*change.Builder{}}
	for _, code := range Markets {
		c.builders[code] = change.NewBuilder()
	}
	c.mapper, err = anfr.NewMapper()
	return c, err
}

// all adds all supports that are sent. After an error it takes the rest and drops it, so that the sender can go on.
func (c *comparing) all(supports <-chan []item) (err error) {
	for items := range supports {
		if err == nil {
			err = c.support(0, items)
		}
	}
	return err
}

// lists returns the differences of the supports that were added.
func (c *comparing) lists() (d marketLists, err error) {
	d = marketLists{}
	for code, b := range c.builders {
		if d[code], err = b.List(); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// support adds the differences of a support.
func (c *comparing) support(_ uint32, items []item) error {
	for side := range c.sides {
		c.items = c.items[:0]
		for _, it := range items {
			if it.picked[side] > 0 {
				c.items = append(c.items, it)
			}
		}
		slices.SortFunc(c.items, func(a, b item) int { return int(a.picked[side]) - int(b.picked[side]) })
		for _, it := range c.items {
			r := it.block.record(it.row, Unchanged, 0, "")
			c.mapper.Add(&r.Values)
		}
		c.sides[side].read(c.mapper)
	}
	before, after := &c.sides[0], &c.sides[1]
	for code, b := range c.builders {
		var old, now *change.Site
		if before.code == code {
			old = &before.state
		}
		if after.code == code {
			now = &after.state
		}
		if old != nil || now != nil {
			b.Add(old, now)
		}
	}
	return c.ctx.Err()
}

// read reads the site whose rows the mapper has.
func (m *mapped) read(from *anfr.Mapper) {
	code, ok := from.Site(&m.Site)
	if m.code = code; !ok {
		return
	}
	t := market.Get(code)
	m.state.ID = m.ID
	m.state.Place = change.Place{Lat: geo.Fix(m.Position.Lat), Lng: geo.Fix(m.Position.Lng), Area: t.Areas[m.Area].Code}
	m.systems.Reset()
	for _, e := range m.Emissions {
		m.systems.Add(change.System{Operator: t.Operators[m.Stations[e.Station].Operator].Key, Technology: e.System,
			Generation: e.Generation, Status: t.Statuses[e.Status].Name}, e.Status)
	}
	m.state.Systems = m.systems.Sorted()
}

// put stores the differences of a publication from the one before it.
func (d marketLists) put(tx *store.Tx, before, p *Publication) error {
	from, err1 := editionOf(tx, before)
	to, err2 := editionOf(tx, p)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	for _, code := range Markets {
		if err := putDifference(tx, code, from, to, d[code]); err != nil {
			return err
		}
	}
	return nil
}

// removeDifferences deletes the differences of a publication from the one before it.
func removeDifferences(tx *store.Tx, date site.Date) (err error) {
	for _, code := range Markets {
		err = errors.Join(err, tx.Bucket([]byte(differencesBucket)).Delete(marketKey(code, date)))
	}
	return err
}
