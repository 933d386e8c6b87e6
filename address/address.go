// Package address has the streets of a country's register of addresses: where they are, and which of them a text names.
// It keeps no single number. A folder has one file of streets for the markets of a register; its table of communes is in
// memory, and the streets are read when they are asked for.
package address

import (
	"errors"

	"relais/geo"
)

// A Street is a street, or a hamlet that addresses name, of one commune.
type Street struct {
	Name     string // as its first address writes it
	Hamlet   bool
	Commune  string
	Code     string // INSEE's, of the commune
	Postcode string // of its first address, may be ""
	// At is the position of the address that is nearest to the median of all its addresses, in steps of 0.00001 degree.
	At      geo.Point
	Numbers int // how many addresses it has
}

// Info says where the streets of a file come from.
type Info struct {
	Date      string `json:"date"` // of the newest input, YYYY-MM-DD
	Synthetic bool   `json:"synthetic,omitempty"`
	Addresses int    `json:"addresses"`
	Streets   int    `json:"streets"` // with the hamlets
	Communes  int    `json:"communes"`
	Version   string `json:"version,omitempty"` // of the file: its date and checksum
}

// Errors of files.
var (
	ErrDamaged = errors.New("the file of streets is damaged: relais ingest makes it again, from the register's CSV")
	ErrVersion = errors.New("another version of relais has written the file of streets: " +
		"relais ingest makes it again, from the register's CSV")
)
