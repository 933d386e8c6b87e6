package archive

import (
	"context"
	"encoding/binary"
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
	// Sites is the number of sites of a noted edition, 0 for a publication. Changes is how many
	// records differ from the edition before, -1 while that is not known.
	Sites, Changes int
}

// A Span is what changed from an edition to a later one.
type Span struct {
	Market   market.Code
	From, To Edition
	Lists    []Dated // one for each edition after From up to To, newest first
	store    *Store
	names    []uint64 // of the lists
}

// A Dated is what changed from the edition before to an edition.
type Dated struct {
	Edition
	Previous site.Date // of the edition before
	*change.List
}

// Editions returns the editions of a market, oldest first. Errors: errDamaged.
func (s *Store) Editions(code market.Code) (all []Edition, err error) {
	err = s.view(func(tx *store.Tx) error {
		all, err = s.editionsIn(tx, code)
		return err
	})
	return all, err
}

// Between returns what changed between two editions of a market. A date means the newest edition
// that is not after it. Errors: ErrNoArchive if a date is before the first edition, errDamaged, those
// of ctx.
func (s *Store) Between(ctx context.Context, code market.Code, since, until site.Date) (*Span, error) {
	all, err := s.Editions(code)
	if err != nil {
		return nil, err
	}
	from, err := newest(code, all, since)
	if err != nil {
		return nil, err
	}
	to, err := newest(code, all, until)
	if err != nil {
		return nil, err
	}
	span := &Span{Market: code, From: all[from], To: all[max(from, to)], store: s}
	for i := to; i > from; i-- {
		list, name, err := s.difference(ctx, code, all[i-1], all[i])
		if err != nil {
			return nil, err
		}
		span.Lists = append(span.Lists, Dated{all[i], all[i-1].Date, list})
		span.names = append(span.names, name)
	}
	return span, nil
}

// newest returns the position of the newest edition that is not after a date.
func newest(code market.Code, all []Edition, date site.Date) (int, error) {
	after, _ := slices.BinarySearchFunc(all, date+1, func(e Edition, d site.Date) int { return int(e.Date - d) })
	switch {
	case len(all) == 0:
		return 0, fmt.Errorf("%s has no edition: %w", code, ErrNoArchive)
	case after == 0:
		return 0, fmt.Errorf("%s is before %s, the first edition of %s: %w", date, all[0].Date, code, ErrNoArchive)
	}
	return after - 1, nil
}

// Net returns the differences between the two editions of the span: what came and went in between
// is not among them. The list is shared. Errors: errDamaged, those of ctx.
func (s *Span) Net(ctx context.Context) (*change.List, error) {
	if len(s.Lists) == 1 {
		return s.Lists[0].List, nil
	}
	var name []byte
	lists := make([]*change.List, len(s.Lists))
	for i, l := range s.Lists {
		name = binary.BigEndian.AppendUint64(name, s.names[i])
		lists[len(lists)-1-i] = l.List
	}
	return s.store.memory.nets.get(ctx, xxhash.Sum64(name), func() (*change.List, int, error) {
		l, err := change.Net(lists)
		if err != nil {
			return nil, 0, damaged(err.Error())
		}
		return l, l.Bytes(), nil
	})
}
