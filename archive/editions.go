package archive

import (
	"context"
	"fmt"
	"slices"

	"github.com/cespare/xxhash/v2"

	"relais/archive/change"
	"relais/internal/store"
	"relais/market"
	"relais/site"
)

// An Edition is a state of a market's register with a date. Those of FR and DROM are the
// publications, those of other markets the snapshots that were noted.
type Edition struct {
	Date site.Date
	// Version names the content. Of a noted edition it is the version of its snapshot.
	Version string
	// Synthetic reports that the data was made up for a demonstration.
	Synthetic bool
	// Registers are the names of the registers that sites of the edition come from, as in the market's
	// table. An empty list stands for the market's own.
	Registers []string
	// Sites is the number of sites of a noted edition, 0 for a publication.
	Sites int
	// Corrected is the number of its last correction: that another form of it replaced it while it was the newest.
	Corrected int
}

// A Span is the changes from an edition to a later one.
type Span struct {
	Market   market.Code
	From, To Edition
	Lists    []Dated // one for each edition after From up to To, newest first
	store    *Store
}

// A Dated is the changes from the edition before to an edition.
type Dated struct {
	Edition
	Previous site.Date // of the edition before
	*change.List
	previous Edition
}

// Editions returns the editions of a market, oldest first. Errors: errDamaged.
func (s *Store) Editions(code market.Code) (all []Edition, err error) {
	err = s.view(func(tx *store.Tx) error {
		all, err = s.editionsIn(tx, code)
		return err
	})
	return all, err
}

func (s *Store) editionsIn(tx *store.Tx, code market.Code) ([]Edition, error) {
	if !published(code) {
		return noted(tx, code)
	}
	list, err := s.publicationsIn(tx)
	all := make([]Edition, len(list))
	for i := range list {
		if all[i], err = editionOf(tx, &list[i]); err != nil {
			return nil, err
		}
	}
	return all, err
}

// Between returns the changes between two editions of a market. A date means the newest edition
// that is not after it. Errors: ErrNoArchive if a date is before the first edition, errDamaged, those
// of ctx.
func (s *Store) Between(ctx context.Context, code market.Code, since, until site.Date) (*Span, error) {
	span := &Span{Market: code, store: s}
	if err := s.view(func(tx *store.Tx) error { return span.read(ctx, tx, since, until) }); err != nil {
		return nil, err
	}
	if span.To.Date == 0 {
		return nil, noEdition(code)
	}
	return span, nil
}

// read finds the editions and reads the differences.
func (s *Span) read(ctx context.Context, tx *store.Tx, since, until site.Date) error {
	all, err := s.store.editionsIn(tx, s.Market)
	if err != nil {
		return err
	}
	from, err := newest(s.Market, all, since)
	if err != nil {
		return err
	}
	to, err := newest(s.Market, all, until)
	if err != nil {
		return err
	}
	s.From, s.To = all[from], all[max(from, to)]
	for i := to; i > from; i-- {
		d := Dated{Edition: all[i], Previous: all[i-1].Date, previous: all[i-1]}
		if d.List, err = s.store.stored(ctx, tx, s.Market, all[i-1], all[i]); err != nil {
			return err
		}
		s.Lists = append(s.Lists, d)
	}
	return nil
}

// newest returns the position of the newest edition that is not after a date.
func newest(code market.Code, all []Edition, date site.Date) (int, error) {
	after, _ := slices.BinarySearchFunc(all, date+1, func(e Edition, d site.Date) int { return int(e.Date - d) })
	switch {
	case len(all) == 0:
		return 0, noEdition(code)
	case after == 0:
		return 0, fmt.Errorf("%s is before %s, the first edition of %s: %w", date, all[0].Date, code, ErrNoArchive)
	}
	return after - 1, nil
}

func noEdition(code market.Code) error {
	return fmt.Errorf("%s has no edition: %w", code, ErrNoArchive)
}

// Net returns the differences between the two editions of the span: what came and went in between
// is not among them. The list is shared. Errors: errDamaged, those of ctx.
func (s *Span) Net(ctx context.Context) (*change.List, error) {
	if len(s.Lists) == 1 {
		return s.Lists[0].List, nil
	}
	if len(s.Lists) == 0 {
		return change.NewBuilder().List()
	}
	name := []byte(s.Market)
	lists := make([]*change.List, len(s.Lists))
	for i, l := range s.Lists {
		name = append(append(append(name, l.previous.Version...), ' '), l.Version...)
		lists[len(lists)-1-i] = l.List
	}
	return s.store.memory.nets.Make(ctx, xxhash.Sum64(name), func(context.Context) (*change.List, error) {
		l, err := change.Net(lists)
		if err != nil {
			return nil, damaged(err.Error())
		}
		return l, nil
	})
}
