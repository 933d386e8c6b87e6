// Package catalog answers questions over what one request may read: registers, archives, outages, measurements
// and photos. A question is a struct of parsed values, the same for the API, tools, pages, feeds, hooks and commands;
// its answer is typed, and rows are read when they are asked for. The package knows no parameter, no JSON and no
// transport, and it changes nothing.
package catalog

import (
	"time"

	"relais/address"
	"relais/archive"
	"relais/community"
	"relais/coverage"
	"relais/index"
	"relais/market"
	"relais/measure"
	"relais/outage/history"
	"relais/photos"
)

// A Catalog is what one request may read. The registers do not change while it is used, even if newer ones are loaded.
type Catalog struct {
	Set      *index.Set // nil while nothing has been loaded yet
	Archives *archive.Store
	Outages  *community.Outages
	History  *history.Store // days of outages
	// Measures are nil as long as they are not open, and where they cannot be.
	Measures *measure.Store
	Photos   *photos.Store
	// Addresses are nil where a server has no folder of its own.
	Addresses *address.Store
	Coverage  *coverage.Store // official coverage maps, nil where there can be none
	Now       time.Time       // of the request
	// Keyless means that rows of registers that may not be redistributed are left out: see WithoutKey.
	Keyless bool
	// Failed returns why a dataset cannot be used on this server; nil for a server that can use all.
	Failed func(data string) error
}

// WithoutKey makes c what callers without a key may read.
func (c *Catalog) WithoutKey() {
	if c.Keyless = true; c.Set != nil {
		c.Set = c.Set.Public()
	}
}

// Register returns the register of a market, nil if the market has no inventory. Errors: ErrLoading, ErrRestricted,
// a NotLoadedError: an empty answer would look like a country without antennas. With an error the register is nil, so
// that a question that needs none ignores it.
func (c *Catalog) Register(m *market.Market) (*index.Market, error) {
	if c.Set == nil {
		return nil, ErrLoading
	}
	if !m.HasInventory() {
		return nil, nil
	}
	loaded := c.Set.Market(m.Code)
	if loaded == nil {
		return nil, &NotLoadedError{m}
	}
	if c.withholds(m, loaded.Snap.Registers) {
		return nil, ErrRestricted
	}
	return loaded, nil
}

// registers calls yield for each loaded register that the caller may read, in the order of the markets.
func (c *Catalog) registers(yield func(*index.Market) bool) {
	if c.Set == nil {
		return
	}
	for loaded := range c.Set.Loaded() {
		if !c.withholds(loaded.Table, loaded.Snap.Registers) && !yield(loaded) {
			return
		}
	}
}

// Among returns the register of a market, none for a market without an inventory, or with nil all that are loaded and
// that the caller may read. Errors: those of Register.
func (c *Catalog) Among(m *market.Market) (list []*index.Market, err error) {
	if m == nil {
		for loaded := range c.registers {
			list = append(list, loaded)
		}
		if list != nil {
			return list, nil
		}
		m = market.Get(market.Default) // its error says why no register is loaded
	}
	loaded, err := c.Register(m)
	if loaded != nil {
		list = append(list, loaded)
	}
	return list, err
}

// withholds reports whether the caller may not have rows of a market that come from registers with these names. The set
// of a caller without a key lacks registers that may not be redistributed, where they can be told from the others. Else
// all of the market is withheld.
func (c *Catalog) withholds(m *market.Market, registers []string) bool {
	return c.Keyless && m.NeedsPermission(registers)
}

// withheld returns the names of the registers whose changes the caller may not have, as a filter of changes
// has them: with "", because a site that several registers have together does not state its register.
func (c *Catalog) withheld(m *market.Market) []string {
	if !c.Keyless || len(m.NeedPermission) == 0 {
		return nil
	}
	return append([]string{""}, m.NeedPermission...)
}

// Usable fails with an UnusableError if this server cannot use one of the datasets. Without it, answers would look
// as if the dataset were empty.
func (c *Catalog) Usable(data ...string) error {
	for _, name := range data {
		if c.Failed != nil && c.Failed(name) != nil {
			return &UnusableError{name}
		}
	}
	return nil
}

// Minute returns the minute of the request. Answers about the last days are computed from it, so that they can be cached
// for a minute.
func (c *Catalog) Minute() time.Time { return c.Now.Truncate(time.Minute) }
