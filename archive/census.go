package archive

import (
	"context"
	"errors"
	"slices"

	"relais/ingest/anfr/column"
	"relais/internal/store"
)

// A Row is what Census groups rows by, as published.
type Row struct{ Department, Insee, Operator, System, Generation, Status string }

// A Census is how many rows of each group every publication has.
type Census struct {
	Dates []string // oldest first
	Rows  [][]int  // by date and group
}

// NoGroup is the group of rows that do not count.
const NoGroup = -1

// Census counts the rows of every publication by group. groupOf returns the group of a row, from 0
// to groups-1, or NoGroup. It reads each stored row once: a second for a million rows. Memory holds
// two bytes for each of them, and one publication's list of rows. Errors: errDamaged, those of ctx.
func (s *Store) Census(ctx context.Context, groups int, groupOf func(*Row) int) (c *Census, err error) {
	for range 3 { // a publication may be replaced while it is read
		if c, err = s.census(ctx, groups, groupOf); !errors.Is(err, errReplaced) {
			break
		}
	}
	return c, err
}

func (s *Store) census(ctx context.Context, groups int, groupOf func(*Row) int) (*Census, error) {
	all, err := s.List()
	if err != nil {
		return nil, err
	}
	c := &Census{Dates: []string{}}
	group, err := s.groupRows(ctx, all, groupOf)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rows := make([]int, groups)
		if err := s.view(func(tx *store.Tx) error { return countRows(tx, &all[i], group, rows) }); err != nil {
			return nil, err
		}
		c.Dates, c.Rows = append(c.Dates, all[i].Date), append(c.Rows, rows)
	}
	return c, nil
}

// groupRows returns the group of each row of the publications' segments, by segment and rank.
func (s *Store) groupRows(ctx context.Context, all []Publication, groupOf func(*Row) int) (map[uint32][]int16, error) {
	group, sel := map[uint32][]int16{}, selection{}
	err := s.view(func(tx *store.Tx) error {
		for i := range all {
			for _, number := range all[i].Segments {
				if group[number] != nil {
					continue
				}
				g, err := segmentOf(tx, number)
				if err != nil {
					return err
				}
				group[number] = make([]int16, g.Rows)
				sel[number] = &picks{nil, slices.Repeat([]uint32{1}, g.Rows)}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = walk(s.fetch, sel, nil, func(_ uint32, items []item) error {
		var row Row
		for i := range items {
			it := &items[i]
			content := it.content()
			place, _, ok := unpackPlace(content[inPlace])
			if !ok {
				return damaged("a place")
			}
			row = Row{Department: place[placeDepartment], Insee: place[placeInsee], Operator: content[inOperator],
				System: content[inSystem], Generation: content[inGeneration], Status: content[inStatus]}
			if row.Insee == "" {
				row.Insee = place[placeInsee2]
			}
			group[it.segment][it.rank] = int16(groupOf(&row))
		}
		return ctx.Err()
	})
	return group, err
}

// Positions in a place.
var (
	placeDepartment = slices.Index(placeColumns[:], column.Department)
	placeInsee      = slices.Index(placeColumns[:], column.Insee)
	placeInsee2     = slices.Index(placeColumns[:], column.Insee2)
)

// countRows adds the rows of a publication to those of their groups.
func countRows(tx *store.Tx, p *Publication, group map[uint32][]int16, rows []int) error {
	now, _, err := find(tx, p.Date)
	if err != nil || now.Updated != p.Updated || !slices.Equal(now.Segments, p.Segments) {
		return errReplaced
	}
	l, err := listingOf(tx, now)
	if err != nil {
		return err
	}
	for _, r := range l.refs {
		of := group[r.segment]
		if int(r.rank) >= len(of) {
			return damaged("the rows of " + p.Date)
		}
		if g := of[r.rank]; g >= 0 {
			rows[g]++
		}
	}
	return nil
}
