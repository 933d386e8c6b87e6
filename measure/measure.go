// Package measure keeps measurements that people made with their phones: speedtests, and
// coverage points with the signal at a place. It imports the files of several apps and
// publishers into immutable segments of columns, in the folder measures/ of the data
// folder, and answers queries by place, time and network from memory. It does not know
// sites: a caller that asks for the measurements of a site passes its position and its
// radio identifiers.
//
// The import drops the person, device and address: it reads only columns of known meaning,
// and keeps a text only if it is a word of a list or the name of a network.
package measure

import (
	"time"

	"relais/geo"
	"relais/market"
)

// A Kind is the kind of a measurement.
type Kind string

// The kinds. Sniffed stands for the kind that is detected from the content of a file.
const (
	Sniffed   Kind = ""
	Speedtest Kind = "speedtest"
	Coverage  Kind = "coverage"
)

// A Measurement has the common fields of speedtests and coverage points. A value that the source
// does not state is NaN, "", the zero Time, or the value in the field's comment.
type Measurement struct {
	ID       string    // hash of the content: equal rows of different files have the same
	Time     time.Time // UTC, whole seconds
	Position geo.Point // WGS84 degrees, 7 decimals

	MCC, MNC int    // -1: not stated, and not to be inferred
	Operator string // key in the market's table
	// The label of the table, or else the name that the source states. Synthetic measurements have
	// SYNTHETIC before it.
	OperatorName string
	Technology   string // such as LTE, NR, 5G; of a speedtest the connection's
	NetworkType  string // CELLULAR, WIFI…

	Radio Radio

	Edition string // id of the campaign; "" for what nobody published
}

// A Radio is the serving cell and its signal.
type Radio struct {
	ENB, GNB uint32  // base stations, of 20 and 32 bits; 0: not stated
	Cell     uint64  // the ECI of LTE, the NCI of NR; 0: not stated
	PCI      int     // -1: not stated
	RSRP     float64 // dBm; two decimals, like RSRQ and SNR
	RSRQ     float64 // dB
	SNR      float64 // dB; the SINR of NR too
}

// A Test is a speedtest.
type Test struct {
	Measurement
	Download, Average, Max, Upload float64 // Mbit/s, three decimals
	Ping                           float64 // ms, three decimals
	DeviceType                     string  // phone, tablet…
}

// A Point is a coverage point.
type Point struct {
	Measurement
	Signal float64 // RSSI in dBm: what the source calls the strength of the signal
}

// A Query selects the measurements of a market that satisfy all its conditions.
type Query struct {
	Market      market.Code
	Among       []string     // keys of operators; nil: any
	MCC, MNC    *int         // nil: any; see InferMCC
	Generations []Generation // nil: any
	Box         *geo.Box     // edges included; nil: anywhere
	Disc        *geo.Disc    // in addition to Box; nil: anywhere
	Since       time.Time    // not older; zero: of any or unknown age
	Newest      bool         // the newest campaign of each source is selected whatever its age: Since is for the others
	Edition     string       // only those of this edition; "": of any
	Until       time.Time    // older; zero: of any or unknown age
	Best        bool         // only the best speedtest
	Limit       int          // most measurements to return
	Offset      int          // speedtests, or points in the order of the store, to skip; 0 with Best
}

// InferMCC returns the mobile country code of all networks of a market, false if they have
// several or the table has none.
func InferMCC(code market.Code) (int, bool) {
	all := countries(market.Get(code))
	if len(all) != 1 {
		return 0, false
	}
	return all[0], true
}
