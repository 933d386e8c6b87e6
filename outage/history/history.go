// Package history is the archive of the days on which sites were unavailable, as lists of all operators say it. A
// question is answered with outages over several days, and with the share of days on which sites worked. A day that
// was not read is a gap: nothing is known of it. The package does not know whether a site exists.
//
// Days are kept by month. A row that is the same on several days of a month is stored once, with its days as bits, so
// that days may come in any order, and a day that is read again replaces itself.
package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"relais/internal/cache"
	"relais/internal/store"
	"relais/market"
	"relais/outage"
	"relais/site"
)

// bucket is the bucket of outages.db: market, 0, month as YYYY-MM → month, packed.
const bucket = "unavailableDays"

// Buckets are those of outages.db.
var Buckets = []string{bucket}

// Errors of Add. Other errors are those of package store.
var (
	errReadOnly = fmt.Errorf("the folder cannot be written to: %w", fs.ErrPermission)
	errFull     = errors.New("the month has too many different rows")
)

// keptBytes bounds the memory of the unpacked months that are kept.
const keptBytes = 32 << 20

// A Store is the days of a data folder. Its methods may be called from several goroutines.
type Store struct {
	db       *store.DB // nil for a read-only folder without the file
	months   *cache.Cache[monthOf, *month]
	calendar *cache.Cache[calendarOf, []calendarMonth]
}

// monthOf names a month in one version of the file.
type monthOf struct{ version, key string }

// calendarOf names the days that were read of a market in one version of the file.
type calendarOf struct {
	version string
	market  market.Code
}

// A calendarMonth says which days of a month were read.
type calendarMonth struct {
	key    string
	first  site.Date
	*month // without rows
}

// Open opens the days in db, which is outages.db. Closing db stays the caller's task. With nil or a read-only db, Add
// fails.
func Open(db *store.DB) *Store {
	return &Store{db: db,
		months: cache.New(cache.Options[monthOf, *month]{MaxSize: keptBytes,
			Size: func(_ monthOf, m *month) int64 { return m.size() }}),
		calendar: cache.New(cache.Options[calendarOf, []calendarMonth]{Max: 8})}
}

// Version changes with every commit.
func (s *Store) Version() string { return s.db.Version() }

// An Added says what Add did.
type Added struct {
	// Replaced reports that the day had been read before, with other rows.
	Replaced bool `json:"replaced"`
	// Unchanged reports that the day had been read before with the same rows.
	Unchanged bool `json:"unchanged"`
	// Fewer says why the day stays as it was: the list has far fewer rows. "" if it does not.
	Fewer string `json:"-"`
}

// A DayList is the list of a day.
type DayList struct {
	Day   site.Date
	Force bool // in place of a list with any number of rows
	*outage.List
}

// Add stores lists, each in place of an earlier one of its day, all or none, and returns for each what that did. They
// are on disk when Add returns. A day stays as it was if a list has less than 95 % of its rows: most likely it is cut.
// Lists of one month cost little more than one of them.
func (s *Store) Add(lists ...DayList) (done []Added, err error) {
	if s.db == nil || s.db.ReadOnly() {
		return nil, errReadOnly
	}
	err = s.db.Update(func(tx *store.Tx) error {
		done = nil
		changed := map[string]*month{}
		for _, l := range lists {
			key := keyOf(l.Market, l.Day)
			m := changed[string(key)]
			if m == nil {
				if m, err = stored(tx, key); err != nil {
					return err
				}
			}
			if fewer := m.fewer(bitOf(l.Day), l); fewer != "" {
				done = append(done, Added{Fewer: fewer})
				continue
			}
			added := m.replace(bitOf(l.Day), l.List)
			if done = append(done, added); !added.Unchanged {
				changed[string(key)] = m
			}
			if len(m.rows) > maxRows {
				return errFull
			}
		}
		for key, m := range changed {
			if err := tx.Bucket([]byte(bucket)).Put([]byte(key), m.pack()); err != nil {
				return err
			}
		}
		return nil
	})
	return done, err
}

// stored returns a month as it is in the file; one that is not there is empty.
func stored(tx *store.Tx, key []byte) (*month, error) {
	packed, err := tx.Bucket([]byte(bucket)).Read(key)
	if err == nil && packed == nil {
		return &month{}, nil
	}
	var m *month
	if err == nil {
		m, err = unpack(packed)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", nameOf(key), err)
	}
	return m, nil
}

// keyOf returns the key of the month of a day.
func keyOf(code market.Code, day site.Date) []byte {
	return []byte(string(code) + "\x00" + day.Time().Format("2006-01"))
}

// nameOf writes a key in errors.
func nameOf(key []byte) string {
	return fmt.Sprintf("days of unavailable sites of %.20q", slices.DeleteFunc(slices.Clone(key), func(c byte) bool { return c == 0 }))
}

// firstDay returns the first day of the month that a key names, 0 for another key.
func firstDay(key []byte, code market.Code) site.Date {
	begin := string(code) + "\x00"
	if len(key) != len(begin)+len("2006-01") || string(key[:len(begin)]) != begin {
		return 0
	}
	return site.ParseDate([]byte(string(key[len(begin):]) + "-01"))
}

// calendarIn returns the months of a market, the oldest first.
func (s *Store) calendarIn(ctx context.Context, code market.Code) ([]calendarMonth, error) {
	if s.db == nil {
		return nil, nil
	}
	return s.calendar.Make(ctx, calendarOf{s.Version(), code}, func(context.Context) (list []calendarMonth, err error) {
		err = s.db.View(func(tx *store.Tx) error {
			return store.EachKey(tx, bucket, func(k []byte) error {
				first := firstDay(k, code)
				if first == 0 {
					return nil
				}
				packed, err := tx.Bucket([]byte(bucket)).Read(k)
				if err == nil {
					var m *month
					if m, _, err = unpackRead(packed); err == nil {
						list = append(list, calendarMonth{string(k), first, m})
						return nil
					}
				}
				return fmt.Errorf("%s: %w", nameOf(k), err)
			})
		})
		slices.SortFunc(list, func(a, b calendarMonth) int { return cmp.Compare(a.first, b.first) })
		return list, err
	})
}

// month returns the month of a key, which exists.
func (s *Store) month(ctx context.Context, version, key string) (*month, error) {
	return s.months.Make(ctx, monthOf{version, key}, func(context.Context) (m *month, err error) {
		err = s.db.View(func(tx *store.Tx) error {
			m, err = stored(tx, []byte(key))
			return err
		})
		return m, err
	})
}
