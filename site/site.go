// Package site is the normalised record of one antenna site with its
// emissions, which every authority's parser produces and the snapshot
// stores. Units are fixed here: degrees, metres, hertz, whole degrees of
// azimuth. Nothing in it is personal data.
package site

import (
	"math"

	"relais/geo"
)

// A Site is one place of the register with every operator on it. A text that
// the source does not state is "", a number NaN, a date 0, a list empty.
type Site struct {
	ID           string // the source's site id
	NationalCode string // "" when it is the ID
	SourceCode   string
	Reference    string // of the licence or site, which the source assigns in addition to its ids

	Position geo.Point
	Area     int // position in the market's areas, -1 when unknown

	Commune     string
	CommuneCode string // of the statistics office (INSEE in France)
	PostalCode  string
	MorePostal  string // further postal codes, with "/" in between
	Place       string // lieu-dit
	Address     [3]string

	Height        float64 // of the support, metres
	HeightText    string  // as published
	Nature, Owner Coded   // of the support
	AntennaHeight float64 // base of the highest sector antenna, metres above ground

	Implemented, Commissioned Date

	TxFrequencies []uint64 // Hz, transmitted by the site: distinct, ascending
	RxFrequencies []uint64 // Hz, received by the site: distinct, ascending

	FixedLink    bool   // the site has a dish or a microwave system
	SharedRadio  bool   // the source states radio-network sharing
	Crozon       bool   // SFR and Bouygues share their radio network here
	CrozonLeader string // operator key

	// Registers are bits: bit 0 for the market's own register, bit i for its other register i-1. 0: the market has
	// one register.
	Registers uint8

	Stations  []Station // at least one
	Emissions []Emission
	Antennas  []Antenna // in the order of Emissions
	Radio     []RadioID
}

// A Coded is a code of a reference table with its label.
type Coded struct{ Code, Label string }

// A Station is one operator's licence at the site.
type Station struct {
	Code           string // the source's station or licence number, or ""
	Operator       int    // position in the market's operators
	OperatorSiteID string // the operator's own name of the site
}

// An Emission is one system that a station transmits or plans.
type Emission struct {
	Station    int    // position in Stations
	System     string // as published: "LTE 800"; "" if the source does not state the system
	Order      int    // place of the system in its register, by generation and band; set by the snapshot
	Generation Generation
	Status     int      // position in the register's statuses, from least to most advanced
	On         Date     // as published: a project may have one in the future
	Azimuths   []uint16 // of its sectors: distinct, ascending, 0 to 359 from true north
	Origin     Origin   // of Azimuths, NotStated without them
}

// Unknown is the value of a number that the source does not state.
var Unknown = math.NaN()

// Known reports whether x is stated.
func Known(x float64) bool { return !math.IsNaN(x) }
