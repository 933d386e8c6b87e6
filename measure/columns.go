package measure

import (
	"fmt"
	"unsafe"
)

// columns have the rows of a segment without pointers: 42 bytes for a coverage point, 61 for
// a speedtest.
type columns struct {
	lat, lng                            []int32
	time                                []uint32
	network                             []uint16
	technology, networkType, deviceType []uint8
	signal, rsrp, rsrq, snr             []int16
	enb, gnb                            []uint32
	cell                                []uint64
	pci                                 []uint16
	down, mean, peak, up, rtt           []int32
	origin                              []uint16 // nil in a segment of one import
}

// A column binds a section of the file to a slice of columns.
type column struct {
	name  string
	width int
	load  func([]byte)
	// pick appends the bytes of the rows of entries.
	pick func(dst []byte, rows []entry) []byte
	clip func() // removes all rows and keeps the memory
}

func bind[T uint8 | uint16 | uint32 | uint64 | int16 | int32](name string, p *[]T) column {
	width := int(unsafe.Sizeof(T(0)))
	return column{
		name: name, width: width,
		// The column is the bytes of the file, not a copy. The slices that load gets begin at a multiple of
		// eight bytes, as all T need.
		load: func(b []byte) {
			*p = nil
			if len(b) > 0 {
				*p = unsafe.Slice((*T)(unsafe.Pointer(&b[0])), len(b)/width)
			}
		},
		pick: func(dst []byte, rows []entry) []byte {
			for _, e := range rows {
				v := (*p)[e.row]
				dst = append(dst, unsafe.Slice((*byte)(unsafe.Pointer(&v)), width)...)
			}
			return dst
		},
		clip: func() { *p = (*p)[:0] },
	}
}

// ofKind returns the columns of a kind in the order of the file.
func (c *columns) ofKind(kind Kind) []column {
	all := []column{
		bind("lat", &c.lat), bind("lng", &c.lng), bind("time", &c.time), bind("network", &c.network),
		bind("technology", &c.technology), bind("networkType", &c.networkType),
		bind("rsrp", &c.rsrp), bind("rsrq", &c.rsrq), bind("snr", &c.snr),
		bind("enb", &c.enb), bind("gnb", &c.gnb), bind("cell", &c.cell), bind("pci", &c.pci),
	}
	if kind == Coverage {
		return append(all, bind("signal", &c.signal))
	}
	return append(all, bind("deviceType", &c.deviceType), bind("download", &c.down), bind("average", &c.mean),
		bind("max", &c.peak),
		bind("upload", &c.up), bind("ping", &c.rtt))
}

// forSegment returns the columns of a segment in the order of the file.
func (c *columns) forSegment(m *meta) []column {
	if len(m.Origins) == 0 {
		return c.ofKind(m.Kind)
	}
	return append(c.ofKind(m.Kind), bind("origin", &c.origin))
}

// add appends a row.
func (c *columns) add(kind Kind, r *row) {
	c.lat, c.lng, c.time = append(c.lat, r.lat), append(c.lng, r.lng), append(c.time, r.time)
	c.network, c.technology, c.networkType = append(c.network, r.network), append(c.technology,
		r.technology), append(c.networkType, r.networkType)
	c.rsrp, c.rsrq, c.snr = append(c.rsrp, r.rsrp), append(c.rsrq, r.rsrq), append(c.snr, r.snr)
	c.enb, c.gnb, c.cell, c.pci = append(c.enb, r.enb), append(c.gnb, r.gnb), append(c.cell, r.cell), append(c.pci,
		r.pci)
	if kind == Coverage {
		c.signal = append(c.signal, r.signal)
		return
	}
	c.deviceType, c.down, c.mean = append(c.deviceType, r.deviceType), append(c.down, r.down), append(c.mean, r.mean)
	c.peak, c.up, c.rtt = append(c.peak, r.peak), append(c.up, r.up), append(c.rtt, r.rtt)
}

// row returns a row.
func (c *columns) row(kind Kind, i uint32) row {
	r := row{lat: c.lat[i], lng: c.lng[i], time: c.time[i], network: c.network[i], technology: c.technology[i],
		networkType: c.networkType[i],
		signal:      noLevel, rsrp: c.rsrp[i], rsrq: c.rsrq[i], snr: c.snr[i], enb: c.enb[i], gnb: c.gnb[i],
		cell: c.cell[i], pci: c.pci[i],
		down: noSpeed, mean: noSpeed, peak: noSpeed, up: noSpeed, rtt: noSpeed}
	if c.origin != nil {
		r.origin = c.origin[i]
	}
	if kind == Coverage {
		r.signal = c.signal[i]
		return r
	}
	r.deviceType, r.down, r.mean, r.peak, r.up, r.rtt = c.deviceType[i], c.down[i], c.mean[i], c.peak[i], c.up[i],
		c.rtt[i]
	return r
}

// check returns an error if a number of a row is outside its table.
func (c *columns) check(networks int) error {
	for i := range c.lat {
		switch {
		case c.lat[i] < -90e7 || c.lat[i] > 90e7 || c.lng[i] < -180e7 || c.lng[i] > 180e7:
			return fmt.Errorf("row %d lies nowhere", i)
		case int(c.network[i]) >= networks, int(c.technology[i]) >= len(technologies),
			int(c.networkType[i]) >= len(networkTypes):
			return fmt.Errorf("row %d has a number that no table knows", i)
		}
	}
	for i := range c.deviceType {
		if int(c.deviceType[i]) >= len(deviceTypes) {
			return fmt.Errorf("row %d has a number that no table knows", i)
		}
	}
	return nil
}
