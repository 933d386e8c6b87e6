package cells

import (
	"fmt"
	"slices"

	"relais/geo"
	"relais/ingest/source"
	"relais/market"
	"relais/site/observation"
)

// A Row is a cell of LTE or NR that served a phone.
type Row struct {
	PLMN     string           // of an unknown network with at least two digits for the MNC
	Market   *market.Market   // whose operator has the PLMN, nil for none
	Cell     observation.Cell // its Operator is one of Market
	Position *geo.Point       // of the phone, nil where it is unknown
}

// ReadLog calls do with the cells of a file of Kinds, whatever their networks. It reads at most most rows, and fails
// with source.ErrRows if there are more. The report counts them too: rows without such a cell are rejected.
func ReadLog(f *source.Found, most int, do func(Row)) (*source.Report, error) {
	kind := *f.Kind // a log may have a column empty in every row
	kind.Columns = slices.Clone(kind.Columns)
	for i := range kind.Columns {
		kind.Columns[i].Blank = true
	}
	a := &attachment{networks: networksOf(func(m *market.Market) int { return slices.Index(market.All, m) })}
	c, err := a.open(&source.Found{Input: f.Input, Kind: &kind}, nil)
	if err != nil {
		return nil, err
	}
	defer c.reader.Close()
	c.reader.Most = most
	for c.reader.NextRow() {
		row, reason := c.log()
		if reason != "" {
			c.reader.Reject(reason)
			continue
		}
		do(row)
	}
	_, err = c.reader.Done()
	return c.reader.Report, err
}

// log parses a row of a log. It returns the reason for rejection, "" if none.
func (c *reading) log() (row Row, reason string) {
	code := c.code()
	if code == 0 {
		return row, "network not stated"
	}
	if row.Cell, reason = c.served(); reason != "" {
		return row, reason
	}
	row.PLMN = fmt.Sprintf("%03d%02d", code/1000, code%1000)
	if n, known := c.networks[code]; known {
		row.Market, row.Cell.Operator = market.All[n.target], int(n.operator)
		for _, p := range row.Market.Operators[n.operator].PLMNs {
			if joinedCode([]byte(p)) == code {
				row.PLMN = p
			}
		}
	}
	if p, ok := parsePosition(c.field(lat), c.field(lng)); ok {
		row.Position = &p
	}
	return row, ""
}
