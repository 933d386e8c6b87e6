package catalog

import (
	"context"
	"errors"
	"io/fs"

	"relais/address"
	"relais/geo"
	"relais/ingest/ban"
	"relais/market"
)

// Streets asks for the streets that a text names: "12 rue de la Paix, Paris". The town may stand anywhere in the text, by
// its name or postal code. Without one, streets near a point are found.
type Streets struct {
	Text   string
	Near   *geo.Point     // nil: only towns that the text names are searched
	Market *market.Market // nil: any
	Limit  int            // at least 1
}

// A Street is a street that a text names. Its position is that of one of its addresses, in the middle of them: the
// register's numbers are not kept.
type Street struct {
	address.Match
	Market *market.Market
	Area   int // position of its department in the market's table
}

// StreetsFound are streets that a text names, the best first.
type StreetsFound struct {
	Streets []Street
	Total   int
	Number  string // of a house in the text, which the answer does not know; "" for none
	Source  AddressSource
}

// An AddressSource says where streets come from. It is to be named with them.
type AddressSource struct {
	Authority, Source, Licence string
	Date                       string // of the newest file, YYYY-MM-DD
	Version                    string // changes when the streets do
	Synthetic                  bool
}

// Streets returns the streets that a text names. Errors: ErrNoAddresses; an UnusableError if the file of streets is damaged
// or of another version; that of ctx.
func (c *Catalog) Streets(ctx context.Context, q Streets) (StreetsFound, error) {
	asked := address.Question{Text: q.Text, Near: q.Near, Limit: q.Limit}
	if q.Market != nil {
		asked.Keep = func(code string) bool {
			m, _ := ban.MarketOf(ban.Area(code))
			return m == q.Market
		}
	}
	found, err := c.Addresses.Find(ctx, asked)
	if err != nil {
		return StreetsFound{}, addressError(err)
	}
	answer := StreetsFound{Total: found.Total, Number: found.Number, Source: addressSource(found.Info)}
	for _, s := range found.Streets {
		m, area := ban.MarketOf(ban.Area(s.Code))
		answer.Streets = append(answer.Streets, Street{s, m, area})
	}
	return answer, nil
}

// maxStreets is how many streets are an answer to a text that may be about something else.
const maxStreets = 4

// streets adds the streets that the text names. A folder without addresses has none. What is wrong with a
// damaged file, check and doctor say.
func (c *Catalog) streets(ctx context.Context, q *Find, found *Found) error {
	if u := &found.Understood; u.Place != nil || u.Topic != "" || u.Question.Place == "" || u.Question.Key != "" ||
		u.Country != "" && u.Country != market.Get(ban.Markets[0]).Country {
		return nil
	}
	streets, err := c.Streets(ctx, Streets{Text: found.Question.Place, Near: q.Near, Market: q.Market, Limit: maxStreets})
	var unusable *UnusableError
	if errors.Is(err, ErrNoAddresses) || errors.As(err, &unusable) {
		return nil
	}
	found.Streets = streets
	return err
}

// Street returns the street whose whole name and town the text has, nil for none.
func (f *Found) Street() *Street {
	if list := f.Streets.Streets; len(list) > 0 && list[0].Exact && !(f.Landmark && list[0].Hamlet) {
		return &list[0]
	}
	return nil
}

func addressSource(of address.Info) AddressSource {
	return AddressSource{Authority: ban.Authority, Source: ban.Source, Licence: ban.Licence, Date: of.Date, Version: of.Version,
		Synthetic: of.Synthetic}
}

func addressError(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ErrNoAddresses
	case errors.Is(err, address.ErrDamaged), errors.Is(err, address.ErrVersion):
		return &UnusableError{DataAddresses}
	}
	return err
}
