package site

// An Antenna is one antenna of an emission, from sources that state each of them.
type Antenna struct {
	Emission    int      // position in Emissions
	Azimuth     float64  // degrees from true north
	Height      Quantity // of its middle
	Power       Quantity
	Tilt        Quantity // mechanical
	Electrical  Quantity // electrical tilt
	Frequencies []uint64 // Hz: distinct, ascending
}

// A Quantity is a number with the unit that its source states, "" for none.
type Quantity struct {
	Value float64 // Unknown if it is not stated
	Unit  string
}

// NoQuantity is a Quantity that the source does not state.
func NoQuantity() Quantity { return Quantity{Value: Unknown} }

// Known reports whether the quantity is stated.
func (q Quantity) Known() bool { return Known(q.Value) }
