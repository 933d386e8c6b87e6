// Package change describes the differences between two editions of a market's register. A state is the
// sites of an edition with their operators and systems. Its differences from another state are plain
// set differences on three levels: sites, operators of sites, and systems of operators at sites. The
// package holds them in memory, encodes, filters and adds them up. It knows neither files nor HTTP.
package change

import (
	"fmt"
	"strings"

	"relais/internal/fold"
)

// A Kind says what a record is about.
type Kind uint8

// The kinds. A new site with one operator and two systems is one record SiteAdded, one OperatorAdded
// and two SystemAdded.
const (
	SiteAdded Kind = iota
	SiteRemoved
	OperatorAdded
	OperatorRemoved
	SystemAdded
	SystemRemoved
	StatusChanged // the most advanced status of a system of an operator at a site
	Moved         // by more than MoveMetres
	// What follows is needed to undo, and is not shown.
	placed      // the position by less than that, the area or the register
	regenerated // a system's generation
	kinds
)

// MoveMetres is the distance up to which a new position is not a change.
const MoveMetres = 5

// Kinds is the number of kinds that are shown.
const Kinds = int(placed)

var kindNames = [Kinds]string{"site-added", "site-removed", "operator-added", "operator-removed", "system-added",
	"system-removed", "status-changed", "moved"}

// String returns the name of the API, such as "site-added".
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// UnmarshalText accepts a name of the API, in any case.
func (k *Kind) UnmarshalText(b []byte) error {
	for i, name := range kindNames {
		if fold.EqualASCII(name, string(b)) {
			*k = Kind(i)
			return nil
		}
	}
	return fmt.Errorf("one of %s", strings.Join(kindNames[:], ", "))
}

// Values lists the names of the API.
func (Kind) Values() []string { return kindNames[:] }

func (k Kind) shown() bool { return int(k) < Kinds }

// A level is the subject of a difference.
type level uint8

const (
	siteLevel level = iota
	operatorLevel
	systemLevel
)

func (k Kind) level() level {
	switch k {
	case SiteAdded, SiteRemoved, Moved, placed:
		return siteLevel
	case OperatorAdded, OperatorRemoved:
		return operatorLevel
	}
	return systemLevel
}

// added and removed report whether the subject of the kind was missing before, and after.
func (k Kind) added() bool   { return k == SiteAdded || k == OperatorAdded || k == SystemAdded }
func (k Kind) removed() bool { return k == SiteRemoved || k == OperatorRemoved || k == SystemRemoved }
