package admin

import (
	"context"
	"fmt"

	"relais/market"
	"relais/site"
)

// DiffEditions compares two editions of a market. A date, YYYY-MM-DD, means the newest edition that
// is not after it. The answer is an EditionDiff.
type DiffEditions struct {
	Market market.Code `json:"market"`
	From   string      `json:"from"`
	To     string      `json:"to"`
}

// An EditionDiff is the difference between two editions.
type EditionDiff struct {
	From      string `json:"from"` // dates of the editions
	To        string `json:"to"`
	Synthetic bool   `json:"synthetic,omitempty"`
	List      []byte `json:"list"` // as change.ReadList reads it
}

func (c DiffEditions) run(ctx context.Context, s *Stores) (any, error) {
	from, to := site.ParseDate([]byte(c.From)), site.ParseDate([]byte(c.To))
	if from.String() != c.From || to.String() != c.To || from == 0 || to < from {
		return nil, fmt.Errorf("%.40q and %.40q: want two dates as YYYY-MM-DD, the earlier one first", c.From, c.To)
	}
	span, err := s.Archives.Between(ctx, c.Market, from, to)
	if err != nil {
		return nil, err
	}
	list, err := span.Net(ctx)
	if err != nil {
		return nil, err
	}
	return EditionDiff{span.From.Date.String(), span.To.Date.String(), span.To.Synthetic, list.Append(nil)}, nil
}
