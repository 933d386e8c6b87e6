package measure

import (
	"encoding/binary"
	"encoding/hex"
	"math"

	"github.com/cespare/xxhash/v2"

	"relais/geo"
)

// A row is a measurement as it is stored.
type row struct {
	lat, lng                  int32  // 1e-7 degrees
	time                      uint32 // Unix seconds, 0 when it is not known
	network                   uint16 // position in the segment's networks
	technology                uint8  // position in technologies; the next two also in their lists
	networkType, deviceType   uint8
	signal, rsrp, rsrq, snr   int16 // hundredths of dBm and dB, noLevel when not stated
	enb, gnb                  uint32
	cell                      uint64
	pci                       uint16 // noPCI when not stated
	origin                    uint16 // position in the segment's origins
	down, mean, peak, up, rtt int32  // thousandths of Mbit/s and ms, noSpeed when not stated
}

// The values of fields that are not stated.
const (
	noLevel = math.MinInt16
	noSpeed = math.MinInt32
	noPCI   = math.MaxUint16
)

func (r *row) position() geo.Point {
	return geo.Point{Lat: geo.Degrees(r.lat), Lng: geo.Degrees(r.lng)}
}

// id returns a hash of the whole content of the row. It does not depend on the file. It is the public
// id of the measurement, so the order of its parts must stay.
func (r *row) id(kind Kind, n *network) uint64 {
	var space [160]byte
	b := append(space[:0], kind...)
	for _, v := range [...]uint32{uint32(r.lat), uint32(r.lng), r.time, r.enb, r.gnb, uint32(r.cell),
		uint32(r.cell >> 32),
		uint32(r.down), uint32(r.mean), uint32(r.peak), uint32(r.up), uint32(r.rtt), uint32(n.MCC), uint32(n.MNC)} {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	signal := r.signal
	if kind != Coverage { // a speedtest is stored without it
		signal = noLevel
	}
	for _, v := range [...]int16{signal, r.rsrp, r.rsrq, r.snr, int16(r.pci)} {
		b = binary.LittleEndian.AppendUint16(b, uint16(v))
	}
	b = append(b, r.technology, r.networkType, r.deviceType)
	b = append(append(append(b, n.Operator...), 0), n.Name...) // 0 separates: neither text has it
	return xxhash.Sum64(b)
}

// node returns the stated eNB, else that of the LTE cell.
func (r *row) node() uint32 {
	if r.enb == 0 && technologies[r.technology].generation == 4 {
		return uint32(r.cell >> 8)
	}
	return r.enb
}

func idText(id uint64) string {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], id)
	return hex.EncodeToString(b[:])
}

func level(v int16) float64 {
	if v == noLevel {
		return math.NaN()
	}
	return float64(v) / 100
}

func speed(v int32) float64 {
	if v == noSpeed {
		return math.NaN()
	}
	return float64(v) / 1000
}
