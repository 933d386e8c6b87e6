// Package measure keeps what people measured with their phones: speedtests, and
// coverage points with the signal at a place. Files of several apps and publishers are
// imported into immutable segments of columns, in the folder measures/ of the data
// folder, and questions by place, time and network are answered from memory. It does
// not know sites: who asks for the measures of one says where it stands and what its
// base stations are called.
//
// Who measured, with which device and from which address is dropped when a file is
// read: only the columns of known meaning are looked at, and texts are kept only where
// they are words of a list, or the name of a network.
package measure

import (
	"time"

	"relais/geo"
	"relais/market"
)

// A Kind tells measures apart.
type Kind string

// The kinds; Sniffed takes what the content of a file says.
const (
	Sniffed   Kind = ""
	Speedtest Kind = "speedtest"
	Coverage  Kind = "coverage"
)

// A Measure is what a row of either kind says. What the source does not state is NaN,
// "", the zero Time, or what the field says.
type Measure struct {
	ID       string    // of its content: the same row of another file has the same
	Time     time.Time // UTC, whole seconds
	Position geo.Point // WGS84 degrees, 7 decimals

	MCC, MNC int    // -1: not stated, and not to be inferred
	Operator string // key in the market's table
	// label of the table, else as the source names the network; of what was made up, behind SYNTHETIC
	OperatorName string
	Technology   string // such as LTE, NR, 5G; of a speedtest the connection's
	NetworkType  string // CELLULAR, WIFI…

	Radio Radio
}

// A Radio is the cell that served.
type Radio struct {
	ENB, GNB uint32  // base stations, 20 and 32 bits; 0: not stated
	Cell     uint64  // the ECI of LTE, the NCI of NR; 0: not stated
	PCI      int     // -1: not stated
	RSRP     float64 // dBm, as RSRQ and SNR to two decimals
	RSRQ     float64 // dB
	SNR      float64 // dB
}

// A Test is a speedtest.
type Test struct {
	Measure
	Download, Average, Max, Upload float64 // Mbit/s, three decimals
	Ping                           float64 // ms, three decimals
	DeviceType                     string  // phone, tablet…
}

// A Point is a coverage point.
type Point struct {
	Measure
	Signal float64 // dBm: what the source calls the signal's strength, of all it receives
}

// A Query selects measures of a market. Its conditions meet on one measure.
type Query struct {
	Market     market.Code
	Operator   string     // key in the market's table; "": any
	Among      []string   // keys, of which one is the operator's; nil: any
	MCC, MNC   *int       // nil: any; see InferMCC
	Technology Generation // 0: any
	Box        *geo.Box   // edges included; nil: anywhere
	Disc       *geo.Disc  // as well; nil: anywhere
	Since      time.Time  // not older than that; zero: of any age, and of an unknown one
	Best       bool       // of speedtests: only the best one
	Limit      int        // most measures to return
	Offset     int        // speedtests to pass over; with Best, it is 0
}

// InferMCC returns the mobile country code that all networks of a market have, false
// when they have several or the table names none.
func InferMCC(code market.Code) (int, bool) {
	all := countries(market.Get(code))
	if len(all) != 1 {
		return 0, false
	}
	return all[0], true
}
