package catalog

import (
	"errors"
	"fmt"
	"strings"

	"relais/market"
	"relais/site"
)

// Errors of questions.
var (
	ErrLoading     = errors.New("the data is still loading")
	ErrRestricted  = errors.New("the publisher of this market's register does not let everybody have its rows")
	ErrNoSite      = errors.New("no site has this identifier")
	ErrNoMeasures  = errors.New("the measurements are not open")
	ErrNoAddresses = errors.New("this server has no streets: relais ingest reads the addresses of the BAN")
)

// A NotLoadedError reports that the register of a market is not loaded.
type NotLoadedError struct{ Market *market.Market }

func (e *NotLoadedError) Error() string {
	return fmt.Sprintf("the inventory of %s is not loaded", e.Market.Code)
}

// An UnusableError reports that this server cannot use a dataset.
type UnusableError struct{ Data string }

func (e *UnusableError) Error() string { return "this server cannot read its " + e.Data }

// A NoEditionError reports that this server does not keep the edition that it serves, so that what changed in it is
// unknown.
type NoEditionError struct{ Date string }

func (e *NoEditionError) Error() string {
	return fmt.Sprintf("this server does not keep the edition of %s, which it serves, so that its changes are unknown", e.Date)
}

// An EarlyError reports that a period begins, or ends, before the first edition of a market.
type EarlyError struct {
	Market      *market.Market
	Date, First site.Date
	End         bool // it is the end of the period that is too early
}

func (e *EarlyError) Error() string { return fmt.Sprintf("%s is not allowed; %s", e.Date, e.Want()) }

// Want says which dates are allowed.
func (e *EarlyError) Want() string {
	return fmt.Sprintf("a date from %s on: that is the first edition of %s that this server keeps", e.First, e.Market.Code)
}

// Filters that an UnknownError names.
const (
	Operator   = "operator"
	Area       = "area"
	Technology = "technology"
	Band       = "band"
)

// An UnknownError reports a value that nothing in a market can have.
type UnknownError struct {
	Filter, Value string
	Market        *market.Market
	Known         []string // the values that there are
	Form          string   // what values look like, where it is not known which there are
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("%s: %q is not allowed; %s", e.Filter, e.Value, e.Want())
}

// Want lists the values that are allowed.
func (e *UnknownError) Want() string {
	switch {
	case e.Form != "":
		return e.Form
	case len(e.Known) == 0:
		return fmt.Sprintf("the source of %s does not state it: leave it out", e.Market.Code)
	}
	return fmt.Sprintf("%s has %s", e.Market.Code, strings.Join(e.Known, ", "))
}
